package lease_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
	"weft/store/memory"
)

// TestF092RenewalsThatFail: one or two in a row cost nothing, all of them for a
// while bring doubt, and the first that succeeds ends it.
func TestF092RenewalsThatFail(t *testing.T) {
	tests := map[string]struct {
		failing time.Duration
		refuse  error
		doubt   bool
	}{
		"one":                {failing: renew, refuse: store.ErrStalled},
		"two":                {failing: 2 * renew, refuse: store.ErrFull},
		"all for two ttl":    {failing: 2 * ttl, refuse: store.ErrStalled, doubt: true},
		"all for an hour":    {failing: time.Hour, refuse: store.ErrCorrupt, doubt: true},
		"all, and they hang": {failing: 2 * ttl, doubt: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			onBench(t, memory.Options{}, func(b *bench) {
				g := &gate{Store: b.s}
				l, _ := b.owner(g, options("ann"))
				time.Sleep(10*renew + renew/2)
				held := make(chan struct{})
				g.set(func(g *gate) {
					if g.refuse = tc.refuse; g.refuse == nil {
						g.before = held
					}
				})
				doubts := false
				for range tc.failing / (renew / 10) {
					time.Sleep(renew / 10)
					doubts = doubts || !l.InForce()
					if !l.Held() || l.Err() != nil {
						t.Fatalf("the lease is lost: %v", l.Err())
					}
				}
				if doubts != tc.doubt {
					t.Errorf("in doubt %t, want %t", doubts, tc.doubt)
				}
				if state := l.View().State; tc.doubt != (state == flow.LeaseDoubt) {
					t.Errorf("state %q", state)
				}
				g.set(func(g *gate) { g.refuse, g.before = nil, nil })
				close(held)
				time.Sleep(2 * renew)
				if !l.InForce() || l.View().State != flow.LeaseHeld {
					t.Errorf("healed: in force %t, %+v", l.InForce(), l.View())
				}
				b.holds(l, 1)
			})
		})
	}
}

// TestF092ALostLeaseIsTakenAnew: deposition is final for a lease, and a new one
// gets the next epoch.
func TestF092ALostLeaseIsTakenAnew(t *testing.T) {
	onBench(t, memory.Options{}, func(b *bench) {
		g := &gate{Store: b.s}
		ann, _ := b.owner(g, options("ann"))
		g.set(func(g *gate) { g.refuse = store.ErrStalled })
		bob, stop := b.owner(b.s, options("bob"))
		b.holds(bob, 2)
		if !ann.Held() || ann.InForce() {
			t.Errorf("before it can know: held %t, in force %t", ann.Held(), ann.InForce())
		}
		g.set(func(g *gate) { g.refuse = nil })
		time.Sleep(2 * renew)
		b.deposed(ann)
		if err := ann.Acquire(b.Context(), nil); !errors.Is(err, flow.ErrDeposed) {
			t.Errorf("acquire again: %v", err)
		}
		stop()
		again, _ := b.owner(b.s, options("ann"))
		b.holds(again, 3)
		if want := []string{"", "expired", "expired"}; !slices.Equal(b.history(), want) {
			t.Errorf("history %q, want %q", b.history(), want)
		}
	})
}

// TestALivingHolderIsNeverRobbed, whatever its wall clock does: a contender
// waits for a month of clock steps (F018, F091).
func TestALivingHolderIsNeverRobbed(t *testing.T) {
	long := time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, step := range map[string]func(c *clock, i int){
		"frozen":         func(c *clock, i int) { c.set(c.now(), true) },
		"frozen at 1970": func(c *clock, i int) { c.set(long, true) },
		"before 1970":    func(c *clock, i int) { c.set(long.AddDate(-10, 0, i), false) },
		"to and fro":     func(c *clock, i int) { c.set(long.Add(time.Duration(i%2)*time.Hour), false) },
		"ten years on":   func(c *clock, i int) { c.set(c.now().AddDate(10, 0, 0), false) },
		"year 12000":     func(c *clock, i int) { c.set(long.AddDate(10030, 0, 0), false) },
		"the zero time":  func(c *clock, i int) { c.set(time.Time{}, true) },
	} {
		t.Run(name, func(t *testing.T) {
			onBench(t, memory.Options{}, func(b *bench) {
				c := clockAt(time.Now())
				o := options("ann")
				o.Now = c.now
				l, _ := b.owner(b.s, o)
				ctx, cancel := context.WithCancel(b.Context())
				w := options("bob")
				w.Wait = 24 * time.Hour
				answer := make(chan error, 1)
				go func() { answer <- b.lease(b.s, w).Acquire(ctx, nil) }()
				for i := range 300 {
					step(c, i)
					time.Sleep(renew)
				}
				cancel()
				if err := <-answer; !errors.Is(err, context.Canceled) {
					t.Errorf("the contender: %v", err)
				}
				b.holds(l, 1)
			})
		})
	}
}

// TestTakeOverOfATtlThatIsNoMillisecond: what the record says is not less than
// what the owner trusts in.
func TestTakeOverOfATtlThatIsNoMillisecond(t *testing.T) {
	onBench(t, memory.Options{}, func(b *bench) {
		o := options("ann")
		o.TTL += 700 * time.Microsecond
		l, stop := b.owner(b.s, o)
		time.Sleep(10 * time.Second)
		w := options("bob")
		w.Poll = 100 * time.Microsecond
		stop()
		other, _ := b.owner(b.s, w)
		if l.InForce() || !other.InForce() {
			t.Errorf("in force: the old %t, the new %t", l.InForce(), other.InForce())
		}
	})
}

// TestARenewalWithoutAnswer took effect: the owner finds that out and goes on.
func TestARenewalWithoutAnswer(t *testing.T) {
	onBench(t, memory.Options{}, func(b *bench) {
		g := &forgetful{Store: b.s}
		l, _ := b.owner(g, options("ann"))
		g.forget.Store(true)
		time.Sleep(20*renew + renew/2)
		g.forget.Store(false)
		time.Sleep(2 * renew)
		b.holds(l, 1)
		if !l.InForce() {
			t.Error("not in force")
		}
	})
}

// forgetful answers that it is stalled although the commit took effect.
type forgetful struct {
	store.Store
	forget atomic.Bool
}

func (f *forgetful) Commit(ctx context.Context, b *store.Batch) (store.Result, error) {
	res, err := f.Store.Commit(ctx, b)
	if f.forget.Load() {
		return store.Result{}, store.ErrStalled
	}
	return res, err
}

// TestWhatEndsATenure looks at what a renewal can find.
func TestWhatEndsATenure(t *testing.T) {
	tests := map[string]struct {
		meddle func(b *bench, g *gate)
		err    error // nil: the tenure goes on
	}{
		"another epoch":    {func(b *bench, _ *gate) { b.plant(epochBytes(2), b.get(row.LeaseHolder)) }, flow.ErrDeposed},
		"an earlier epoch": {func(b *bench, _ *gate) { b.plant(epochBytes(0), b.get(row.LeaseHolder)) }, flow.ErrDeposed},
		"no epoch":         {func(b *bench, _ *gate) { b.plant(nil, b.get(row.LeaseHolder)) }, flow.ErrDeposed},
		"another holder": {func(b *bench, _ *gate) {
			b.plant(epochBytes(1), b.json(record{HolderID: "bob", ExpiresAt: 1, Epoch: 1}))
		}, flow.ErrDeposed},
		"no holder":               {func(b *bench, _ *gate) { b.plant(epochBytes(1), nil) }, flow.ErrDeposed},
		"an unreadable holder":    {func(b *bench, _ *gate) { b.plant(epochBytes(1), []byte("garbage")) }, flow.ErrDeposed},
		"a lock that is lost":     {func(_ *bench, g *gate) { g.set(func(g *gate) { g.still = store.ErrLocked }) }, store.ErrLocked},
		"a store that failed":     {func(b *bench, _ *gate) { b.s.Fail(errors.New("broken")) }, store.ErrFailed},
		"a store that was closed": {func(b *bench, _ *gate) { b.s.Close() }, store.ErrClosed},
		"nothing":                 {func(*bench, *gate) {}, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			onBench(t, memory.Options{}, func(b *bench) {
				g := &gate{Store: b.s}
				l, _ := b.owner(g, options("ann"))
				tc.meddle(b, g)
				epoch, holder := b.raw(row.LeaseEpoch), b.raw(row.LeaseHolder)
				time.Sleep(renew + 1)
				synctest.Wait()
				if tc.err == nil {
					b.holds(l, 1)
					return
				}
				if !errors.Is(l.Err(), tc.err) || l.Held() || l.InForce() || l.View().Mine {
					t.Errorf("err %v, want %v; held %t, in force %t", l.Err(), tc.err, l.Held(), l.InForce())
				}
				if lost := errors.Is(tc.err, store.ErrLocked); lost && !errors.Is(l.Err(), flow.ErrDeposed) {
					t.Errorf("err %v is not ErrDeposed", l.Err())
				}
				b.must(l.Release(b.Context()))
				if b.raw(row.LeaseEpoch) != epoch || b.raw(row.LeaseHolder) != holder {
					t.Error("the rows were changed")
				}
			})
		})
	}
}

// raw is a row as text, also of a store that is closed.
func (b *bench) raw(key []byte) string {
	v, err := b.s.Get(key)
	return fmt.Sprintf("%x %v", v, err)
}
