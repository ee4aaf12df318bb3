package main

import (
	"context"
	"fmt"

	"weft/flow"
	"weft/tui"
)

// openStore opens the store of w.
func openStore(_ context.Context, w want) (tui.Console, error) {
	return nil, fmt.Errorf("open %s: %w", w.Dir, flow.ErrNotOffered)
}

// runScreen shows the console on the store of w.
func runScreen(_ context.Context, w want, _ settings) error {
	return fmt.Errorf("open %s: %w", w.Dir, flow.ErrNotOffered)
}

// draw draws one frame.
func draw(context.Context, tui.Console, frame) (string, error) {
	return "", flow.ErrNotOffered
}
