package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine"
	"weft/flow"
)

// desk is an activity that leaves its outcome to somebody outside, and what it
// told them.
type desk struct {
	act    engine.Activity[string, string]
	tokens notes[flow.Token]
	seen   notes[string] // details of the attempts
}

func newDesk(limits engine.Activity[string, string]) *desk {
	d := &desk{act: limits}
	d.act.Name = "sign"
	d.act.Do = func(ctx context.Context, in string) (string, error) {
		token, err := engine.CompleteLater(ctx)
		if err != nil {
			return "", err
		}
		details, _ := engine.Details[string](ctx)
		d.seen.add(details)
		d.tokens.add(token)
		return "", engine.ErrLater
	}
	return d
}

func (d *desk) workflow() engine.Workflow[string, string] {
	return flowOf(func(ctx *engine.Context, in string) (string, error) { return d.act.Run(ctx, in) })
}

// token is the latest one, once it is there.
func (d *desk) token(v *env) flow.Token {
	v.Helper()
	synctest.Wait()
	all := d.tokens.all()
	if len(all) == 0 {
		v.Fatal("no token was given out")
	}
	return all[len(all)-1]
}

func TestAnOutcomeFromOutsideSurvivesRestartsWithoutAnotherCall(t *testing.T) {
	for name, again := range map[string]func(*env){
		"in memory":           func(*env) {},
		"parked":              func(*env) { time.Sleep(time.Minute) },
		"after a restart":     (*env).restart,
		"after a crash":       (*env).crash,
		"after three crashes": func(v *env) { v.crash(); time.Sleep(time.Hour); v.crash(); v.crash() },
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(engine.Activity[string, string]{})
			bubble(t, typed(d.workflow()), func(v *env) {
				begin(v, d.workflow(), "a", "x")
				token := d.token(v)
				again(v)
				synctest.Wait()
				if err := d.act.Complete(v.ctx, v.e, token, "signed"); err != nil {
					v.Fatal(err)
				}
				wants(v, "a", "signed")
				if n := d.tokens.len(); n != 1 {
					t.Errorf("the function was called %d times, want once", n)
				}
			})
		})
	}
}

func TestARunThatWaitsForAnOutcomeFromOutsideCostsNothing(t *testing.T) {
	d := newDesk(engine.Activity[string, string]{Timeout: time.Hour})
	bubble(t, typed(d.workflow()), func(v *env) {
		begin(v, d.workflow(), "a", "x")
		time.Sleep(time.Minute)
		if info := v.info(); info.Live != 0 || info.Attempts != 0 {
			t.Errorf("%d runs in memory, %d attempts under way", info.Live, info.Attempts)
		}
		if n := v.rows("ready:"); n != 0 {
			t.Errorf("%d rows in the ready set", n)
		}
		for _, where := range []string{"parked", "after a restart"} {
			r := v.detail("a", flow.PartSteps)
			if !strings.Contains(r.Run.Waiting, "sign, waiting for completion from outside until ") || r.Run.Due == 0 {
				t.Errorf("%s: waits for %q, due %s", where, r.Run.Waiting, r.Run.Due)
			}
			if len(r.Steps) != 1 || r.Steps[0].State != flow.StepOutside || r.Steps[0].Token != d.token(v) {
				t.Errorf("%s: steps %+v", where, r.Steps)
			}
			v.restart()
		}
	})
}

// Each limit ends the attempt at the same instant whether the process lives on
// or not.
func TestLimitsGoOnWhileAnOutcomeFromOutsideIsWaitedFor(t *testing.T) {
	once := engine.Retry{MaxAttempts: 1}
	tests := map[string]struct {
		limits engine.Activity[string, string]
		after  time.Duration
		code   engine.Code
	}{
		"Timeout": {engine.Activity[string, string]{Timeout: time.Hour, Retry: once}, time.Hour, engine.CodeTimeout},
		"Timeout of each attempt": {engine.Activity[string, string]{Timeout: time.Hour,
			Retry: engine.Retry{MaxAttempts: 2, Initial: time.Minute}}, 2*time.Hour + time.Minute, engine.CodeTimeout},
		"HeartbeatTimeout": {engine.Activity[string, string]{HeartbeatTimeout: time.Minute, Retry: once}, time.Minute, engine.CodeHeartbeat},
		"ScheduleToClose": {engine.Activity[string, string]{Timeout: time.Hour, ScheduleToClose: 90 * time.Minute,
			Retry: engine.Retry{MaxAttempts: 5, Initial: time.Minute}}, 90 * time.Minute, engine.CodeScheduleToClose},
	}
	for name, tc := range tests {
		for where, between := range map[string]func(*env){"live": func(*env) {}, "crash": (*env).crash} {
			t.Run(name+", "+where, func(t *testing.T) {
				d := newDesk(tc.limits)
				o := typed(d.workflow())
				if where == "live" {
					o.Grace = 24 * time.Hour
				}
				bubble(t, o, func(v *env) {
					began := time.Now()
					begin(v, d.workflow(), "a", "x")
					time.Sleep(10 * time.Second)
					between(v)
					_, err := ending[string](v, "a")
					if took := time.Since(began); !errors.Is(err, tc.code) || took < tc.after || took > tc.after+2*time.Second {
						t.Errorf("after %v: %v; want %s after %v", took, err, tc.code, tc.after)
					}
				})
			})
		}
	}
}

func TestHeartbeatsFromOutsideKeepAnAttemptAliveAndReachTheNext(t *testing.T) {
	for where, between := range map[string]func(*env){"live": func(*env) {}, "parked": func(*env) { time.Sleep(20 * time.Second) },
		"crash": (*env).crash} {
		t.Run(where, func(t *testing.T) {
			d := newDesk(engine.Activity[string, string]{HeartbeatTimeout: time.Minute, Retry: engine.Retry{MaxAttempts: 2}})
			o := typed(d.workflow())
			if where == "live" {
				o.Grace = 24 * time.Hour
			}
			bubble(t, o, func(v *env) {
				begin(v, d.workflow(), "a", "x")
				token := d.token(v)
				for range 5 {
					time.Sleep(30 * time.Second)
					if err := d.act.Beat(v.ctx, v.e, token, "half"); err != nil {
						v.Fatal(err)
					}
					between(v)
				}
				time.Sleep(65 * time.Second) // silence: the attempt is over
				if err := d.act.Beat(v.ctx, v.e, token, "late"); !errors.Is(err, flow.ErrToken) {
					t.Errorf("a late heartbeat: %v", err)
				}
				if got := d.seen.all(); len(got) != 2 || got[1] != "half" {
					t.Errorf("details of the attempts: %q, want the second to see half", got)
				}
				if err := d.act.Complete(v.ctx, v.e, d.token(v), "signed"); err != nil {
					v.Fatal(err)
				}
				wants(v, "a", "signed")
			})
		})
	}
}

func TestAFailureFromOutsideIsRetriedAsThePolicySays(t *testing.T) {
	blot := engine.Code("blot")
	d := newDesk(engine.Activity[string, string]{Retry: engine.Retry{MaxAttempts: 3, Initial: time.Minute}})
	bubble(t, typed(d.workflow()), func(v *env) {
		begin(v, d.workflow(), "a", "x")
		first := d.token(v)
		began := time.Now()
		if err := d.act.Fail(v.ctx, v.e, first, engine.Fail(blot, "ink on it")); err != nil {
			v.Fatal(err)
		}
		v.crash()
		time.Sleep(2 * time.Minute)
		second := d.token(v)
		if second == first || d.tokens.len() != 2 || time.Since(began) < time.Minute {
			t.Fatalf("after the back-off: %d calls, another token: %t", d.tokens.len(), second != first)
		}
		if err := d.act.Fail(v.ctx, v.e, second, engine.Permanent(engine.Fail(blot, "torn"))); err != nil {
			v.Fatal(err)
		}
		_, err := ending[string](v, "a")
		if !errors.Is(err, blot) || failureIn(v, err).Message != "torn" || d.tokens.len() != 2 {
			t.Errorf("got %v after %d calls", err, d.tokens.len())
		}
	})
}

// The outcome is told while the function that gave the token away still runs.
func TestAnOutcomeToldBeforeTheFunctionEndsCounts(t *testing.T) {
	for name, end := range map[string]error{"later": engine.ErrLater, "an error": errors.New("no"), "a result": nil} {
		t.Run("the function then returns "+name, func(t *testing.T) {
			var token flow.Token
			calls, left := 0, false
			act := engine.Activity[int, string]{Name: "act", Do: func(ctx context.Context, _ int) (string, error) {
				calls++
				token, _ = engine.CompleteLater(ctx)
				<-ctx.Done()
				left = true
				return "inside", end
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
				synctest.Wait()
				if err := act.Complete(v.ctx, v.e, token, "outside"); err != nil {
					v.Fatal(err)
				}
				wants(v, "a", "outside")
				synctest.Wait() // the function may end after its outcome
				if calls != 1 || !left {
					t.Errorf("%d calls, context ended: %t", calls, left)
				}
			})
		})
	}
}

// An outcome told before the function ended is kept when the process dies before
// the run could take it.
func TestAnOutcomeToldEarlyOutlivesTheProcess(t *testing.T) {
	var token flow.Token
	calls := 0
	act := engine.Activity[int, string]{Name: "act", Do: func(ctx context.Context, _ int) (string, error) {
		calls++
		token, _ = engine.CompleteLater(ctx)
		<-ctx.Done()
		return "", ctx.Err()
	}}
	w := flowOf(func(ctx *engine.Context, _ int) (string, error) {
		s, err := act.Run(ctx, 1)
		return s, errors.Join(err, ctx.Sleep(time.Minute))
	})
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 0)
		synctest.Wait()
		v.s.FailCommit(2, 1) // the step after the answer
		_ = act.Complete(v.ctx, v.e, token, "outside")
		synctest.Wait()
		v.crash()
		wants(v, "a", "outside")
		if calls != 1 {
			t.Errorf("%d calls, want 1", calls)
		}
	})
}

// What came too late for a suspended run is refused although nobody could act
// on the limit; an end takes an answer that was not taken with it.
func TestASuspendedRunIsToldTooLateOrForNothing(t *testing.T) {
	d := newDesk(engine.Activity[string, string]{Timeout: time.Hour})
	bubble(t, typed(d.workflow()), func(v *env) {
		begin(v, d.workflow(), "late", "x")
		late := d.token(v)
		begin(v, d.workflow(), "told", "x")
		told := d.token(v)
		v.does(flow.SuspendRun{Target: flow.Ref{ID: "late"}})
		v.does(flow.SuspendRun{Target: flow.Ref{ID: "told"}})
		if err := d.act.Complete(v.ctx, v.e, told, "signed"); err != nil {
			v.Fatal(err)
		}
		time.Sleep(2 * time.Hour)
		if err := d.act.Complete(v.ctx, v.e, late, "signed"); !errors.Is(err, flow.ErrToken) {
			t.Errorf("two hours late: %v", err)
		}
		if n := v.rows("async-act:"); n != 1 {
			t.Errorf("%d answers wait, want 1", n)
		}
		v.crash()
		v.does(flow.CancelRun{Target: flow.Ref{ID: "told"}})
		if n := v.rows("async-act:"); n != 0 {
			t.Errorf("%d answers outlive their run", n)
		}
	})
}

func TestTheTokenOfAnAttemptIsTheSameAfterACrash(t *testing.T) {
	d := newDesk(engine.Activity[string, string]{})
	block := true
	do := d.act.Do
	d.act.Do = func(ctx context.Context, in string) (string, error) {
		out, err := do(ctx, in)
		if block {
			<-ctx.Done()
			return "", ctx.Err()
		}
		return out, err
	}
	bubble(t, typed(d.workflow()), func(v *env) {
		begin(v, d.workflow(), "a", "x")
		first := d.token(v)
		v.die()
		block = false
		v.open()
		if second := d.token(v); second != first || d.tokens.len() != 2 {
			t.Errorf("%d calls, tokens %q and %q", d.tokens.len(), first, second)
		}
		if err := d.act.Complete(v.ctx, v.e, first, "signed"); err != nil {
			t.Error(err)
		}
		wants(v, "a", "signed")
	})
}

func TestAResultOfTheFunctionItselfMakesItsTokenWorthless(t *testing.T) {
	var token flow.Token
	act := engine.Activity[int, string]{Name: "act", Do: func(ctx context.Context, _ int) (s string, err error) {
		token, err = engine.CompleteLater(ctx)
		return "inside", err
	}}
	w := flowOf(func(ctx *engine.Context, _ int) (string, error) {
		s, err := act.Run(ctx, 1)
		return s, errors.Join(err, ctx.Sleep(time.Hour))
	})
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 0)
		synctest.Wait()
		if err := act.Complete(v.ctx, v.e, token, "outside"); !errors.Is(err, flow.ErrToken) {
			t.Errorf("complete: %v", err)
		}
		wants(v, "a", "inside")
	})
}

func TestErrLaterWithoutATokenFailsTheActivity(t *testing.T) {
	calls := 0
	act := engine.Activity[int, string]{Name: "act", Do: func(context.Context, int) (string, error) { calls++; return "", engine.ErrLater }}
	w := flowOf(func(ctx *engine.Context, _ int) (string, error) { return act.Run(ctx, 1) })
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 0)
		if _, err := ending[string](v, "a"); !errors.Is(err, engine.CodeLater) || calls != 1 {
			t.Errorf("%d calls, %v", calls, err)
		}
		if _, err := engine.CompleteLater(v.ctx); !errors.Is(err, engine.ErrStaleAttempt) {
			t.Errorf("outside of an attempt: %v", err)
		}
	})
}

// A suspended run takes the outcome when it is resumed; so does one whose
// function ends, or asks for its token, only after the suspension.
func TestASuspendedRunIsToldFromOutside(t *testing.T) {
	for name, early := range map[string]time.Duration{"handed over before": 0, "asks after": time.Minute} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(engine.Activity[string, string]{HeartbeatTimeout: time.Hour})
			do := d.act.Do
			d.act.Do = func(ctx context.Context, in string) (string, error) { time.Sleep(early); return do(ctx, in) }
			bubble(t, typed(d.workflow()), func(v *env) {
				begin(v, d.workflow(), "a", "x")
				time.Sleep(10 * time.Second)
				v.does(flow.SuspendRun{Target: flow.Ref{ID: "a"}})
				time.Sleep(2 * time.Minute)
				token := d.token(v)
				v.crash()
				if err := d.act.Beat(v.ctx, v.e, token, nil); err != nil {
					t.Error(err)
				}
				if err := d.act.Complete(v.ctx, v.e, token, "signed"); err != nil {
					v.Fatal(err)
				}
				if err := d.act.Complete(v.ctx, v.e, token, "twice"); !errors.Is(err, flow.ErrToken) {
					t.Errorf("told twice: %v", err)
				}
				time.Sleep(2 * time.Hour) // told in time, however late it is taken
				v.does(flow.ResumeRun{Target: flow.Ref{ID: "a"}})
				wants(v, "a", "signed")
				if d.tokens.len() != 1 {
					t.Errorf("%d calls", d.tokens.len())
				}
			})
		})
	}
}
