package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"weft/engine"
	"weft/flow"
)

// Callers, a cancel, a deadline, suspensions and the process's end all at once:
// what each caller was told is what the journal says.
func TestWhatCallersOfUpdatesAreToldIsWhatIsRecorded(t *testing.T) {
	note := engine.Update[int, int]{Name: "note"}
	w := flowOf(func(ctx *engine.Context, _ int) (int, error) {
		n := 0
		note.HandleWith(ctx, func(ctx *engine.Context, i int) (int, error) {
			if err := ctx.Sleep(time.Duration(i) * time.Millisecond); err != nil {
				return 0, err
			}
			n++
			return i, nil
		}, engine.HandleOptions[int]{Validate: func(i int) error {
			if i == 7 {
				return errors.New("not seven")
			}
			return nil
		}})
		return n, ctx.WaitUntil(func() bool { return n >= 8 })
	})
	w.Updates = []engine.AnyUpdate{note}
	lateBubble(t, typed(w), func(v *env) {
		for round := range 12 {
			id := flow.WorkflowID(fmt.Sprint("run-", round))
			if _, err := w.Start(v.ctx, v.e, 0, engine.StartOptions{ID: id, Deadline: 20*time.Millisecond + v.dice(20*time.Millisecond)}); err != nil {
				t.Fatal(err)
			}
			told := make([]error, 12)
			var wg sync.WaitGroup
			for i := range told {
				pause := v.dice(40 * time.Millisecond)
				wg.Go(func() {
					time.Sleep(pause)
					got, err := note.CallWith(v.ctx, v.e, id, i, engine.UpdateOptions{UpdateID: fmt.Sprint(i)})
					if told[i] = err; err == nil && got != i {
						t.Errorf("update %d got the reply %d", i, got)
					}
				})
			}
			pause := v.dice(40 * time.Millisecond)
			wg.Go(func() {
				time.Sleep(pause)
				target := flow.Ref{ID: id}
				deeds := []flow.Deed{flow.CancelRun{Target: target}, flow.SuspendRun{Target: target}, flow.ResumeRun{Target: target}}
				v.e.Operator().Do(v.ctx, flow.Act{Deed: deeds[round%2]}) // refused when something else was faster
				if round%2 == 1 {
					time.Sleep(pause)
					v.e.Operator().Do(v.ctx, flow.Act{Deed: deeds[2]})
				}
			})
			wg.Wait()
			ending[int](v, id)
			v.compareTold(id, told)
			if round%4 == 3 {
				v.crash()
				v.compareTold(id, told)
			}
		}
	})
}

// compareTold holds what callers were told against the journal.
func (v *env) compareTold(id flow.WorkflowID, told []error) {
	v.Helper()
	accepted, replied := map[string]flow.StepPath{}, map[flow.StepPath]bool{}
	for _, e := range v.detail(id, flow.PartEvents).Events {
		switch {
		case e.Kind == flow.EventUpdate:
			if accepted[e.UpdateID] != "" {
				v.Errorf("%s: update %s was accepted twice", id, e.UpdateID)
			}
			accepted[e.UpdateID] = e.Step
		case e.StepKind == flow.StepUpdate:
			replied[e.Step] = true
		}
	}
	for i, err := range told {
		step, ok := accepted[fmt.Sprint(i)]
		fits := false
		switch {
		case err == nil:
			fits = ok && replied[step]
		case errors.Is(err, flow.ErrUnanswered):
			fits = ok && !replied[step]
		case errors.Is(err, flow.ErrFinished), errors.Is(err, flow.ErrUnreachable):
			fits = !ok
		case errors.Is(err, flow.ErrRejected):
			fits = !ok && strings.Contains(err.Error(), "not seven")
		}
		if !fits {
			v.Errorf("%s: the caller of update %d was told %v; accepted %t, replied %t", id, i, err, ok, replied[step])
		}
	}
}

// Code that hangs in a validator is as any code that does not come to rest: the
// run can be cancelled, and the caller is told.
func TestAValidatorThatHangsDoesNotHoldTheRun(t *testing.T) {
	for _, how := range []string{"cancel", "caller"} {
		t.Run(how, func(t *testing.T) {
			var release chan struct{}
			w := flowOf(func(ctx *engine.Context, _ int) (int, error) {
				adding.HandleWith(ctx, func(*engine.Context, int) (int, error) { return 1, nil },
					engine.HandleOptions[int]{Validate: func(int) error { <-release; return nil }})
				return poke.Wait(ctx)
			})
			w.Updates = []engine.AnyUpdate{adding}
			bubble(t, typed(w), func(v *env) {
				release = make(chan struct{})
				begin(v, w, "a", 0)
				ctx := v.ctx
				if how == "caller" {
					short, cancel := context.WithTimeout(v.ctx, time.Second)
					defer cancel()
					ctx = short
				}
				got := make(chan error, 1)
				go func() {
					_, err := adding.Call(ctx, v.e, "a", 1)
					got <- err
				}()
				time.Sleep(10 * time.Second)
				if how == "cancel" {
					v.do(flow.CancelRun{Target: flow.Ref{ID: "a"}})
				} else {
					var unknown *flow.OutcomeUnknownError
					if err := <-got; !errors.As(err, &unknown) || unknown.ID != "a" {
						t.Errorf("%v", err)
					}
				}
				close(release)
				if how == "cancel" {
					if err := <-got; !errors.Is(err, flow.ErrFinished) {
						t.Errorf("%v", err)
					}
				}
			})
		})
	}
}
