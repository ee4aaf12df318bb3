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
	if l.hopeless() {
		l.deadlock()
		return
	}
	var b store.Batch
	fresh, timers := l.registerAll(&b)
	l.putStaged(&b)
	if l.ready.raw != nil {
		b.Delete(row.ReadyKey(l.ref))
	}
	if b.Operations() > 0 {
		l.expectReady(&b) // also when there was none: a run that a timer woke has none
		g := l.guard
		l.mu.Unlock()
		applied, err := l.eng.commit(&g, &b)
		l.mu.Lock()
		if err != nil || !applied {
			l.lookAgain(err)
			return
		}
		l.guard.at = g.at
	}
	if len(l.inbox) > 0 || l.stale {
		l.again = true // what came during the commit found a life that had not left
	} else {
		l.ready = readyRow{}
	}
	l.registered(fresh, timers)
	l.eng.tellParked(l)
	l.unrest()
	l.dismissLocked(leaveParked)
}

// registerAll puts the rows of every wait that is not registered as it is now,
// with timer rows.
func (l *life) registerAll(b *store.Batch) (fresh []*op, timers []row.Timer) {
	for _, o := range l.ops {
		// Also those whose row is there already: the loop may have spent them
		// on waking this life, before the clock was set back.
		if o.waits() && o.due != 0 {
			timers = append(timers, row.Timer{Due: o.due, Ref: l.ref, Step: o.step})
		}
		if !o.waits() || o.stored != nil && o.stored.Due == o.due && (o.due == 0 || o.stored.Timed) &&
			(o.stored.Attempt == o.attempt || o.kind != flow.StepActivity) && o.stored.Handlers == len(l.onCancel) {
			continue
		}
		fresh = append(fresh, o)
		l.register(b, o, o.due != 0)
	}
	return fresh, timers
}

// registered notes that the rows of registerAll are durable. From here on the
// life knows its waits apart from its operations, which unwind.
func (l *life) registered(fresh []*op, timers []row.Timer) {
	l.stagedStored()
	for _, o := range fresh {
		w := l.waitOf(o, o.due != 0)
		o.stored = &w
	}
	if l.waits == nil {
		l.waits = map[flow.StepPath]row.Wait{}
	}
	for _, o := range l.ops {
		if o.stored != nil {
			l.waits[o.step] = *o.stored
		}
	}
	l.eng.timers.Added(timers...)
}
