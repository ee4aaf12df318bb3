package engine_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"weft/engine"
	"weft/engine/row"
	"weft/flow"
	"weft/store"
	"weft/store/memory"
)

// TestCallsInTheInstantOfTheLoss: callers that do not stop asking while a renewal
// finds that the lease is lost are told of the loss, never that it was not held.
// In real time: what matters happens between two instructions.
func TestCallsInTheInstantOfTheLoss(t *testing.T) {
	for range 100 {
		s := memory.New(memory.Options{})
		e, err := engine.Open(context.Background(), s, engine.Options{LeaseTTL: time.Minute, LeaseRenew: time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		var callers sync.WaitGroup
		for range 4 {
			callers.Go(func() {
				err := flow.ErrNotFound
				for errors.Is(err, flow.ErrNotFound) {
					_, err = e.Operator().Do(context.Background(), flow.Act{Deed: flow.PurgeRun{Target: flow.Ref{ID: "nobody"}}})
				}
				if !errors.Is(err, flow.ErrDeposed) {
					t.Errorf("told %v", err)
				}
			})
		}
		var b store.Batch
		b.Put(row.LeaseEpoch, []byte{0, 0, 0, 0, 0, 0, 0, 9})
		if _, err := s.Commit(context.Background(), &b); err != nil {
			t.Fatal(err)
		}
		callers.Wait()
		if err := e.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}
}
