package engine

import (
	"fmt"
	"time"

	"weft/engine/row"
	"weft/engine/timers"
	"weft/flow"
	"weft/store"
)

// walk compares, once after open and slowly, every registered wait that says it
// has a timer row with that row. A missing one would let the run sleep for
// ever while it looks healthy: it is put back and reported.
func (e *Engine) walk() {
	select {
	case <-e.recovered:
	case <-e.closing:
		return
	}
	err := timers.Walk[row.Timer]{Store: e.store, Family: row.FamilyWait, Look: missingTimer,
		Pause: func(d time.Duration) bool { return e.pause(d) && e.halted() == nil },
		Repair: func(t row.Timer) {
			if err := e.putTimer(t); err != nil {
				e.problem(fmt.Sprintf("timer of run %s, step %s, is missing and could not be put back: %v", t.Ref, t.Step, err), "")
			}
		}}.Run()
	if err != nil {
		e.problem("the walk over registered waits stopped: "+err.Error(), "")
	}
}

// missingTimer finds a registered wait that should have a timer row and has
// none. What of it cannot be read is reported by the run's own replay.
func missingTimer(snap store.Snapshot, kv store.Row) (row.Timer, bool, error) {
	ref, step, ok := row.ParseWait(kv.Key)
	w, err := row.DecodeWait(kv.Value)
	if !ok || err != nil || !w.Timed {
		return row.Timer{}, false, nil
	}
	raw, err := snap.Get(row.TimerKey(w.Due, ref, step))
	return row.Timer{Due: w.Due, Ref: ref, Step: step}, raw == nil, err
}

// putTimer puts back a missing timer row, if the run and its wait are still as
// they were.
func (e *Engine) putTimer(t row.Timer) error {
	snap, err := e.store.Snapshot()
	if err != nil {
		return err
	}
	defer snap.Close()
	head, g, err := headIn(snap, t.Ref.ID)
	if err != nil || head.Run != t.Ref.Run || head.Status.Terminal() || e.types.held(head.Type, head.Version) != "" {
		return err
	}
	raw, err := snap.Get(row.WaitKey(t.Ref, t.Step))
	if err != nil || raw == nil {
		return err
	}
	if w, err := row.DecodeWait(raw); err != nil || !w.Timed || w.Due != t.Due {
		return err
	}
	var b store.Batch
	b.Expect(row.WaitKey(t.Ref, t.Step), raw, snap.Group())
	b.Put(row.TimerKey(t.Due, t.Ref, t.Step), nil)
	applied, err := e.commit(&g, &b)
	if err != nil || !applied {
		return err
	}
	e.timers.Added(t)
	e.problem(fmt.Sprintf("timer of run %s, step %s, was missing and was put back, due %s", t.Ref, t.Step, t.Due),
		"")
	e.tell(flow.Notice{Kind: flow.NoticeStore, Ref: t.Ref, Step: t.Step, Text: "missing timer put back"})
	return nil
}
