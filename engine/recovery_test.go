package engine_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// TestRecoveriesAreCountedInFewCommits: after a crash the runs that were under
// way are counted a page at a time.
func TestRecoveriesAreCountedInFewCommits(t *testing.T) {
	const runs = 1000
	id := func(i int) flow.WorkflowID { return flow.WorkflowID(fmt.Sprintf("w-%d", i)) }
	inRig(t, func(r *rig) {
		r.opts.ActivitySlots = runs
		r.open(patient)
		for i := range runs {
			r.begin(patient, id(i))
		}
		for crash := 1; crash <= 2; crash++ {
			time.Sleep(time.Second)
			r.die()
			before := r.mem.Health().Batches
			r.open(patient)
			time.Sleep(time.Second)
			// 4 pages, the lease, and the walk.
			if n := r.mem.Health().Batches - before; n > 6 {
				r.Errorf("crash %d: %d commits for the recovery of %d runs", crash, n, runs)
			}
			for i := range runs {
				if got := r.readyRow(id(i)).Recoveries; got != crash {
					r.Fatalf("%s counts %d recoveries after crash %d", id(i), got, crash)
				}
			}
		}
		time.Sleep(time.Minute)
		for i := range runs {
			if h := r.head(id(i)); h.Status != flow.Completed {
				r.Fatalf("%s is %s", id(i), h.Status)
			}
		}
	})
}

// TestWhatHasMovedOnDoesNotKeepOthersFromBeingCounted changes some of the runs
// whose recovery is about to be counted, once or again and again.
func TestWhatHasMovedOnDoesNotKeepOthersFromBeingCounted(t *testing.T) {
	const runs = 40
	id := func(i int) flow.WorkflowID { return flow.WorkflowID(fmt.Sprintf("w-%02d", i)) }
	for name, times := range map[string]int{"once": 1, "more often than it is tried together": 7} {
		t.Run(name, func(t *testing.T) {
			inRig(t, func(r *rig) {
				r.open(patient)
				for i := range runs {
					r.begin(patient, id(i))
				}
				time.Sleep(time.Second)
				r.die()
				refs := make([]flow.Ref, runs)
				for i := range refs {
					refs[i] = r.ref(id(i))
				}
				// Before each of the first counts, another run is woken by somebody.
				var moved atomic.Int64
				r.mem.SetHook(func(b *store.Batch) error {
					for _, w := range b.Writes {
						n := int(moved.Load())
						if n < times && string(w.Key) == string(row.ReadyKey(refs[n])) && moved.CompareAndSwap(int64(n), int64(n+1)) {
							r.write(func(b *store.Batch) {
								b.Put(row.ReadyKey(refs[n]), row.EncodeReady(row.Ready{Generation: 1 << 60, Last: 1}))
							})
							break
						}
					}
					return nil
				})
				before := r.mem.Health().Batches
				r.open(patient)
				time.Sleep(time.Second)
				r.mem.SetHook(nil)
				// Two counts, the test's own, the lease, and the walk.
				if n := r.mem.Health().Batches - before; times == 1 && n > 5 {
					r.Errorf("%d commits: the others were not counted together", n)
				}
				for i := range runs {
					want := 1
					if i < times {
						want = 0
					}
					if got := r.readyRow(id(i)).Recoveries; got != want {
						r.Errorf("%s counts %d recoveries, want %d", id(i), got, want)
					}
				}
				if int(moved.Load()) != times {
					r.Errorf("%d were moved", moved.Load())
				}
				time.Sleep(time.Minute)
				for i := range runs {
					if h := r.head(id(i)); h.Status != flow.Completed {
						r.Errorf("%s is %s", id(i), h.Status)
					}
				}
			})
		})
	}
}
