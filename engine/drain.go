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

const (
	drainLook = 10 * time.Millisecond
	// drainMoves is how many looks Close waits for code that runs while nothing
	// else keeps it: long enough to come to its next wait, if it is sound.
	drainMoves = 100
)

// drain waits until no attempt is under way and what they gave is recorded, and
// parks the runs that merely wait: the next tenure need not replay them. It ends
// with ctx. New attempts do not begin meanwhile.
//
// Each run parks in a batch of its own, which leaves it whole in the ready set or
// whole out of it: what is not parked when ctx ends, or the process dies, is
// replayed at the next open.
func (e *Engine) drain(ctx context.Context) {
	t := time.NewTicker(drainLook)
	defer t.Stop()
	for moves := 0; e.halted() == nil && ctx.Err() == nil; {
		busy, moving := e.attempts.Load() > 0, false
		for _, l := range e.lives.all() {
			records, runs := l.settle()
			busy, moving = busy || records, moving || runs
		}
		switch {
		case busy:
		case moving && moves < drainMoves:
			moves++
		default:
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
	}
}

// settle brings a life closer to leaving memory on its own. It reports whether
// the life records, or is about to record, an outcome or its parking, and whether
// its code runs. An attempt hands its outcome in before it is counted as through.
func (l *life) settle() (records, runs bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.leaving != stay || l.cold || l.stopped:
		return false, false
	case l.advancing || len(l.inbox) > 0 && l.current == nil:
		return true, false
	case l.current != nil || l.def == nil:
		return l.givesOutcome(), true
	case l.onlyWaits():
		l.park = true
		l.kick()
		return l.advancing, false
	}
	return false, false
}

// givesOutcome reports whether an attempt has handed in what is not recorded.
func (l *life) givesOutcome() bool {
	for _, c := range l.inbox {
		if c.attempt != nil {
			return true
		}
	}
	return false
}
