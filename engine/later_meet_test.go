package engine_test

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine"
	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// The function ends while what was told from outside is being written: that was
// acknowledged, so it counts.
func TestAnAcknowledgedOutcomeCountsThoughTheFunctionEndsMeanwhile(t *testing.T) {
	for range 10 {
		var release chan struct{}
		var tokens notes[flow.Token]
		act := engine.Activity[int, string]{Name: "act", Do: func(ctx context.Context, _ int) (string, error) {
			token, err := engine.CompleteLater(ctx)
			tokens.add(token)
			<-release
			return "inside", err
		}}
		w := flowOf(func(ctx *engine.Context, _ int) (string, error) { return act.Run(ctx, 1) })
		lateBubble(t, typed(w), func(v *env) {
			release = make(chan struct{})
			begin(v, w, "a", 0)
			time.Sleep(time.Second)
			var once sync.Once
			v.s.SetHook(func(b *store.Batch) error {
				for _, c := range b.Writes {
					if bytes.HasPrefix(c.Key, []byte(row.FamilyAnswer)) {
						once.Do(func() { close(release) })
					}
				}
				return nil
			})
			if err := act.Complete(v.ctx, v.e, tokens.all()[0], "outside"); err != nil {
				t.Fatal(err)
			}
			wants(v, "a", "outside")
		})
	}
}

// besideBusy runs step beside code that is busy for a while, from its first second
// on, so that the run cannot come to its block point.
func besideBusy(busy time.Duration, step func(*engine.Context) (string, error)) engine.Workflow[int, string] {
	return flowOf(func(ctx *engine.Context, _ int) (string, error) {
		got, err := engine.All(ctx, step, func(ctx *engine.Context) (string, error) {
			err := ctx.Sleep(time.Second)
			time.Sleep(busy)
			return "", errors.Join(err, ctx.Sleep(time.Hour))
		})
		return got[0], err
	})
}

// Code that is busy for long is not made to leave by who tells an outcome: he is
// asked to come again.
func TestWhoTellsAnOutcomeDoesNotDisturbBusyCode(t *testing.T) {
	d := newDesk(engine.Activity[string, string]{})
	var begun notes[int]
	w := besideBusy(20*time.Second, func(ctx *engine.Context) (string, error) {
		begun.add(1)
		return d.act.Run(ctx, "x")
	})
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 0)
		time.Sleep(3 * time.Second)
		before := begun.len()
		if err := d.act.Complete(v.ctx, v.e, d.token(v), "signed"); !errors.Is(err, flow.ErrConflict) {
			t.Errorf("while the code is busy: %v", err)
		}
		time.Sleep(15 * time.Second)
		if got := begun.len(); got != before {
			t.Errorf("the code began again: %d times", got)
		}
		if err := d.act.Complete(v.ctx, v.e, d.token(v), "signed"); err != nil {
			t.Errorf("later: %v", err)
		}
		wants(v, "a", "signed")
	})
}

// A function that asks for its token, and goes on, while its run is suspended.
func TestASuspendedRunIsToldWhileItsFunctionStillRuns(t *testing.T) {
	var tokens notes[flow.Token]
	act := engine.Activity[int, string]{Name: "act", Do: func(ctx context.Context, _ int) (string, error) {
		time.Sleep(time.Minute)
		token, err := engine.CompleteLater(ctx)
		tokens.add(token)
		time.Sleep(10 * time.Minute)
		return "", errors.Join(err, engine.ErrLater)
	}}
	w := flowOf(func(ctx *engine.Context, _ int) (string, error) { return act.Run(ctx, 1) })
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 0)
		time.Sleep(10 * time.Second)
		v.does(flow.SuspendRun{Target: flow.Ref{ID: "a"}})
		time.Sleep(2 * time.Minute)
		if err := act.Complete(v.ctx, v.e, tokens.all()[0], "outside"); err != nil {
			t.Errorf("complete: %v", err)
		}
		time.Sleep(time.Hour)
		v.does(flow.ResumeRun{Target: flow.Ref{ID: "a"}})
		wants(v, "a", "outside")
		if n := tokens.len(); n != 1 {
			t.Errorf("%d calls", n)
		}
	})
}

// The suspension is asked for before the token, and both wait for busy code.
func TestATokenAskedForWhileASuspensionWaitsIsGiven(t *testing.T) {
	d := newDesk(engine.Activity[string, string]{})
	do := d.act.Do
	d.act.Do = func(ctx context.Context, in string) (string, error) {
		time.Sleep(2500 * time.Millisecond)
		return do(ctx, in)
	}
	w := besideBusy(3*time.Second, func(ctx *engine.Context) (string, error) { return d.act.Run(ctx, "x") })
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 0)
		time.Sleep(2 * time.Second)
		v.does(flow.SuspendRun{Target: flow.Ref{ID: "a"}})
		time.Sleep(10 * time.Second)
		if err := d.act.Complete(v.ctx, v.e, d.token(v), "signed"); err != nil {
			t.Fatal(err)
		}
		v.does(flow.ResumeRun{Target: flow.Ref{ID: "a"}})
		wants(v, "a", "signed")
		if n := d.tokens.len(); n != 1 {
			t.Errorf("%d calls", n)
		}
	})
}

func TestATokenAskedForTooLateIsNotGiven(t *testing.T) {
	var late notes[error]
	act := engine.Activity[int, string]{Name: "act", Timeout: time.Minute, Retry: engine.Retry{MaxAttempts: 1},
		Do: func(ctx context.Context, _ int) (string, error) {
			<-ctx.Done()
			for range 2 {
				_, err := engine.CompleteLater(ctx)
				late.add(err)
				time.Sleep(time.Minute)
			}
			return "", ctx.Err()
		}}
	w := flowOf(func(ctx *engine.Context, _ int) (string, error) {
		_, err := act.Run(ctx, 1)
		return map[bool]string{true: "too late"}[err != nil], ctx.Sleep(time.Hour)
	})
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 0)
		wants(v, "a", "too late")
		for i, err := range late.all() {
			if !errors.Is(err, engine.ErrStaleAttempt) {
				t.Errorf("asked %d minutes late: %v", i, err)
			}
		}
		if late.len() != 2 {
			t.Errorf("asked %v", late.all())
		}
	})
}

// What a person tells is held against what can be, also where no code runs.
func TestWhatAnOperatorTellsOfAnAttemptIsChecked(t *testing.T) {
	d := newDesk(engine.Activity[string, string]{Retry: engine.Retry{MaxAttempts: 5, Initial: time.Second}})
	bubble(t, typed(d.workflow()), func(v *env) {
		refused := func(deed flow.Deed) {
			t.Helper()
			if _, err := v.e.Operator().Do(v.ctx, flow.Act{Deed: deed}); !errors.Is(err, flow.ErrBadInput) {
				t.Errorf("%+v: %v", deed, err)
			}
		}
		begin(v, d.workflow(), "a", "x")
		token := d.token(v)
		refused(flow.BeatActivity{Token: token, Details: flow.Payload(`{"`)})
		refused(flow.CompleteActivity{Token: token, Output: flow.Payload(`{"`)})
		v.opts.Mode = flow.ModeOperate
		v.restart()
		refused(flow.CompleteActivity{Token: token, Output: flow.Payload(`{"`)})
		v.opts.Mode = flow.ModeRun
		v.restart()
		if err := d.act.Fail(v.ctx, v.e, token, nil); err == nil || errors.Is(err, flow.ErrToken) {
			t.Errorf("a failure without an error: %v", err)
		}
		// Nothing said is nothing changed.
		if err := errors.Join(d.act.Beat(v.ctx, v.e, token, "page 1"), d.act.Beat(v.ctx, v.e, token, nil)); err != nil {
			t.Error(err)
		}
		v.does(flow.BeatActivity{Token: token})
		v.does(flow.FailActivity{Token: token, Message: "jam"})
		time.Sleep(time.Minute)
		if seen := d.seen.all(); len(seen) != 2 || seen[1] != "page 1" {
			t.Errorf("details of the attempts: %q", seen)
		}
		v.does(flow.FailActivity{Token: d.token(v), Message: "torn", Permanent: true})
		if _, err := ending[string](v, "a"); err == nil || d.tokens.len() != 2 {
			t.Errorf("after a permanent failure: %d calls, %v", d.tokens.len(), err)
		}
	})
}

func TestAnOperatorCompletesWhatHasNoResult(t *testing.T) {
	var token flow.Token
	act := engine.Activity[int, engine.Void]{Name: "act", Do: func(ctx context.Context, _ int) (_ engine.Void, err error) {
		token, err = engine.CompleteLater(ctx)
		return engine.Void{}, errors.Join(err, engine.ErrLater)
	}}
	w := flowOf(func(ctx *engine.Context, _ int) (string, error) {
		_, err := act.Run(ctx, 1)
		return "done", err
	})
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 0)
		synctest.Wait()
		v.does(flow.CompleteActivity{Token: token})
		wants(v, "a", "done")
	})
}
