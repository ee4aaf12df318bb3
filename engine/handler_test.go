package engine_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"weft/engine"
	"weft/flow"
)

// What a handler does differently at replay suspends the run, and fixed code
// goes on.
func TestAChangedHandlerIsAMismatch(t *testing.T) {
	tests := map[string]struct {
		change func(ctx *engine.Context, n int) (int, error)
		none   bool
		want   string
	}{
		"another step":  {func(ctx *engine.Context, n int) (int, error) { _, err := poke.Wait(ctx); return n, err }, false, "step u1.1: recorded sleep, code asks for signal poke"},
		"one step less": {func(*engine.Context, int) (int, error) { return 1, nil }, false, "step u1.1: recorded sleep"},
		"another reply": {func(ctx *engine.Context, n int) (int, error) { return n + 1, ctx.Sleep(time.Second) }, false, "another reply"},
		"a failure":     {func(ctx *engine.Context, n int) (int, error) { ctx.Sleep(time.Second); return 0, errors.New("no") }, false, "another reply"},
		"no handler":    {nil, true, "step u1: recorded update add, the code has no handler"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			do := func(ctx *engine.Context, n int) (int, error) { return n, ctx.Sleep(time.Second) }
			none := false
			w := flowOf(func(ctx *engine.Context, _ int) (int, error) {
				if !none {
					adding.Handle(ctx, do)
				}
				return poke.Wait(ctx)
			})
			w.Updates = []engine.AnyUpdate{adding}
			good := do
			bubble(t, typed(w), func(v *env) {
				begin(v, w, "a", 0)
				calls(v, adding, "a", 1, engine.UpdateOptions{UpdateID: "x"}, 1)
				time.Sleep(time.Minute)
				v.close()
				do, none = tc.change, tc.none
				v.reopen()
				v.open()
				sends(v, poke, "a", 1)
				time.Sleep(time.Second)
				if r := v.detail("a", flow.PartSummary).Run; r.Status != flow.Suspended || !strings.Contains(r.Reason, tc.want) {
					t.Errorf("%s, %q; want suspended, %q", r.Status, r.Reason, tc.want)
				}
				v.close()
				do, none = good, false
				v.reopen()
				v.open()
				v.do(flow.ResumeRun{Target: flow.Ref{ID: "a"}})
				wants(v, "a", 1)
			})
		})
	}
}

func TestHandlersThatPanicExitOrMisuseTheContext(t *testing.T) {
	odd := engine.Update[string, string]{Name: "odd"}
	w := flowOf(func(main *engine.Context, _ int) (int, error) {
		odd.HandleWith(main, func(ctx *engine.Context, how string) (string, error) {
			switch how {
			case "panic":
				panic("oh")
			case "exit":
				runtime.Goexit()
			case "main":
				return "", main.Sleep(time.Second)
			}
			return how, nil
		}, engine.HandleOptions[string]{Validate: func(how string) error {
			switch how {
			case "check panics":
				panic("ah")
			case "check exits":
				runtime.Goexit()
			case "check sleeps":
				return main.Sleep(time.Second)
			}
			return nil
		}})
		return poke.Wait(main)
	})
	w.Updates = []engine.AnyUpdate{odd}
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 0)
		for how, want := range map[string]struct {
			code     engine.Code
			rejected bool
		}{
			"panic": {engine.CodePanic, false}, "exit": {engine.CodeExit, false}, "main": {engine.CodeMisuse, false},
			"check panics": {engine.CodePanic, true}, "check exits": {engine.CodeExit, true}, "check sleeps": {engine.CodeMisuse, true},
		} {
			_, err := odd.CallWith(v.ctx, v.e, "a", how, engine.UpdateOptions{UpdateID: how})
			if !errors.Is(err, want.code) || errors.Is(err, flow.ErrRejected) != want.rejected {
				t.Errorf("%s: %v", how, err)
			}
		}
		calls(v, odd, "a", "fine", engine.UpdateOptions{}, "fine")
		v.crash()
		calls(v, odd, "a", "finer", engine.UpdateOptions{}, "finer")
		if _, err := odd.CallWith(v.ctx, v.e, "a", "exit", engine.UpdateOptions{UpdateID: "exit"}); !errors.Is(err, engine.CodeExit) {
			t.Errorf("the reply of a handler that exited: %v", err)
		}
		sends(v, poke, "a", 1)
		wants(v, "a", 1)
	})
}
