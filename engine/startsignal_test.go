package engine_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"weft/engine"
	"weft/flow"
)

// takesThree takes three signals.
func takesThree() engine.Workflow[int, string] {
	return flowOf(func(ctx *engine.Context, _ int) (string, error) {
		var got []string
		for range 3 {
			s, err := paid.Wait(ctx)
			if err != nil {
				return "", err
			}
			got = append(got, s)
		}
		return fmt.Sprint(got), nil
	})
}

func TestStartOrSignalStartsOnceAndSignalsAfter(t *testing.T) {
	w := takesThree()
	bubble(t, typed(w), func(v *env) {
		for i, text := range []string{"a", "b", "b", "c"} {
			_, started, err := engine.StartOrSignal(v.ctx, v.e, w, 0, engine.StartOptions{ID: "x"}, paid, text,
				engine.SendOptions{SignalID: text})
			if err != nil || started != (i == 0) {
				t.Fatalf("call %d: started %t, %v", i, started, err)
			}
			v.crash()
		}
		wants(v, "x", "[a b c]")
		_, _, err := engine.StartOrSignal(v.ctx, v.e, w, 0, engine.StartOptions{ID: "x"}, paid, "d", engine.SendOptions{})
		if !errors.Is(err, flow.ErrFinished) {
			t.Errorf("a finished run: %v", err)
		}
		_, started, err := engine.StartOrSignal(v.ctx, v.e, w, 0,
			engine.StartOptions{ID: "x", OnTerminalConflict: flow.StartNew}, paid, "d", engine.SendOptions{})
		if err != nil || !started {
			t.Errorf("start-new: %t, %v", started, err)
		}
	})
}

func TestManyThatStartOrSignalMeetInOneRun(t *testing.T) {
	w := takesThree()
	lateBubble(t, typed(w), func(v *env) {
		var wg sync.WaitGroup
		var mu sync.Mutex
		starts := 0
		for i := range 24 {
			wg.Go(func() {
				text := fmt.Sprint(i % 3)
				_, started, err := engine.StartOrSignal(v.ctx, v.e, w, 0, engine.StartOptions{ID: "x"}, paid, text,
					engine.SendOptions{SignalID: text})
				mu.Lock()
				defer mu.Unlock()
				if err != nil && !errors.Is(err, flow.ErrFinished) {
					t.Error(err)
				}
				if started {
					starts++
				}
			})
		}
		wg.Wait()
		time.Sleep(time.Second)
		if _, err := ending[string](v, "x"); err != nil || starts != 1 {
			t.Errorf("%d starts, %v", starts, err)
		}
	})
}
