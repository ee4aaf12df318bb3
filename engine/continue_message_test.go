package engine_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine"
	"weft/flow"
)

// A chain: each run takes one update and continues as new; the caller has his
// reply, and signals that one run closed are taken by the next.
func TestUpdatesAndDrainsInAChain(t *testing.T) {
	self := engine.WorkflowRef[int, string]{Name: "w"}
	w := flowOf(func(ctx *engine.Context, n int) (string, error) {
		more := 0
		adding.Handle(ctx, func(_ *engine.Context, m int) (int, error) { more += m; return n + more, nil })
		total.Answer(ctx, func(engine.Void) (int, error) { return n + more, nil })
		if err := ctx.WaitUntil(func() bool { return more > 0 }); err != nil {
			return "", err
		}
		rest, err := poke.Drain(ctx)
		if err != nil || n+more >= 3 {
			return fmt.Sprint(n+more, rest), err
		}
		return self.ContinueAsNew(ctx, n+more, engine.ContinueOptions{})
	})
	w.Updates, w.Queries = []engine.AnyUpdate{adding}, []engine.AnyQuery{total}
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 0)
		calls(v, adding, "a", 1, engine.UpdateOptions{UpdateID: "x"}, 1)
		synctest.Wait()
		sends(v, poke, "a", 7)
		calls(v, adding, "a", 1, engine.UpdateOptions{UpdateID: "x"}, 2) // another run: another update
		time.Sleep(time.Minute)
		replies(v, total, "a", engine.Void{}, 2)
		v.crash()
		sends(v, poke, "a", 8)
		if n := v.rows("upd:"); n != 0 {
			t.Errorf("%d rows of updates of earlier runs", n)
		}
		calls(v, adding, "a", 1, engine.UpdateOptions{}, 3)
		wants(v, "a", "3 [8]")
		if err := poke.Send(v.ctx, v.e, "a", 9); !errors.Is(err, flow.ErrFinished) {
			t.Errorf("%v", err)
		}
		if n := v.rows("sig:"); n != 0 {
			t.Errorf("%d signal rows", n)
		}
	})
}
