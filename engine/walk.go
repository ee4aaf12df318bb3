package engine

import (
	"fmt"
	"time"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

const (
	walkPage  = 256
	walkPause = 50 * time.Millisecond
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
	from := []byte(row.FamilyWait)
	for from != nil && e.pause(walkPause) && e.halted() == nil {
		next, missing, err := e.walkPage(from)
		if err != nil {
			e.problem("the walk over registered waits stopped: "+err.Error(), "")
			return
		}
		for _, t := range missing {
			if err := e.putTimer(t); err != nil {
				e.problem(fmt.Sprintf("timer of run %s, step %s, is missing and could not be put back: %v", t.Ref, t.Step, err), "")
			}
		}
		from = next
	}
}

// walkPage looks at one page from one snapshot.
func (e *Engine) walkPage(from []byte) (next []byte, missing []row.Timer, err error) {
	snap, err := e.store.Snapshot()
	if err != nil {
		return nil, nil, err
	}
	defer snap.Close()
	n := 0
	for kv, err := range snap.Scan(store.Range{From: from, To: store.PrefixEnd([]byte(row.FamilyWait))}) {
		if err != nil {
			return nil, nil, err
		}
		if n == walkPage {
			return append([]byte(nil), kv.Key...), missing, nil
		}
		n++
		ref, step, ok := row.ParseWait(kv.Key)
		w, err := row.DecodeWait(kv.Value)
		if !ok || err != nil || !w.Timed {
			continue // the run's own replay reports what cannot be read
		}
		if raw, err := snap.Get(row.TimerKey(w.Due, ref, step)); err != nil {
			return nil, nil, err
		} else if raw == nil {
			missing = append(missing, row.Timer{Due: w.Due, Ref: ref, Step: step})
		}
	}
	return nil, missing, nil
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
	e.timers.added([]row.Timer{t})
	e.problem(fmt.Sprintf("timer of run %s, step %s, was missing and was put back, due %s", t.Ref, t.Step, t.Due),
		"")
	e.tell(flow.Notice{Kind: flow.NoticeStore, Ref: t.Ref, Step: t.Step, Text: "missing timer put back"})
	return nil
}
