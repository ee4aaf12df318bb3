package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"weft/flow"
	"weft/tui"
)

// infoCommand is a verb without arguments that prints a part of [flow.Info].
func (p *program) infoCommand(use, short string, print func(flow.Info, printer) error) *cobra.Command {
	out := printer{w: p.out}
	cmd := &cobra.Command{
		Use:   use,
		Short: short,
		Args:  named(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.look(cmd.Context(), func(ctx context.Context, c tui.Console) error { return inform(ctx, c, print, out) })
		},
	}
	cmd.Flags().BoolVar(&out.json, "json", false, "print one JSON object")
	return cmd
}

func inform(ctx context.Context, c tui.Console, print func(flow.Info, printer) error, out printer) error {
	info, err := c.Info(ctx)
	if err != nil {
		return err
	}
	return print(info, out)
}

func (p *program) countsCommand() *cobra.Command {
	return p.infoCommand("counts", "Count runs by status, and what is owed and dead", counts)
}

func (p *program) leaseCommand() *cobra.Command {
	return p.infoCommand("lease", "Show who owns the store, and who did", lease)
}

// counts prints how many runs there are.
func counts(info flow.Info, out printer) error {
	c := info.Counts
	if out.json {
		return out.value(struct {
			flow.Counts
			OwedSince flow.Instant `json:"owedSince,omitzero"`
		}{c, info.OwedSince})
	}
	var pairs [][2]string
	for _, s := range flow.Statuses() {
		pairs = append(pairs, [2]string{s.String(), fmt.Sprint(c.Of(s))})
	}
	pairs = append(pairs, [2]string{"owed", fmt.Sprint(c.Owed)})
	if info.OwedSince != 0 {
		pairs = append(pairs, [2]string{"oldest", from(info.At, info.OwedSince)})
	}
	return out.fields(append(pairs, [2]string{"dead", fmt.Sprint(c.Dead)}))
}

// lease prints the lease and its history, the newest tenure first as recorded.
func lease(info flow.Info, out printer) error {
	l := info.Lease
	if out.json {
		l.History = append([]flow.Tenure{}, l.History...)
		return out.value(l)
	}
	err := out.fields([][2]string{
		{"state", leaseWord(l)}, {"holder", l.Holder}, {"epoch", fmt.Sprint(l.Epoch)},
		{"renewed", from(info.At, l.RenewedAt)}, {"expires", from(info.At, l.ExpiresAt)},
	})
	if err != nil || len(l.History) == 0 {
		return err
	}
	table := make([][]string, len(l.History))
	for i, t := range l.History {
		table[i] = []string{fmt.Sprint(t.Epoch), t.Holder, t.Since.String(), t.Until.String(), t.Ended}
	}
	return out.table([]string{"EPOCH", "HOLDER", "SINCE", "UNTIL", "ENDED"}, table)
}

// leaseWord is the state of the lease, and whose it is where the word alone does
// not tell.
func leaseWord(l flow.Lease) string {
	if l.State == flow.LeaseOther {
		return "other, not given back by its holder"
	}
	return string(l.State)
}
