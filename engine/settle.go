package engine

import (
	"errors"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// settleNext records the oldest outcome and delivers it. It reports whether a
// branch got the baton. mu is held and released during the commit; advancing
// stays with the caller.
func (l *life) settleNext() bool {
	c := l.takeOutcome()
	if l.find(c.op.step) != c.op || c.attempt != c.op.running && c.attempt != nil {
		l.eng.dropped.Add(1)
		return false
	}
	if c.later {
		l.settleHanded(c)
		return false
	}
	if c.retry {
		l.settleRetry(c)
		return false
	}
	if l.endTooLong() {
		return false
	}
	if c.op.child != nil {
		ev, ok := l.settleBirth(c.op)
		if ok {
			l.recorded(c.op, ev)
		}
		return ok
	}
	if c.op.kind == flow.StepDrain {
		ev, ok := l.settleDrain(c.op)
		if ok {
			l.recorded(c.op, ev)
		}
		return ok
	}
	ev, taken := l.event(c)
	if c.op.kind == flow.StepSignal && taken == nil && !ev.TimedOut {
		return false // woken, but there is nothing to take
	}
	var ready []byte
	if !l.commitStep(func(b *store.Batch) {
		l.expectNext(b, ev.Seq)
		l.stepBatch(b, c.op, ev, taken)
		ready = l.putReady(b)
		l.putStaged(b)
	}) {
		return false
	}
	l.ready.adopt(ready, l.guard.at)
	if taken != nil {
		l.signals.remove(taken.arrival)
	}
	delete(l.children, c.op.awaits)
	if c.op.later != nil {
		delete(l.answers, c.op.step)
	}
	l.piecesStored(c.op, ev)
	l.recorded(c.op, ev)
	return true
}

// takeOutcome takes the oldest outcome out of the inbox. The last place is kept:
// most runs need no more than one, over and over.
func (l *life) takeOutcome() outcome {
	c := l.inbox[0]
	l.inbox[0] = outcome{}
	if len(l.inbox) == 1 {
		l.inbox = l.inbox[:0]
	} else {
		l.inbox = l.inbox[1:]
	}
	return c
}

// recorded delivers an event that has become durable.
func (l *life) recorded(o *op, ev flow.Event) {
	l.seq, l.proven = ev.Seq, true
	l.stagedStored()
	l.warnLong(ev.Seq)
	l.eng.steps.Add(1)
	l.eng.tellStep(l, ev)
	l.slot.Free()
	l.unrest()
	if o.reply != nil {
		l.eng.replies.tell(l.ref, o.reply.id, ev)
	}
	l.deliver(o, ev)
}

// expectNext makes a life's first step conditional on its place in the journal
// being free. That no run has two lives is ensured in memory; this is what a
// mistake there would run into, instead of writing over what is recorded.
func (l *life) expectNext(b *store.Batch, seq flow.EventSeq) {
	if !l.proven {
		b.Expect(row.EventKey(l.ref, seq), nil, l.loadedAt)
	}
}

// event is the journal entry for an outcome. For a signal wait it is decided
// here, at the last moment, which signal is taken.
func (l *life) event(c outcome) (flow.Event, *buffered) {
	now := l.eng.now()
	o := c.op
	ev := flow.Event{Seq: l.seq + 1, Kind: flow.EventStep, At: flow.InstantOf(now), Step: o.step, StepKind: o.kind,
		Name: o.name, Digest: o.digest, StartedAt: o.startedAt, Attempt: o.attempt, Output: c.output,
		Failure: c.failure, Summary: l.summary}
	switch o.kind {
	case flow.StepSignal, flow.StepDrain:
	case flow.StepUntil:
		ev.TimedOut = true // when the condition holds there is no event
		return ev, nil
	default:
		return ev, nil
	}
	if s := l.signals.first(o.name); s != nil && (o.due == 0 || s.At <= o.due) {
		taken := *s
		ev.Output = taken.Payload
		return ev, &taken
	}
	ev.TimedOut = o.due != 0 && !now.Before(o.due.Time())
	return ev, nil
}

// stepBatch is everything that changes with a step: the journal entry, the
// rows that registered its wait, and the signal it takes.
func (l *life) stepBatch(b *store.Batch, o *op, ev flow.Event, taken *buffered) {
	l.entry = row.AppendEventKey(l.entry[:0], l.ref, ev.Seq)
	at := len(l.entry)
	l.entry = row.AppendEvent(l.entry, ev)
	b.Put(l.entry[:at:at], l.entry[at:])
	l.dropWait(b, o)
	if taken != nil {
		b.Delete(row.SignalKey(l.box(), taken.arrival))
		l.keepID(b, taken)
	}
	if o.awaits != "" {
		b.Delete(row.ChildEndKey(l.ref, o.awaits))
	}
	if o.later != nil {
		b.Delete(row.AnswerKey(l.ref, o.step))
	}
	l.putPieces(b, o, ev)
	if o.reply != nil {
		o.reply.put(b, l.ref, ev.Seq)
	}
}

func (l *life) dropWait(b *store.Batch, o *op) {
	if o.stored == nil {
		return
	}
	b.Delete(row.WaitKey(l.ref, o.step))
	if o.stored.Timed {
		b.Delete(row.TimerKey(o.stored.Due, l.ref, o.step))
	}
}

// putReady puts the run into the ready set when it is not there: a run that a
// timer woke has no row yet, and goes on from here. It returns what was put.
func (l *life) putReady(b *store.Batch) []byte {
	if l.ready.raw != nil {
		return nil
	}
	raw := row.EncodeReady(row.Ready{Generation: l.eng.arrival()})
	b.Expect(row.ReadyKey(l.ref), nil, l.ready.at) // else it would hide what was sent
	b.Put(row.ReadyKey(l.ref), raw)
	return raw
}

// stayReady puts a run that a timer woke into the ready set before it begins an
// attempt: an attempt that kills the process must be found there, and counted.
// False means that the life has been told to leave.
func (l *life) stayReady() bool {
	if l.ready.raw != nil {
		return true
	}
	var ready []byte
	if !l.commitStep(func(b *store.Batch) { ready = l.putReady(b) }) {
		return false
	}
	l.ready.adopt(ready, l.guard.at)
	return l.leaving == stay
}

func (r *readyRow) adopt(raw []byte, at store.Group) {
	if raw != nil {
		r.raw, r.at = raw, at
	}
}

// register puts the row of an operation that has no outcome yet, and its timer
// row when it is to wake a parked run. An earlier timer row goes.
func (l *life) register(b *store.Batch, o *op, timed bool) {
	if o.stored != nil && o.stored.Timed && !(timed && o.stored.Due == o.due) {
		b.Delete(row.TimerKey(o.stored.Due, l.ref, o.step))
	}
	b.Put(row.WaitKey(l.ref, o.step), row.EncodeWait(l.waitOf(o, timed)))
	if timed {
		b.Put(row.TimerKey(o.due, l.ref, o.step), nil)
	}
}

// keep registers an operation of a run that stays in memory, in a batch of its
// own.
func (l *life) keep(o *op) bool {
	var ready []byte
	if !l.commitStep(func(b *store.Batch) {
		l.register(b, o, false)
		ready = l.putReady(b)
		l.putStaged(b)
	}) {
		return false
	}
	l.stagedStored()
	l.ready.adopt(ready, l.guard.at)
	w := l.waitOf(o, false)
	o.stored = &w
	return true
}

// commitStep commits what build puts together for this life, with mu released,
// and does so again, after another look at the store, when a condition was
// lost but the run still runs. False means that the life has been told to
// leave.
func (l *life) commitStep(build func(*store.Batch)) bool {
	b := &l.batch // a life has one commit under way at a time
	for {
		b.Conditions, b.Writes, b.Adds = b.Conditions[:0], b.Writes[:0], b.Adds[:0]
		build(b)
		g := l.guard
		l.mu.Unlock()
		applied, err := l.eng.commit(&g, b)
		l.mu.Lock()
		if err == nil && applied {
			l.guard.at = g.at
			return true
		}
		if !l.lookAgain(err) {
			return false
		}
	}
}

// lookAgain follows a commit that failed with err, or lost a condition: the
// head has changed, or somebody sent something. It reports whether the life may
// try again; otherwise it is told to leave.
func (l *life) lookAgain(err error) bool {
	if err == nil {
		err = l.reread()
	}
	switch {
	case errors.Is(err, errNotHere):
		l.eng.dropped.Add(1)
		l.dismissLocked(leaveLost)
	case err != nil:
		l.dismissLocked(leaveClosed)
	}
	return err == nil
}

// reread reads what others may have changed of a run in memory: its head, its
// ready row and its signals.
func (l *life) reread() error {
	snap, err := l.eng.store.Snapshot()
	if err != nil {
		return err
	}
	defer snap.Close()
	head, g, err := headIn(snap, l.ref.ID)
	if err != nil {
		return err
	}
	if head.Run != l.ref.Run || head.Status != l.head.Status {
		return errNotHere
	}
	if last, err := lastSeq(snap, l.ref); err != nil || last != l.seq {
		return errors.Join(errNotHere, err) // somebody else writes this journal
	}
	l.head, l.guard = head, g
	raw, err := snap.Get(row.ReadyKey(l.ref))
	if err != nil || l.sweep {
		return err
	}
	l.loadedAt, l.ready, l.stale = snap.Group(), readyRow{raw: raw, at: snap.Group()}, false
	if l.children, err = loadEnds(snap, l.ref); err != nil {
		return err
	}
	return l.signals.load(snap, l.box())
}
