package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"weft/engine"
	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// leavingStore is long about the commit that takes a run out of the ready set:
// before it is judged, or before its answer.
type leavingStore struct {
	store.Store
	before, after time.Duration
}

// Commit implements [store.Store].
func (s leavingStore) Commit(ctx context.Context, b *store.Batch) (store.Result, error) {
	leaves := false
	for _, w := range b.Writes {
		leaves = leaves || w.Op == store.OpDelete && bytes.HasPrefix(w.Key, []byte(row.FamilyReady))
	}
	if leaves {
		time.Sleep(s.before)
	}
	res, err := s.Store.Commit(ctx, b)
	if leaves {
		time.Sleep(s.after)
	}
	return res, err
}

// secondTry is an activity that fails once and is tried again after a second, in
// a run that waits for a signal beside it; made has its attempts.
type secondTry struct{ made notes[int] }

func (s *secondTry) run(ctx *engine.Context, n int) (string, error) {
	return engine.Activity[int, string]{Name: "try", Do: func(ctx context.Context, _ int) (string, error) {
		s.made.add(engine.InfoOf(ctx).Attempt)
		if engine.InfoOf(ctx).Attempt == 1 {
			return "", errors.New("not yet")
		}
		return "tried", nil
	}}.Run(ctx, n)
}

var trying = engine.Update[int, string]{Name: "try"}

// workflow tries in a branch, or in the handler of an update.
func (s *secondTry) workflow(handler bool) engine.Workflow[int, string] {
	return engine.Workflow[int, string]{Name: "w", Updates: []engine.AnyUpdate{trying}, Do: func(ctx *engine.Context, n int) (string, error) {
		if handler {
			trying.Handle(ctx, s.run)
		} else {
			engine.Go(ctx, func(ctx *engine.Context) (string, error) { return s.run(ctx, n) })
		}
		return paid.Wait(ctx)
	}}
}

// TestNoAttemptBeginsWhileItsRunIsTakenOutOfMemory: the back-off before it ends
// while the batch that parks, suspends or ends the run is on its way to the disk.
// What had begun by then would be made again by the next life, or never counted.
func TestNoAttemptBeginsWhileItsRunIsTakenOutOfMemory(t *testing.T) {
	const grace = 990 * time.Millisecond // the back-off ends 10 ms later
	at := flow.Ref{ID: "w"}
	do := func(r *rig, d flow.Deed) {
		time.Sleep(grace)
		if _, err := r.eng.Operator().Do(r.Context(), flow.Act{Actor: "ana", Deed: d}); err != nil {
			r.Error(err)
		}
	}
	for name, tc := range map[string]struct {
		grace  time.Duration
		leaves func(*rig)
		// then is how many attempts are made after that by itself.
		then int
	}{
		"parked":    {grace, func(*rig) {}, 1},
		"suspended": {time.Hour, func(r *rig) { do(r, flow.SuspendRun{Target: at}) }, 0},
		"cancelled": {time.Hour, func(r *rig) { do(r, flow.CancelRun{Target: at}) }, 0},
	} {
		for _, slow := range []leavingStore{{before: 20 * time.Millisecond}, {after: 20 * time.Millisecond}} {
			for _, handler := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, %v %v, in a handler %t", name, slow.before, slow.after, handler), func(t *testing.T) {
					inRig(t, func(r *rig) {
						slow.Store = r.mem
						r.store = slow
						r.opts.Grace, r.opts.ClockEvery = tc.grace, 5*time.Millisecond
						var s secondTry
						w := s.workflow(handler)
						r.open(w)
						r.begin(w, "w")
						if handler {
							if _, err := trying.Begin(r.Context(), r.eng, "w", 1, engine.UpdateOptions{}); err != nil {
								r.Fatal(err)
							}
						}
						tc.leaves(r)
						time.Sleep(5 * time.Second)
						if made := s.made.all(); len(made) != 1+tc.then {
							r.Errorf("attempts %d; want %d by then", made, 1+tc.then)
						}
						if r.head("w").Status == flow.Suspended {
							if err := r.resume("w"); err != nil {
								r.Fatal(err)
							}
							time.Sleep(5 * time.Second)
						}
						if r.head("w").Status == flow.Running {
							if made := fmt.Sprint(s.made.all()); made != "[1 2]" {
								r.Errorf("attempts %s, want each once", made)
							}
						}
					})
				})
			}
		}
	}
}

// TestATimeOutThatTwoTimersTellOfIsCountedOnce: of an attempt that waits for
// somebody outside, in a run that was woken: the timer row it was parked with is
// due when the timer in memory is. Neither gets its turn before the other one has
// spoken, because a commit is under way.
func TestATimeOutThatTwoTimersTellOfIsCountedOnce(t *testing.T) {
	inRig(t, func(r *rig) {
		var made notes[int]
		sign := engine.Activity[int, string]{Name: "sign", Timeout: time.Minute, Do: func(ctx context.Context, _ int) (string, error) {
			made.add(engine.InfoOf(ctx).Attempt)
			if _, err := engine.CompleteLater(ctx); err != nil {
				return "", err
			}
			return "", engine.ErrLater
		}}
		r.open(engine.Workflow[int, string]{Name: "w", Do: func(ctx *engine.Context, n int) (string, error) {
			engine.Go(ctx, func(ctx *engine.Context) (string, error) { return sign.Run(ctx, n) })
			if _, err := paid.Wait(ctx); err != nil {
				return "", err
			}
			if _, err := engine.Memo(ctx, "slow", func() (int, error) { return 1, nil }); err != nil {
				return "", err
			}
			return paid.Wait(ctx)
		}})
		r.begin(engine.Workflow[int, string]{Name: "w"}, "w")
		time.Sleep(time.Minute - 10*time.Millisecond)
		if info, err := r.eng.Operator().Info(r.Context()); err != nil || info.Live != 0 {
			r.Fatalf("%d runs in memory, %v; want it parked", info.Live, err)
		}
		var slow atomic.Bool
		r.mem.SetHook(func(b *store.Batch) error {
			for _, w := range b.Writes {
				if w.Op == store.OpPut && bytes.Contains(w.Value, []byte("slow")) && slow.CompareAndSwap(false, true) {
					time.Sleep(20 * time.Millisecond)
				}
			}
			return nil
		})
		if err := paid.Send(r.Context(), r.eng, "w", "x"); err != nil {
			r.Fatal(err)
		}
		time.Sleep(5 * time.Second)
		if got := fmt.Sprint(made.all()); !slow.Load() || got != "[1 2]" {
			r.Errorf("attempts %s, a commit under way %t; want each once", got, slow.Load())
		}
	})
}
