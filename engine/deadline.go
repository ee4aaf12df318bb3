package engine

import (
	"context"
	"errors"
	"time"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// turn acts on a life-cycle timer that is due, away from the timer loop: a body
// may take its time to reach the block point.
func (e *Engine) turn(t row.Timer) {
	var err error
	if t.Step == row.StepStart {
		err = e.begin(t)
	} else {
		_, err = e.endRun(context.Background(), t.Ref, ending{status: flow.TimedOut, reason: "deadline " + t.Due.String()}, false)
	}
	if t.Due.Time().After(e.now()) { // the clock was set back meanwhile
		e.timers.Again(t)
	}
	if err != nil && !passedOver(err) {
		e.problem("timer of run "+t.Ref.String()+", "+string(t.Step)+": "+err.Error(), "")
	}
}

// passedOver reports that a timer's time has no meaning any more, or not here:
// the run ended, was suspended, is held, or the engine stops.
func passedOver(err error) bool {
	for _, known := range []error{flow.ErrFinished, flow.ErrNotFound, flow.ErrConflict, flow.ErrClosed, flow.ErrDeposed} {
		if errors.Is(err, known) {
			return true
		}
	}
	return false
}

// begin lets a delayed start become a run: head, index, ready row and the
// deadline's timer in one batch, on condition that it is still pending.
func (e *Engine) begin(t row.Timer) error {
	for {
		begun, err := e.beginOnce(t)
		if begun || err != nil {
			return err
		}
	}
}

// beginOnce answers false when the run has changed meanwhile, in its labels for
// instance.
func (e *Engine) beginOnce(t row.Timer) (bool, error) {
	head, g, err := e.readHead(t.Ref.ID)
	if err != nil {
		return false, err
	}
	if head.Run != t.Ref.Run || head.Status != flow.Pending || head.StartAt != t.Due ||
		e.types.held(head.Type, head.Version) != "" {
		return false, flow.ErrConflict
	}
	now := flow.InstantOf(e.now())
	next := head
	next.Status, next.StartedAt, next.ChangedAt = flow.Running, now, now
	var b store.Batch
	deadline := e.putDeadline(&b, t.Ref, &next)
	changeHead(&b, t.Ref.ID, head, next)
	b.Delete(row.TimerKey(head.StartAt, t.Ref, row.StepStart))
	b.Put(row.ReadyKey(t.Ref), row.EncodeReady(row.Ready{Generation: e.arrival()}))
	applied, err := e.commit(&g, &b)
	if err != nil || !applied {
		return false, err
	}
	e.timers.Added(deadline...)
	e.tell(flow.Notice{Kind: flow.NoticeStarted, Ref: t.Ref, Type: head.Type, Status: flow.Running})
	e.wake(t.Ref)
	return true, nil
}

// putDeadline sets the instant at which a beginning run is timed out.
func (e *Engine) putDeadline(b *store.Batch, ref flow.Ref, head *row.Head) []row.Timer {
	if head.Limit == 0 {
		return nil
	}
	head.Deadline = head.StartedAt.Add(time.Duration(head.Limit) * time.Millisecond)
	b.Put(row.TimerKey(head.Deadline, ref, row.StepDeadline), nil)
	return []row.Timer{{Due: head.Deadline, Ref: ref, Step: row.StepDeadline}}
}
