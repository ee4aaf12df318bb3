package engine_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine"
	"weft/flow"
)

// slowly is an activity that takes as many seconds as it is asked to.
var slowly = engine.Activity[int, int]{Name: "slowly", Do: func(_ context.Context, n int) (int, error) {
	time.Sleep(time.Duration(n) * time.Second)
	return n, nil
}}

// suspendsLong suspends the run while two attempts of it are under way, and
// resumes it when the outcome of both is recorded: the code sees the first one,
// stages something, and then gets the second one from the journal.
func suspendsLong(v *env) {
	v.Helper()
	time.Sleep(5 * time.Second)
	v.do(flow.SuspendRun{Target: flow.Ref{ID: "a"}})
	time.Sleep(time.Minute)
	v.do(flow.ResumeRun{Target: flow.Ref{ID: "a"}})
	time.Sleep(time.Minute)
	synctest.Wait()
}

// TestStateBetweenTwoLateOutcomesReachesTheFinalizer: neither of their batches
// carried it, though it was staged before a recorded event.
func TestStateBetweenTwoLateOutcomesReachesTheFinalizer(t *testing.T) {
	for _, restart := range []bool{false, true} {
		t.Run(fmt.Sprint("restart ", restart), func(t *testing.T) {
			p := newTrip()
			w := flowOf(func(ctx *engine.Context, _ int) (string, error) {
				ctx.SetSummary("both are under way")
				engine.Go(ctx, func(ctx *engine.Context) (int, error) {
					n, err := slowly.Run(ctx, 10)
					if err != nil {
						return 0, err
					}
					ctx.SetSummary("the first is done")
					return n, engine.SetFinalizerState(ctx, p.house, "key")
				})
				if _, err := slowly.Run(ctx, 20); err != nil {
					return "", err
				}
				return paid.Wait(ctx)
			})
			w.Finalizer = p.house
			bubble(t, typed(w), func(v *env) {
				begin(v, w, "a", 0)
				suspendsLong(v)
				if restart {
					v.restart()
				}
				if got := v.detail("a", flow.PartSummary).Run.Summary; got != "the first is done" {
					t.Errorf("the summary is %q", got)
				}
				v.cancels("a")
				time.Sleep(time.Minute)
				if got := p.deeds.all(); !slices.Equal(got, []string{"house key"}) {
					t.Errorf("%q was done, want the finalizer with the state", got)
				}
			})
		})
	}
}

// TestASagaThatSucceedsBetweenTwoLateOutcomesOwesNothing, and its rows go.
func TestASagaThatSucceedsBetweenTwoLateOutcomesOwesNothing(t *testing.T) {
	p := newTrip()
	w := flowOf(func(ctx *engine.Context, _ int) (string, error) {
		engine.Go(ctx, func(ctx *engine.Context) (int, error) {
			return engine.Saga(ctx, func(ctx *engine.Context) (int, error) {
				if _, err := p.book.Run(ctx, "rome"); err != nil {
					return 0, err
				}
				return slowly.Run(ctx, 10)
			})
		})
		if _, err := slowly.Run(ctx, 20); err != nil {
			return "", err
		}
		return paid.Wait(ctx)
	})
	w.Compensations = []engine.Finalizer{p.book.By}
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 0)
		suspendsLong(v)
		if n := v.rows("wf-saga:"); n != 0 {
			t.Errorf("%d compensations are recorded of a saga that has succeeded", n)
		}
		v.cancels("a")
		time.Sleep(time.Minute)
		if got := p.deeds.all(); !slices.Equal(got, []string{"book rome"}) {
			t.Errorf("%q was done", got)
		}
		if n := v.rows("wf-saga:") + v.rows("wf-teardown"); n != 0 {
			t.Errorf("%d rows are left", n)
		}
	})
}
