package engine_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine"
	"weft/flow"
)

// TestAChangedLimitFitsWhatIsRecorded records under one limit and goes on under
// another: what was let through stays so, and what was refused, too.
func TestAChangedLimitFitsWhatIsRecorded(t *testing.T) {
	for name, p := range products() {
		for way, limits := range map[string][2]int{"lowered": {0, limit}, "lifted": {limit, 0}, "kept": {limit, limit}} {
			for how, again := range map[string]func(*env){"restart": (*env).restart, "crash": (*env).crash} {
				t.Run(name+", "+way+", "+how, func(t *testing.T) {
					w := maker(p, ofSize(limit), ofSize(limit+1), ofSize(limit+1))
					o := typed(w, childOf)
					o.MaxPayload = limits[0]
					bubble(t, o, func(v *env) {
						begin(v, w, "a", "")
						synctest.Wait()
						v.opts.MaxPayload = limits[1]
						again(v)
						sends(v, poke, "a", 1)
						want := "2 refused"
						if limits[0] == 0 {
							want = "0 refused"
						}
						wants(v, "a", want)
						j := flow.JournalOf(v.detail("a", flow.PartEvents))
						if err := engine.Replay(v.ctx, v.opts, j); err != nil {
							v.Error(err)
						}
					})
				})
			}
		}
	}
}

// TestASuspensionBeforeTheVerdictChangesNothing: it comes when the code has asked
// for the operation, and before that has begun.
func TestASuspensionBeforeTheVerdictChangesNothing(t *testing.T) {
	for name, p := range products() {
		t.Run(name, func(t *testing.T) {
			var v *env
			lives := 0
			suspended := product{more: p.more, give: func(ctx *engine.Context, text string) error {
				if lives++; lives == 1 {
					go func() { v.do(flow.SuspendRun{Target: flow.Ref{ID: "a"}}) }()
					time.Sleep(time.Second) // its turn comes when the code waits
				}
				return p.give(ctx, text)
			}}
			w := maker(suspended, ofSize(limit+1))
			bubble(t, limited(w, childOf), func(open *env) {
				v = open
				begin(v, w, "a", "")
				time.Sleep(time.Minute)
				if d := v.detail("a", flow.PartEvents); d.Run.Status != flow.Suspended || len(d.Events) != 2 {
					v.Errorf("%s, %v", d.Run.Status, d.Events)
				}
				v.do(flow.ResumeRun{Target: flow.Ref{ID: "a"}})
				sends(v, poke, "a", 1)
				wants(v, "a", "1 refused")
			})
		})
	}
}

// TestStateThatWasRefusedLeavesWhatThereWas: the state before it is what the
// finalizer gets.
func TestStateThatWasRefusedLeavesWhatThereWas(t *testing.T) {
	s := newSandbox(0)
	release := s.w.Finalizer.(engine.Activity[string, engine.Void])
	s.w.Do = func(ctx *engine.Context, in string) (string, error) {
		if err := engine.SetFinalizerState(ctx, release, in); err != nil {
			return "", err
		}
		if err := engine.SetFinalizerState(ctx, release, ofSize(limit+1)); !tooLarge(err) {
			return "", fmt.Errorf("refused with %v", err)
		}
		return paid.Wait(ctx)
	}
	bubble(t, limited(s.w), func(v *env) {
		begin(v, s.w, "a", "box")
		synctest.Wait()
		v.crash()
		v.cancels("a")
		time.Sleep(time.Minute)
		if got := s.released.all(); !slices.Equal(got, []string{"box"}) {
			v.Errorf("released %.80v", got)
		}
	})
}

// TestAStateThatWaitedForItsCommitIsNotRefusedLater: it rides on the row of the
// wait behind it, so the journal shows nothing of it.
func TestAStateThatWaitedForItsCommitIsNotRefusedLater(t *testing.T) {
	s := newSandbox(0)
	release := s.w.Finalizer.(engine.Activity[string, engine.Void])
	s.w.Do = func(ctx *engine.Context, in string) (string, error) {
		if err := engine.SetFinalizerState(ctx, release, ofSize(limit+1)); err != nil {
			return "", err
		}
		return paid.Wait(ctx)
	}
	bubble(t, typed(s.w), func(v *env) {
		begin(v, s.w, "a", "box")
		time.Sleep(time.Minute)
		v.opts.MaxPayload = limit
		v.restart()
		sends(v, paid, "a", "done")
		wants(v, "a", "done")
	})
}

// TestWhatWasLetInIsAnsweredAsBefore: a call that repeats an earlier one records
// nothing, and a restart takes over what is recorded.
func TestWhatWasLetInIsAnsweredAsBefore(t *testing.T) {
	d := newDesk(engine.Activity[string, string]{})
	w := listener(d)
	text := ofSize(limit + 1)
	bubble(t, typed(w), func(v *env) {
		var signals [2]int
		for round := range signals {
			run, err := w.Start(v.ctx, v.e, text, engine.StartOptions{ID: "a", IdempotencyKey: "k"})
			if err != nil || run.Ref().ID != "a" {
				v.Fatalf("round %d: start: %v", round, err)
			}
			if err := word.SendWith(v.ctx, v.e, "a", text, engine.SendOptions{SignalID: "s"}); err != nil {
				v.Errorf("round %d: signal: %v", round, err)
			}
			if n, err := talk.CallWith(v.ctx, v.e, "a", text, engine.UpdateOptions{UpdateID: "u"}); err != nil || n != len(text) {
				v.Errorf("round %d: update: %d, %v", round, n, err)
			}
			signals[round] = v.rows("sig:")
			v.opts.MaxPayload = limit
			v.restart()
		}
		if signals[0] != signals[1] {
			v.Errorf("rows of signals: %d, then %d", signals[0], signals[1])
		}
		v.cancels("a")
		v.do(flow.RestartRun{Target: flow.Ref{ID: "a"}})
		if s := v.status("a"); s != flow.Running {
			v.Errorf("restarted: %s", s)
		}
	})
}

// TestASignalAndAnOutcomeAboveTheLimitAreTaken when they came before there was one,
// and so is the result of a child.
func TestASignalAndAnOutcomeAboveTheLimitAreTaken(t *testing.T) {
	text := ofSize(limit + 1)
	d := newDesk(engine.Activity[string, string]{})
	child := engine.Workflow[int, string]{Name: "kid", Do: func(*engine.Context, int) (string, error) { return text, nil }}
	w := flowOf(func(ctx *engine.Context, _ int) (int, error) {
		c, err := child.StartChild(ctx, 0, engine.ChildOptions{ID: "kid"})
		if err != nil {
			return 0, err
		}
		signed, err := d.act.Run(ctx, "sign")
		if err != nil {
			return 0, err
		}
		said, err := word.Wait(ctx)
		if err != nil {
			return 0, err
		}
		grown, err := c.Await(ctx)
		return len(signed) + len(said) + len(grown), err
	})
	bubble(t, typed(w, child), func(v *env) {
		begin(v, w, "a", 0)
		time.Sleep(time.Minute)
		sends(v, word, "a", text)
		token := d.token(v)
		v.close()
		v.opts.Mode = flow.ModeOperate // the outcome is recorded, nothing takes it
		v.open()
		if err := d.act.Complete(v.ctx, v.e, token, text); err != nil {
			v.Fatal(err)
		}
		v.opts.Mode, v.opts.MaxPayload = flow.ModeRun, limit
		v.restart()
		wants(v, "a", 3*len(text))
	})
}

// TestAnExportedJournalIsNotHeldAgainstTheLimit: what the code gives at its end
// has been let in, too.
func TestAnExportedJournalIsNotHeldAgainstTheLimit(t *testing.T) {
	hold := engine.Activity[string, engine.Void]{Name: "hold", Do: func(context.Context, string) (engine.Void, error) { return engine.Void{}, nil }}
	w := flowOf(func(ctx *engine.Context, _ int) (string, error) {
		return ofSize(limit + 1), engine.SetFinalizerState(ctx, hold, ofSize(limit+1))
	})
	w.Finalizer = hold
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 0)
		wants(v, "a", ofSize(limit+1))
		if err := engine.Replay(v.ctx, limited(w), flow.JournalOf(v.detail("a", flow.PartEvents))); err != nil {
			v.Errorf("%.300v", err)
		}
	})
}

// TestTheSameStateTwiceIsJudgedTwice: the first was let in under another limit, and
// no step of its branch lies between it and the one that is refused.
func TestTheSameStateTwiceIsJudgedTwice(t *testing.T) {
	hold := engine.Activity[string, engine.Void]{Name: "hold", Do: func(context.Context, string) (engine.Void, error) { return engine.Void{}, nil }}
	w := flowOf(func(ctx *engine.Context, _ int) (string, error) {
		beside := engine.Go(ctx, func(ctx *engine.Context) (int, error) { return poke.Wait(ctx) })
		first := engine.SetFinalizerState(ctx, hold, ofSize(limit+1))
		if _, err := beside.Await(ctx); err != nil {
			return "", err
		}
		second := engine.SetFinalizerState(ctx, hold, ofSize(limit+1))
		_, err := paid.Wait(ctx)
		return fmt.Sprint(tooLarge(first), tooLarge(second)), err
	})
	w.Finalizer = hold
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 0)
		time.Sleep(time.Minute)
		v.opts.MaxPayload = limit
		v.restart()
		sends(v, poke, "a", 1)
		time.Sleep(time.Minute)
		v.crash()
		sends(v, paid, "a", "done")
		wants(v, "a", "false true")
	})
}
