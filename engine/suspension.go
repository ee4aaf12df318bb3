package engine

import (
	"context"
	"fmt"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// suspendRunning suspends a run at its block point, for an operator. Attempts
// under way go on, and what becomes of them is recorded; nothing new begins.
func (e *Engine) suspendRunning(ctx context.Context, target flow.Ref, why string, audit *flow.Audit) (flow.Ref, error) {
	return e.settle(ctx, settlement{target: target, outside: true,
		allows: func(ref flow.Ref, head row.Head) error {
			if head.Status != flow.Running {
				return fmt.Errorf("run %s is %s, only a running one can be suspended: %w", ref, head.Status, flow.ErrConflict)
			}
			return nil
		},
		do: func(l *life, unknown bool) error {
			if unknown {
				why = joinReason(why, "staged state unknown")
			}
			audit.Target, audit.Text = l.ref, "suspended"
			return l.suspendWith(flow.ByOperator, why, audit)
		}})
}

// suspendWith commits the suspension: head, index and counters, a mark in the
// journal, the waits as they are, and no ready row and no deadline timer. mu
// is held.
func (l *life) suspendWith(cause flow.Reason, text string, audit *flow.Audit) error {
	if l.stale && !l.lookAgain(nil) {
		return errLeft
	}
	now := flow.InstantOf(l.eng.now())
	ev := flow.Event{Seq: l.seq + 1, Kind: flow.EventSuspended, At: now, Status: flow.Suspended,
		Reason: joinReason(string(cause), text), Summary: l.summary}
	var next row.Head
	var timers []row.Timer
	var fresh []*op
	if err := l.commitExact(func(b *store.Batch) error {
		next = l.head
		if cause != flow.Nondeterminism {
			next = l.labelled() // what code wants that does not fit is not to be had
		}
		next.Status, next.Cause, next.Reason, next.ChangedAt = flow.Suspended, cause, text, now
		changeHead(b, l.ref.ID, l.head, next)
		b.Put(row.EventKey(l.ref, ev.Seq), row.EncodeEvent(ev))
		l.expectReady(b)
		b.Delete(row.ReadyKey(l.ref))
		if l.head.Deadline != 0 {
			b.Delete(row.TimerKey(l.head.Deadline, l.ref, row.StepDeadline))
		}
		fresh, timers, l.disarmPut = nil, nil, 0
		switch cause {
		case flow.ByOperator:
			fresh, timers = l.registerAll(b)
			l.putState(b)
			l.putDisarmed(b)
			l.putDropped(b)
			l.droppedPut = len(l.dropped)
		case flow.ByPanic:
			l.putState(b) // what the code held when it panicked
		}
		if audit != nil {
			putAudit(b, audit)
		}
		return nil
	}); err != nil {
		return err
	}
	l.seq = ev.Seq
	l.head = next
	l.guard.raw = row.EncodeHead(next)
	l.ready = readyRow{}
	l.registered(fresh, timers)
	l.dismissLocked(leaveSuspend)
	l.eng.tellSuspended(l.ref, l.head.Type, ev)
	// What came in during the commit found a life that had not left yet.
	for _, c := range l.inbox {
		if c.attempt != nil {
			l.recordNow(c)
		}
	}
	l.inbox = nil
	return nil
}

// recordLate records what became of an attempt that was under way when its run
// was suspended. The code does not see it before the run is resumed. mu is
// held and released during the commit.
func (l *life) recordLate(c outcome) {
	l.advancing = true
	defer func() { l.advancing = false; l.calm.Broadcast() }()
	l.recordNow(c)
}

// recordNow is recordLate for who has advancing.
func (l *life) recordNow(c outcome) {
	o := c.op
	if o.running != c.attempt { // its branch lost a race
		l.eng.dropped.Add(1)
		return
	}
	if c.later {
		l.handLate(c)
		return
	}
	if c.retry {
		o.fail(c.failure, l.eng.now())
		if l.commitLate(func(b *store.Batch) { l.register(b, o, false) }) {
			w := l.waitOf(o, false)
			o.stored, l.waits[o.step] = &w, w
		}
		return
	}
	ev, _ := l.event(c)
	if l.commitLate(func(b *store.Batch) { l.stepBatch(b, o, ev, nil) }) {
		l.seq = ev.Seq
		delete(l.waits, o.step)
		l.piecesStored(o, ev)
		l.eng.steps.Add(1)
		l.eng.tellStep(l, ev)
	}
}

// commitLate commits for a suspended run, or one that was resumed meanwhile and
// waits for this life to end. An end drops the outcome.
func (l *life) commitLate(build func(*store.Batch)) bool {
	for {
		b := &l.batch
		b.Conditions, b.Writes, b.Adds = b.Conditions[:0], b.Writes[:0], b.Adds[:0]
		build(b)
		g := l.guard
		l.mu.Unlock()
		applied, err := l.eng.commit(&g, b)
		l.mu.Lock()
		if err != nil {
			return false
		}
		if applied {
			l.guard.at = g.at
			return true
		}
		head, guard, err := l.eng.readHead(l.ref.ID)
		if err != nil || head.Run != l.ref.Run || head.Status.Terminal() {
			l.eng.dropped.Add(1)
			return false
		}
		l.head, l.guard = head, guard
	}
}
