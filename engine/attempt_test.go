package engine_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine"
	"weft/flow"
)

func TestTimeouts(t *testing.T) {
	forever := func(ctx context.Context, _ int) (int, error) { <-ctx.Done(); return 0, ctx.Err() }
	once := engine.Retry{MaxAttempts: 1}
	tests := map[string]struct {
		act   engine.Activity[int, int]
		after time.Duration
		code  engine.Code
	}{
		"Timeout bounds an attempt": {
			engine.Activity[int, int]{Do: forever, Timeout: time.Minute, Retry: once}, time.Minute, engine.CodeTimeout},
		"an attempt that timed out is tried again": {
			engine.Activity[int, int]{Do: forever, Timeout: time.Minute}, 183 * time.Second, engine.CodeTimeout},
		"HeartbeatTimeout ends an attempt that gives none": {
			engine.Activity[int, int]{Do: forever, HeartbeatTimeout: time.Minute, Retry: once}, time.Minute, engine.CodeHeartbeat},
		"each heartbeat moves it": {
			engine.Activity[int, int]{Do: func(ctx context.Context, _ int) (int, error) {
				for range 3 {
					time.Sleep(30 * time.Second)
					engine.Heartbeat(ctx, 1)
				}
				return forever(ctx, 0)
			}, HeartbeatTimeout: time.Minute, Retry: once}, 150 * time.Second, engine.CodeHeartbeat},
		"ScheduleToClose bounds all attempts together": {
			engine.Activity[int, int]{Do: forever, Timeout: time.Minute, ScheduleToClose: 150 * time.Second,
				Retry: engine.Retry{MaxAttempts: 100}}, 150 * time.Second, engine.CodeScheduleToClose},
		"no attempt follows that could only begin after ScheduleToClose": {
			engine.Activity[int, int]{Do: forever, Timeout: time.Minute, ScheduleToClose: 61 * time.Second,
				Retry: engine.Retry{MaxAttempts: 100, Initial: time.Minute}}, time.Minute, engine.CodeTimeout},
		"without a bound an attempt may take a day": {
			engine.Activity[int, int]{Do: func(context.Context, int) (int, error) {
				time.Sleep(23 * time.Hour)
				return 0, engine.Permanent(engine.Fail("late", "late"))
			}}, 23 * time.Hour, "late"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			tc.act.Name = "act"
			w := flowOf(func(ctx *engine.Context, _ int) (int, error) { return tc.act.Run(ctx, 1) })
			bubble(t, typed(w), func(v *env) {
				began := time.Now()
				begin(v, w, "a", 0)
				_, err := ending[int](v, "a")
				if took := time.Since(began); took != tc.after || !errors.Is(err, tc.code) {
					t.Errorf("after %v: %v; want %s after %v", took, err, tc.code, tc.after)
				}
			})
		})
	}
}

func TestScheduleToCloseCountsWhileTheAttemptWaitsForASlot(t *testing.T) {
	calls := 0
	hog := engine.Activity[int, int]{Name: "hog", Do: func(context.Context, int) (int, error) {
		time.Sleep(time.Hour)
		return 0, nil
	}}
	act := engine.Activity[int, int]{Name: "act", ScheduleToClose: time.Minute, Do: func(context.Context, int) (int, error) {
		calls++
		return 0, nil
	}}
	w := flowOf(func(ctx *engine.Context, n int) (int, error) {
		if n == 0 {
			return hog.Run(ctx, 0)
		}
		return act.Run(ctx, 0)
	})
	o := typed(w)
	o.ActivitySlots = 1
	bubble(t, o, func(v *env) {
		begin(v, w, "hog", 0)
		synctest.Wait()
		began := time.Now()
		begin(v, w, "a", 1)
		_, err := ending[int](v, "a")
		if took := time.Since(began); took != time.Minute || !errors.Is(err, engine.CodeScheduleToClose) {
			t.Errorf("after %v: %v", took, err)
		}
		wants(v, "hog", 0)
		if calls != 0 {
			t.Errorf("the function was called %d times, after its time", calls)
		}
	})
}

func TestAnAttemptThatComesDueAfterScheduleToCloseIsNotMade(t *testing.T) {
	calls := 0
	act := engine.Activity[int, int]{Name: "act", ScheduleToClose: time.Hour, Do: func(context.Context, int) (int, error) {
		calls++
		return 0, errors.New("no")
	}, Retry: engine.Retry{Initial: 10 * time.Minute}}
	w := flowOf(func(ctx *engine.Context, _ int) (int, error) { return act.Run(ctx, 1) })
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 0)
		time.Sleep(time.Minute)
		v.close()
		v.reopen()
		time.Sleep(5 * time.Hour)
		v.open()
		if _, err := ending[int](v, "a"); !errors.Is(err, engine.CodeScheduleToClose) {
			t.Errorf("got %v", err)
		}
		if calls != 1 {
			t.Errorf("%d calls, want 1", calls)
		}
	})
}

// Attempt 1 hangs past its limit and attempt 2 starts; then 1 comes back with a
// result, before, while and after 2 gives its own.
func TestF020ALateResultOfAnEarlierAttemptIsRefused(t *testing.T) {
	for name, late := range map[string]time.Duration{
		"before attempt 2 starts":   10*time.Second + 500*time.Millisecond,
		"while attempt 2 runs":      13 * time.Second,
		"when attempt 2 ends":       16 * time.Second,
		"after attempt 2 has ended": 20 * time.Second,
		"after the run has ended":   2 * time.Minute,
	} {
		t.Run(name, func(t *testing.T) {
			var beats []error
			act := engine.Activity[int, string]{Name: "act", Timeout: 10 * time.Second, Do: func(ctx context.Context, _ int) (string, error) {
				if engine.InfoOf(ctx).Attempt == 2 {
					time.Sleep(5 * time.Second)
					d, _ := engine.Details[string](ctx)
					return "new" + d, nil
				}
				engine.Heartbeat(ctx, "-kept")
				time.Sleep(late)
				beats = append(beats, engine.Heartbeat(ctx, "-late"))
				return "old", nil
			}}
			w := flowOf(func(ctx *engine.Context, _ int) (string, error) {
				s, err := act.Run(ctx, 1)
				if err != nil {
					return "", err
				}
				return s, ctx.Sleep(time.Minute)
			})
			bubble(t, typed(w), func(v *env) {
				begin(v, w, "a", 0)
				wants(v, "a", "new-kept")
				time.Sleep(2 * time.Minute)
				synctest.Wait()
				if len(beats) != 1 || !errors.Is(beats[0], engine.ErrStaleAttempt) {
					t.Errorf("heartbeats of the late attempt: %v, want one that is refused", beats)
				}
				steps := v.detail("a", flow.PartSteps).Steps
				if len(steps) != 2 || steps[0].Attempt != 2 {
					t.Errorf("steps %+v, want the first done by attempt 2", steps)
				}
			})
		})
	}
}

func TestHeartbeatDetailsReachTheNextAttempt(t *testing.T) {
	tests := map[string]struct {
		beats int          // of attempt 1, every 300 ms
		end   func(v *env) // how attempt 1 ends; nil: it fails by itself
		want  string       // what attempt 2 gets
	}{
		"the newest, when the attempt fails":                    {4, nil, "4"},
		"the newest that was durable, when the process dies":    {3, (*env).crash, "1"},
		"a second's worth later, the newest of the second, too": {6, (*env).crash, "5"},
		"none, when there was none":                             {0, (*env).crash, "none"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			calls := 0
			act := engine.Activity[int, string]{Name: "act", Do: func(ctx context.Context, _ int) (string, error) {
				if calls++; calls > 1 {
					if n, ok := engine.Details[int](ctx); ok {
						return fmt.Sprint(n), nil
					}
					return "none", nil
				}
				for n := range tc.beats {
					if err := engine.Heartbeat(ctx, n+1); err != nil {
						t.Errorf("beat %d: %v", n+1, err)
					}
					time.Sleep(300 * time.Millisecond)
				}
				if tc.end == nil {
					return "", errors.New("try again")
				}
				<-ctx.Done()
				return "", ctx.Err()
			}}
			w := flowOf(func(ctx *engine.Context, _ int) (string, error) { return act.Run(ctx, 1) })
			bubble(t, typed(w), func(v *env) {
				begin(v, w, "a", 0)
				if tc.end != nil {
					time.Sleep(time.Minute)
					tc.end(v)
				}
				wants(v, "a", tc.want)
			})
		})
	}
}

func TestHeartbeatsCostAtMostOneCommitEachSecond(t *testing.T) {
	act := engine.Activity[int, int]{Name: "act", Do: func(ctx context.Context, _ int) (int, error) {
		for n := range 1000 {
			if err := engine.Heartbeat(ctx, n); err != nil {
				return 0, err
			}
			time.Sleep(10 * time.Millisecond)
		}
		return 1, nil
	}}
	w := flowOf(func(ctx *engine.Context, _ int) (int, error) { return act.Run(ctx, 1) })
	bubble(t, typed(w), func(v *env) {
		n := v.commits()
		begin(v, w, "a", 0)
		wants(v, "a", 1)
		if got := n(); got != 13 { // start, ten heartbeats, step, end
			t.Errorf("%d commits, want 13", got)
		}
	})
}

type badError struct{}

func (*badError) Error() string { panic("no text") }

type worseError struct{ badError }

func (*worseError) Is(error) bool { panic("no identity") }

// What a function can do other than return: it becomes a recorded failure,
// tried again by rule.
func TestF040APanicOfAnActivityIsAFailure(t *testing.T) {
	tests := map[string]struct {
		do   func()
		text string // in the message
		code engine.Code
	}{
		"a string":                             {func() { panic("boom") }, "boom", engine.CodePanic},
		"an error":                             {func() { panic(errors.New("boom")) }, "boom", engine.CodePanic},
		"nil":                                  {func() { panic(nil) }, "nil", engine.CodePanic},
		"a nil pointer":                        {func() { var p *int; *p = 1 }, "nil pointer", engine.CodePanic},
		"Goexit":                               {runtime.Goexit, "Goexit", engine.CodeExit},
		"from a deferred call":                 {func() { defer func() { panic("later") }() }, "later", engine.CodePanic},
		"a panic while another unwinds":        {func() { defer func() { panic("second") }(); panic("first") }, "second", engine.CodePanic},
		"a panic while Goexit unwinds":         {func() { defer func() { panic("in exit") }(); runtime.Goexit() }, "in exit", engine.CodePanic},
		"Goexit while a panic unwinds":         {func() { defer runtime.Goexit(); panic("first") }, "Goexit", engine.CodeExit},
		"a value whose Error panics":           {func() { panic(&badError{}) }, "no text", engine.CodePanic},
		"a typed nil error whose Error panics": {func() { panic((*badError)(nil)) }, "", engine.CodePanic},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			calls := 0
			act := engine.Activity[int, int]{Name: "act", Do: func(context.Context, int) (int, error) {
				if calls++; calls < 3 {
					tc.do()
				}
				return calls, nil
			}}
			last := act
			last.Retry.MaxAttempts = 1
			last.Do = func(context.Context, int) (int, error) { tc.do(); return 0, nil }
			w := flowOf(func(ctx *engine.Context, _ int) (int, error) {
				if n, err := act.Run(ctx, 1); err != nil || n != 3 {
					return 0, fmt.Errorf("got %d, %w", n, err)
				}
				return last.Run(ctx, 1)
			})
			bubble(t, typed(w), func(v *env) {
				begin(v, w, "a", 0)
				_, err := ending[int](v, "a")
				f := failureIn(v, err)
				if !errors.Is(err, tc.code) || !strings.Contains(f.Message, tc.text) {
					t.Errorf("failure %+v, want code %s and %q", f, tc.code, tc.text)
				}
				if tc.code == engine.CodePanic && !strings.Contains(f.Stack, "attempt_test.go") {
					t.Errorf("the stack does not show the place: %s", f.Stack)
				}
			})
		})
	}
}

func TestAnErrorWhoseMethodsPanicIsAFailure(t *testing.T) {
	for name, bad := range map[string]error{
		"Error panics":        &badError{},
		"Is panics":           &worseError{},
		"a nil pointer":       (*badError)(nil),
		"wrapped by fmt":      engine.Permanent(&badError{}),
		"joined with another": errors.Join(errors.New("x"), &worseError{}),
	} {
		t.Run(name, func(t *testing.T) {
			act := engine.Activity[int, int]{Name: "act", Do: func(context.Context, int) (int, error) { return 0, bad },
				Retry: engine.Retry{MaxAttempts: 1}}
			w := flowOf(func(ctx *engine.Context, n int) (int, error) {
				if n == 1 {
					return 0, bad
				}
				return act.Run(ctx, 1)
			})
			bubble(t, typed(w), func(v *env) {
				for n, id := range []flow.WorkflowID{"activity", "workflow"} {
					begin(v, w, id, n)
					_, err := ending[int](v, id)
					failureIn(v, err)
				}
			})
		})
	}
}

func TestAResultThatCannotBeWrittenFailsPermanently(t *testing.T) {
	calls := 0
	act := engine.Activity[int, any]{Name: "act", Do: func(context.Context, int) (any, error) {
		calls++
		return make(chan int), nil
	}}
	w := flowOf(func(ctx *engine.Context, _ int) (any, error) { return act.Run(ctx, 1) })
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 0)
		_, err := ending[any](v, "a")
		if f := failureIn(v, err); !errors.Is(err, engine.CodeEncoding) || !f.Permanent || calls != 1 {
			t.Errorf("%+v after %d calls", f, calls)
		}
	})
}

func TestAStrayFunctionGivesItsSlotBack(t *testing.T) {
	act := engine.Activity[int, int]{Name: "act", Timeout: time.Second, Retry: engine.Retry{MaxAttempts: 1},
		Do: func(context.Context, int) (int, error) { time.Sleep(time.Hour); return 0, nil }}
	w := flowOf(func(ctx *engine.Context, _ int) (int, error) { return act.Run(ctx, 1) })
	o := typed(w)
	o.ActivitySlots = 1
	bubble(t, o, func(v *env) {
		for i := range 5 {
			id := flow.WorkflowID(fmt.Sprint(i))
			begin(v, w, id, 0)
			if _, err := ending[int](v, id); !errors.Is(err, engine.CodeTimeout) {
				t.Errorf("run %s: %v", id, err)
			}
		}
		if n := v.info().Attempts; n != 0 {
			t.Errorf("%d attempts under way, want 0: they are over", n)
		}
		ctx, cancel := context.WithTimeout(v.ctx, time.Second)
		defer cancel()
		var stuck *engine.StuckError
		if err := v.e.Close(ctx); !errors.As(err, &stuck) || stuck.Attempts != 5 ||
			!strings.Contains(err.Error(), "activity act of run 3/") {
			t.Errorf("close: %v, want five that would not end, by name", err)
		}
		v.e = nil
		time.Sleep(2 * time.Hour)
	})
}
