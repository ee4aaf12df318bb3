package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"weft/tui"
)

// untilSignal returns a context that ends with the first signal that asks the
// program to end; its cause is then a [*tui.SignalError]. stop waits for the
// listener.
func untilSignal(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	done := make(chan struct{})
	go func() {
		defer close(done)
		select {
		case s := <-signals:
			cancel(&tui.SignalError{Signal: s})
			// A second signal ends the program at once, as usual.
			signal.Stop(signals)
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel(nil)
		<-done
	}
}
