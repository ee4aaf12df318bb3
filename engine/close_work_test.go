package engine_test

import (
	"context"
	"testing"
	"time"

	"weft/engine"
	"weft/flow"
)

// What an activity gave while its run's code was busy is recorded before the
// engine closes: it is not called again.
func TestACloseWaitsForAnOutcomeBehindBusyCode(t *testing.T) {
	calls := 0
	act := engine.Activity[int, string]{Name: "act", Do: func(context.Context, int) (string, error) {
		calls++
		time.Sleep(2 * time.Second)
		return "given", nil
	}}
	w := besideBusy(10*time.Second, func(ctx *engine.Context) (string, error) { return act.Run(ctx, 1) })
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 0)
		time.Sleep(4 * time.Second)
		v.restart()
		wants(v, "a", "given")
		if calls != 1 {
			t.Errorf("%d calls", calls)
		}
	})
}

// A close in the middle of a page of children that are being ended.
func TestACloseWithinAPageOfChildrenForgetsNone(t *testing.T) {
	const n = 200
	parent, child := brood(flow.Terminate, untilPaid)
	bubble(t, typed(parent, child), func(v *env) {
		begin(v, parent, "p", n)
		time.Sleep(time.Minute)
		v.s.SetDelay(20 * time.Millisecond)
		v.do(flow.CancelRun{Target: flow.Ref{ID: "p"}})
		time.Sleep(10 * time.Millisecond)
		v.restart()
		time.Sleep(time.Minute)
		if c := v.info().Counts; c.Cancelled != n+1 || v.rows("cascade:") != 0 {
			t.Errorf("counts %+v; %d cascades", c, v.rows("cascade:"))
		}
	})
}
