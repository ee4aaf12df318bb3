package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine"
	"weft/flow"
	"weft/store"
	"weft/store/memory"
)

// A signal taken from the buffer and the progress it allows are one batch: the
// process dies at every commit in turn.
func TestF001ASignalIsTakenInTheBatchThatRecordsIt(t *testing.T) {
	for _, when := range []memory.Moment{memory.Before, memory.After} {
		for _, parked := range []bool{false, true} {
			for k, hit := 1, true; hit; k++ {
				t.Run(fmt.Sprintf("commit %d, moment %d, parked %t", k, when, parked), func(t *testing.T) {
					hit = crashAtCommit(t, k, when, parked)
				})
			}
		}
	}
}

// crashAtCommit reports whether there was a k-th commit.
func crashAtCommit(t *testing.T, k int, when memory.Moment, parked bool) (hit bool) {
	act := engine.Activity[int, string]{Name: "act", Do: func(_ context.Context, n int) (string, error) {
		return fmt.Sprint("done with ", n), nil
	}}
	w := flowOf(func(ctx *engine.Context, _ int) (string, error) {
		n, err := poke.Wait(ctx)
		if err != nil {
			return "", err
		}
		return act.Run(ctx, n)
	})
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 0)
		if parked {
			time.Sleep(time.Minute)
		}
		synctest.Wait()
		v.s.FailCommit(k, when)
		err := poke.SendWith(v.ctx, v.e, "a", 7, engine.SendOptions{SignalID: "s"})
		time.Sleep(time.Minute)
		synctest.Wait()
		hit = v.s.Health().State == store.Failed
		var unknown *flow.OutcomeUnknownError
		if err != nil && (!errors.As(err, &unknown) || unknown.ID != "a") {
			t.Errorf("send: %v, want an unknown outcome", err)
		}
		if !hit {
			v.s.FailCommit(0, when)
			return
		}
		v.crash()
		if err != nil {
			if err := poke.SendWith(v.ctx, v.e, "a", 7, engine.SendOptions{SignalID: "s"}); err != nil &&
				!errors.Is(err, flow.ErrFinished) {
				t.Errorf("send again: %v", err)
			}
		}
		wants(v, "a", "done with 7")
		if n := v.rows("sig:"); n != 0 {
			t.Errorf("%d signal rows left", n)
		}
	})
	return hit
}

func TestSignalsAreTakenInOrderOfArrivalAndByName(t *testing.T) {
	other := engine.Signal[string]{Name: "x:y"}
	w := flowOf(func(ctx *engine.Context, _ int) (string, error) {
		if err := ctx.Sleep(time.Hour); err != nil {
			return "", err
		}
		var got string
		for range 3 {
			s, err := other.Wait(ctx)
			if err != nil {
				return "", err
			}
			n, err := poke.Wait(ctx)
			if err != nil {
				return "", err
			}
			got += fmt.Sprint(s, n, " ")
		}
		return got, nil
	})
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 0)
		for i := range 3 {
			sends(v, poke, "a", i)
			if i == 1 {
				v.restart()
			}
		}
		for _, s := range []string{"u", "v", "w"} {
			sends(v, other, "a", s)
		}
		if n := len(v.detail("a", flow.PartSignals).Signals); n != 6 {
			t.Errorf("%d signals are shown, want 6", n)
		}
		wants(v, "a", "u0 v1 w2 ")
	})
}

func TestASignalIDIsAcceptedOnceUntilTheRunEnds(t *testing.T) {
	bubble(t, typed(collector), func(v *env) {
		begin(v, collector, "a", 3)
		send := func(n int, id string) {
			t.Helper()
			if err := poke.SendWith(v.ctx, v.e, "a", n, engine.SendOptions{SignalID: id}); err != nil &&
				!errors.Is(err, flow.ErrFinished) {
				t.Error(err)
			}
		}
		send(1, "one")
		synctest.Wait()
		send(2, "one") // was taken: is remembered all the same
		v.restart()
		send(3, "one")
		send(4, "two")
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() { send(5, "three") })
		}
		wg.Wait()
		wants(v, "a", "1,4,5,")
		err := poke.SendWith(v.ctx, v.e, "a", 1, engine.SendOptions{SignalID: "one"})
		var finished *flow.FinishedError
		if !errors.As(err, &finished) || finished.Status != flow.Completed || finished.ID != "a" {
			t.Errorf("to a finished run: %v", err)
		}
	})
}

func TestSignalsThatAreRefused(t *testing.T) {
	long := strings.Repeat("x", 129)
	bubble(t, typed(collector, sleeper), func(v *env) {
		begin(v, collector, "a", 1)
		for name, tc := range map[string]struct {
			sig  engine.Signal[int]
			id   flow.WorkflowID
			key  string
			want error
		}{
			"there is no such run":        {poke, "none", "", flow.ErrNotFound},
			"the id of the run is empty":  {poke, "", "", flow.ErrBadName},
			"the name is empty":           {engine.Signal[int]{}, "a", "", flow.ErrBadName},
			"the name has a NUL":          {engine.Signal[int]{Name: "a\x00"}, "a", "", flow.ErrBadName},
			"the signal id is too long":   {poke, "a", long, flow.ErrBadName},
			"the signal id has a newline": {poke, "a", "a\nb", flow.ErrBadName},
		} {
			n := v.commits()
			err := tc.sig.SendWith(v.ctx, v.e, tc.id, 1, engine.SendOptions{SignalID: tc.key})
			if !errors.Is(err, tc.want) || n() != 0 {
				t.Errorf("%s: %v after %d commits; want %v and none", name, err, n(), tc.want)
			}
		}
		if err := poke.SendWith(v.ctx, v.e, "a", 1, engine.SendOptions{SignalID: long[:128]}); err != nil {
			t.Errorf("a signal id of 128 bytes: %v", err)
		}
	})
}

func TestALimitAndTheArrival(t *testing.T) {
	tests := map[string]struct {
		at   time.Duration // when the signal is sent; the limit is 10 s
		down bool          // the process is down from 5 s to a minute
		want string
	}{
		"in time":                          {9 * time.Second, false, "1 true"},
		"in the last millisecond":          {10*time.Second - time.Millisecond, false, "1 true"},
		"after the limit":                  {10*time.Second + time.Millisecond, false, "0 false"},
		"in time, looked at much later":    {4 * time.Second, true, "1 true"},
		"after the limit, looked at later": {61 * time.Second, true, "0 false"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			w := flowOf(func(ctx *engine.Context, _ int) (string, error) {
				n, ok, err := poke.WaitFor(ctx, 10*time.Second)
				return fmt.Sprint(n, ok), err
			})
			o := typed(w)
			bubble(t, o, func(v *env) {
				began := time.Now()
				begin(v, w, "a", 0)
				if tc.down {
					time.Sleep(2 * time.Second)
					v.close()
					v.opts.Mode = flow.ModeOperate
					v.reopen()
					v.open()
				}
				time.Sleep(tc.at - time.Since(began))
				if err := poke.Send(v.ctx, v.e, "a", 1); err != nil && !errors.Is(err, flow.ErrFinished) {
					t.Fatal(err)
				}
				if tc.down {
					time.Sleep(time.Minute)
					v.opts.Mode = flow.ModeRun
					v.restart()
				}
				wants(v, "a", tc.want)
			})
		})
	}
}

// The limit of an earlier wait has no effect on a later one of the same name.
func TestF052AStaleLimitDoesNotEndALaterWait(t *testing.T) {
	for _, restart := range []bool{false, true} {
		t.Run(fmt.Sprint("restart ", restart), func(t *testing.T) {
			w := flowOf(func(ctx *engine.Context, _ int) (string, error) {
				_, first, err := poke.WaitFor(ctx, 5*time.Second)
				if err != nil {
					return "", err
				}
				began := ctx.Now()
				_, second, err := poke.WaitFor(ctx, time.Minute)
				return fmt.Sprint(first, second, ctx.Now().Sub(began)), err
			})
			bubble(t, typed(w), func(v *env) {
				begin(v, w, "a", 0)
				time.Sleep(3 * time.Second) // parked, with a timer
				sends(v, poke, "a", 1)
				if restart {
					synctest.Wait()
					v.restart()
				}
				time.Sleep(30 * time.Second)
				if n := v.rows("wf-deadline:"); n != 1 {
					t.Errorf("%d timers, want one", n)
				}
				wants(v, "a", "true false 1m0s")
			})
		})
	}
}

// Timer and signal come at the same instant: exactly one is seen, replay agrees.
func TestF049ATimerAndASignalAtOnce(t *testing.T) {
	w := flowOf(func(ctx *engine.Context, limit time.Duration) (string, error) {
		n, ok, err := poke.WaitFor(ctx, limit)
		if err != nil {
			return "", err
		}
		first := fmt.Sprint(n, ok)
		m, ok, err := poke.WaitFor(ctx, time.Second)
		return first + fmt.Sprint(m, ok), err
	})
	lateBubble(t, typed(w), func(v *env) {
		for round := range 20 {
			var wg sync.WaitGroup
			for i := range 50 {
				id := flow.WorkflowID(fmt.Sprint(round, "-", i))
				limit, jitter := time.Duration(1+i%3)*700*time.Millisecond, v.dice(8*time.Millisecond)
				wg.Go(func() {
					if _, err := w.Start(v.ctx, v.e, limit, engine.StartOptions{ID: id}); err != nil {
						v.Error(err)
					}
					time.Sleep(limit - 4*time.Millisecond + jitter)
					if err := poke.Send(v.ctx, v.e, id, 1); err != nil {
						v.Error(err)
					}
				})
			}
			wg.Wait()
			if round%5 == 2 {
				v.crash()
			}
			for i := range 50 {
				id := flow.WorkflowID(fmt.Sprint(round, "-", i))
				if got, err := ending[string](v, id); err != nil || got != "1 true0 false" && got != "0 false1 true" {
					t.Errorf("%s: %q, %v", id, got, err)
				}
			}
		}
	})
}

// 1,000 parked runs get their signals from the first moment after open.
func TestF031SignalsFromTheFirstMomentAfterOpenAreNotLost(t *testing.T) {
	const runs = 1000
	o := typed(collector)
	o.MaxLive = 100
	bubble(t, o, func(v *env) {
		for i := range runs {
			begin(v, collector, flow.WorkflowID(fmt.Sprint(i)), 2)
		}
		time.Sleep(time.Minute)
		for i := range runs {
			if i%3 == 0 {
				sends(v, poke, flow.WorkflowID(fmt.Sprint(i)), 0)
			}
		}
		v.crash()
		var wg sync.WaitGroup
		for _, i := range dice(t).Perm(runs) {
			wg.Go(func() {
				for n := range 2 {
					if n == 1 || i%3 != 0 {
						if err := poke.Send(v.ctx, v.e, flow.WorkflowID(fmt.Sprint(i)), n); err != nil {
							t.Error(err)
						}
					}
				}
			})
		}
		wg.Wait()
		for i := range runs {
			wants(v, flow.WorkflowID(fmt.Sprint(i)), "0,1,")
		}
	})
}

func TestASignalSentUnderOperateIsTakenAtTheNextOpen(t *testing.T) {
	bubble(t, typed(collector), func(v *env) {
		begin(v, collector, "a", 2)
		time.Sleep(time.Minute)
		v.opts.Mode = flow.ModeOperate
		v.restart()
		sends(v, poke, "a", 1)
		sends(v, poke, "a", 2)
		if _, err := collector.Start(v.ctx, v.e, 0, engine.StartOptions{ID: "b"}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if n := len(v.detail("a", flow.PartSignals).Signals); n != 2 || v.info().Live != 0 {
			t.Errorf("%d signals, %d lives; want 2, 0", n, v.info().Live)
		}
		v.opts.Mode = flow.ModeRun
		v.restart()
		wants(v, "a", "1,2,")
		wants(v, "b", "")
	})
}

// A start and a signal at the same moment, from different callers: the signal
// may come before the run has begun to run.
func TestASignalRightBehindTheStartIsNotLost(t *testing.T) {
	lateBubble(t, typed(collector), func(v *env) {
		for round := range 30 {
			var wg sync.WaitGroup
			for i := range 50 {
				id := flow.WorkflowID(fmt.Sprint(round, "-", i))
				wg.Go(func() {
					if _, err := collector.Start(v.ctx, v.e, 1, engine.StartOptions{ID: id}); err != nil {
						v.Error(err)
					}
				})
				wg.Go(func() {
					for {
						err := poke.Send(v.ctx, v.e, id, 5)
						if err == nil {
							return
						}
						if !errors.Is(err, flow.ErrNotFound) {
							v.Error(err)
							return
						}
						time.Sleep(100 * time.Microsecond)
					}
				})
			}
			wg.Wait()
			for i := range 50 {
				wants(v, flow.WorkflowID(fmt.Sprint(round, "-", i)), "5,")
			}
		}
	})
}
