package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"weft/engine"
	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// pair are runs of the same code: one whose rows a test damages, and neighbours
// that must not mind.
func (r *rig) pair(code program, s *stage) {
	r.Helper()
	for i := range 5 {
		r.start(code, s, flow.WorkflowID(fmt.Sprintf("v-%d", i)))
	}
	r.start(code, s, "damaged")
	time.Sleep(time.Minute)
	r.leave()
}

var damages = map[string]struct {
	do   func(r *rig, ref flow.Ref, b *store.Batch)
	text string // in the failure
}{
	"an entry that does not decode": {func(r *rig, ref flow.Ref, b *store.Batch) {
		b.Put(row.EventKey(ref, 2), []byte("\x01\xff\xff"))
	}, "journal entry 2"},
	"an empty entry": {func(r *rig, ref flow.Ref, b *store.Batch) {
		b.Put(row.EventKey(ref, 3), nil)
	}, "journal entry 3"},
	"a missing entry": {func(r *rig, ref flow.Ref, b *store.Batch) {
		b.Delete(row.EventKey(ref, 2))
	}, "journal: entry 2 is missing"},
	"no start": {func(r *rig, ref flow.Ref, b *store.Batch) {
		b.Delete(row.EventKey(ref, 1))
	}, "journal: entry 1 is missing"},
	"a wait that does not decode": {func(r *rig, ref flow.Ref, b *store.Batch) {
		b.Put(row.WaitKey(ref, "3"), []byte("\x01\xff\xff"))
	}, "wait of step 3"},
	"a signal that does not decode": {func(r *rig, ref flow.Ref, b *store.Batch) {
		b.Put(row.SignalKey(ref, 1), []byte("\x01\xff\xff"))
	}, "signal"},
	"a child's end that does not decode": {func(r *rig, ref flow.Ref, b *store.Batch) {
		b.Put(row.ChildEndKey(ref, "2"), []byte("\x01\xff\xff"))
	}, "end of the child of step 2"},
}

// TestARunThatCannotBeReadFailsAlone: no deploy can heal it, so it fails with
// category system; its neighbours go on.
func TestARunThatCannotBeReadFailsAlone(t *testing.T) {
	code := program{{op: "act", name: "a"}, {op: "memo", name: "m"}, {op: "takeFor", name: "never-x", d: time.Hour}, {op: "take", name: "x"}}
	for name, tc := range damages {
		t.Run(name, func(t *testing.T) {
			inRig(t, func(r *rig) {
				s := newStage()
				r.open(s.workflow(code))
				r.pair(code, s)
				ref := r.ref("damaged")
				r.write(func(b *store.Batch) { tc.do(r, ref, b) })
				r.open(s.workflow(code))
				time.Sleep(2 * time.Hour)
				h := r.head("damaged")
				if h.Status != flow.Failed {
					r.Errorf("the run is %s", h.Status)
				}
				_, err := within[string](r, time.Hour, "damaged")
				var f *flow.Failure
				if !errors.As(err, &f) || f.Category != flow.System || !strings.Contains(f.Message, tc.text) {
					r.Errorf("it failed with %+v", err)
				}
				for i := range 5 {
					r.finishes(code, flow.WorkflowID(fmt.Sprintf("v-%d", i)))
				}
				// Put the rows right that the test itself has damaged for good.
				r.write(func(b *store.Batch) { r.repair(ref, b) })
			})
		})
	}
}

// repair writes entries over what the test made unreadable.
func (r *rig) repair(ref flow.Ref, b *store.Batch) {
	for seq := flow.EventSeq(1); seq <= 3; seq++ {
		ev := flow.Event{Kind: flow.EventStep, At: 1, Step: "1", StepKind: flow.StepActivity}
		if seq == 1 {
			ev = flow.Event{Kind: flow.EventStarted, At: 1}
		}
		b.Put(row.EventKey(ref, seq), row.EncodeEvent(ev))
	}
}

// TestAHeadThatCannotBeReadIsReported: nothing can be decided about such a run,
// so it stays as it is, and everything else goes on.
func TestAHeadThatCannotBeReadIsReported(t *testing.T) {
	inRig(t, func(r *rig) {
		s := newStage()
		code := program{{op: "act", name: "a"}, {op: "sleep", d: time.Minute}, {op: "take", name: "x"}}
		r.open(s.workflow(code))
		r.start(code, s, "damaged")
		time.Sleep(2 * time.Minute)
		r.feed("damaged", map[string]int{"y": 1}) // into the ready set
		r.die()
		ref, whole := r.ref("damaged"), r.rows([]byte("wf:"))
		r.write(func(b *store.Batch) { b.Put(row.HeadKey("damaged"), []byte("\x01\xff")) })
		r.open(s.workflow(code))
		r.start(code, s, "v")
		r.finishes(code, "v")
		info, err := r.eng.Operator().Info(r.Context())
		if err != nil || len(info.Problems) == 0 || !strings.Contains(info.Problems[0].Text, ref.String()) {
			r.Errorf("problems %+v, %v", info.Problems, err)
		}
		if err := paid.Send(r.Context(), r.eng, "damaged", "x"); !errors.Is(err, store.ErrCorrupt) {
			r.Errorf("a signal to it is answered %v", err)
		}
		r.leave()
		r.write(func(b *store.Batch) { b.Put(row.HeadKey("damaged"), []byte(whole["wf:damaged"])) })
		r.open(s.workflow(code))
		r.finishes(code, "damaged") // nothing else was lost
	})
}

// TestF004RecoveryLeavesAloneWhatHasMovedOn holds the recovery between its look
// at the ready set and its write, while the run ends, is suspended, or parks.
func TestF004RecoveryLeavesAloneWhatHasMovedOn(t *testing.T) {
	slow := program{{op: "act", name: "a", d: 5 * time.Second}}
	for name, move := range map[string]func(b *store.Batch, ref flow.Ref, h row.Head){
		"it completed": func(b *store.Batch, ref flow.Ref, h row.Head) {
			next := h
			next.Status, next.ClosedAt = flow.Completed, h.CreatedAt+1
			b.Put(row.EventKey(ref, 2), row.EncodeEvent(flow.Event{Kind: flow.EventEnded, At: next.ClosedAt, Status: flow.Completed}))
			b.Put(row.TerminalKey(next.ClosedAt, ref.ID), []byte(ref.Run))
			moveHead(b, ref.ID, h, next)
		},
		"it was suspended": func(b *store.Batch, ref flow.Ref, h row.Head) {
			next := h
			next.Status, next.Cause = flow.Suspended, flow.ByOperator
			b.Put(row.EventKey(ref, 2), row.EncodeEvent(flow.Event{Kind: flow.EventSuspended, At: 1, Status: flow.Suspended}))
			moveHead(b, ref.ID, h, next)
		},
	} {
		t.Run(name, func(t *testing.T) {
			inRig(t, func(r *rig) {
				s := newStage()
				r.open(s.workflow(slow))
				r.start(slow, s, "w")
				time.Sleep(time.Second)
				r.die()
				ref, head := r.ref("w"), r.head("w")
				var moved atomic.Bool
				r.mem.SetHook(func(b *store.Batch) error {
					for _, c := range b.Writes {
						// The recovery is about to write.
						if string(c.Key) == string(row.ReadyKey(ref)) && moved.CompareAndSwap(false, true) {
							r.write(func(b *store.Batch) { move(b, ref, head) })
						}
					}
					return nil
				})
				before := s.attempts()
				r.open(s.workflow(slow))
				time.Sleep(time.Minute)
				if !moved.Load() {
					r.Fatal("the recovery wrote nothing")
				}
				if h := r.head("w"); h.Status == flow.Running || s.attempts() != before {
					r.Errorf("the run is %s, %d attempts more were made", h.Status, s.attempts()-before)
				}
			})
		})
	}
}

func moveHead(b *store.Batch, id flow.WorkflowID, old, next row.Head) {
	b.Put(row.HeadKey(id), row.EncodeHead(next))
	b.Delete(row.IndexKey(old.Type, old.Version, old.Status, old.CreatedAt, id))
	b.Put(row.IndexKey(next.Type, next.Version, next.Status, next.CreatedAt, id), []byte(next.Run))
	b.Add(row.CountKey(old.Type, old.Version, old.Status), -1)
	b.Add(row.CountKey(next.Type, next.Version, next.Status), 1)
	b.Delete(row.ReadyKey(flow.Ref{ID: id, Run: old.Run}))
}

// TestF031NothingSentDuringRecoveryIsLost sends to a thousand runs from the
// first moment an engine answers.
func TestF031NothingSentDuringRecoveryIsLost(t *testing.T) {
	inRig(t, func(r *rig) {
		w := engine.Workflow[int, string]{Name: "waiting", Do: waiting}
		r.open(w)
		id := func(i int) flow.WorkflowID { return flow.WorkflowID(fmt.Sprintf("w-%d", i)) }
		for i := range 1000 {
			r.begin(w, id(i))
		}
		time.Sleep(100 * time.Millisecond) // half of what parks a run: all are in the ready set
		r.die()
		r.open(w)
		for i := range 1000 {
			if err := paid.Send(r.Context(), r.eng, id(999-i), "ana"); err != nil {
				r.Fatal(err)
			}
		}
		for i := range 1000 {
			if got, err := within[string](r, time.Minute, id(i)); err != nil || got != "ana" {
				r.Fatalf("%s: %q, %v", id(i), got, err)
			}
		}
	})
}
