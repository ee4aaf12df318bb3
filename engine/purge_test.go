package engine_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"weft/engine"
	"weft/engine/row"
	"weft/flow"
)

// TestAPurgeLeavesNothing, whether a run has few rows or more than a batch may
// name.
func TestAPurgeLeavesNothing(t *testing.T) {
	for _, steps := range []int{0, 200, 255, 256, 257, 12_000} {
		t.Run(fmt.Sprint(steps, " steps"), func(t *testing.T) {
			if steps > 1000 && testing.Short() {
				t.Skip("long")
			}
			w := flowOf(func(ctx *engine.Context, n int) (int, error) {
				for range n {
					if _, err := engine.Memo(ctx, "m", func() (int, error) { return 1, nil }); err != nil {
						return 0, err
					}
				}
				return n, nil
			})
			bubble(t, typed(w), func(v *env) {
				run := begin(v, w, "a", steps)
				begin(v, w, "b", 1)
				wants(v, "a", steps)
				wants(v, "b", 1)
				v.do(flow.PurgeRun{Target: run.Ref()})
				for k := range v.rowsOf(run.Ref().Run) {
					if !strings.HasPrefix(k, row.FamilyAudit) {
						v.Errorf("left: %q", k)
					}
				}
				if d := v.detail("b", flow.PartSteps); len(d.Steps) != 1 {
					v.Errorf("the neighbour has %d steps", len(d.Steps))
				}
				begin(v, w, "a", 3)
				wants(v, "a", 3)
			})
		})
	}
}

// TestManyWaitsFitABatch: a run with as many waits as it may have parks, wakes,
// ends and is purged; one more is a failure that says so.
func TestManyWaitsFitABatch(t *testing.T) {
	w := flowOf(func(ctx *engine.Context, n int) (int, error) {
		_, err := engine.Map(ctx, n, make([]int, n), func(ctx *engine.Context, _ int) (int, error) { return 0, ctx.Sleep(time.Hour) })
		return n, err
	})
	bubble(t, typed(w), func(v *env) {
		runs := []flow.Ref{begin(v, w, "sleeps", 2000).Ref(), begin(v, w, "cancelled", 2000).Ref(), begin(v, w, "too many", 2001).Ref()}
		time.Sleep(time.Minute)
		if n := v.rows(row.FamilyWait); n != 6000 || v.info().Live != 0 {
			v.Errorf("%d waits, %d runs in memory", n, v.info().Live)
		}
		v.cancels("cancelled")
		_, err := ending[int](v, "too many")
		if f := failureIn(v, err); f.Code != string(engine.CodeTooMany) {
			v.Errorf("failure %+v", f)
		}
		wants(v, "sleeps", 2000)
		for _, ref := range runs {
			v.do(flow.PurgeRun{Target: ref})
			for k := range v.rowsOf(ref.Run) {
				if !strings.HasPrefix(k, row.FamilyAudit) {
					v.Errorf("left: %q", k)
				}
			}
		}
	})
}

// TestF041PurgesMeetEnds: purges of runs that end right now remove them whole or
// not at all, and of two purges one does it (F041).
func TestF041PurgesMeetEnds(t *testing.T) {
	w := flowOf(func(ctx *engine.Context, n int) (int, error) { return n, ctx.Sleep(2 * time.Millisecond) })
	o := typed(w)
	o.Retention = engine.Retention{Keep: map[flow.Status]time.Duration{flow.Completed: 0}}
	lateBubble(t, o, func(v *env) {
		for round := range 20 {
			var all sync.WaitGroup
			var done notes[flow.Ref]
			for i := range 50 {
				id := flow.WorkflowID(fmt.Sprintf("r%d-%d", round, i))
				begin(v, w, id, i)
				for range 2 {
					d := v.dice(12 * time.Millisecond)
					all.Go(func() {
						time.Sleep(d)
						if r, err := v.e.Operator().Do(v.ctx, flow.Act{Deed: flow.PurgeRun{Target: flow.Ref{ID: id}}}); err == nil {
							done.add(r.Ref)
						}
					})
				}
			}
			all.Wait()
			seen := map[flow.Ref]bool{}
			for _, ref := range done.all() {
				if seen[ref] {
					v.Errorf("%s was purged twice", ref)
				}
				seen[ref] = true
				if left := v.rowsOf(ref.Run); len(left) != 1 { // the audit
					v.Errorf("left of %s: %q", ref, left)
				}
			}
		}
		time.Sleep(20 * time.Minute)
		if n := v.rows("wf:") + v.rows("ev:"); n != 0 {
			v.Errorf("%d rows left", n)
		}
	})
}
