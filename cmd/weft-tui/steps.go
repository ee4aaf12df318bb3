package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"weft/flow"
	"weft/tui"
)

func (p *program) stepsCommand() *cobra.Command {
	var run string
	out := printer{w: p.out}
	cmd := &cobra.Command{
		Use:   "steps ID",
		Short: "List the steps of one run",
		Args:  named("ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ref, err := target(args[0], run)
			if err != nil {
				return err
			}
			return p.look(cmd.Context(), func(ctx context.Context, c tui.Console) error { return steps(ctx, c, ref, out) })
		},
	}
	runFlag(cmd, &run)
	cmd.Flags().BoolVar(&out.json, "json", false, "print one JSON object")
	return cmd
}

// steps prints the steps of the run at ref.
func steps(ctx context.Context, c tui.Console, ref flow.Ref, out printer) error {
	d, err := c.Detail(ctx, ref, flow.PartSteps)
	if err != nil {
		return err
	}
	if out.json {
		return out.value(struct {
			flow.Ref
			Steps []flow.Step  `json:"steps"`
			At    flow.Instant `json:"at"`
		}{d.Run.Ref, append([]flow.Step{}, d.Steps...), d.At})
	}
	table := make([][]string, len(d.Steps))
	for i, s := range d.Steps {
		table[i] = []string{string(s.Path), s.Kind.String(), s.Name, string(s.State), tries(s), s.StartedAt.String(),
			s.EndedAt.String(), outcome(s)}
	}
	return out.table([]string{"STEP", "KIND", "NAME", "STATE", "TRY", "STARTED", "ENDED", "OUTCOME"}, table)
}

func tries(s flow.Step) string {
	if s.MaxAttempts == 0 {
		return fmt.Sprint(s.Attempt)
	}
	return fmt.Sprintf("%d/%d", s.Attempt, s.MaxAttempts)
}

// outcome is what a step gave, or when it goes on.
func outcome(s flow.Step) string {
	switch {
	case s.Error != nil && s.State != flow.StepOutside:
		return s.Error.Message
	case s.Output != nil:
		return s.Output.String()
	case s.State == flow.StepOutside:
		text := "waiting for completion from outside"
		if s.Due != 0 {
			text += " until " + s.Due.String()
		}
		return text + ", token " + string(s.Token)
	case s.Due != 0:
		return "due " + s.Due.String()
	}
	return ""
}
