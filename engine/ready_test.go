package engine_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"weft/engine"
	"weft/store"
)

// waiter ends at the signal "last", whatever else it was sent.
var waiter = engine.Workflow[int, string]{Name: "waiter", Do: func(ctx *engine.Context, _ int) (string, error) {
	_, err := lastOne.Wait(ctx)
	return "ended", err
}}

var lastOne = engine.Signal[int]{Name: "last"}

func TestF065ARunEndsWithMoreUnreadSignalsThanABatchCanDelete(t *testing.T) {
	bubble(t, typed(waiter), func(v *env) {
		begin(v, waiter, "a", 0)
		for i := range store.MaxOperations + 1 {
			o := engine.SendOptions{}
			if i%2 == 0 {
				o.SignalID = fmt.Sprint(i)
			}
			if err := poke.SendWith(v.ctx, v.e, "a", 1, o); err != nil {
				t.Fatal(err)
			}
		}
		sends(v, lastOne, "a", 1)
		wants(v, "a", "ended")
	})
}

// A signal arrives before each attempt to end is judged: none is left behind,
// and the run ends all the same.
func TestF065ARunEndsAlthoughSendersDoNotStop(t *testing.T) {
	for _, times := range []int{1, 2, 1000} {
		t.Run(fmt.Sprint(times, " signals"), func(t *testing.T) {
			bubble(t, typed(waiter), func(v *env) {
				begin(v, waiter, "a", 0)
				synctest.Wait()
				var sent atomic.Int64
				v.s.SetHook(func(b *store.Batch) error {
					for _, w := range b.Writes {
						if strings.HasPrefix(string(w.Key), "wf-terminal:") && sent.Add(1) <= int64(times) {
							return poke.Send(v.ctx, v.e, "a", 1)
						}
					}
					return nil
				})
				sends(v, lastOne, "a", 1)
				wants(v, "a", "ended")
				v.s.SetHook(nil)
				if n := sent.Load(); n > 3 {
					t.Errorf("it took %d attempts to end", n)
				}
			})
		})
	}
}
