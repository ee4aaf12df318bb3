package engine_test

import (
	"context"
	"encoding/binary"
	"errors"
	"testing"
	"time"

	"weft/engine"
	"weft/engine/lease"
	"weft/engine/row"
	"weft/flow"
)

func (r *rig) epoch() uint64 {
	r.Helper()
	raw, err := r.store.Get(row.LeaseEpoch)
	if err != nil || len(raw) != 8 {
		r.Fatalf("epoch %x, %v", raw, err)
	}
	return binary.BigEndian.Uint64(raw)
}

func (r *rig) lease() flow.Lease {
	r.Helper()
	info, err := r.eng.Operator().Info(r.Context())
	if err != nil {
		r.Fatal(err)
	}
	return info.Lease
}

// TestEachOpeningTakesOneEpochAndTheHistoryTellsHowItEnded opens forty times:
// the history keeps 32.
func TestEachOpeningTakesOneEpochAndTheHistoryTellsHowItEnded(t *testing.T) {
	inRig(t, func(r *rig) {
		r.opts.Holder = "ana's machine"
		how := map[uint64]string{}
		for n := uint64(1); n <= 40; n++ {
			r.open(patient)
			if got := r.epoch(); got != n {
				r.Fatalf("opening %d has epoch %d", n, got)
			}
			l := r.lease()
			if l.State != flow.LeaseHeld || !l.Mine || l.Epoch != flow.Epoch(n) || l.Holder != "ana's machine" {
				r.Errorf("lease %+v", l)
			}
			for _, past := range l.History[1:] {
				if past.Ended != how[uint64(past.Epoch)] {
					r.Errorf("tenure %d ended by %q, want %q", past.Epoch, past.Ended, how[uint64(past.Epoch)])
				}
			}
			if want := min(int(n), 32); len(l.History) != want {
				r.Errorf("the history has %d tenures, want %d", len(l.History), want)
			}
			time.Sleep(time.Minute)
			if n%3 == 0 {
				how[n] = "released"
				r.leave()
				continue
			}
			how[n] = "process gone"
			r.die()
		}
	})
}

// TestF095ASecondEngineOnAnOpenStoreIsRefused and starts nothing of the first
// one's, which goes on.
func TestF095ASecondEngineOnAnOpenStoreIsRefused(t *testing.T) {
	inRig(t, func(r *rig) {
		r.opts.Holder = "the first"
		busy := engine.Workflow[int, string]{Name: "busy", Do: working(after(3*time.Minute, nil))}
		e := r.open(busy)
		r.begin(busy, "w")
		time.Sleep(time.Minute)
		before := r.rows([]byte("wf"), []byte("ev"), []byte("ready"), row.LeaseEpoch, row.LeaseHistory)
		from := time.Now()
		_, err := engine.Open(context.Background(), r.store, engine.Options{Workflows: []engine.Definition{busy}, Holder: "the second"})
		var held *lease.TimeoutError
		if !errors.As(err, &held) || held.Holder != "the first" || held.Epoch != 1 || !errors.Is(err, flow.ErrLeaseNotHeld) {
			r.Errorf("the second engine is answered %v", err)
		}
		if waited := time.Since(from); waited < time.Minute || waited > 62*time.Second {
			r.Errorf("it waited %v, want a minute", waited)
		}
		r.sameRows("the second engine", before, r.rows([]byte("wf"), []byte("ev"), []byte("ready"), row.LeaseEpoch, row.LeaseHistory))
		if _, err := within[string](r, time.Hour, "w"); err != nil || e.Err() != nil {
			r.Errorf("the first does not go on: %v, %v", err, e.Err())
		}
	})
}

// TestF035TheNextEngineWaitsForTheLease and has it as soon as the first one
// closes.
func TestF035TheNextEngineWaitsForTheLease(t *testing.T) {
	inRig(t, func(r *rig) {
		first := r.open(patient)
		r.begin(patient, "w")
		opened := make(chan error, 1)
		go func() {
			_, err := r.tryOpen(patient)
			opened <- err
		}()
		time.Sleep(7 * time.Second)
		select {
		case err := <-opened:
			r.Fatalf("two engines on one store: %v", err)
		default:
		}
		if err := first.Close(context.Background()); err != nil {
			r.Error(err)
		}
		if err := <-opened; err != nil {
			r.Fatal(err)
		}
		if got, err := within[string](r, time.Hour, "w"); err != nil || got != "done" || r.epoch() != 2 {
			r.Errorf("got %q, %v at epoch %d", got, err, r.epoch())
		}
	})
}
