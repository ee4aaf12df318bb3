package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine"
	"weft/flow"
	"weft/store"
	"weft/store/memory"
)

// watcher waits until another branch has taken n signals, or a limit passes,
// then sleeps.
func watcher(limit time.Duration) engine.Workflow[int, string] {
	return flowOf(func(ctx *engine.Context, most int) (string, error) {
		n := 0
		engine.Go(ctx, func(ctx *engine.Context) (int, error) {
			for {
				if _, err := poke.Wait(ctx); err != nil {
					return 0, err
				}
				n++
			}
		})
		ok, err := true, error(nil)
		if limit > 0 {
			ok, err = ctx.WaitUntilFor(limit, func() bool { return n == most })
		} else {
			err = ctx.WaitUntil(func() bool { return n == most })
		}
		if err != nil {
			return "", err
		}
		at := ctx.Now()
		if err := ctx.Sleep(time.Minute); err != nil {
			return "", err
		}
		return fmt.Sprint(n, " ", ok, " ", ctx.Now().Sub(at)), nil
	})
}

func TestWaitUntilGoesOnWithTheEventThatMakesItTrue(t *testing.T) {
	for _, limit := range []time.Duration{0, time.Hour} {
		for _, restart := range []string{"", "before", "after", "crash"} {
			t.Run(fmt.Sprint(limit, restart), func(t *testing.T) {
				w := watcher(limit)
				bubble(t, typed(w), func(v *env) {
					begin(v, w, "a", 2)
					time.Sleep(20 * time.Second)
					sends(v, poke, "a", 1)
					if restart == "before" {
						v.restart()
					}
					time.Sleep(20 * time.Second)
					sends(v, poke, "a", 1)
					synctest.Wait()
					switch restart {
					case "after":
						v.restart()
					case "crash":
						v.crash()
					}
					time.Sleep(30 * time.Second)
					if restart == "after" {
						v.restart()
					}
					wants(v, "a", "2 true 1m0s")
					if n := v.rows("wf-deadline:") + v.rows("wait:"); n != 0 {
						t.Errorf("%d rows of waits are left", n)
					}
				})
			})
		}
	}
}

// The condition held, the wait's rows are to go with the next commit, and the
// process dies at each commit.
func TestACrashAtEveryCommitOfAWaitUntil(t *testing.T) {
	for _, when := range []memory.Moment{memory.Before, memory.After} {
		for k, hit := 1, true; hit; k++ {
			t.Run(fmt.Sprintf("commit %d, moment %d", k, when), func(t *testing.T) {
				w := watcher(time.Hour)
				bubble(t, typed(w), func(v *env) {
					begin(v, w, "a", 1)
					time.Sleep(time.Minute)
					synctest.Wait()
					v.s.FailCommit(k, when)
					err := poke.SendWith(v.ctx, v.e, "a", 1, engine.SendOptions{SignalID: "s"})
					time.Sleep(2 * time.Minute)
					synctest.Wait()
					hit = v.s.Health().State == store.Failed
					if !hit {
						v.s.FailCommit(0, when)
						return
					}
					v.crash()
					if err != nil {
						poke.SendWith(v.ctx, v.e, "a", 1, engine.SendOptions{SignalID: "s"})
					}
					// A sleep whose beginning was not recorded begins again.
					if got, err := ending[string](v, "a"); err != nil || !strings.HasPrefix(got, "1 true ") {
						t.Errorf("%q, %v", got, err)
					}
				})
			})
		}
	}
}

func TestTheLimitOfAWaitUntil(t *testing.T) {
	for _, down := range []bool{false, true} {
		t.Run(fmt.Sprint("down ", down), func(t *testing.T) {
			w := watcher(time.Hour)
			bubble(t, typed(w), func(v *env) {
				begin(v, w, "a", 2)
				sends(v, poke, "a", 1)
				time.Sleep(time.Minute)
				if down {
					v.close()
					v.reopen()
					time.Sleep(2 * time.Hour)
					v.open()
				}
				time.Sleep(59*time.Minute + 5*time.Second) // parked again
				if !down {
					v.crash()
				}
				wants(v, "a", "1 false 1m0s")
			})
		})
	}
}

func TestConditionsThatPanicOperateOrCanNeverHold(t *testing.T) {
	n := 0
	tests := map[string]struct {
		do   func(ctx *engine.Context) error
		want engine.Code
	}{
		"panics at once": {func(ctx *engine.Context) error { return ctx.WaitUntil(func() bool { panic("oh") }) }, engine.CodePanic},
		"panics later": {func(ctx *engine.Context) error {
			late := false
			engine.Go(ctx, func(ctx *engine.Context) (int, error) { err := ctx.Sleep(time.Minute); late = true; return 0, err })
			return ctx.WaitUntil(func() bool {
				if late {
					panic("oh")
				}
				return false
			})
		}, engine.CodePanic},
		"operates": {func(ctx *engine.Context) error {
			var failed error
			err := ctx.WaitUntil(func() bool { failed = ctx.Sleep(time.Second); return true })
			return errors.Join(failed, err)
		}, engine.CodeMisuse},
		"never": {func(ctx *engine.Context) error { return ctx.WaitUntil(func() bool { return false }) }, engine.CodeDeadlock},
		"never, beside another": {func(ctx *engine.Context) error {
			engine.Go(ctx, func(ctx *engine.Context) (int, error) { return 0, ctx.WaitUntil(func() bool { return false }) })
			return ctx.WaitUntil(func() bool { n++; return false })
		}, engine.CodeDeadlock},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			w := flowOf(func(ctx *engine.Context, _ int) (int, error) { return 0, tc.do(ctx) })
			bubble(t, typed(w), func(v *env) {
				begin(v, w, "a", 0)
				_, err := ending[int](v, "a")
				if !errors.Is(err, tc.want) && !(err != nil && strings.Contains(err.Error(), "deadlock") && tc.want == engine.CodeDeadlock) {
					t.Errorf("%v; want %v", err, tc.want)
				}
			})
		})
	}
}

// A branch in a race loses while it waits for a condition, and the condition
// would hold later: nothing of it is left.
func TestAWaitUntilThatLosesARace(t *testing.T) {
	w := flowOf(func(ctx *engine.Context, _ int) (string, error) {
		n := 0
		_, won, err := engine.Race(ctx,
			func(ctx *engine.Context) (int, error) { return 0, ctx.WaitUntil(func() bool { return n > 0 }) },
			func(ctx *engine.Context) (int, error) { return 0, ctx.Sleep(time.Hour) })
		if err != nil {
			return "", err
		}
		n++
		return fmt.Sprint(won), ctx.Sleep(time.Hour)
	})
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 0)
		time.Sleep(30 * time.Minute)
		v.restart()
		time.Sleep(45 * time.Minute)
		v.crash()
		if got, err := ending[string](v, "a"); err != nil || got != "1" {
			t.Errorf("%q, %v", got, err)
		}
		if r := v.detail("a", flow.PartSummary).Run; r.Status != flow.Completed {
			t.Errorf("%s", r.Status)
		}
	})
}

// TestTheRowsOfAMetConditionGoWithTheNextCommit: the wait had been parked with a
// row, and with a timer row if it has a limit. In the next life, and in one that
// finds the rows because the process died before that commit, they are removed
// once and do not come back.
func TestTheRowsOfAMetConditionGoWithTheNextCommit(t *testing.T) {
	for _, limit := range []time.Duration{0, time.Hour} {
		for _, crash := range []bool{false, true} {
			t.Run(fmt.Sprint(limit, crash), func(t *testing.T) {
				w := watcher(limit)
				bubble(t, typed(w), func(v *env) {
					begin(v, w, "a", 1)
					time.Sleep(30 * time.Second)
					if n := v.rows("wait:"); n != 2 { // the condition and the signal
						t.Fatalf("%d waits are parked, want 2", n)
					}
					if crash {
						v.s.FailCommit(3, memory.Before) // signal, step, and the sleep behind the condition
					}
					sends(v, poke, "a", 1)
					time.Sleep(10 * time.Second) // the sleep is parked, the condition is met
					if crash {
						if v.s.Health().State != store.Failed {
							t.Fatal("the process did not die")
						}
						if n := v.rows("wait:"); n != 1 {
							t.Fatalf("%d waits before the sleep was recorded, want that of the condition", n)
						}
						v.crash()
						time.Sleep(10 * time.Second)
					}
					synctest.Wait()
					if waits, timers := v.rows("wait:"), v.rows("wf-deadline:"); waits != 2 || timers != 1 {
						t.Errorf("%d waits, %d timers; want the signal and the sleep, with its timer", waits, timers)
					}
					// A sleep whose beginning was not recorded begins again.
					if got, err := ending[string](v, "a"); err != nil || !strings.HasPrefix(got, "1 true ") {
						t.Errorf("%q, %v", got, err)
					}
				})
			})
		}
	}
}
