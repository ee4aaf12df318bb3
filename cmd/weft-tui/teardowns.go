package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"weft/flow"
	"weft/tui"
)

// owedFlags choose owed teardowns or dead letters.
type owedFlags struct {
	window
	filter flow.Filter
}

func (p *program) teardownsCommand() *cobra.Command {
	return p.owedCommand("teardowns", "List the teardowns that are owed, and how far each is",
		func(ctx context.Context, c tui.Console, o owedFlags, out printer) error {
			return p.teardowns(ctx, c, o, out)
		})
}

func (p *program) deadCommand() *cobra.Command {
	return p.owedCommand("dead", "List dead letters: the teardowns that were given up",
		func(ctx context.Context, c tui.Console, o owedFlags, out printer) error {
			return p.dead(ctx, c, o, out)
		})
}

func (p *program) owedCommand(use, short string, list func(context.Context, tui.Console, owedFlags, printer) error) *cobra.Command {
	var o owedFlags
	out := printer{w: p.out}
	cmd := &cobra.Command{
		Use:   use,
		Short: short,
		Args:  named(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(); err != nil {
				return err
			}
			return p.look(cmd.Context(), func(ctx context.Context, c tui.Console) error { return list(ctx, c, o, out) })
		},
	}
	f := cmd.Flags()
	o.window.flags(f)
	f.StringVar(&o.filter.Type, "type", "", "only this `type`")
	f.StringVar(&o.filter.IDPrefix, "prefix", "", "only ids that begin with `text`")
	f.StringVar(&o.filter.Contains, "contains", "", "only those whose id, type, finalizer or error contains `text`")
	f.BoolVar(&out.json, "json", false, "print one JSON object")
	return cmd
}

// teardowns prints what is owed.
func (p *program) teardowns(ctx context.Context, c tui.Console, o owedFlags, out printer) error {
	l, err := read(ctx, c, flow.Query{Of: flow.ListTeardowns, Filter: o.filter}, o.window,
		func(page flow.Page) []flow.Teardown { return page.Teardowns })
	if err != nil {
		return err
	}
	if out.json {
		return out.value(struct {
			Teardowns []flow.Teardown `json:"teardowns"`
			extent
		}{l.rows, l.extent()})
	}
	table := make([][]string, len(l.rows))
	for i, t := range l.rows {
		table[i] = []string{string(t.ID), string(t.Run), t.Type, placed(t.Finalizer, t.Place()), t.State, used(t.Attempts),
			t.NextAt.String(), t.StaleAt.String(), t.LastError}
	}
	if err := out.table([]string{"ID", "RUN", "TYPE", "FINALIZER", "STATE", "USED", "NEXT", "STALE AT", "LAST ERROR"}, table); err != nil {
		return err
	}
	p.note(l.rest())
	return nil
}

func used(attempts int) string { return fmt.Sprintf("%d/%d", attempts, flow.MaxTeardownAttempts) }

// placed is a finalizer with the place it has among the pieces of a teardown.
func placed(finalizer, place string) string {
	if place == "" {
		return finalizer
	}
	return finalizer + ", " + place
}

// dead prints dead letters.
func (p *program) dead(ctx context.Context, c tui.Console, o owedFlags, out printer) error {
	l, err := read(ctx, c, flow.Query{Of: flow.ListDead, Filter: o.filter}, o.window,
		func(page flow.Page) []flow.Dead { return page.Dead })
	if err != nil {
		return err
	}
	if out.json {
		return out.value(struct {
			Dead []flow.Dead `json:"dead"`
			extent
		}{l.rows, l.extent()})
	}
	table := make([][]string, len(l.rows))
	for i, d := range l.rows {
		table[i] = []string{string(d.ID), string(d.Run), d.Type, placed(d.Finalizer, d.Place()), used(d.Attempts), d.DeadLetteredAt.String(),
			d.Input.String(), d.LastError}
	}
	if err := out.table([]string{"ID", "RUN", "TYPE", "FINALIZER", "USED", "DEAD SINCE", "INPUT", "LAST ERROR"}, table); err != nil {
		return err
	}
	p.note(l.rest())
	return nil
}
