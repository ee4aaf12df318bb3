package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"weft/flow"
	"weft/tui"
)

func (p *program) auditCommand() *cobra.Command {
	var w window
	out := printer{w: p.out}
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "List what operators did",
		Args:  named(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := w.check(); err != nil {
				return err
			}
			return p.look(cmd.Context(), func(ctx context.Context, c tui.Console) error { return p.audit(ctx, c, w, out) })
		},
	}
	w.flags(cmd.Flags())
	cmd.Flags().BoolVar(&out.json, "json", false, "print one JSON object")
	return cmd
}

// audit prints the records of w.
func (p *program) audit(ctx context.Context, c tui.Console, w window, out printer) error {
	l, err := read(ctx, c, flow.Query{Of: flow.ListAudit}, w, func(page flow.Page) []flow.Audit { return page.Audit })
	if err != nil {
		return err
	}
	if out.json {
		return out.value(struct {
			Audit []flow.Audit `json:"audit"`
			extent
		}{l.rows, l.extent()})
	}
	table := make([][]string, len(l.rows))
	for i, a := range l.rows {
		table[i] = []string{fmt.Sprint(a.Number), a.At.String(), a.Actor, a.Verb, a.Target.String(), a.Text, a.Why}
	}
	if err := out.table([]string{"NO", "AT", "WHO", "DID", "TO", "WHAT", "WHY"}, table); err != nil {
		return err
	}
	p.note(l.rest())
	return nil
}
