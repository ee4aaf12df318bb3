package engine_test

import (
	"bytes"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"weft/engine"
	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// onCommit calls do once, just before a batch is judged that writes a key with
// the given prefix by the given operation.
func (r *rig) onCommit(op store.Op, prefix string, do func()) {
	var done atomic.Bool
	r.mem.SetHook(func(b *store.Batch) error {
		for _, w := range b.Writes {
			if w.Op == op && bytes.HasPrefix(w.Key, []byte(prefix)) && done.CompareAndSwap(false, true) {
				do()
			}
		}
		return nil
	})
	r.Cleanup(func() {
		if !done.Load() {
			r.Errorf("no batch wrote %s", prefix)
		}
	})
}

// TestASignalThatMeetsTheEndLeavesNothingBehind: it was accepted, the run did
// not wait for it, and its rows go with the run's.
func TestASignalThatMeetsTheEndLeavesNothingBehind(t *testing.T) {
	inRig(t, func(r *rig) {
		w := engine.Workflow[int, string]{Name: "w", Do: waiting}
		r.open(w)
		r.begin(w, "w")
		r.settle()
		r.onCommit(store.OpPut, row.FamilyTerminal, func() {
			if err := paid.SendWith(r.Context(), r.eng, "w", "late", engine.SendOptions{SignalID: "late"}); err != nil {
				r.Errorf("the second signal: %v", err)
			}
		})
		if err := paid.Send(r.Context(), r.eng, "w", "first"); err != nil {
			r.Fatal(err)
		}
		if got, err := within[string](r, time.Hour, "w"); err != nil || got != "first" {
			r.Errorf("got %q, %v", got, err)
		}
		if left := r.rows([]byte(row.FamilySignal), []byte(row.FamilyReady)); len(left) > 0 {
			r.Errorf("left behind: %q", left)
		}
	})
}

func TestASignalThatMeetsTheParkingIsTaken(t *testing.T) {
	inRig(t, func(r *rig) {
		w := engine.Workflow[int, string]{Name: "w", Do: waiting}
		r.open(w)
		r.begin(w, "w")
		r.settle()
		r.onCommit(store.OpDelete, row.FamilyReady, func() {
			if err := paid.Send(r.Context(), r.eng, "w", "just in time"); err != nil {
				r.Errorf("the signal: %v", err)
			}
		})
		if got, err := within[string](r, time.Hour, "w"); err != nil || got != "just in time" {
			r.Errorf("got %q, %v", got, err)
		}
	})
}

// staleStore runs something after a snapshot was taken and before its owner
// reads it.
type staleStore struct {
	store.Store
	taken atomic.Pointer[func()]
}

func (s *staleStore) Snapshot() (store.Snapshot, error) {
	snap, err := s.Store.Snapshot()
	if do := s.taken.Swap(nil); do != nil {
		(*do)()
	}
	return snap, err
}

// TestAResumeThatMeetsAnOlderLookIsNotForgotten: the due timer of a suspended
// run has it read, and between the look and its verdict the run is resumed.
func TestAResumeThatMeetsAnOlderLookIsNotForgotten(t *testing.T) {
	inRig(t, func(r *rig) {
		code := program{{op: "sleep", d: time.Hour}, {op: "memo", name: "m"}}
		r.open(newStage().workflow(code))
		r.start(code, newStage(), "w")
		time.Sleep(time.Minute)
		r.leave()
		r.open(newStage().workflow(program{{op: "memo", name: "m"}}))
		r.feed("w", map[string]int{"wake up": 1})
		r.settle()
		if h := r.head("w"); h.Status != flow.Suspended {
			r.Fatalf("the run is %s", h.Status)
		}
		r.leave()
		stale := &staleStore{Store: r.store}
		r.store = stale
		r.open(newStage().workflow(code))
		time.Sleep(59*time.Minute - time.Second)
		resumed := make(chan error, 1)
		meet := func() {
			go func() { resumed <- r.resume("w") }()
			time.Sleep(time.Second)
		}
		stale.taken.Store(&meet)
		time.Sleep(time.Minute)
		if err := <-resumed; err != nil {
			r.Errorf("resume: %v", err)
		}
		if h := r.head("w"); h.Status != flow.Completed {
			r.Errorf("the run is %s", h.Status)
		}
	})
}

// TestLinesBeforeACrashAreNotRepeated: no wait is registered then, only the
// journal tells what had been done.
func TestLinesBeforeACrashAreNotRepeated(t *testing.T) {
	inRig(t, func(r *rig) {
		var log ledger
		r.opts.Log = log.handler()
		code := program{{op: "log", name: "one"}, {op: "memo", name: "m"}, {op: "log", name: "two"}, {op: "memo", name: "n"},
			{op: "act", name: "slow", d: 10 * time.Second}, {op: "log", name: "three"}}
		r.open(newStage().workflow(code))
		r.start(code, newStage(), "w")
		time.Sleep(time.Second)
		r.die()
		r.open(newStage().workflow(code))
		time.Sleep(time.Minute)
		if got := strings.Join(log.lines("workflow=w"), " "); got != "one two three" {
			r.Errorf("logged %q", got)
		}
	})
}
