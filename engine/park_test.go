package engine_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine"
	"weft/flow"
)

var poke = engine.Signal[int]{Name: "poke"}

// collector takes n signals and returns them in one string.
var collector = engine.Workflow[int, string]{Name: "collector", Signals: []engine.Message{poke},
	Do: func(ctx *engine.Context, n int) (string, error) {
		var got string
		for range n {
			x, err := poke.Wait(ctx)
			if err != nil {
				return "", err
			}
			got += fmt.Sprint(x, ",")
		}
		return got, nil
	}}

var sleeper = engine.Workflow[time.Duration, string]{Name: "sleeper",
	Do: func(ctx *engine.Context, d time.Duration) (string, error) {
		return "slept", ctx.Sleep(d)
	}}

func TestParksWhenNothingElseIsToBeDone(t *testing.T) {
	longBackoff := engine.Activity[int, int]{Name: "fails", Do: func(context.Context, int) (int, error) {
		return 0, errors.New("no")
	}, Retry: engine.Retry{Initial: time.Hour, MaxAttempts: 2}}
	tests := map[string]struct {
		do    func(*engine.Context, int) (int, error)
		after time.Duration // when it must be parked; just before it must not
	}{
		"a sleep known to outlast Grace parks in its registration batch": {
			func(ctx *engine.Context, _ int) (int, error) { return 0, ctx.Sleep(time.Hour) }, 0},
		"a back-off known to outlast Grace parks in its registration batch": {
			func(ctx *engine.Context, _ int) (int, error) { return longBackoff.Run(ctx, 1) }, 0},
		"a wait for a signal parks after Grace": {
			func(ctx *engine.Context, _ int) (int, error) { return poke.Wait(ctx) }, time.Second},
		"a wait with a limit parks after Grace": {
			func(ctx *engine.Context, _ int) (int, error) {
				n, _, err := poke.WaitFor(ctx, time.Hour)
				return n, err
			}, time.Second},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			w := flowOf(tc.do)
			bubble(t, typed(w), func(v *env) {
				time.Sleep(time.Minute) // what open starts is through
				base := len(goroutines())
				begin(v, w, "a", 0)
				if tc.after > 0 {
					time.Sleep(tc.after - time.Millisecond)
					synctest.Wait()
					if n := v.info().Live; n != 1 || v.rows("ready:") != 1 {
						t.Errorf("just before: %d lives, %d ready rows; want 1, 1", n, v.rows("ready:"))
					}
					time.Sleep(time.Millisecond)
				}
				synctest.Wait()
				if n := v.info().Live; n != 0 || v.rows("ready:") != 0 || v.rows("wait:") != 1 {
					t.Errorf("parked: %d lives, %d ready rows, %d wait rows; want 0, 0, 1", n, v.rows("ready:"), v.rows("wait:"))
				}
				if n := len(goroutines()); n != base {
					t.Errorf("%d goroutines, %d before the start", n, base)
				}
			})
		})
	}
}

func TestALongSleepCostsOneCommitEachForStartParkingAndEnd(t *testing.T) {
	bubble(t, typed(sleeper), func(v *env) {
		n := v.commits()
		begin(v, sleeper, "a", time.Hour)
		synctest.Wait()
		if n() != 2 {
			t.Errorf("%d commits for start and parking, want 2", n())
		}
		wants(v, "a", "slept")
		if n() != 4 {
			t.Errorf("%d commits in all, want 4", n())
		}
	})
}

func TestARunAboveMaxIdleParksAtOnce(t *testing.T) {
	o := typed(collector)
	o.MaxIdle = 3
	bubble(t, o, func(v *env) {
		for i := range 10 {
			begin(v, collector, flow.WorkflowID(fmt.Sprint(i)), 1)
		}
		synctest.Wait()
		if n := v.info().Live; n != 3 {
			t.Errorf("%d runs wait in memory, want 3", n)
		}
		for i := range 10 {
			sends(v, poke, flow.WorkflowID(fmt.Sprint(i)), i)
			wants(v, flow.WorkflowID(fmt.Sprint(i)), fmt.Sprint(i, ","))
		}
	})
}

func TestMaxLiveIsNeverExceededAndAllRunsComplete(t *testing.T) {
	var inside, most atomic.Int64
	act := engine.Activity[int, int]{Name: "act", Do: func(_ context.Context, n int) (int, error) {
		most.Store(max(most.Load(), inside.Add(1)))
		time.Sleep(300 * time.Millisecond)
		inside.Add(-1)
		return n, nil
	}}
	w := flowOf(func(ctx *engine.Context, n int) (int, error) {
		if err := ctx.Sleep(time.Duration(n%7) * time.Second); err != nil {
			return 0, err
		}
		return act.Run(ctx, n)
	})
	o := typed(w)
	o.MaxLive, o.ActivitySlots = 5, 1
	bubble(t, o, func(v *env) {
		for i := range 100 {
			begin(v, w, flow.WorkflowID(fmt.Sprint(i)), i)
			if n := v.info().Live; n > 5 {
				t.Fatalf("%d lives, MaxLive is 5", n)
			}
		}
		for i := range 100 {
			wants(v, flow.WorkflowID(fmt.Sprint(i)), i)
			if n := v.info().Live; n > 5 {
				t.Fatalf("%d lives, MaxLive is 5", n)
			}
		}
		if most.Load() != 1 {
			t.Errorf("%d attempts ran at once, there is one slot", most.Load())
		}
	})
}

// A place that becomes free must be noticed by all who wait for one: here the
// timers wait while the ready set does not.
func TestTimersGoOnWhenThePlacesWereFullAndAllBecameFreeAtOnce(t *testing.T) {
	var hold chan struct{}
	busy := engine.Workflow[int, int]{Name: "busy", Do: func(ctx *engine.Context, n int) (int, error) {
		return engine.Memo(ctx, "hold", func() (int, error) { <-hold; return n, nil })
	}}
	o := typed(busy, sleeper)
	o.MaxLive = 1
	bubble(t, o, func(v *env) {
		hold = make(chan struct{})
		for i := range 6 {
			begin(v, sleeper, flow.WorkflowID(fmt.Sprint("s", i)), 10*time.Second)
			synctest.Wait()
		}
		for i := range 1 {
			begin(v, busy, flow.WorkflowID(fmt.Sprint("b", i)), i)
		}
		time.Sleep(20 * time.Second) // the timers are due, no place is free
		synctest.Wait()
		close(hold)
		for i := range 6 {
			wants(v, flow.WorkflowID(fmt.Sprint("s", i)), "slept")
		}
	})
}

// The signal is sent while the batch that parks the run is on its way: before
// it is judged, after, and after its answer.
func TestASignalSentWhileTheRunIsBeingParkedIsNotLost(t *testing.T) {
	lateBubble(t, typed(collector), func(v *env) {
		const rounds, runs = 10, 100
		for round := range rounds {
			var wg sync.WaitGroup
			for i := range runs {
				id := flow.WorkflowID(fmt.Sprint(round, "-", i))
				before := v.dice(3 * time.Millisecond)
				offset := time.Second - 2*time.Millisecond + v.dice(12*time.Millisecond)
				wg.Go(func() {
					time.Sleep(before)
					if _, err := collector.Start(v.ctx, v.e, 1+i%3, engine.StartOptions{ID: id}); err != nil {
						v.Error(err)
					}
					time.Sleep(offset)
					for n := range 1 + i%3 {
						if err := poke.Send(v.ctx, v.e, id, n); err != nil {
							v.Error(err)
						}
					}
				})
			}
			wg.Wait()
			for i := range runs {
				wants(v, flow.WorkflowID(fmt.Sprint(round, "-", i)), "0,1,2,"[:2+i%3*2])
			}
		}
	})
}

func TestADeferredFunctionRunsAtEveryParkAndItsOperationsDoNotReturn(t *testing.T) {
	var entered, returned int
	w := flowOf(func(ctx *engine.Context, _ int) (int, error) {
		defer func() {
			entered++
			ctx.Sleep(time.Second)
			returned++
		}()
		return 5, ctx.Sleep(time.Hour)
	})
	bubble(t, typed(w), func(v *env) {
		synctest.Wait() // the recovery is through: it would look at the run, too
		begin(v, w, "a", 0)
		synctest.Wait()
		if entered != 1 || returned != 0 {
			t.Errorf("at the park: defer entered %d times, passed its operation %d times; want 1, 0", entered, returned)
		}
		wants(v, "a", 5)
		if entered < 2 || returned != 1 {
			t.Errorf("at the end: defer entered %d times, passed its operation %d times; want 2 or more, 1", entered, returned)
		}
	})
}
