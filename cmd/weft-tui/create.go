package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"weft/flow"
	"weft/store"
	"weft/tui"
)

func (p *program) initCommand() *cobra.Command {
	out := printer{w: p.out}
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Make an empty store",
		Args:  named(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if p.readOnly {
				return &usageError{flow.ErrReadOnly}
			}
			return p.create(cmd.Context(), out)
		},
	}
	cmd.Flags().BoolVar(&out.json, "json", false, "print one JSON object")
	return cmd
}

// errHasStore refuses to make a store where there is one.
var errHasStore = errors.New("there is a store already")

// create makes an empty store. A store that is there, in whatever state, is
// left alone, but for one whose creation was interrupted before it held anything.
func (p *program) create(ctx context.Context, out printer) error {
	err := p.look(ctx, func(context.Context, tui.Console) error { return nil })
	switch {
	case err == nil:
		return fmt.Errorf("init %s: %w", p.data, errHasStore)
	case !errors.Is(err, store.ErrMissing) && !errors.Is(err, store.ErrHalfMade):
		return err
	}
	if err := p.make(p.data); err != nil {
		return err
	}
	if !out.json {
		return out.line("made an empty store in " + p.data)
	}
	return p.look(ctx, func(ctx context.Context, c tui.Console) error {
		info, err := c.Info(ctx)
		if err != nil {
			return err
		}
		return out.value(struct {
			Store string `json:"store"`
			ID    string `json:"storeId"`
		}{info.Store, info.StoreID})
	})
}
