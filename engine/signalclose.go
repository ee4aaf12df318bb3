package engine

import (
	"maps"
	"slices"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// TakeOrClose takes the next signal that is there, without waiting. When there
// is none it closes the signal and answers false: from then on senders are
// refused with a [*flow.SignalClosedError]. So code that takes signals until
// this answers false, and then returns, has seen every signal that was ever
// acknowledged. A run that it continues as takes the signal again.
func (s Signal[T]) TakeOrClose(ctx *Context) (T, bool, error) {
	var zero T
	ev := ctx.perform(&op{kind: flow.StepDrain, name: s.Name})
	if ev.Failure == nil && len(ev.Output) == 0 {
		return zero, false, nil
	}
	v, err := outcomeOf[T](ev)
	return v, err == nil, err
}

// Drain takes every signal that is there and closes the signal, as
// [Signal.TakeOrClose] does. With an error it returns what it has taken.
func (s Signal[T]) Drain(ctx *Context) ([]T, error) {
	var out []T
	for {
		v, ok, err := s.TakeOrClose(ctx)
		if err != nil || !ok {
			return out, err
		}
		out = append(out, v)
	}
}

// settleDrain records the signal that is taken, or that there is none; the
// latter on condition that nobody has sent any since the last look. mu is held
// and released during the commit.
func (l *life) settleDrain(o *op) (ev flow.Event, ok bool) {
	if l.stale && !l.lookAgain(nil) {
		return ev, false
	}
	var taken *buffered
	var ready []byte
	if err := l.commitExact(func(b *store.Batch) error {
		ev, taken = l.event(outcome{op: o})
		l.expectNext(b, ev.Seq)
		if taken == nil {
			ev.Output, ev.TimedOut = nil, false
			l.expectReady(b)
			b.Put(row.SignalClosedKey(l.box(), o.name), nil)
		}
		l.stepBatch(b, o, ev, taken)
		ready = l.putReady(b)
		l.putStaged(b)
		return nil
	}); err != nil {
		return ev, false // the life has been told to leave
	}
	l.ready.adopt(ready, l.guard.at)
	if taken != nil {
		l.signals.remove(taken.arrival)
	} else {
		l.signals.close(row.SignalClosedKey(l.box(), o.name)) // it goes at the end
	}
	return ev, true
}

// openSignals removes, in the batch that ends a run, what closed its signals: the
// next run of a chain takes them again.
func (l *life) openSignals(b *store.Batch) {
	for _, key := range l.signals.closed {
		b.Delete([]byte(key))
	}
}

// unknownMessage names an update or query that a type does not declare.
func unknownMessage[M any](what, typ, name string, known map[string]M) error {
	return &flow.UnknownError{What: what + " of " + typ, Name: name, Known: slices.Sorted(maps.Keys(known))}
}
