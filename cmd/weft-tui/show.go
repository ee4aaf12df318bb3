package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"weft/flow"
	"weft/tui"
)

func (p *program) showCommand() *cobra.Command {
	var run string
	out := printer{w: p.out}
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show one run: its state, input and result",
		Args:  named("ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ref, err := target(args[0], run)
			if err != nil {
				return err
			}
			return p.look(cmd.Context(), func(ctx context.Context, c tui.Console) error { return show(ctx, c, ref, out) })
		},
	}
	runFlag(cmd, &run)
	cmd.Flags().BoolVar(&out.json, "json", false, "print one JSON object")
	return cmd
}

// runFlag lets a verb address a run that is not the latest of its id.
func runFlag(cmd *cobra.Command, run *string) {
	cmd.Flags().StringVar(run, "run", "", "this `run` of the id, not the latest")
}

// show prints the run at ref.
func show(ctx context.Context, c tui.Console, ref flow.Ref, out printer) error {
	d, err := c.Detail(ctx, ref, flow.PartSignals)
	if err != nil {
		return err
	}
	if out.json {
		return out.value(d)
	}
	r := d.Run
	undone := ""
	if r.Status.Terminal() {
		if undone, err = leftUndone(ctx, c, r.Ref); err != nil {
			return err
		}
	}
	pairs := [][2]string{
		{"id", string(r.ID)}, {"run", string(r.Run)}, {"type", typeWord(r)}, {"status", statusWord(r)},
		{"held", r.HeldBecause}, {"waits for", r.Waiting}, {"step", string(r.Step)}, {"due", moment(r.Due)},
		{"starts", moment(r.StartAt)},
		{"created", moment(r.CreatedAt)}, {"started", moment(r.StartedAt)}, {"updated", moment(r.UpdatedAt)},
		{"closed", moment(r.ClosedAt)}, {"deadline", moment(r.Deadline)}, {"failure", failureText(r.Failure)},
		{"reason", r.Reason}, {"left undone", undone}, {"summary", r.Summary}, {"tags", strings.Join(r.Tags, ",")},
		{"attributes", attributeWords(r)}, {"headers", words(d.Headers)},
		{"parent", parent(r)}, {"to undo", strings.Join(d.Compensations, ", ")}, {"continued", continued(d)}, {"signals", signalNames(d.Signals)},
		{"journal", fmt.Sprintf("%d events, %d bytes", r.Events, d.Bytes)},
		{"input", d.Input.String()}, {"output", d.Output.String()},
	}
	return out.fields(pairs)
}

// leftUndone is what a run that has ended left: signals that nobody took, updates
// without a reply.
func leftUndone(ctx context.Context, c tui.Console, ref flow.Ref) (string, error) {
	d, err := c.Detail(ctx, ref, flow.PartEvents)
	if err != nil {
		return "", err
	}
	for _, e := range slices.Backward(d.Events) {
		if e.Kind == flow.EventEnded {
			return e.Left, nil
		}
	}
	return "", nil
}

// moment is an instant, or nothing when there is none.
func moment(i flow.Instant) string {
	if i == 0 {
		return ""
	}
	return i.String()
}

func failureText(f *flow.Failure) string {
	switch {
	case f == nil:
		return ""
	case f.Code == "":
		return fmt.Sprintf("%s (%s)", f.Message, f.Category)
	}
	return fmt.Sprintf("%s (%s, %s)", f.Message, f.Category, f.Code)
}

func parent(r flow.Run) string {
	if r.Parent == nil {
		return ""
	}
	return r.Parent.String()
}

// continued tells of the runs before this one that continued as new.
func continued(d flow.Detail) string {
	if d.Run.Generation == 0 {
		return ""
	}
	text := fmt.Sprintf("generation %d, the first is run %s", d.Run.Generation, d.Run.First)
	if len(d.Past) > 0 {
		text += fmt.Sprintf("; before this one run %s, %d events", d.Past[0].Run, d.Past[0].Events)
	}
	return text
}

func signalNames(buffered []flow.BufferedSignal) string {
	names := make([]string, len(buffered))
	for i, s := range buffered {
		names[i] = s.Name
	}
	return strings.Join(names, ", ")
}
