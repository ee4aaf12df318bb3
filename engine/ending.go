package engine

import (
	"context"
	"errors"
	"fmt"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// ending is how a run is ended from outside.
type ending struct {
	status flow.Status
	reason string
	audit  *flow.Audit // nil: the engine itself ends it
}

// endRun ends a run at its block point: cancelled or timed out, in one batch
// with everything that follows from it. The first durable end wins; a caller
// that comes later gets a [*flow.FinishedError] that names it.
func (e *Engine) endRun(ctx context.Context, target flow.Ref, how ending, now bool) (flow.Ref, error) {
	var through <-chan struct{} // closes when the cancel handlers are
	ref, err := e.settle(ctx, settlement{target: target, now: now, outside: how.audit != nil,
		allows: func(ref flow.Ref, head row.Head) error { return e.mayEnd(ref, head, how) },
		do: func(l *life, unknown bool) error {
			if how.status == flow.TimedOut && l.newer != nil {
				e.passNewer(l.ref, l.newer)
				return fmt.Errorf("run %s is held: %w", l.ref, flow.ErrConflict)
			}
			was := l.leaving
			err := l.endAs(how, unknown)
			if err == nil && how.status == flow.Cancelled {
				through = l.callHandlers(was)
			}
			return err
		}})
	if err != nil {
		return ref, err
	}
	e.awaitHandlers(ref, through)
	return ref, nil
}

// mayEnd refuses what has no effect: a deadline that was moved or lifted, and a
// deadline of a held run.
func (e *Engine) mayEnd(ref flow.Ref, head row.Head, how ending) error {
	if !head.Status.CanBecome(how.status) {
		return &flow.FinishedError{Ref: ref, Status: head.Status, At: head.ClosedAt}
	}
	if how.status != flow.TimedOut {
		return nil
	}
	switch {
	case head.Deadline == 0, head.Deadline.Time().After(e.now()), head.Status == flow.Suspended:
		return fmt.Errorf("run %s: deadline %s: %w", ref, head.Deadline, flow.ErrConflict)
	case e.types.held(head.Type, head.Version) != "":
		return fmt.Errorf("run %s is held: %w", ref, flow.ErrConflict)
	}
	return nil
}

// endAs commits the end of a life from outside. mu is held.
func (l *life) endAs(how ending, unknown bool) error {
	ev := flow.Event{Seq: l.seq + 1, Kind: flow.EventEnded, Status: how.status, Reason: how.reason, Summary: l.summary}
	if unknown || l.cannotReplay() {
		ev.Reason = joinReason(ev.Reason, "staged state unknown")
	}
	if how.audit != nil {
		how.audit.Target = l.ref
		how.audit.Text = joinReason(how.status.String(), ev.Reason)
	}
	return l.endWith(ev, how.audit)
}

// cannotReplay reports a run that was suspended because its code could not be
// brought to its block point.
func (l *life) cannotReplay() bool {
	return l.head.Status == flow.Suspended && (l.head.Cause == flow.Nondeterminism || l.head.Cause == flow.CrashLoop)
}

func joinReason(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "":
		return a
	}
	return a + ": " + b
}

// endWith commits the terminal batch: head, last event, index and counters, the
// teardown that becomes owed, and the removal of every row that only a live run
// needs. It is conditional on the ready row too: a sender changes that, so no
// signal is left behind unseen. mu is held.
func (l *life) endWith(ev flow.Event, audit *flow.Audit) error {
	if l.trial != nil {
		l.trial.end = &ev
		l.dismissLocked(leaveEnded)
		return nil
	}
	if l.stale && !l.lookAgain(nil) {
		return errLeft
	}
	ev.At = flow.InstantOf(l.eng.now())
	var owed *row.Teardown
	var told *childEnd
	var cascades bool
	lost := -1
	if err := l.commitExact(func(b *store.Batch) (err error) {
		next := l.labelled()
		next.Status, next.ClosedAt, next.ChangedAt, next.Reason, next.Cause = ev.Status, ev.At, ev.At, ev.Reason, ""
		changeHead(b, l.ref.ID, l.head, next)
		ev.Left = l.left()
		b.Put(row.EventKey(l.ref, ev.Seq), row.EncodeEvent(ev))
		lost++
		b.Delete(row.ReadyKey(l.ref))
		l.clearWaits(b)
		l.dropSignals(b, lost)
		if audit != nil {
			putAudit(b, audit)
		}
		owed = l.owe(b, ev.Status, ev.At)
		if told, err = l.tellParent(b, ev); err != nil {
			return err
		}
		cascades, err = l.putCascade(b, ev.Status)
		return err
	}); err != nil {
		return err
	}
	l.seq = ev.Seq
	l.dismissLocked(leaveEnded)
	l.again = false
	if ev.Left != "" {
		l.eng.log.Warn("run ended and left something undone", "run", l.ref.String(), "type", l.head.Type, "left", ev.Left)
	}
	l.eng.tellEnded(l.ref, l.head.Type, ev)
	if owed != nil {
		l.eng.teardowns.Added(*owed)
	}
	if told != nil {
		// Away from here: the parent's life is locked apart from this one.
		at := l.guard.at
		l.eng.wg.Go(func() { l.eng.handEnd(told, at) })
	}
	if cascades {
		l.eng.ended()
	}
	return nil
}

// clearWaits removes the rows of every wait, and the timers of deadline and
// delayed start.
func (l *life) clearWaits(b *store.Batch) {
	for _, o := range l.ops {
		l.dropWait(b, o)
		if o.later != nil {
			b.Delete(row.AnswerKey(l.ref, o.step))
		}
	}
	for step := range l.children {
		b.Delete(row.ChildEndKey(l.ref, step))
	}
	for step, w := range l.waits {
		b.Delete(row.WaitKey(l.ref, step))
		if w.Timed {
			b.Delete(row.TimerKey(w.Due, l.ref, step))
		}
		if w.Later != nil {
			b.Delete(row.AnswerKey(l.ref, step))
		}
	}
	l.putDropped(b)
	if l.head.Deadline != 0 && l.head.Status == flow.Running {
		b.Delete(row.TimerKey(l.head.Deadline, l.ref, row.StepDeadline))
	}
	if l.head.Status == flow.Pending {
		b.Delete(row.TimerKey(l.head.StartAt, l.ref, row.StepStart))
	}
	if l.sweep {
		b.DeleteRange(row.WaitPrefix(l.ref), store.PrefixEnd(row.WaitPrefix(l.ref)))
		b.DeleteRange(row.AnswerPrefix(l.ref), store.PrefixEnd(row.AnswerPrefix(l.ref)))
		b.DeleteRange(row.ChildEndPrefix(l.ref), store.PrefixEnd(row.ChildEndPrefix(l.ref)))
	}
}

// manyRows is from when on rows are removed by range: before that, single
// deletes are cheaper for every later read.
const manyRows = 256

// dropSignals removes the signal rows of a run that ends. Those it knows go one
// by one, on condition that none has come since. When they are many, or the
// condition was lost twice because senders do not stop, the whole range goes: a
// run must be able to end whatever others send.
func (l *life) dropSignals(b *store.Batch, lost int) {
	if l.sweep || lost > 1 || len(l.signals.queue)+len(l.signals.ids) > manyRows {
		b.DeleteRange(row.SignalPrefix(l.box()), store.PrefixEnd(row.SignalPrefix(l.box())))
		return
	}
	l.expectReady(b)
	for _, s := range l.signals.queue {
		b.Delete(row.SignalKey(l.box(), s.arrival))
	}
	for key := range l.signals.ids {
		b.Delete([]byte(key))
	}
	l.openSignals(b)
}

// expectReady makes b conditional on the ready row as this life knows it.
func (l *life) expectReady(b *store.Batch) {
	b.Expect(row.ReadyKey(l.ref), l.ready.raw, l.ready.at)
}

// commitExact commits a batch that is conditional on the ready row, with mu
// released, and builds it again after looking again. It fails with errLeft
// when the life has been told to leave instead.
func (l *life) commitExact(build func(*store.Batch) error) error {
	b := &l.batch
	for {
		b.Conditions, b.Writes, b.Adds = b.Conditions[:0], b.Writes[:0], b.Adds[:0]
		if err := build(b); err != nil {
			return err
		}
		g := l.guard
		l.mu.Unlock()
		applied, err := l.write(&g, b)
		l.mu.Lock()
		if err == nil && applied {
			l.guard.at = g.at
			return nil
		}
		if l.outside && (errors.Is(err, store.ErrFull) || errors.Is(err, store.ErrStalled)) {
			return err // and the run goes on
		}
		if !l.lookAgain(err) {
			switch halted := l.eng.halted(); {
			case halted != nil:
				return halted
			case err != nil:
				return err
			}
			return errLeft
		}
	}
}

// write is a commit for who can wait, or for who can be told no.
func (l *life) write(g *guard, b *store.Batch) (bool, error) {
	if l.outside {
		return l.eng.commitNow(context.Background(), g, b)
	}
	return l.eng.commit(g, b)
}
