package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"weft/flow"
	"weft/tui"
)

// closeWithin is how long a verb waits for the store to close. What it did is
// durable by then.
const closeWithin = 10 * time.Second

// look opens the store for reading, does f and closes it.
func (p *program) look(ctx context.Context, f func(context.Context, tui.Console) error) error {
	return p.with(ctx, p.want(flow.ModeLook), f)
}

// act opens the store for acts, does f and closes it.
func (p *program) act(ctx context.Context, f func(context.Context, tui.Console) error) error {
	if p.readOnly {
		return &usageError{flow.ErrReadOnly}
	}
	return p.with(ctx, p.want(flow.ModeOperate), f)
}

// with opens a store, does f and closes it. A signal ends f early and is then
// the error.
func (p *program) with(ctx context.Context, w want, f func(context.Context, tui.Console) error) error {
	ctx, stop := untilSignal(ctx)
	defer stop()
	console, err := p.open(ctx, w)
	if err == nil {
		err = closeAfter(ctx, console, f(ctx, console))
	}
	var signal *tui.SignalError
	if err != nil && errors.As(context.Cause(ctx), &signal) {
		return signal
	}
	return err
}

// closeAfter closes c, also when ctx has ended, and returns err; what closing
// fails with matters when nothing else went wrong.
func closeAfter(ctx context.Context, c tui.Console, err error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeWithin)
	defer cancel()
	if bad := c.Close(ctx); bad != nil && err == nil {
		return fmt.Errorf("close the store: %w", bad)
	}
	return err
}
