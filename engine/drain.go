package engine

import (
	"context"
	"time"

	"weft/flow"
)

// takesCalls fails when calls from outside are not taken any more.
func (e *Engine) takesCalls() error {
	if err := e.halted(); err != nil {
		return err
	}
	if e.isClosing() {
		return flow.ErrClosed
	}
	return nil
}

// drain waits until no attempt is under way and what they gave is recorded, or
// until ctx ends. New attempts do not begin meanwhile.
func (e *Engine) drain(ctx context.Context) {
	t := time.NewTicker(10 * time.Millisecond)
	defer t.Stop()
	for e.busy() && e.halted() == nil {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
	}
}

// busy reports whether an attempt is under way or an outcome is not recorded.
// An attempt hands its outcome in before it is counted as through.
func (e *Engine) busy() bool {
	if e.attempts.Load() > 0 {
		return true
	}
	for _, l := range e.lives.all() {
		if l.records() {
			return true
		}
	}
	return false
}

// records reports whether the life records, or is about to record, an outcome.
func (l *life) records() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.leaving != stay {
		return false
	}
	for _, c := range l.inbox {
		if c.attempt != nil {
			return true
		}
	}
	return l.advancing
}
