package wefttest_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"weft/engine"
	"weft/flow"
	"weft/wefttest"
)

var (
	seat  = engine.Update[string, int]{Name: "seat"}
	seats = engine.Query[engine.Void, int]{Name: "seats"}
)

// table takes two guests, one after the other.
var table = engine.Workflow[engine.Void, string]{Name: "table", Version: "1",
	Updates: []engine.AnyUpdate{seat}, Queries: []engine.AnyQuery{seats},
	Do: func(ctx *engine.Context, _ engine.Void) (string, error) {
		var guests []string
		seat.HandleWith(ctx, func(ctx *engine.Context, guest string) (int, error) {
			guests = append(guests, guest)
			return len(guests), ctx.Sleep(time.Second)
		}, engine.HandleOptions[string]{Validate: func(guest string) error {
			if guest == "" {
				return errors.New("who?")
			}
			return nil
		}})
		seats.Answer(ctx, func(engine.Void) (int, error) { return len(guests), nil })
		err := ctx.WaitUntil(func() bool { return len(guests) == 2 && ctx.HandlersDone() })
		return fmt.Sprint(guests), err
	}}

// The update that was under way when a process died is handled once.
func TestEveryCrashOfARunThatTakesUpdates(t *testing.T) {
	wefttest.EveryCrash(t, wefttest.Options{Workflows: []engine.Definition{table}}, func(v *wefttest.Env) string {
		run := wefttest.Start(v, table, "t-1", engine.Void{})
		if _, err := wefttest.Update(v, seat, "t-1", ""); !errors.Is(err, flow.ErrRejected) {
			v.Errorf("a guest without a name: %v", err)
		}
		for i, guest := range []string{"ana", "bo"} {
			n, err := wefttest.Update(v, seat, "t-1", guest)
			if err != nil || n != i+1 {
				v.Errorf("%s got seat %d, %v", guest, n, err)
			}
		}
		if n, err := wefttest.Ask(v, seats, "t-1", engine.Void{}); err != nil || n != 2 {
			v.Errorf("%d seats are taken, %v", n, err)
		}
		got, err := run.Result()
		if err != nil || got != "[ana bo]" {
			v.Errorf("%s, %v", got, err)
		}
		return got
	})
}
