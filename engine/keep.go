package engine

import (
	"time"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// unkept are the waits whose end is known to this life only: a crash would begin
// them again. A wait without an end has nothing to lose.
func (l *life) unkept(yield func(*op) bool) {
	for _, o := range l.ops {
		if o.due != 0 && o.kind != flow.StepActivity && o.waits() && (o.stored == nil || o.stored.Due != o.due) && !yield(o) {
			return
		}
	}
}

// planKeep has the waits registered that last for Grace in a run that cannot park
// because something else is under way in it. mu is held.
func (l *life) planKeep() {
	if l.keeper != nil {
		return
	}
	for o := range l.unkept {
		left := l.eng.o.Grace - l.eng.now().Sub(o.startedAt.Time())
		l.keeper = time.AfterFunc(max(min(left, l.eng.o.Grace), 0), func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.keeper, l.keepDue = nil, true
			l.kick()
		})
		return // the others have their turn after it
	}
}

// keepWaits registers them, in one batch. The run stays in the ready set, which
// is what brings it back: the waits need no timer rows. mu is held.
func (l *life) keepWaits() {
	l.keepDue = false
	var ready []byte
	kept := map[*op]row.Wait{}
	now := l.eng.now()
	for o := range l.unkept {
		if now.Sub(o.startedAt.Time()) >= l.eng.o.Grace {
			kept[o] = l.waitOf(o, false)
		}
	}
	if len(kept) == 0 || !l.commitStep(func(b *store.Batch) {
		for o := range kept {
			l.register(b, o, false)
		}
		ready = l.putReady(b)
		l.putStaged(b)
	}) {
		return
	}
	l.stagedStored()
	l.ready.adopt(ready, l.guard.at)
	for o, w := range kept {
		o.stored = &w
	}
}
