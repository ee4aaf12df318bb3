package wefttest_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"weft/engine"
	"weft/wefttest"
)

func TestCrashesAroundAStep(t *testing.T) {
	for name, tc := range map[string]struct {
		order func(v *wefttest.Env)
		calls int
	}{
		"no crash":             {func(*wefttest.Env) {}, 1},
		"before the record":    {func(v *wefttest.Env) { v.CrashBefore("env-1", "1") }, 2},
		"after the record":     {func(v *wefttest.Env) { v.CrashAfter("env-1", "1") }, 1},
		"during the activity":  {func(v *wefttest.Env) { v.At(3*time.Second, v.Crash) }, 2},
		"while it waits":       {func(v *wefttest.Env) { v.At(30*time.Minute, v.Crash) }, 1},
		"a restart in between": {func(v *wefttest.Env) { v.At(30*time.Minute, v.Restart) }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			wefttest.Test(t, provisions, func(v *wefttest.Env) {
				create := wefttest.Mock(v, createVM).Return(machine{"a"}).Take(5 * time.Second)
				tc.order(v)
				run := wefttest.Start(v, provision, "env-1", request{"ana"})
				v.At(90*time.Minute, func() { wefttest.Send(v, approved, "env-1", approval{"bo"}) })
				run.Want("a by bo")
				create.WantCount(tc.calls)
				if create.Steps() != 1 {
					t.Errorf("%d idempotency keys", create.Steps())
				}
			})
		})
	}
}

func TestEveryCrashOfADurableProgram(t *testing.T) {
	var scenarios atomic.Int64
	wefttest.EveryCrash(t, provisions, func(v *wefttest.Env) string {
		scenarios.Add(1)
		create := wefttest.Mock(v, createVM).Return(machine{"a"}).Take(5 * time.Second)
		run := wefttest.Start(v, provision, "env-1", request{"ana"})
		v.At(time.Hour, func() { wefttest.Send(v, approved, "env-1", approval{"bo"}) })
		got, err := run.Result()
		if err != nil {
			t.Errorf("result: %v", err)
		}
		if n := create.Count(); n > 1+v.Crashes() {
			t.Errorf("%d attempts with %d crashes", n, v.Crashes())
		}
		return got
	})
	if n := scenarios.Load(); n < 11 { // start, step, park, signal, step, end: before and after each, and undisturbed
		t.Errorf("the scenario was run %d times only", n)
	}
}

// forgetful keeps in a variable what it has done, which no crash survives.
func forgetful(count *int) engine.Workflow[int, int] {
	add := engine.Activity[int, int]{Name: "add", Do: func(context.Context, int) (int, error) { *count++; return *count, nil }}
	return engine.Workflow[int, int]{Name: "forgetful", Do: func(ctx *engine.Context, n int) (int, error) { return add.Run(ctx, n) }}
}
