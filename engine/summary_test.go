package engine_test

import (
	"testing"
	"time"

	"weft/engine"
	"weft/flow"
)

// What a run said of itself last is what is shown of it, however it ends.
func TestASummaryStaysWhenTheRunEnds(t *testing.T) {
	w := flowOf(func(ctx *engine.Context, _ int) (int, error) {
		ctx.SetSummary("half")
		if err := ctx.Sleep(time.Hour); err != nil {
			return 0, err
		}
		ctx.SetSummary("all")
		return 1, nil
	})
	bubble(t, typed(w), func(v *env) {
		shows := func(id flow.WorkflowID, want string) {
			t.Helper()
			if got := v.detail(id, flow.PartSummary).Run.Summary; got != want {
				t.Errorf("%s is %s and shows %q, want %q", id, v.status(id), got, want)
			}
		}
		begin(v, w, "ends", 0)
		begin(v, w, "cancelled", 0)
		time.Sleep(time.Minute)
		v.crash()
		v.do(flow.SuspendRun{Target: flow.Ref{ID: "cancelled"}})
		shows("cancelled", "half")
		v.crash()
		v.do(flow.CancelRun{Target: flow.Ref{ID: "cancelled"}})
		wants(v, "ends", 1)
		v.restart()
		shows("ends", "all")
		shows("cancelled", "half")
	})
}
