package engine_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"weft/engine"
	"weft/flow"
)

func TestF040APanicOfWorkflowCodeEndsOrSuspendsTheRun(t *testing.T) {
	tests := map[string]struct {
		do   func()
		text string
		code engine.Code
	}{
		"a string":                     {func() { panic("boom") }, "boom", engine.CodePanic},
		"an error":                     {func() { panic(errors.New("boom")) }, "boom", engine.CodePanic},
		"nil":                          {func() { panic(nil) }, "nil", engine.CodePanic},
		"from a deferred call":         {func() { defer func() { panic("later") }() }, "later", engine.CodePanic},
		"a value whose Error panics":   {func() { panic(&badError{}) }, "no text", engine.CodePanic},
		"a panic while Goexit unwinds": {func() { defer func() { panic("in exit") }(); runtime.Goexit() }, "in exit", engine.CodePanic},
		"Goexit":                       {runtime.Goexit, "Goexit", engine.CodeExit},
		"Goexit while a panic unwinds": {func() { defer runtime.Goexit(); panic("first") }, "Goexit", engine.CodeExit},
	}
	for name, tc := range tests {
		for _, policy := range []engine.OnPanic{engine.PanicFails, engine.PanicSuspends} {
			t.Run(fmt.Sprint(name, ", policy ", policy), func(t *testing.T) {
				w := engine.Workflow[int, int]{Name: "w", OnPanic: policy, Do: func(ctx *engine.Context, _ int) (int, error) {
					if err := ctx.Sleep(time.Millisecond); err != nil {
						return 0, err
					}
					tc.do()
					return 0, nil
				}}
				bubble(t, typed(w, sleeper), func(v *env) {
					begin(v, w, "a", 0)
					begin(v, sleeper, "other", time.Second)
					wants(v, "other", "slept")
					d := v.detail("a", flow.PartEvents)
					if policy == engine.PanicSuspends && tc.code == engine.CodePanic {
						if d.Run.Status != flow.Suspended || !strings.Contains(d.Run.Reason, tc.text) {
							t.Errorf("%s, %q; want suspended, %q", d.Run.Status, d.Run.Reason, tc.text)
						}
						return
					}
					f := d.Run.Failure
					if d.Run.Status != flow.Failed || f == nil || !errors.Is(f, tc.code) || !strings.Contains(f.Message, tc.text) {
						t.Errorf("%s, %+v; want failed, %s, %q", d.Run.Status, f, tc.code, tc.text)
					}
				})
			})
		}
	}
}

func TestAPanicOfADeferredCallAtAParkEndsNothing(t *testing.T) {
	w := flowOf(func(ctx *engine.Context, _ int) (string, error) {
		left := true
		defer func() {
			if left {
				panic("unwound")
			}
		}()
		err := ctx.Sleep(time.Hour)
		left = false
		return "done", err
	})
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 0)
		time.Sleep(time.Minute)
		v.restart()
		wants(v, "a", "done")
	})
}

func TestAWorkflowErrorIsSeenByItsWaiters(t *testing.T) {
	w := flowOf(func(*engine.Context, int) (int, error) {
		return 0, fmt.Errorf("order 7: %w", engine.Fail(errOutOfStock, "item 9"))
	})
	bubble(t, typed(w), func(v *env) {
		first, err := begin(v, w, "a", 0).Result(v.ctx)
		for range 2 {
			var ended *flow.EndedError
			if !errors.As(err, &ended) || ended.Status != flow.Failed || ended.ID != "a" || first != 0 {
				t.Fatalf("got %v", err)
			}
			if !errors.Is(err, errOutOfStock) || ended.Failure.Message != "order 7: item 9" || ended.Failure.Cause.Message != "item 9" {
				t.Errorf("failure %+v", ended.Failure)
			}
			v.restart()
			_, err = ending[int](v, "a")
		}
	})
}

func TestAWorkflowResultThatCannotBeWrittenFailsTheRun(t *testing.T) {
	w := flowOf(func(*engine.Context, int) (any, error) { return func() {}, nil })
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 0)
		if _, err := ending[any](v, "a"); !errors.Is(err, engine.CodeEncoding) {
			t.Errorf("got %v", err)
		}
	})
}

func TestTheFailureOfAnActivityThatPanickedIsNoPanicOfTheCode(t *testing.T) {
	act := engine.Activity[int, int]{Name: "act", Retry: engine.Retry{MaxAttempts: 1},
		Do: func(context.Context, int) (int, error) { panic("boom") }}
	w := engine.Workflow[int, int]{Name: "w", OnPanic: engine.PanicSuspends,
		Do: func(ctx *engine.Context, n int) (int, error) { return act.Run(ctx, n) }}
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 0)
		if _, err := ending[int](v, "a"); !errors.Is(err, engine.CodePanic) {
			t.Errorf("got %v, want the run failed with the activity's panic", err)
		}
	})
}

// What no batch can hold must not leave the run waiting for ever.
func TestWhatIsTooLargeToBeRecordedFailsTheStep(t *testing.T) {
	huge := func(n int) string { return strings.Repeat("x", n) }
	act := engine.Activity[string, string]{Name: "act", Do: func(_ context.Context, in string) (string, error) {
		if in == "result" {
			return huge(64 << 20), nil
		}
		return "", engine.Permanent(errors.New(huge(65 << 20)))
	}, Retry: engine.Retry{MaxAttempts: 1}}
	w := flowOf(func(ctx *engine.Context, in string) (string, error) {
		return act.Run(ctx, in)
	})
	bubble(t, typed(w), func(v *env) {
		for _, in := range []string{"result", "error"} {
			begin(v, w, flow.WorkflowID(in), in)
			_, err := ending[string](v, flow.WorkflowID(in))
			if f := failureIn(v, err); len(f.Message) > 64<<10 || f.Category == "" {
				t.Errorf("%s: a message of %d bytes, category %q", in, len(f.Message), f.Category)
			}
		}
	})
}

func TestASummaryIsCutBetweenCharacters(t *testing.T) {
	w := flowOf(func(ctx *engine.Context, _ int) (int, error) {
		ctx.SetSummary("%s", "a"+strings.Repeat("é", 100))
		return poke.Wait(ctx)
	})
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 0)
		time.Sleep(time.Minute)
		if got := v.detail("a", flow.PartSummary).Run.Summary; got != "a"+strings.Repeat("é", 59) {
			t.Errorf("summary %q", got)
		}
	})
}
