package engine_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/engine"
	"weft/flow"
)

// fragile panics in the workflow itself, or in its activity.
func fragile(inActivity bool, on engine.OnPanic) engine.Workflow[int, string] {
	a := engine.Activity[int, string]{Name: "a", Retry: engine.Retry{MaxAttempts: 1},
		Do: func(context.Context, int) (string, error) {
			if inActivity {
				panic("in the activity")
			}
			return "ok", nil
		}}
	return engine.Workflow[int, string]{Name: "fragile", OnPanic: on, Do: func(ctx *engine.Context, n int) (string, error) {
		s, err := a.Run(ctx, n)
		if err != nil {
			return "", err
		}
		return missing(s), nil
	}}
}

// missing panics as code does that forgot to make its map.
func missing(key string) string {
	var m map[string]map[string]string
	m[key]["x"] = key
	return key
}

// TestOnPanicDecidesOverThePanicOfTheCode: a panic of an activity that the code
// hands on is an ordinary failure, whatever OnPanic says.
func TestOnPanicDecidesOverThePanicOfTheCode(t *testing.T) {
	for name, tc := range map[string]struct {
		code   engine.Workflow[int, string]
		status flow.Status
		text   string
	}{
		"the code, by default":         {fragile(false, engine.PanicFails), flow.Failed, "panic: assignment to entry in nil map"},
		"the code, suspending":         {fragile(false, engine.PanicSuspends), flow.Suspended, "panic: assignment to entry in nil map"},
		"an activity, when suspending": {fragile(true, engine.PanicSuspends), flow.Failed, "panic: in the activity"},
	} {
		t.Run(name, func(t *testing.T) {
			inRig(t, func(r *rig) {
				r.open(tc.code)
				r.begin(tc.code, "w")
				time.Sleep(time.Minute)
				h, last := r.head("w"), r.journal("w")
				if h.Status != tc.status {
					r.Errorf("the run is %s (%s: %s)", h.Status, h.Cause, h.Reason)
				}
				end := last[len(last)-1]
				switch tc.status {
				case flow.Suspended:
					if h.Cause != flow.ByPanic || !strings.Contains(h.Reason, tc.text) {
						r.Errorf("suspended by %s: %s", h.Cause, h.Reason)
					}
				case flow.Failed:
					if end.Failure == nil || !strings.Contains(end.Failure.Message, tc.text) || end.Failure.Stack == "" {
						r.Errorf("failed with %+v", end.Failure)
					}
				}
			})
		})
	}
}

func TestFixedCodeGoesOnAfterAPanic(t *testing.T) {
	inRig(t, func(r *rig) {
		code := fragile(false, engine.PanicSuspends)
		r.open(code)
		r.begin(code, "w")
		time.Sleep(time.Minute)
		r.die()
		fixed := code
		ran := 0
		fixed.Do = func(ctx *engine.Context, n int) (string, error) {
			return engine.Activity[int, string]{Name: "a", Do: func(context.Context, int) (string, error) { ran++; return "again", nil }}.Run(ctx, n)
		}
		r.open(fixed)
		time.Sleep(time.Minute)
		if h := r.head("w"); h.Status != flow.Suspended {
			r.Errorf("it went on by itself: %s", h.Status)
		}
		if err := r.resume("w"); err != nil {
			r.Fatal(err)
		}
		if got, err := within[string](r, time.Hour, "w"); err != nil || got != "ok" || ran != 0 {
			r.Errorf("got %q, %v after %d attempts; want what was recorded", got, err, ran)
		}
		kinds := []flow.EventKind{}
		for _, ev := range r.journal("w") {
			kinds = append(kinds, ev.Kind)
		}
		if want := []flow.EventKind{flow.EventStarted, flow.EventStep, flow.EventSuspended, flow.EventResumed, flow.EventEnded}; !slices.Equal(kinds, want) {
			r.Errorf("journal %v", kinds)
		}
	})
}

// TestF161ResumeIsRefusedUnlessTheRunMovesOn checks each state a run can be in.
func TestF161ResumeIsRefusedUnlessTheRunMovesOn(t *testing.T) {
	inRig(t, func(r *rig) {
		w := engine.Workflow[int, string]{Name: "waiting", Do: waiting}
		r.open(w)
		r.begin(w, "running")
		r.begin(w, "parked")
		r.begin(w, "done")
		if err := paid.Send(r.Context(), r.eng, "done", "x"); err != nil {
			r.Fatal(err)
		}
		time.Sleep(time.Minute)
		for id, want := range map[flow.WorkflowID]error{
			"running": flow.ErrConflict, "parked": flow.ErrConflict, "done": flow.ErrFinished, "unknown": flow.ErrNotFound, "": flow.ErrBadName,
		} {
			if err := r.resume(id); !errors.Is(err, want) {
				r.Errorf("resume of %q is answered %v, want %v", id, err, want)
			}
		}
	})
}

// TestResumesAtOnceLeaveOneRunning resumes a run from many sides, also while its
// code has not left memory yet.
func TestResumesAtOnceLeaveOneRunning(t *testing.T) {
	inRig(t, func(r *rig) {
		lives, deaths := 0, 3
		w := engine.Workflow[int, string]{Name: "w", OnPanic: engine.PanicSuspends, Do: func(ctx *engine.Context, _ int) (string, error) {
			if lives++; lives <= deaths {
				panic("not yet")
			}
			return "done", nil
		}}
		r.open(w)
		r.begin(w, "w")
		for r.head("w").Status != flow.Completed {
			answers := make(chan error, 16)
			for range cap(answers) {
				go func() { answers <- r.resume("w") }()
			}
			for range cap(answers) {
				if err := <-answers; err != nil && !errors.Is(err, flow.ErrConflict) && !errors.Is(err, flow.ErrFinished) {
					r.Fatal(err)
				}
			}
			r.settle()
			if lives > deaths+1 {
				r.Fatalf("the code ran %d times", lives)
			}
		}
	})
}
