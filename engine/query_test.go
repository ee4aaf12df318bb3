package engine_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine"
	"weft/flow"
)

// A query that changes, works, sleeps, panics or never ends harms nobody but its
// caller, whatever state the run is in, and changes no byte of the store (F071).
func TestF071QueriesHaveNoSideEffect(t *testing.T) {
	type question = engine.Query[string, string]
	odd := question{Name: "odd"}
	var worked notes[string]
	work := engine.Activity[string, string]{Name: "work", Do: func(_ context.Context, s string) (string, error) {
		worked.add(s)
		return s, nil
	}}
	w := flowOf(func(ctx *engine.Context, _ int) (string, error) {
		text := "begun"
		odd.Answer(ctx, func(how string) (string, error) {
			switch how {
			case "change":
				text += " and changed"
			case "work":
				return work.Run(ctx, "by a query")
			case "sleep":
				return "", ctx.Sleep(time.Hour)
			case "go":
				engine.Go(ctx, func(*engine.Context) (int, error) { return 0, nil })
			case "panic":
				panic("oh")
			case "exit":
				runtime.Goexit()
			case "fail":
				return "", engine.Fail("no", "not to be said")
			case "slow":
				time.Sleep(10 * time.Second)
			case "much":
				return strings.Repeat("x", 10<<20), nil
			}
			return text, nil
		})
		if _, err := work.Run(ctx, "first"); err != nil {
			return "", err
		}
		text = "worked"
		if _, err := poke.Wait(ctx); err != nil {
			return "", err
		}
		text = "poked"
		return text, nil
	})
	w.Queries = []engine.AnyQuery{odd}
	states := map[string]struct {
		reach func(v *env)
		text  string
	}{
		"running":   {func(*env) {}, "worked"},
		"parked":    {func(*env) { time.Sleep(time.Minute) }, "worked"},
		"suspended": {func(v *env) { v.do(flow.SuspendRun{Target: flow.Ref{ID: "a"}}) }, "worked"},
		"completed": {func(v *env) { sends(v, poke, "a", 1); time.Sleep(time.Second) }, "poked"},
		"cancelled": {func(v *env) { v.do(flow.CancelRun{Target: flow.Ref{ID: "a"}}) }, "worked"},
		"restarted": {func(v *env) { v.restart(); time.Sleep(time.Minute) }, "worked"},
	}
	for name, state := range states {
		t.Run(name, func(t *testing.T) {
			bubble(t, typed(w), func(v *env) {
				begin(v, w, "a", 0)
				synctest.Wait()
				state.reach(v)
				n, before := v.commits(), worked.len()
				for how, want := range map[string]error{"work": engine.CodeMisuse, "sleep": engine.CodeMisuse, "go": engine.CodePanic,
					"panic": engine.CodePanic, "exit": engine.CodeExit, "fail": engine.Code("no"), "slow": flow.ErrOverrun} {
					if _, err := odd.Ask(v.ctx, v.e, "a", how); !errors.Is(err, want) {
						t.Errorf("%s: %v; want %v", how, err, want)
					}
				}
				replies(v, odd, "a", "change", state.text+" and changed")
				replies(v, odd, "a", "", state.text)
				if got, err := odd.Ask(v.ctx, v.e, "a", "much"); err != nil || len(got) != 10<<20 {
					t.Errorf("an answer of 10 MB: %d bytes, %v", len(got), err)
				}
				time.Sleep(time.Minute)
				if n() != 0 && name != "running" || worked.len() != before {
					t.Errorf("%d commits, %d activities", n(), worked.len()-before)
				}
			})
		})
	}
}

func TestQueriesThatCannotBeAnsweredSayWhy(t *testing.T) {
	var calls notes[int]
	w := account(&calls)
	held := w
	held.Name, held.Version = "held", "1"
	silent := w
	silent.Name = "silent"
	silent.Do = func(ctx *engine.Context, _ int) (string, error) {
		if err := ctx.Sleep(time.Hour); err != nil {
			return "", err
		}
		total.Answer(ctx, func(engine.Void) (int, error) { return 7, nil })
		return "", ctx.Sleep(time.Hour)
	}
	bubble(t, typed(w, held, silent), func(v *env) {
		begin(v, w, "a", 10)
		begin(v, held, "held", 10)
		begin(v, silent, "silent", 10)
		if _, err := w.Start(v.ctx, v.e, 1, engine.StartOptions{ID: "later", StartAt: time.Now().Add(time.Hour)}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		held.Version = "2"
		v.opts = typed(w, held, silent)
		v.restart()
		other := engine.Query[engine.Void, int]{Name: "other"}
		for name, tc := range map[string]struct {
			q    engine.Query[engine.Void, int]
			id   flow.WorkflowID
			want error
		}{
			"no such run":        {total, "none", flow.ErrNotFound},
			"a bad id":           {total, "", flow.ErrBadName},
			"not declared":       {other, "a", flow.ErrUnknown},
			"pending":            {total, "later", flow.ErrUnreachable},
			"held":               {total, "held", flow.ErrUnreachable},
			"not answered there": {total, "silent", flow.ErrUnreachable},
		} {
			if _, err := tc.q.Ask(v.ctx, v.e, tc.id, engine.Void{}); !errors.Is(err, tc.want) {
				t.Errorf("%s: %v; want %v", name, err, tc.want)
			}
		}
		time.Sleep(90 * time.Minute)
		replies(v, total, "silent", engine.Void{}, 7)
		v.opts.Mode = flow.ModeOperate
		v.restart()
		if _, err := total.Ask(v.ctx, v.e, "a", engine.Void{}); !errors.Is(err, flow.ErrNotOffered) {
			t.Errorf("where no code runs: %v", err)
		}
		if _, err := adding.Call(v.ctx, v.e, "a", 1); !errors.Is(err, flow.ErrNotOffered) {
			t.Errorf("an update where no code runs: %v", err)
		}
	})
}

// Code that was changed under a run is not asked: it would tell of another run.
func TestAQueryOfARunWhoseCodeDoesNotFitIsRefused(t *testing.T) {
	changed := false
	w := flowOf(func(ctx *engine.Context, _ int) (int, error) {
		total.Answer(ctx, func(engine.Void) (int, error) { return 1, nil })
		if changed {
			return 0, ctx.Sleep(time.Second)
		}
		return poke.Wait(ctx)
	})
	w.Queries = []engine.AnyQuery{total}
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 0)
		sends(v, poke, "a", 1)
		wants(v, "a", 1)
		replies(v, total, "a", engine.Void{}, 1)
		changed = true
		_, err := total.Ask(v.ctx, v.e, "a", engine.Void{})
		if !errors.Is(err, flow.ErrUnreachable) || !strings.Contains(err.Error(), "code asks for sleep") {
			t.Errorf("%v", err)
		}
	})
}

// Questions beyond the number that is answered at once wait; those that are
// given up free their place when the code ends, and closing waits for them.
func TestManyQueriesAtOnce(t *testing.T) {
	var release chan struct{}
	ask := engine.Query[bool, int]{Name: "ask"}
	w := flowOf(func(ctx *engine.Context, _ int) (int, error) {
		n := 0
		ask.Answer(ctx, func(slow bool) (int, error) {
			if slow {
				<-release
			}
			return n, nil
		})
		n = 5
		return poke.Wait(ctx)
	})
	w.Queries = []engine.AnyQuery{ask}
	bubble(t, typed(w), func(v *env) {
		release = make(chan struct{})
		begin(v, w, "a", 0)
		time.Sleep(time.Minute)
		var wg sync.WaitGroup
		var overrun notes[error]
		for range 40 {
			wg.Go(func() {
				_, err := ask.Ask(v.ctx, v.e, "a", true)
				overrun.add(err)
			})
		}
		wg.Wait()
		for _, err := range overrun.all() {
			if !errors.Is(err, flow.ErrOverrun) {
				t.Errorf("%v", err)
			}
		}
		if _, err := ask.Ask(v.ctx, v.e, "a", false); !errors.Is(err, flow.ErrOverrun) {
			t.Errorf("beside 32 that hang: %v", err)
		}
		close(release)
		synctest.Wait()
		for range 100 {
			wg.Go(func() { replies(v, ask, "a", false, 5) })
		}
		wg.Wait()
	})
}

func TestF070AQuestionEndsWithItsCallerAndWithTheEngine(t *testing.T) {
	ask := engine.Query[time.Duration, int]{Name: "ask"}
	w := flowOf(func(ctx *engine.Context, _ int) (int, error) {
		ask.Answer(ctx, func(d time.Duration) (int, error) { time.Sleep(d); return 1, nil })
		return poke.Wait(ctx)
	})
	w.Queries = []engine.AnyQuery{ask}
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 0)
		ctx, cancel := context.WithTimeout(v.ctx, time.Second)
		defer cancel()
		began := time.Now()
		if _, err := ask.Ask(ctx, v.e, "a", 3*time.Second); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		got := make(chan error, 1)
		go func() {
			_, err := ask.Ask(v.ctx, v.e, "a", 3*time.Second)
			got <- err
		}()
		synctest.Wait()
		v.close()
		if err := <-got; !errors.Is(err, flow.ErrClosed) {
			t.Errorf("%v", err)
		}
	})
}

func TestOperatorsUpdateAndQueryByName(t *testing.T) {
	var done notes[int]
	w := account(&done)
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 10)
		op := v.e.Operator()
		do := func(d flow.Deed) (flow.Receipt, error) {
			return op.Do(v.ctx, flow.Act{Actor: "ana", Why: "why", Deed: d})
		}
		target := flow.Ref{ID: "a"}
		r, err := do(flow.CallUpdate{Target: target, Name: "add", Input: flow.Payload("3"), UpdateID: "x", WaitMillis: 60_000})
		if err != nil || string(r.Output) != "3" || r.UpdateID != "x" || r.Audit == 0 || r.Ref.ID != "a" || r.Ref.Run == "" {
			t.Errorf("%+v, %v", r, err)
		}
		r, err = do(flow.CallUpdate{Target: target, Name: "add", Input: flow.Payload("3"), UpdateID: "x"})
		if err != nil || string(r.Output) != "3" || !r.Unchanged || r.Audit != 0 {
			t.Errorf("again: %+v, %v", r, err)
		}
		r, err = do(flow.CallUpdate{Target: target, Name: "add", Input: flow.Payload("1"), WaitMillis: 100})
		if err != nil || r.Output != nil || r.UpdateID == "" || !strings.Contains(r.Text, "no reply yet") {
			t.Errorf("with a short wait: %+v, %v", r, err)
		}
		for text, want := range map[string]error{`"x"`: flow.ErrBadInput, ``: flow.ErrBadInput, `0`: flow.ErrRejected,
			`11`: flow.ErrRejected, `13`: engine.Code("too-much")} {
			if _, err := do(flow.CallUpdate{Target: target, Name: "add", Input: flow.Payload(text)}); !errors.Is(err, want) {
				t.Errorf("update with %q: %v; want %v", text, err, want)
			}
		}
		if _, err := do(flow.CallUpdate{Target: target, Name: "frob", Input: flow.Payload("1")}); !errors.Is(err, flow.ErrUnknown) {
			t.Errorf("an undeclared update: %v", err)
		}
		time.Sleep(time.Minute)
		a, err := op.Ask(v.ctx, flow.Ask{Target: target, Name: "total"})
		if err != nil || string(a.Payload) != "4" || a.At == 0 {
			t.Errorf("%+v, %v", a, err)
		}
		for _, q := range []flow.Ask{{Target: target, Name: "frob"}, {Target: flow.Ref{ID: "b"}, Name: "total"}, {Target: target, Name: "total", Input: flow.Payload("{")}} {
			if _, err := op.Ask(v.ctx, q); err == nil {
				t.Errorf("%+v is answered", q)
			}
		}
		p, err := op.Page(v.ctx, flow.Query{Of: flow.ListTypes})
		if err != nil || fmt.Sprint(p.Types[0].Updates, p.Types[0].Queries) != "[add] [total]" {
			t.Errorf("%+v, %v", p.Types, err)
		}
		p, err = op.Page(v.ctx, flow.Query{Of: flow.ListAudit})
		if err != nil || len(p.Audit) < 2 || p.Audit[0].Verb != "update" || p.Audit[0].Actor != "ana" || p.Audit[0].Target.Run == "" {
			t.Errorf("%+v, %v", p.Audit, err)
		}
	})
}
