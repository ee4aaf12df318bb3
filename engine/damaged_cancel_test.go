package engine_test

import (
	"testing"
	"time"

	"weft/engine"
	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// Whatever row of a parked run cannot be read: it can be cancelled, and takes its
// rows with it.
func TestARunWithADamagedRowIsCancelled(t *testing.T) {
	families := []string{row.FamilyWait, row.FamilySignal, row.FamilyChildEnd}
	for _, family := range families {
		t.Run(family, func(t *testing.T) {
			_, child := kinPair()
			w := flowOf(func(ctx *engine.Context, _ int) (int, error) {
				if _, err := child.StartChild(ctx, 0, engine.ChildOptions{}); err != nil {
					return 0, err
				}
				_, _, err := number.WaitFor(ctx, 10*time.Hour)
				return 0, err
			})
			bubble(t, typed(w, child), func(v *env) {
				begin(v, w, "a", 0)
				sends(v, poke, "a", 1)
				time.Sleep(5 * time.Minute)
				var b store.Batch
				for kv, err := range v.s.Scan(store.Prefix([]byte(family))) {
					if err != nil {
						v.Fatal(err)
					}
					b.Put(append([]byte(nil), kv.Key...), []byte("\x01\xff\xff"))
				}
				if _, err := v.s.Commit(v.ctx, &b); err != nil || len(b.Writes) == 0 {
					v.Fatalf("%d rows damaged, %v", len(b.Writes), err)
				}
				v.do(flow.CancelRun{Target: flow.Ref{ID: "a"}})
				for _, f := range append(families, row.FamilyTimer, row.FamilyReady) {
					if n := v.rows(f); n != 0 {
						t.Errorf("%d rows %s are left", n, f)
					}
				}
				if got := v.status("a"); got != flow.Cancelled {
					t.Errorf("the run is %s", got)
				}
			})
		})
	}
}
