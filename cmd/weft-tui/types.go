package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"weft/flow"
	"weft/tui"
)

func (p *program) typesCommand() *cobra.Command {
	out := printer{w: p.out}
	w := window{all: true}
	cmd := &cobra.Command{
		Use:   "types",
		Short: "List workflow types, registered here or found in the store",
		Args:  named(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.look(cmd.Context(), func(ctx context.Context, c tui.Console) error { return types(ctx, c, w, out) })
		},
	}
	cmd.Flags().BoolVar(&out.json, "json", false, "print one JSON object")
	return cmd
}

// types prints what is known of each type.
func types(ctx context.Context, c tui.Console, w window, out printer) error {
	l, err := read(ctx, c, flow.Query{Of: flow.ListTypes}, w, func(page flow.Page) []flow.Type { return page.Types })
	if err != nil {
		return err
	}
	if out.json {
		return out.value(struct {
			Types []flow.Type `json:"types"`
			extent
		}{l.rows, l.extent()})
	}
	table := make([][]string, len(l.rows))
	for i, t := range l.rows {
		var live, all int64
		for _, v := range t.Versions {
			all += v.Counts.Runs()
			live += v.Counts.Runs() - v.Counts.Terminal()
		}
		table[i] = []string{t.Name, registered(t), fmt.Sprint(live), fmt.Sprint(all), strings.Join(t.Signals, ","), t.Example.String()}
	}
	return out.table([]string{"TYPE", "VERSION", "LIVE", "RUNS", "SIGNALS", "EXAMPLE"}, table)
}

func registered(t flow.Type) string {
	if !t.Registered {
		return "not registered here"
	}
	return t.Version
}
