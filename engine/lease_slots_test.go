package engine_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"weft/engine"
	"weft/flow"
)

// TestNoAttemptBeginsInDoubtWhenASlotBecomesFree: it has waited for its slot
// since before the doubt.
func TestNoAttemptBeginsInDoubtWhenASlotBecomesFree(t *testing.T) {
	for name, deposed := range map[string]bool{"in doubt": false, "deposed": true} {
		t.Run(name, func(t *testing.T) {
			var begun atomic.Int64
			act := engine.Activity[int, string]{Name: "act", Do: func(context.Context, int) (string, error) {
				begun.Add(1)
				time.Sleep(4 * time.Second) // heeds nothing
				return "", nil
			}}
			w := engine.Workflow[int, string]{Name: "w", Do: func(ctx *engine.Context, n int) (string, error) { return act.Run(ctx, n) }}
			o := typed(w)
			o.ActivitySlots = 5
			inPair(t, o, func(p *pair) {
				for i := range 100 {
					if _, err := w.Start(context.Background(), p.first, i, engine.StartOptions{ID: flow.WorkflowID(fmt.Sprint(i))}); err != nil {
						t.Fatal(err)
					}
				}
				time.Sleep(time.Second)
				p.stall.begin()
				if deposed {
					p.takeOver(engine.Options{Mode: flow.ModeOperate})
					p.stall.heal()
				}
				time.Sleep(30 * time.Second)
				if n := begun.Load(); n != 5 {
					t.Errorf("%d attempts began, want only the 5 from before", n)
				}
				if deposed {
					return
				}
				p.stall.heal()
				time.Sleep(time.Hour)
				if n := begun.Load(); n != 100 {
					t.Errorf("%d attempts began in all, want 100", n)
				}
			})
		})
	}
}
