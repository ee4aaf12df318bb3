package engine_test

import (
	"errors"
	"testing"
	"time"

	"weft/engine"
	"weft/flow"
)

func TestVersionKeepsOldRunsOnTheOldPathAndNewOnesOnTheNew(t *testing.T) {
	old := flowOf(func(ctx *engine.Context, _ int) (string, error) {
		if _, err := nap.Run(ctx, time.Second); err != nil {
			return "", err
		}
		_, err := paid.Wait(ctx)
		return "old", err
	})
	changed := func(least, most int) engine.Workflow[int, string] {
		return flowOf(func(ctx *engine.Context, _ int) (string, error) {
			v, err := ctx.Version("twice", least, most)
			if err != nil {
				return "", err
			}
			for range 1 + v {
				if _, err := nap.Run(ctx, time.Second); err != nil {
					return "", err
				}
			}
			v2, err := ctx.Version("no wait", 0, 1)
			if err == nil && v2 == 0 {
				_, err = paid.Wait(ctx)
			}
			return map[int]string{0: "old", 1: "new"}[v], err
		})
	}
	bubble(t, typed(old), func(v *env) {
		begin(v, old, "parked", 0)
		time.Sleep(time.Hour)
		begin(v, old, "napping", 0)
		v.close()
		w := changed(0, 1)
		v.opts = typed(w)
		v.reopen()
		v.open()
		begin(v, w, "fresh", 0)
		time.Sleep(1500 * time.Millisecond)
		v.crash()
		wants(v, "fresh", "new")
		for _, id := range []flow.WorkflowID{"parked", "napping"} {
			if id == "parked" {
				sends(v, paid, id, "x")
			}
		}
		wants(v, "parked", "old")
		// Its first step had not been recorded: the run is on the new path.
		wants(v, "napping", "new")
	})
}

func TestAVersionOutsideTheRangeIsATypedError(t *testing.T) {
	at := func(least, most int) engine.Workflow[int, int] {
		return flowOf(func(ctx *engine.Context, _ int) (int, error) {
			v, err := ctx.Version("x", least, most)
			var bad *engine.VersionError
			if errors.As(err, &bad) {
				return -bad.Recorded, nil
			}
			_, err = paid.Wait(ctx)
			return v, err
		})
	}
	bubble(t, typed(at(0, 1)), func(v *env) {
		begin(v, at(0, 1), "a", 0)
		time.Sleep(time.Hour)
		v.close()
		v.opts = typed(at(2, 3))
		v.reopen()
		v.open()
		sends(v, paid, "a", "x")
		d := v.detail("a", flow.PartSummary)
		time.Sleep(time.Second)
		d = v.detail("a", flow.PartSummary)
		if d.Run.Status != flow.Suspended {
			t.Errorf("run %+v: code that returns while a wait is registered is a mismatch", d.Run)
		}
	})
}
