package main

import (
	"context"
	"fmt"
	"path/filepath"

	"weft"
	"weft/demo"
	"weft/flow"
	"weft/store/pebble"
	"weft/tui"
)

// This file is the only one that knows how a store is opened.

// openNode opens the store of w. The demo workflows are always registered, so
// that a store they were started in goes on under any verb; types that are not
// known here are held.
func openNode(ctx context.Context, w want) (*weft.Node, error) {
	return weft.Open(ctx, weft.Options{Dir: w.Dir, Create: w.Create, Mode: w.Mode, AcceptDataLoss: w.AcceptDataLoss,
		Workflows: demo.Workflows(filepath.Join(w.Dir, "demo")), AcknowledgeUnknownTypes: true,
		Actor: actor(), Version: "weft-tui"})
}

// openStore opens the store of w for a verb.
func openStore(ctx context.Context, w want) (tui.Console, error) {
	node, err := openNode(ctx, w)
	if err != nil {
		return nil, err
	}
	return node.Console(), nil
}

// makeStore makes an empty store.
func makeStore(dir string) error { return pebble.Init(dir) }

// runScreen shows the console on the store of w. The guard comes before the
// store: the process that stays to repair the terminal must not have it open.
func runScreen(ctx context.Context, w want, o tui.Options) error {
	tui.Guard()
	node, err := openNode(ctx, w)
	if err != nil {
		return err
	}
	if w.Seed && w.Mode == flow.ModeRun {
		if err := demo.Seed(ctx, node.Engine); err != nil {
			return closeAfter(ctx, node.Console(), fmt.Errorf("start the demo workflows: %w", err))
		}
	}
	return tui.Run(ctx, node.Console(), remembering(ctx, node.Console(), o))
}
