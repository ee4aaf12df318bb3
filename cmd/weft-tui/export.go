package main

import (
	"context"

	"github.com/spf13/cobra"

	"weft/flow"
	"weft/tui"
)

func (p *program) exportCommand() *cobra.Command {
	var run string
	cmd := &cobra.Command{
		Use:   "export ID",
		Short: "Print one run's journal as JSON, to test other code against it",
		Long: "Prints the journal of one run as one JSON object. Keep it in a file and let a Go test replay it:\n" +
			"wefttest.Replay(t, \"testdata/order-7.json\", Order) says whether the code of today still fits it.\n" +
			"The journal holds the run's input and results as they are, secrets too.",
		Args: named("ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ref, err := target(args[0], run)
			if err != nil {
				return err
			}
			return p.look(cmd.Context(), func(ctx context.Context, c tui.Console) error { return export(ctx, c, ref, printer{w: p.out}) })
		},
	}
	runFlag(cmd, &run)
	return cmd
}

// export prints the journal of the run at ref.
func export(ctx context.Context, c tui.Console, ref flow.Ref, out printer) error {
	d, err := c.Detail(ctx, ref, flow.PartEvents)
	if err != nil {
		return err
	}
	j := flow.JournalOf(d)
	if err := j.Check(); err != nil {
		return err
	}
	return out.value(j)
}
