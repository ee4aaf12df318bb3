package engine_test

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine"
	"weft/flow"
	"weft/store"
	"weft/store/memory"
)

// wall is a wall clock that a test can step, apart from the time that passes.
type wall struct{ off atomic.Int64 }

func (w *wall) now() time.Time       { return time.Now().Add(time.Duration(w.off.Load())) }
func (w *wall) step(d time.Duration) { w.off.Add(int64(d)) }

// The wall clock is stepped while timers are due in a minute and in an hour:
// each fires once, by the wall clock, within a look of the loop.
func TestF018TimersFollowTheWallClock(t *testing.T) {
	const look = 1100 * time.Millisecond
	tests := map[string]struct {
		step     time.Duration // after 10 s
		min, day time.Duration // when the runs end, from the start
	}{
		"an hour on":    {time.Hour, 10 * time.Second, 10 * time.Second},
		"30 s on":       {30 * time.Second, 30 * time.Second, time.Hour - 30*time.Second},
		"45 minutes on": {45 * time.Minute, 10 * time.Second, 15 * time.Minute},
		"an hour back":  {-time.Hour, time.Hour + time.Minute, 2 * time.Hour},
		"ten years on":  {10 * 365 * 24 * time.Hour, 10 * time.Second, 10 * time.Second},
		"not at all":    {0, time.Minute, time.Hour},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var clock wall
			o := typed(sleeper)
			o.Now = clock.now
			bubble(t, o, func(v *env) {
				began := time.Now()
				begin(v, sleeper, "minute", time.Minute)
				begin(v, sleeper, "hour", time.Hour)
				time.Sleep(10 * time.Second)
				clock.step(tc.step)
				epoch := v.info().Lease.Epoch
				for id, due := range map[flow.WorkflowID]time.Duration{"minute": tc.min, "hour": tc.day} {
					time.Sleep(max(0, due-time.Millisecond-time.Since(began)))
					if s := v.detail(id, flow.PartSummary).Run.Status; s.Terminal() && time.Since(began) < due {
						t.Errorf("%s is %s after %v, due %v", id, s, time.Since(began), due)
					}
				}
				wants(v, "minute", "slept")
				wants(v, "hour", "slept")
				if took := time.Since(began); took > max(tc.min, tc.day)+look {
					t.Errorf("all through after %v, due %v", took, max(tc.min, tc.day))
				}
				if l := v.info().Lease; l.Epoch != epoch || !l.Mine {
					t.Errorf("the lease changed: %+v", l)
				}
			})
		})
	}
}

// A wall clock set far back and on again: a timer set meanwhile fires by it.
func TestF056AClockThatIsPutBackAndOnAgain(t *testing.T) {
	var clock wall
	o := typed(sleeper)
	o.Now = clock.now
	bubble(t, o, func(v *env) {
		clock.step(-2 * 365 * 24 * time.Hour)
		time.Sleep(time.Minute)
		began := time.Now()
		begin(v, sleeper, "a", time.Hour)
		time.Sleep(time.Minute)
		clock.step(45 * time.Minute) // the machine slept
		wants(v, "a", "slept")
		if took := time.Since(began); took < 15*time.Minute || took > 15*time.Minute+1100*time.Millisecond {
			t.Errorf("fired after %v, want 15m", took)
		}
		begin(v, sleeper, "b", time.Minute)
		clock.step(2 * 365 * 24 * time.Hour)
		wants(v, "b", "slept")
	})
}

func TestAClockBefore1970DoesNotLoseATimer(t *testing.T) {
	var clock wall
	o := typed(sleeper)
	o.Now = clock.now
	bubble(t, o, func(v *env) {
		clock.step(-time.Since(time.Unix(0, 0)) - 30*time.Second) // 30 s before 1970
		begin(v, sleeper, "a", 10*time.Second)
		begin(v, sleeper, "b", 30*time.Second) // due exactly at 1970
		begin(v, sleeper, "c", time.Minute)
		for _, id := range []flow.WorkflowID{"a", "b", "c"} {
			wants(v, id, "slept")
		}
	})
}

// CRASH at each write while a run begins to sleep, and a row deleted by hand.
func TestF006ATimerIsNeverMissingUnnoticed(t *testing.T) {
	for k := 1; k <= 4; k++ {
		for _, when := range []memory.Moment{memory.Before, memory.After} {
			t.Run(fmt.Sprintf("commit %d fails, moment %d", k, when), func(t *testing.T) {
				bubble(t, typed(sleeper), func(v *env) {
					v.s.FailCommit(k, when)
					_, err := sleeper.Start(v.ctx, v.e, time.Hour, engine.StartOptions{ID: "a"})
					time.Sleep(time.Second)
					v.s.FailCommit(0, when)
					v.crash()
					if v.rows("wf:") == 0 {
						if err == nil {
							t.Error("an acknowledged start is gone")
						}
						return
					}
					time.Sleep(2 * time.Hour)
					wants(v, "a", "slept")
				})
			})
		}
	}
	t.Run("a row deleted by hand is put back and reported", func(t *testing.T) {
		const runs = 600 // more than the walk takes at once
		bubble(t, typed(sleeper), func(v *env) {
			for i := range runs {
				begin(v, sleeper, flow.WorkflowID(fmt.Sprint(i)), time.Hour)
			}
			synctest.Wait()
			v.close()
			var b store.Batch
			n := 0
			for kv := range v.s.Scan(store.Prefix([]byte("wf-deadline:"))) {
				if n++; n%3 == 0 {
					b.Delete(append([]byte(nil), kv.Key...))
				}
			}
			if _, err := v.s.Commit(v.ctx, &b); err != nil {
				t.Fatal(err)
			}
			v.reopen()
			v.open()
			time.Sleep(time.Minute)
			if n := v.rows("wf-deadline:"); n != runs {
				t.Errorf("%d timers after the walk, want %d", n, runs)
			}
			if !v.problem("was missing and was put back") {
				t.Error("no problem is reported")
			}
			v.check()
			for i := range runs {
				wants(v, flow.WorkflowID(fmt.Sprint(i)), "slept")
			}
		})
	})
}

// Thousands are due at once, more than the loop takes in at a time. The long
// form, with WEFT_LONG set, is a million.
func TestManyTimersDueAtOnce(t *testing.T) {
	runs := 4_500 // more than the loop takes in at once
	if os.Getenv("WEFT_LONG") != "" {
		runs = 1_000_000
	}
	until := engine.Workflow[time.Time, string]{Name: "until", Do: func(ctx *engine.Context, at time.Time) (string, error) {
		return "slept", ctx.Sleep(at.Sub(ctx.Now()))
	}}
	o := typed(until)
	o.MaxLive = 500
	bubble(t, o, func(v *env) {
		at := time.Now().Add(time.Hour)
		var wg sync.WaitGroup
		for w := range 8 {
			wg.Go(func() {
				for i := w; i < runs; i += 8 {
					if _, err := until.Start(v.ctx, v.e, at, engine.StartOptions{ID: flow.WorkflowID(fmt.Sprint(i))}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		time.Sleep(time.Until(at))
		for v.info().Counts.Running > 0 {
			time.Sleep(time.Second)
		}
		if n := v.info().Counts.Completed; n != int64(runs) || v.rows("wf-deadline:") != 0 {
			t.Errorf("%d completed, %d timers left", n, v.rows("wf-deadline:"))
		}
	})
}

// Timers are set below and above what the loop has taken in, in any order, and
// each fires once, in time.
func TestTimersSetInAnyOrderFireInTime(t *testing.T) {
	dice := dice(t)
	bubble(t, typed(sleeper), func(v *env) {
		var wg sync.WaitGroup
		for i := range 1500 {
			wait := time.Duration(dice.Int64N(int64(20 * time.Second)))
			d := time.Second + time.Duration(dice.Int64N(int64(15*time.Second)))
			wg.Go(func() {
				time.Sleep(wait)
				began := time.Now()
				r, err := sleeper.Start(v.ctx, v.e, d, engine.StartOptions{ID: flow.WorkflowID(fmt.Sprint(i))})
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := r.Result(v.ctx); err != nil {
					t.Error(err)
				}
				if late := time.Since(began) - d; late < 0 || late > 2*time.Millisecond {
					t.Errorf("a sleep of %v from %v was late by %v", d, wait, late)
				}
			})
		}
		wg.Wait()
		for i := range 1500 {
			if ev := v.detail(flow.WorkflowID(fmt.Sprint(i)), flow.PartSummary).Run.Events; ev != 3 {
				t.Fatalf("run %d has %d events, want 3", i, ev)
			}
		}
	})
}
