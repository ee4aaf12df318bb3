package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine"
	"weft/engine/row"
	"weft/flow"
)

// TestF043WhatComesDueWhileTheProcessIsDown: a timer, a signal and an outcome
// from outside race, and a second timer comes due later. That nothing runs code
// meanwhile changes neither who wins nor what is issued.
func TestF043WhatComesDueWhileTheProcessIsDown(t *testing.T) {
	const never = 100 * time.Hour
	for name, tc := range map[string]struct {
		timer, signal, outcome time.Duration
		want                   string
	}{
		"the timer is first":   {15 * time.Minute, 20 * time.Minute, 25 * time.Minute, "timer"},
		"the signal is first":  {15 * time.Minute, 10 * time.Minute, 20 * time.Minute, "signal"},
		"the outcome is first": {15 * time.Minute, 12 * time.Minute, 10 * time.Minute, "outcome"},
		"the timer is alone":   {15 * time.Minute, never, never, "timer"},
	} {
		for _, down := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, down %t", name, down), func(t *testing.T) {
				d := newDesk(engine.Activity[string, string]{})
				var issued notes[string]
				issue := engine.Activity[string, string]{Name: "issue", Do: func(_ context.Context, s string) (string, error) {
					issued.add(s)
					return s, nil
				}}
				w := flowOf(func(ctx *engine.Context, _ string) (string, error) {
					engine.Go(ctx, func(ctx *engine.Context) (string, error) {
						if err := ctx.Sleep(30 * time.Minute); err != nil {
							return "", err
						}
						return issue.Run(ctx, "after the end")
					})
					got, _, err := engine.Race(ctx,
						func(ctx *engine.Context) (string, error) { return "timer", ctx.Sleep(tc.timer) },
						paid.Wait,
						func(ctx *engine.Context) (string, error) { return d.act.Run(ctx, "") })
					return got, err
				})
				bubble(t, typed(w), func(v *env) {
					began := time.Now()
					begin(v, w, "a", "")
					time.Sleep(time.Minute)
					if down {
						v.opts.Mode = flow.ModeOperate
						v.restart()
					}
					times := []time.Duration{tc.signal, tc.outcome}
					slices.Sort(times)
					for _, at := range times {
						if at == never {
							break
						}
						time.Sleep(at - time.Since(began))
						var err error
						if at == tc.signal {
							err = paid.Send(v.ctx, v.e, "a", "signal")
						} else {
							err = d.act.Complete(v.ctx, v.e, d.token(v), "outcome")
						}
						if err != nil && !errors.Is(err, flow.ErrFinished) && !errors.Is(err, flow.ErrToken) {
							t.Fatal(err)
						}
					}
					time.Sleep(time.Hour - time.Since(began))
					if down {
						v.opts.Mode = flow.ModeRun
						v.restart()
					}
					wants(v, "a", tc.want)
					time.Sleep(time.Hour)
					if n := v.rows(row.FamilyTimer); n != 0 || issued.len() != 0 {
						t.Errorf("%d timers are left, issued %q", n, issued.all())
					}
				})
			})
		}
	}
}

// TestF049ATimerIsCalledOffOnceHoweverManyRacesItLost: one signal calls off the
// timers of two races, one within the other, at the moment they are due.
func TestF049ATimerIsCalledOffOnceHoweverManyRacesItLost(t *testing.T) {
	sleeps := func(d time.Duration) func(*engine.Context) (string, error) {
		return func(ctx *engine.Context) (string, error) { return "timer", ctx.Sleep(d) }
	}
	w := flowOf(func(ctx *engine.Context, limit time.Duration) (string, error) {
		got, _, err := engine.Race(ctx, sleeps(limit), func(ctx *engine.Context) (string, error) {
			got, _, err := engine.Race(ctx, sleeps(limit), paid.Wait)
			return got, err
		})
		if err != nil {
			return "", err
		}
		return got, ctx.Sleep(time.Second) // what lost is passed over by then
	})
	const rounds, wide = 20, 50
	lateBubble(t, typed(w), func(v *env) {
		for round := range rounds {
			var wg sync.WaitGroup
			for i := range wide {
				id := flow.WorkflowID(fmt.Sprint(round, "-", i))
				limit, jitter := time.Duration(1+i%3)*700*time.Millisecond, v.dice(8*time.Millisecond)
				wg.Go(func() {
					if _, err := w.Start(v.ctx, v.e, limit, engine.StartOptions{ID: id}); err != nil {
						v.Error(err)
					}
					time.Sleep(limit - 4*time.Millisecond + jitter)
					if err := paid.Send(v.ctx, v.e, id, "signal"); err != nil {
						v.Error(err)
					}
				})
			}
			wg.Wait()
			if round%5 == 2 {
				v.crash()
			}
			for i := range wide {
				id := flow.WorkflowID(fmt.Sprint(round, "-", i))
				if got, err := ending[string](v, id); err != nil || got != "timer" && got != "signal" {
					t.Errorf("%s: %q, %v", id, got, err)
				}
			}
		}
		if n, c := v.rows(row.FamilyTimer), v.info().Counts; n != 0 || c.Completed != rounds*wide {
			t.Errorf("%d timers are left, counts %+v", n, c)
		}
	})
}

// TestF055AClockThatJumpsAheadBringsNoBurst: a loop that sleeps a minute ticks
// at once when the clock jumps over the end of its sleep, and not again for the
// minutes it has skipped; what it ticked before a step back is not repeated.
func TestF055AClockThatJumpsAheadBringsNoBurst(t *testing.T) {
	const day = 24 * time.Hour
	type tick struct {
		n  int
		at time.Time
	}
	var ticks notes[tick]
	strike := engine.Activity[int, int]{Name: "strike", Do: func(_ context.Context, n int) (int, error) {
		ticks.add(tick{n, time.Now()})
		return n, nil
	}}
	w := flowOf(func(ctx *engine.Context, last int) (int, error) {
		for n := range last {
			if err := ctx.Sleep(time.Minute); err != nil {
				return n, err
			}
			if _, err := strike.Run(ctx, n); err != nil {
				return n, err
			}
		}
		return last, nil
	})
	var clock wall
	o := typed(w)
	o.Now = clock.now
	bubble(t, o, func(v *env) {
		begin(v, w, "a", 30)
		for _, step := range []time.Duration{day, -day, day} {
			time.Sleep(5*time.Minute + 10*time.Second)
			clock.step(step)
		}
		wants(v, "a", 30)
		early := 0
		for i, k := range ticks.all() {
			if k.n != i {
				t.Errorf("tick %d comes as number %d", k.n, i)
			}
			if i > 0 && k.at.Sub(ticks.all()[i-1].at) < time.Minute {
				early++
			}
		}
		if n := ticks.len(); n != 30 || early != 1 { // the second jump ends a sleep that the step back prolonged
			t.Errorf("%d ticks, of which %d early; want 30, and the one of the first jump early", n, early)
		}
	})
}

// TestF058ADeadLetterDoesNotBlockWhatIsStartedRegularly: a job of a fixed id is
// started every hour. While the teardown of an earlier one is owed that is
// refused, and says so; once it is a dead letter the next start is accepted.
func TestF058ADeadLetterDoesNotBlockWhatIsStartedRegularly(t *testing.T) {
	release := engine.Activity[string, engine.Void]{Name: "release", Retry: engine.Retry{MaxAttempts: 1},
		Do: func(context.Context, string) (engine.Void, error) { return engine.Void{}, errors.New("no") }}
	w := flowOf(func(ctx *engine.Context, n int) (string, error) {
		if n > 0 {
			return "done", nil
		}
		holds(ctx, release, "box")
		return paid.Wait(ctx)
	})
	w.Finalizer = release
	bubble(t, typed(w), func(v *env) {
		var refused, started int
		for n := range 10 {
			_, err := w.Start(v.ctx, v.e, n, engine.StartOptions{ID: "hourly", OnTerminalConflict: flow.StartNew})
			var pending *flow.PendingError
			switch {
			case err == nil:
				started++
			case errors.As(err, &pending) && pending.ID == "hourly" && pending.Finalizer == "release":
				refused++
			default:
				t.Errorf("start %d: %v", n, err)
			}
			synctest.Wait()
			if n == 0 {
				time.Sleep(time.Second)
				v.cancels("hourly")
			}
			time.Sleep(time.Hour)
		}
		if c := v.info().Counts; refused == 0 || started < 5 || refused+started != 10 || c.Dead != 1 || c.Owed != 0 || c.Completed != 1 {
			t.Errorf("%d started, %d refused, counts %+v", started, refused, c)
		}
	})
}

// TestF059ADailyLoopKeepsItsPhaseOverRestarts, of which there is one an hour.
func TestF059ADailyLoopKeepsItsPhaseOverRestarts(t *testing.T) {
	var fired notes[time.Duration]
	var began time.Time
	strike := engine.Activity[int, int]{Name: "strike", Do: func(_ context.Context, n int) (int, error) {
		fired.add(time.Since(began).Round(time.Second))
		return n, nil
	}}
	w := flowOf(func(ctx *engine.Context, days int) (int, error) {
		first := ctx.Now()
		for n := range days {
			next := first.Add(time.Duration(n+1) * 24 * time.Hour)
			if err := ctx.Sleep(next.Sub(ctx.Now())); err != nil {
				return n, err
			}
			if _, err := strike.Run(ctx, n); err != nil {
				return n, err
			}
		}
		return days, nil
	})
	for name, end := range map[string]func(*env){"closed": (*env).restart, "killed": (*env).crash} {
		t.Run(name, func(t *testing.T) {
			fired.forget(0)
			bubble(t, typed(w), func(v *env) {
				began = time.Now()
				begin(v, w, "a", 3)
				time.Sleep(30 * time.Minute)
				for range 3 * 24 {
					due := v.detail("a", flow.PartSummary).Run.Due
					end(v)
					if again := v.detail("a", flow.PartSummary).Run.Due; again != due {
						t.Errorf("the next is due %s, and after a restart %s", due, again)
					}
					time.Sleep(time.Hour)
				}
				wants(v, "a", 3)
				if want := []time.Duration{24 * time.Hour, 48 * time.Hour, 72 * time.Hour}; !slices.Equal(fired.all(), want) {
					t.Errorf("fired after %v, want %v", fired.all(), want)
				}
			})
		})
	}
}
