package engine

import (
	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// parkNow takes a waiting run out of memory: one batch registers every wait
// that is not registered, with its timer row, and removes the run from the
// ready set on condition that nobody has made it runnable since. After a lost
// condition the life looks at its buffers again. mu is held and released
// during the commit.
func (l *life) parkNow() {
	if l.stale {
		l.lookAgain(nil)
		return
	}
	seen := l.ready
	timers := make([]row.Timer, 0, len(l.ops))
	var b store.Batch
	for _, o := range l.fresh() {
		l.register(&b, o, o.due != 0)
	}
	// Also those whose row is there already: the loop may have spent them on
	// waking this life, before the clock was set back.
	for _, o := range l.ops {
		if o.due != 0 {
			timers = append(timers, row.Timer{Due: o.due, Ref: l.ref, Step: o.step})
		}
	}
	if seen.raw != nil {
		b.Delete(row.ReadyKey(l.ref))
	}
	if b.Operations() > 0 {
		// Also when there was none: a run that a timer woke has none.
		b.Expect(row.ReadyKey(l.ref), seen.raw, seen.at)
		g := l.guard
		l.mu.Unlock()
		applied, err := l.eng.commit(&g, &b)
		l.mu.Lock()
		if err != nil || !applied {
			l.lookAgain(err)
			return
		}
		l.guard.at = g.at
		// What came during the commit found a life that had not left.
		l.again = len(l.inbox) > 0 || l.stale
	}
	l.eng.timers.added(timers)
	l.eng.tellParked(l)
	l.unrest()
	l.dismissLocked(leaveParked)
}

// fresh are the operations whose wait row is missing or no longer says what is
// true.
func (l *life) fresh() []*op {
	var out []*op
	for _, o := range l.ops {
		if o.stored == nil || o.stored.Due != o.due || o.stored.Attempt != o.attempt && o.kind == flow.StepActivity ||
			o.due != 0 && !o.stored.Timed {
			out = append(out, o)
		}
	}
	return out
}
