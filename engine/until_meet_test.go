package engine_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"weft/engine"
	"weft/flow"
)

// A branch that goes on because its condition holds makes that of another hold,
// which was looked at before.
func TestAMetConditionMakesAnotherHold(t *testing.T) {
	w := flowOf(func(ctx *engine.Context, _ int) (string, error) {
		first, second := false, false
		last := engine.Go(ctx, func(ctx *engine.Context) (string, error) {
			return "both", ctx.WaitUntil(func() bool { return second })
		})
		engine.Go(ctx, func(ctx *engine.Context) (string, error) {
			if err := ctx.WaitUntil(func() bool { return first }); err != nil {
				return "", err
			}
			second = true
			return "", ctx.Sleep(10 * time.Hour)
		})
		if _, err := poke.Wait(ctx); err != nil {
			return "", err
		}
		first = true
		return last.Await(ctx)
	})
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 0)
		time.Sleep(time.Second)
		sends(v, poke, "a", 1)
		time.Sleep(time.Second)
		if got := v.status("a"); got != flow.Completed {
			t.Errorf("a second after its condition holds the run is %s", got)
		}
		wants(v, "a", "both")
	})
}

// A run that waits for nothing but a limit has something to wait for.
func TestALimitAloneIsWaitedFor(t *testing.T) {
	for _, limit := range []time.Duration{-time.Second, 0, time.Hour} {
		w := flowOf(func(ctx *engine.Context, _ int) (bool, error) {
			began := ctx.Now()
			ok, err := ctx.WaitUntilFor(limit, func() bool { return false })
			if took := ctx.Now().Sub(began); took < limit {
				t.Errorf("%v took %v", limit, took)
			}
			return ok, err
		})
		bubble(t, typed(w), func(v *env) {
			begin(v, w, "a", 0)
			wants(v, "a", false)
		})
	}
}

// Code whose limit has changed under a run that waits is told apart, like code
// whose sleep has changed.
func TestAChangedLimitIsNoticed(t *testing.T) {
	limit := time.Hour
	w := flowOf(func(ctx *engine.Context, _ int) (bool, error) {
		return ctx.WaitUntilFor(limit, func() bool { return false })
	})
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 0)
		time.Sleep(2 * time.Minute)
		v.close()
		limit = 2 * time.Hour
		v.reopen()
		v.open()
		time.Sleep(3 * time.Hour)
		if got := v.status("a"); got != flow.Suspended {
			t.Errorf("the run is %s", got)
		}
	})
}

// So is code that starts, or awaits, another child than before.
func TestAnotherChildIsNoticed(t *testing.T) {
	_, child := kinPair()
	for what, change := range map[string]func(id *flow.WorkflowID, which *int){
		"a child of another name": func(id *flow.WorkflowID, _ *int) { *id = "d" },
		"another one awaited":     func(_ *flow.WorkflowID, which *int) { *which = 1 },
	} {
		t.Run(what, func(t *testing.T) {
			id, which := flow.WorkflowID("c"), 0
			w := flowOf(func(ctx *engine.Context, _ int) (string, error) {
				var both []*engine.Child[string]
				for _, id := range []flow.WorkflowID{id, "other"} {
					c, err := child.StartChild(ctx, 0, engine.ChildOptions{ID: id})
					if err != nil {
						return "", err
					}
					both = append(both, c)
				}
				out, err := both[which].Await(ctx)
				if err != nil {
					return "", err
				}
				return out, ctx.Sleep(time.Hour)
			})
			bubble(t, typed(w, child), func(v *env) {
				begin(v, w, "p", 0)
				time.Sleep(2 * time.Minute)
				v.close()
				change(&id, &which)
				v.reopen()
				v.open()
				time.Sleep(2 * time.Hour)
				if got := v.status("p"); got != flow.Suspended {
					t.Errorf("the run is %s", got)
				}
			})
		})
	}
}

func TestUpdatesThatCannotBe(t *testing.T) {
	w := account(new(notes[int]))
	twice := w
	twice.Updates = append(twice.Updates, adding)
	bubble(t, typed(w), func(v *env) {
		if _, err := engine.Open(v.ctx, v.s, typed(twice)); err == nil || !strings.Contains(err.Error(), "declared twice") {
			t.Errorf("two of one name: %v", err)
		}
		if _, err := adding.ReplyTo(v.e, "nobody", "u"); !errors.Is(err, flow.ErrNotFound) {
			t.Errorf("a reply of nobody: %v", err)
		}
		begin(v, w, "a", 10)
		words := engine.Update[string, int]{Name: "add"}
		if _, err := words.Call(v.ctx, v.e, "a", "many"); !errors.Is(err, flow.ErrRejected) {
			t.Errorf("an input that the handler cannot read: %v", err)
		}
		if n := v.rows("upd:"); n != 0 {
			t.Errorf("%d updates are accepted", n)
		}
		v.do(flow.CancelRun{Target: flow.Ref{ID: "a"}})
	})
}
