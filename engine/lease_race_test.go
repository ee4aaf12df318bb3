package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine"
	"weft/engine/row"
	"weft/flow"
	"weft/store"
	"weft/store/memory"
)

// TestF094ShutdownLossAndReleaseRace lets an engine be closed, deposed and
// released at random offsets from each other, each round with a run under way
// and somebody who waits for it. Every round ends, everybody is answered, and
// no goroutine is left.
func TestF094ShutdownLossAndReleaseRace(t *testing.T) {
	rounds := 500
	if torture() {
		rounds = 2000
	}
	rng := dice(t)
	w := engine.Workflow[int, string]{Name: "w", Do: working(after(700*time.Millisecond, nil))}
	released, deposed := 0, 0
	for range rounds {
		offsets := [3]time.Duration{}
		for i := range offsets {
			// Steps of renewals, so that the same instant is common.
			offsets[i] = time.Duration(rng.IntN(8)) * 250 * time.Millisecond
		}
		synctest.Test(t, func(t *testing.T) {
			s := memory.New(memory.Options{})
			e, err := engine.Open(context.Background(), s, leaseOf(typed(w)))
			if err != nil {
				t.Fatal(err)
			}
			err = raceOf(t, s, e, w, offsets)
			switch raw, _ := s.Get(row.LeaseHolder); {
			case err == nil && raw == nil:
				released++
			case errors.Is(err, flow.ErrDeposed) || errors.Is(e.Err(), flow.ErrDeposed):
				deposed++
			default:
				t.Errorf("offsets %v: close %v, engine %v, holder %s", offsets, err, e.Err(), raw)
			}
			if left := goroutines(); len(left) > 0 {
				t.Errorf("offsets %v: %d goroutines left:\n%s", offsets, len(left), strings.Join(left, "\n\n"))
			}
		})
	}
	t.Logf("%d rounds: %d ended by release, %d by deposition", rounds, released, deposed)
	if released == 0 || deposed == 0 {
		t.Error("one of the ends never came")
	}
}

// raceOf plays one round and answers what Close did.
func raceOf(t *testing.T, s *memory.Store, e *engine.Engine, w engine.Workflow[int, string], offsets [3]time.Duration) error {
	t.Helper()
	run, err := w.Start(context.Background(), e, 1, engine.StartOptions{ID: "w"})
	if err != nil {
		t.Fatal(err)
	}
	told := make(chan error, 2)
	go func() { _, err := run.Result(context.Background()); told <- err }()
	time.AfterFunc(offsets[0], func() {
		var b store.Batch
		b.Put(row.LeaseEpoch, []byte{0, 0, 0, 0, 0, 0, 0, 9})
		if _, err := s.Commit(context.Background(), &b); err != nil {
			t.Error(err)
		}
	})
	time.AfterFunc(offsets[1], func() {
		err := paid.Send(context.Background(), e, "w", "x")
		if errors.Is(err, flow.ErrFinished) {
			err = nil
		}
		told <- err
	})
	time.Sleep(offsets[2])
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(offsets[0])/2)
	defer cancel()
	began := time.Now()
	err = e.Close(ctx)
	if took := time.Since(began); took > time.Second {
		t.Errorf("offsets %v: close took %v", offsets, took)
	}
	for range 2 {
		if err := <-told; err != nil && !errors.Is(err, flow.ErrDeposed) && !errors.Is(err, flow.ErrClosed) {
			t.Errorf("offsets %v: a caller was told %v", offsets, err)
		}
	}
	time.Sleep(3 * time.Second)
	return err
}

// TestF018WallClockSteps: neither the clock of the owner nor that of who waits
// decides anything about the lease.
func TestF018WallClockSteps(t *testing.T) {
	steps := map[string]func(now time.Time) time.Time{
		"an hour on":     func(now time.Time) time.Time { return now.Add(time.Hour) },
		"an hour back":   func(now time.Time) time.Time { return now.Add(-time.Hour) },
		"ten years on":   func(now time.Time) time.Time { return now.AddDate(10, 0, 0) },
		"ten years back": func(now time.Time) time.Time { return now.AddDate(-10, 0, 0) },
		"to 1970":        func(time.Time) time.Time { return time.Unix(0, 0) },
		"before 1970":    func(time.Time) time.Time { return time.Unix(-1e9, 0) },
	}
	var all []func(time.Time) time.Time
	for name, step := range steps {
		all = append(all, step)
		t.Run(name, func(t *testing.T) { stepClocks(t, step) })
	}
	t.Run("one after the other", func(t *testing.T) { stepClocks(t, all...) })
}

// stepClocks steps the clocks of an owner and of who waits for it, one and then
// the other, and lets the owner die at the end.
func stepClocks(t *testing.T, steps ...func(time.Time) time.Time) {
	var mine, theirs wall
	o := typed(orderFlow)
	o.Now = mine.now
	inPair(t, o, func(p *pair) {
		second := leaseOf(engine.Options{Mode: flow.ModeOperate, Holder: "second", LeaseWait: time.Hour, Now: theirs.now})
		opened := make(chan error, 1)
		go func() {
			e, err := engine.Open(context.Background(), p.s, second)
			p.second = e
			opened <- err
		}()
		for _, step := range steps {
			for _, c := range []*wall{&mine, &theirs} {
				c.step(step(c.now()).Sub(c.now()))
				time.Sleep(10 * time.Second)
				if l := leaseAt(t, p.first); l.State != flow.LeaseHeld || l.Epoch != 1 || len(opened) > 0 {
					t.Fatalf("lease %+v, the second one has opened: %d", l, len(opened))
				}
			}
		}
		p.stall.begin()
		began := time.Now()
		if err := <-opened; err != nil || time.Since(began) > 2200*time.Millisecond {
			t.Errorf("the second one opened after %v: %v", time.Since(began), err)
		}
		for range 2 {
			mine.step(steps[0](mine.now()).Sub(mine.now()))
			theirs.step(steps[0](theirs.now()).Sub(theirs.now()))
			time.Sleep(5 * time.Second)
		}
		p.stall.heal()
		time.Sleep(time.Second)
		p.isDeposed()
		p.nothingPassed("+lease:holder")
		if l := leaseAt(t, p.second); l.State != flow.LeaseHeld || l.Epoch != 2 {
			t.Errorf("the second one's lease: %+v", l)
		}
	})
}

// TestTwoWaitersAtOnce: one gets it, the other goes on waiting until its time is
// over, and says for whom.
func TestTwoWaitersAtOnce(t *testing.T) {
	inPair(t, engine.Options{}, func(p *pair) {
		p.stall.begin()
		type answer struct {
			e   *engine.Engine
			err error
		}
		answers := make(chan answer)
		for i := range 2 {
			go func() {
				e, err := engine.Open(context.Background(), p.s, leaseOf(engine.Options{Holder: fmt.Sprint("waiter ", i), LeaseWait: 10 * time.Second}))
				answers <- answer{e, err}
			}()
		}
		won, lost := <-answers, <-answers
		if won.err != nil || !errors.Is(lost.err, flow.ErrLeaseNotHeld) {
			t.Fatalf("answers %v and %v", won.err, lost.err)
		}
		p.second = won.e
		holder := leaseAt(t, won.e).Holder
		if text := lost.err.Error(); !strings.Contains(text, holder) || !strings.Contains(text, "10s") {
			t.Errorf("the loser is told %q, not that %s held it for 10s", text, holder)
		}
	})
}
