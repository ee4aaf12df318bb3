package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine"
	"weft/flow"
)

// parcel is a value of which JSON does not keep everything.
type parcel struct {
	Name   string
	Weight int `json:"w"`
	secret string
	Any    any
}

func TestCodeSeesTheDecodedRecordInItsFirstLifeToo(t *testing.T) {
	pack := engine.Activity[parcel, parcel]{Name: "pack", Do: func(_ context.Context, p parcel) (parcel, error) {
		return parcel{Name: p.Name + p.secret, Weight: p.Weight + 1, secret: "s", Any: uint64(math.MaxUint64)}, nil
	}}
	var seen []string
	w := flowOf(func(ctx *engine.Context, _ int) (string, error) {
		p, err := pack.Run(ctx, parcel{Name: "n", Weight: 1, secret: "lost"})
		seen = append(seen, fmt.Sprintf("%s %d %q %v %T", p.Name, p.Weight, p.secret, p.Any, p.Any))
		if err := ctx.Sleep(time.Hour); err != nil {
			return "", err
		}
		return seen[len(seen)-1], err
	})
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 0)
		synctest.Wait()
		v.restart()
		wants(v, "a", `n 2 "" 18446744073709551615 json.Number`)
		for _, s := range seen {
			if s != seen[0] {
				t.Errorf("lives saw %q and %q", seen[0], s)
			}
		}
	})
}

var errOutOfStock = engine.Code("out-of-stock")

func TestAnErrorCodeIsRecognisedLiveAndOnReplay(t *testing.T) {
	tests := map[string]struct {
		err       error
		is        error
		category  flow.Category
		message   string
		permanent bool
	}{
		"Fail":                      {engine.Fail(errOutOfStock, "item %d", 7), errOutOfStock, flow.Application, "item 7", false},
		"a wrapped code":            {fmt.Errorf("order: %w", errOutOfStock), errOutOfStock, flow.Application, "order: out-of-stock", false},
		"a wrapped Fail":            {fmt.Errorf("order: %w", engine.Fail(errOutOfStock, "x")), errOutOfStock, flow.Application, "order: x", false},
		"a permanent Fail":          {engine.Permanent(engine.Fail(errOutOfStock, "x")), errOutOfStock, flow.Application, "x", true},
		"a wrapped permanent error": {fmt.Errorf("a: %w", engine.Permanent(errOutOfStock)), errOutOfStock, flow.Application, "a: out-of-stock", true},
		"joined errors":             {errors.Join(errors.New("x"), errOutOfStock), errOutOfStock, flow.Application, "x\nout-of-stock", false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			act := engine.Activity[int, int]{Name: "act", Do: func(context.Context, int) (int, error) { return 0, tc.err },
				Retry: engine.Retry{MaxAttempts: 2}}
			lives := 0
			w := flowOf(func(ctx *engine.Context, _ int) (string, error) {
				lives++
				_, err := act.Run(ctx, 1)
				var f *flow.Failure
				if !errors.As(err, &f) || !errors.Is(err, tc.is) || f.Category != tc.category || f.Message != tc.message ||
					f.Permanent != tc.permanent {
					t.Errorf("life %d: got %#v", lives, err)
				}
				if errors.Is(err, engine.Code("another")) {
					t.Errorf("life %d: is another code, too", lives)
				}
				return "ok", ctx.Sleep(time.Hour)
			})
			bubble(t, typed(w), func(v *env) {
				begin(v, w, "a", 0)
				time.Sleep(time.Minute)
				v.crash()
				wants(v, "a", "ok")
				if lives < 2 {
					t.Errorf("%d lives, want a replay", lives)
				}
			})
		})
	}
}

func TestHowOftenAnActivityIsTried(t *testing.T) {
	boom := errors.New("boom")
	tests := map[string]struct {
		retry engine.Retry
		err   error
		at    []time.Duration // of the attempts, from the first
	}{
		"nothing set: three attempts, 1 s, twice that": {engine.Retry{}, boom, []time.Duration{0, 1, 3}},
		"one attempt":                                    {engine.Retry{MaxAttempts: 1}, boom, []time.Duration{0}},
		"a permanent error is not tried again":           {engine.Retry{}, engine.Permanent(boom), []time.Duration{0}},
		"the default cap is 30 s":                        {engine.Retry{MaxAttempts: 8}, boom, []time.Duration{0, 1, 3, 7, 15, 31, 61, 91}},
		"an own cap":                                     {engine.Retry{MaxAttempts: 5, Max: 2 * time.Second}, boom, []time.Duration{0, 1, 3, 5, 7}},
		"factor 1 keeps the wait":                        {engine.Retry{MaxAttempts: 4, Factor: 1, Initial: 2 * time.Second}, boom, []time.Duration{0, 2, 4, 6}},
		"an initial wait above the default cap is taken": {engine.Retry{MaxAttempts: 3, Initial: time.Minute}, boom, []time.Duration{0, 60, 120}},
	}
	for name, tc := range tests {
		for _, restarts := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, restarts %t", name, restarts), func(t *testing.T) {
				var got notes[time.Duration]
				var first atomic.Pointer[time.Time]
				act := engine.Activity[int, int]{Name: "act", Retry: tc.retry, Do: func(ctx context.Context, _ int) (int, error) {
					now := time.Now()
					first.CompareAndSwap(nil, &now)
					got.add(now.Sub(*first.Load()) / time.Second)
					i := engine.InfoOf(ctx)
					if i.Attempt != got.len() || !i.FirstAt.Equal(first.Load().Truncate(time.Millisecond)) {
						t.Errorf("attempt %d, first at %v; want %d, %v", i.Attempt, i.FirstAt, got.len(), first.Load())
					}
					if want := "a/" + string(i.Ref.Run) + "/1"; i.Key != want {
						t.Errorf("idempotency key %q, want %q", i.Key, want)
					}
					return 0, tc.err
				}}
				w := flowOf(func(ctx *engine.Context, _ int) (int, error) { return act.Run(ctx, 1) })
				bubble(t, typed(w), func(v *env) {
					begin(v, w, "a", 0)
					time.Sleep(37 * time.Millisecond) // so that no crash meets an attempt
					for restarts && got.len() < len(tc.at) {
						v.crash()
						time.Sleep(500 * time.Millisecond)
					}
					_, err := ending[int](v, "a")
					if f := failureIn(v, err); f.Message != "boom" {
						t.Errorf("failed with %q", f.Message)
					}
					if fmt.Sprint(got.all()) != fmt.Sprint(tc.at) {
						t.Errorf("attempts at %v s, want %v", got.all(), tc.at)
					}
				})
			})
		}
	}
}

func TestAnActivityThatCannotRunFailsItsStepAtOnce(t *testing.T) {
	ok := func(context.Context, int) (int, error) { return 1, nil }
	tests := map[string]engine.Activity[int, int]{
		"no function":             {Name: "a"},
		"no name":                 {Do: ok},
		"a name with a line end":  {Name: "a\nb", Do: ok},
		"a negative timeout":      {Name: "a", Do: ok, Timeout: -1},
		"too many attempts":       {Name: "a", Do: ok, Retry: engine.Retry{MaxAttempts: 10_001}},
		"a factor below 1":        {Name: "a", Do: ok, Retry: engine.Retry{Factor: 0.5}},
		"a factor that is no one": {Name: "a", Do: ok, Retry: engine.Retry{Factor: math.NaN()}},
	}
	for name, act := range tests {
		t.Run(name, func(t *testing.T) {
			w := flowOf(func(ctx *engine.Context, _ int) (int, error) { return act.Run(ctx, 1) })
			bubble(t, typed(w), func(v *env) {
				begin(v, w, "a", 0)
				_, err := ending[int](v, "a")
				if f := failureIn(v, err); f.Category != flow.System || !f.Permanent {
					t.Errorf("got %+v, want a permanent system failure", f)
				}
			})
		})
	}
}

func TestActivitySlotsBoundWhatRunsAtOnce(t *testing.T) {
	var running, most int
	act := engine.Activity[int, int]{Name: "act", Do: func(context.Context, int) (int, error) {
		running++
		most = max(most, running)
		time.Sleep(time.Second)
		running--
		return 1, nil
	}}
	w := flowOf(func(ctx *engine.Context, _ int) (int, error) { return act.Run(ctx, 1) })
	o := typed(w)
	o.ActivitySlots = 1
	bubble(t, o, func(v *env) {
		began := time.Now()
		for i := range 20 {
			begin(v, w, flow.WorkflowID(fmt.Sprint(i)), 0)
		}
		for i := range 20 {
			wants(v, flow.WorkflowID(fmt.Sprint(i)), 1)
		}
		if most != 1 || time.Since(began) != 20*time.Second {
			t.Errorf("%d at once, all done after %v; want 1, 20s", most, time.Since(began))
		}
	})
}

func TestAContextUsedByAnotherGoroutineIsATypedError(t *testing.T) {
	act := engine.Activity[int, int]{Name: "act", Do: func(context.Context, int) (int, error) {
		time.Sleep(time.Second)
		return 1, nil
	}}
	w := flowOf(func(ctx *engine.Context, _ int) (string, error) {
		misuse := make(chan error, 1)
		go func() {
			time.Sleep(time.Millisecond)
			misuse <- ctx.Sleep(time.Second)
		}()
		n, err := act.Run(ctx, 1)
		if err != nil {
			return "", err
		}
		err = <-misuse
		return fmt.Sprint(n, errors.Is(err, engine.CodeMisuse)), ctx.Sleep(time.Millisecond)
	})
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 0)
		wants(v, "a", "1 true")
	})
}

func TestAContextLeftToAnotherGoroutineDoesNotKeepItForEver(t *testing.T) {
	w := flowOf(func(ctx *engine.Context, _ int) (string, error) {
		go ctx.Sleep(time.Hour)
		time.Sleep(time.Millisecond)
		return "returned", nil
	})
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 0)
		synctest.Wait()
	})
}

// A shutdown is no outcome of the step it interrupts.
func TestF047AShutdownLeavesNoMarkOnTheStep(t *testing.T) {
	for name, end := range map[string]func(*env){
		"the engine closes": func(v *env) {
			ctx, cancel := context.WithTimeout(v.ctx, time.Second)
			defer cancel()
			if err := v.e.Close(ctx); err != nil {
				v.Errorf("close: %v", err)
			}
			v.e = nil
			v.reopen()
		},
		"the process dies": (*env).die,
	} {
		t.Run(name, func(t *testing.T) {
			calls := 0
			act := engine.Activity[int, int]{Name: "act", Do: func(ctx context.Context, _ int) (int, error) {
				if calls++; calls == 1 {
					<-ctx.Done()
					return 0, ctx.Err()
				}
				return engine.InfoOf(ctx).Attempt, nil
			}, Retry: engine.Retry{MaxAttempts: 1}}
			w := flowOf(func(ctx *engine.Context, _ int) (int, error) { return act.Run(ctx, 1) })
			bubble(t, typed(w), func(v *env) {
				begin(v, w, "a", 0)
				time.Sleep(time.Minute)
				end(v)
				if n := v.rows("ev:"); n != 1 || v.rows("wait:") != 0 {
					t.Errorf("%d events, %d waits after the shutdown; want the start alone", n, v.rows("wait:"))
				}
				v.open()
				wants(v, "a", 1)
				if calls != 2 {
					t.Errorf("called %d times, want 2", calls)
				}
			})
		})
	}
}
