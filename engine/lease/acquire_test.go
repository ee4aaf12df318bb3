package lease_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine/lease"
	"weft/engine/row"
	"weft/flow"
	"weft/store"
	"weft/store/memory"
)

// TestF091WhoMayTakeIt goes through what a newcomer can find, and how long it waits
// for it (F091).
func TestF091WhoMayTakeIt(t *testing.T) {
	instant := func(d time.Duration) int64 { return time.Now().Add(d).UnixMilli() }
	const year = 365 * 24 * time.Hour
	tests := map[string]struct {
		exclusive     bool
		epoch, holder func(b *bench) []byte
		want          uint64        // epoch; 0: refused as corrupt
		wait          time.Duration // exactly
		before        string
	}{
		"an empty store":                     {want: 1},
		"released by the last owner":         {epoch: at(7), want: 8},
		"a holder that was due just now":     {epoch: at(7), holder: held(record{HolderID: "x", ExpiresAt: instant(0), Epoch: 7, TTL: 3000}), want: 8, wait: 3 * time.Second, before: "expired"},
		"a holder that renewed in an hour":   {epoch: at(7), holder: held(record{HolderID: "x", ExpiresAt: instant(time.Hour), Epoch: 7, TTL: 3000}), want: 8, wait: 3 * time.Second, before: "expired"},
		"a holder that renewed in a year":    {epoch: at(7), holder: held(record{HolderID: "x", ExpiresAt: instant(year), Epoch: 7, TTL: 3000}), want: 8, wait: 3 * time.Second, before: "expired"},
		"a holder of 1970":                   {epoch: at(7), holder: held(record{HolderID: "x", ExpiresAt: 30_000, Epoch: 7, TTL: 3000}), want: 8, wait: 3 * time.Second, before: "expired"},
		"a holder that does not say its ttl": {epoch: at(7), holder: held(record{HolderID: "x", ExpiresAt: 1, Epoch: 7}), want: 8, wait: ttl, before: "expired"},
		"our own name from an earlier life":  {epoch: at(7), holder: held(record{HolderID: "me", ExpiresAt: 1, Epoch: 7}), want: 8, wait: ttl, before: "expired"},
		"another instance, exclusive store":  {exclusive: true, epoch: at(7), holder: held(record{HolderID: "x", ExpiresAt: instant(year), Epoch: 7, TTL: 3000, Instance: "gone"}), want: 8, before: "process gone"},
		"another instance, shared store":     {epoch: at(7), holder: held(record{HolderID: "x", ExpiresAt: 1, Epoch: 7, TTL: 3000, Instance: "gone"}), want: 8, wait: 3 * time.Second, before: "expired"},
		"the same instance, exclusive store": {exclusive: true, epoch: at(7), holder: func(b *bench) []byte {
			return b.json(record{HolderID: "x", ExpiresAt: 1, Epoch: 7, TTL: 3000, Instance: b.s.Info().Instance})
		}, want: 8, wait: 3 * time.Second, before: "expired"},
		"no JSON":                        {epoch: at(7), holder: bytesOf("garbage"), want: 8, before: "unreadable"},
		"an empty holder":                {epoch: at(7), holder: bytesOf(""), want: 8, before: "unreadable"},
		"a list":                         {epoch: at(7), holder: bytesOf("[]"), want: 8, before: "unreadable"},
		"a holder cut short":             {epoch: at(7), holder: bytesOf(`{"holderId":"x","expiresAt":99,"ep`), want: 8, before: "unreadable"},
		"an expiry that is text":         {epoch: at(7), holder: held(record{HolderID: "x", ExpiresAt: "soon", Epoch: 7}), want: 8, before: "unreadable"},
		"an expiry with a fraction":      {epoch: at(7), holder: held(record{HolderID: "x", ExpiresAt: 1.5, Epoch: 7}), want: 8, before: "unreadable"},
		"a negative expiry":              {epoch: at(7), holder: held(record{HolderID: "x", ExpiresAt: -1, Epoch: 7}), want: 8, before: "unreadable"},
		"an expiry beyond all numbers":   {epoch: at(7), holder: bytesOf(`{"holderId":"x","expiresAt":1e300,"epoch":7}`), want: 8, before: "unreadable"},
		"a holder of epoch 0":            {epoch: at(7), holder: held(record{HolderID: "x", ExpiresAt: 1, Epoch: 0}), want: 8, before: "unreadable"},
		"a negative ttl":                 {epoch: at(7), holder: held(record{HolderID: "x", ExpiresAt: 1, Epoch: 7, TTL: -1}), want: 8, before: "unreadable"},
		"a ttl beyond all durations":     {epoch: at(7), holder: held(record{HolderID: "x", ExpiresAt: 1, Epoch: 7, TTL: 1 << 60}), want: 8, before: "unreadable"},
		"a holder but no epoch":          {holder: held(record{HolderID: "x", ExpiresAt: 1, Epoch: 7})},
		"garbage and no epoch":           {holder: bytesOf("garbage")},
		"an epoch of 7 bytes":            {epoch: bytesOf("1234567")},
		"an epoch of 9 bytes":            {epoch: bytesOf("123456789")},
		"an empty epoch":                 {epoch: bytesOf("")},
		"epoch 0":                        {epoch: at(0)},
		"the last epoch but two":         {epoch: at(1<<53 - 3), want: 1<<53 - 2},
		"the last epoch there is":        {epoch: at(1<<53 - 2)},
		"an epoch beyond exact integers": {epoch: at(1<<53 - 1)},
		"the largest epoch of 8 bytes":   {epoch: at(1<<64 - 1)},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			onBench(t, memory.Options{Exclusive: tc.exclusive}, func(b *bench) {
				b.plant(made(b, tc.epoch), made(b, tc.holder))
				for _, skew := range []time.Duration{0, 10 * time.Minute, -10 * time.Minute} {
					b.plant(made(b, tc.epoch), made(b, tc.holder))
					o := options("me")
					o.Now = clockAt(time.Now().Add(skew)).now
					l := b.lease(b.s, o)
					began := time.Now()
					err := l.Acquire(b.Context(), nil)
					if took := time.Since(began); took != tc.wait {
						t.Errorf("took %v, want %v", took, tc.wait)
					}
					if tc.want == 0 {
						if !errors.Is(err, lease.ErrCorrupt) || l.Held() {
							t.Errorf("error %v, want ErrCorrupt", err)
						}
						if string(b.get(row.LeaseEpoch)) != string(made(b, tc.epoch)) || string(b.get(row.LeaseHolder)) != string(made(b, tc.holder)) {
							t.Error("the rows were changed")
						}
						if look, err := lease.Look(b.s); err != nil || tc.holder != nil && look.State != flow.LeaseCorrupt {
							t.Errorf("looks %q, %v", look.State, err)
						}
						continue
					}
					b.must(err)
					b.holds(l, tc.want)
					if l.Before() != tc.before {
						t.Errorf("before: %q, want %q", l.Before(), tc.before)
					}
				}
			})
		})
	}
}

func at(n uint64) func(*bench) []byte         { return func(*bench) []byte { return epochBytes(n) } }
func held(r record) func(*bench) []byte       { return func(b *bench) []byte { return b.json(r) } }
func bytesOf(text string) func(*bench) []byte { return func(*bench) []byte { return []byte(text) } }
func made(b *bench, f func(*bench) []byte) []byte {
	if f == nil {
		return nil
	}
	return f(b)
}

// TestWaitingForAHolderThatLives ends after Wait with who holds it, whatever
// the wall clocks say.
func TestWaitingForAHolderThatLives(t *testing.T) {
	for _, wait := range []time.Duration{-1, time.Nanosecond, 50 * time.Millisecond, 10 * time.Second, 3 * time.Minute} {
		onBench(t, memory.Options{}, func(b *bench) {
			b.owner(b.s, options("ann"))
			o := options("bob")
			o.Wait = wait
			o.Now = clockAt(time.Now().Add(time.Hour)).now
			began := time.Now()
			err := b.lease(b.s, o).Acquire(b.Context(), nil)
			var late *lease.TimeoutError
			if !errors.As(err, &late) || !errors.Is(err, flow.ErrLeaseNotHeld) || late.Holder != "ann" || late.Epoch != 1 {
				t.Fatalf("wait %v: %v, want a TimeoutError about ann at epoch 1", wait, err)
			}
			if took := time.Since(began); took != max(wait, 0) || late.Waited != took {
				t.Errorf("wait %v: took %v, error says %v", wait, took, late.Waited)
			}
		})
	}
}

// TestTheFirstAttemptAlwaysHappens: without any time to wait a free lease is
// taken.
func TestTheFirstAttemptAlwaysHappens(t *testing.T) {
	onBench(t, memory.Options{}, func(b *bench) {
		o := options("ann")
		o.Wait = -1
		l := b.lease(b.s, o)
		b.must(l.Acquire(b.Context(), nil))
		b.holds(l, 1)
	})
}

func TestConcurrentCallersShareOneAcquisition(t *testing.T) {
	onBench(t, memory.Options{}, func(b *bench) {
		_, stop := b.owner(b.s, options("ann"))
		stop()
		l := b.lease(b.s, options("bob"))
		added := 0
		errs := make(chan error, 10)
		for range 10 {
			go func() { errs <- l.Acquire(b.Context(), func(*store.Batch, flow.Epoch) { added++ }) }()
		}
		for range 10 {
			b.must(<-errs)
		}
		b.holds(l, 2)
		if added != 1 {
			t.Errorf("the batch was made %d times, want once", added)
		}
	})
}

// TestCallersThatShareGiveUpEachForItself: nobody waits longer than its own
// time because somebody else came first.
func TestCallersThatShareGiveUpEachForItself(t *testing.T) {
	onBench(t, memory.Options{}, func(b *bench) {
		b.owner(b.s, options("ann"))
		o := options("bob")
		o.Wait = 10 * time.Second
		l := b.lease(b.s, o)
		began := time.Now()
		waited := make(chan time.Duration, 5)
		for range 5 {
			go func() {
				var late *lease.TimeoutError
				if err := l.Acquire(b.Context(), nil); !errors.As(err, &late) {
					t.Errorf("error %v, want a timeout", err)
				}
				waited <- time.Since(began)
			}()
		}
		short, cancel := context.WithTimeoutCause(b.Context(), time.Second, errors.New("enough"))
		defer cancel()
		if err := l.Acquire(short, nil); err == nil || context.Cause(short) == nil || !errors.Is(err, context.Cause(short)) {
			t.Errorf("error %v, want %v", err, context.Cause(short))
		}
		if took := time.Since(began); took != time.Second {
			t.Errorf("gave up after %v, want 1s", took)
		}
		for range 5 {
			if took := <-waited; took != o.Wait {
				t.Errorf("a caller waited %v, want %v", took, o.Wait)
			}
		}
	})
}

func TestStopEndsAParkedAcquire(t *testing.T) {
	onBench(t, memory.Options{}, func(b *bench) {
		b.owner(b.s, options("ann"))
		o := options("bob")
		o.Poll = 20 * time.Second
		l := b.lease(b.s, o)
		began := time.Now()
		time.AfterFunc(time.Second, l.Stop)
		if err := l.Acquire(b.Context(), nil); !errors.Is(err, flow.ErrClosed) || time.Since(began) != time.Second {
			t.Errorf("after %v: %v, want ErrClosed after 1s", time.Since(began), err)
		}
		l.Stop()
		if err := l.Acquire(b.Context(), nil); !errors.Is(err, flow.ErrClosed) {
			t.Errorf("acquire after stop: %v", err)
		}
	})
}

// TestStopInTheInstantOfTaking: what was committed is given back.
func TestStopInTheInstantOfTaking(t *testing.T) {
	onBench(t, memory.Options{}, func(b *bench) {
		for _, late := range []bool{false, true} {
			held := make(chan struct{})
			g := &gate{Store: b.s}
			if late {
				g.after = held
			} else {
				g.before = held
			}
			l := b.lease(g, options("ann"))
			answer := make(chan error)
			go func() { answer <- l.Acquire(b.Context(), nil) }()
			synctest.Wait()
			l.Stop()
			g.set(func(g *gate) { g.before, g.after = nil, nil })
			close(held)
			if err := <-answer; !errors.Is(err, flow.ErrClosed) || l.Held() {
				t.Errorf("error %v, held %t; want ErrClosed", err, l.Held())
			}
			if raw := b.get(row.LeaseHolder); raw != nil {
				t.Errorf("the holder stays: %s", raw)
			}
		}
		if want := []string{"released", "released"}; !slices.Equal(b.history(), want) {
			t.Errorf("history %q, want %q", b.history(), want)
		}
	})
}

// TestF089AcquireAnswersWithItsTimeAhead: however long the store takes to take
// the lease, the caller gets one that has its time ahead, or none.
func TestF089AcquireAnswersWithItsTimeAhead(t *testing.T) {
	for _, stall := range []time.Duration{ttl / 3, ttl / 2, ttl - 1, ttl, 3 * ttl, time.Hour} {
		for _, late := range []bool{false, true} {
			onBench(t, memory.Options{}, func(b *bench) {
				held := make(chan struct{})
				g := &gate{Store: b.s, before: held}
				if late {
					g.before, g.after = nil, held
				}
				o := options("ann")
				o.Wait = -1
				l := b.lease(g, o)
				time.AfterFunc(stall, func() {
					g.set(func(g *gate) { g.before, g.after = nil, nil })
					close(held)
				})
				b.must(l.Acquire(b.Context(), nil))
				b.holds(l, 1)
				time.Sleep(2 * ttl / 3)
				if !l.InForce() {
					t.Errorf("stalled %v: the lease has less than two thirds of its time", stall)
				}
			})
		}
	}
}

// TestF089StalledWhileAnotherTakesIt: the answer comes so late that somebody
// else is the owner.
func TestF089StalledWhileAnotherTakesIt(t *testing.T) {
	onBench(t, memory.Options{}, func(b *bench) {
		held := make(chan struct{})
		g := &gate{Store: b.s, after: held}
		l := b.lease(g, options("ann"))
		answer := make(chan error)
		go func() { answer <- l.Acquire(b.Context(), nil) }()
		synctest.Wait()
		other, _ := b.owner(b.s, options("bob"))
		b.holds(other, 2)
		g.set(func(g *gate) { g.after = nil })
		close(held)
		if err := <-answer; !errors.Is(err, flow.ErrDeposed) {
			t.Errorf("error %v, want ErrDeposed", err)
		}
		b.deposed(l)
		b.holds(other, 2)
	})
}

// TestAStoreTooSlowToKeepALease: it is given back.
func TestAStoreTooSlowToKeepALease(t *testing.T) {
	onBench(t, memory.Options{}, func(b *bench) {
		b.s.SetDelay(ttl)
		l := b.lease(b.s, options("ann"))
		if err := l.Acquire(b.Context(), nil); !errors.Is(err, flow.ErrLeaseNotHeld) || l.Held() {
			t.Errorf("error %v, held %t", err, l.Held())
		}
		if raw := b.get(row.LeaseHolder); raw != nil {
			t.Errorf("the holder stays: %s", raw)
		}
	})
}

// TestAcquireInAFullStore: it must be opened to be emptied.
func TestAcquireInAFullStore(t *testing.T) {
	onBench(t, memory.Options{}, func(b *bench) {
		b.s.Refuse(store.ErrFull)
		l, _ := b.owner(b.s, options("ann"))
		time.Sleep(time.Minute)
		b.holds(l, 1)
		if !l.InForce() {
			t.Error("a full store does not let the lease be renewed")
		}
		b.must(l.Release(b.Context()))
	})
}

func TestAnAcquisitionThatTheStoreRefuses(t *testing.T) {
	onBench(t, memory.Options{}, func(b *bench) {
		g := &gate{Store: b.s, refuse: store.ErrStalled}
		l := b.lease(g, options("ann"))
		if err := l.Acquire(b.Context(), nil); !errors.Is(err, store.ErrStalled) || l.Held() {
			t.Fatalf("error %v", err)
		}
		g.set(func(g *gate) { g.refuse = nil })
		b.must(l.Acquire(b.Context(), nil))
		b.holds(l, 1)
	})
}

// TestManyTakeOverAtOnce: a crowd waits for a holder that died; each is owner in
// its turn, at an epoch of its own.
func TestManyTakeOverAtOnce(t *testing.T) {
	onBench(t, memory.Options{}, func(b *bench) {
		_, stop := b.owner(b.s, options("dead"))
		stop()
		const crowd = 50
		got := make(chan flow.Epoch, crowd)
		for i := range crowd {
			l := b.lease(b.s, options(fmt.Sprint(i)))
			go func() {
				if err := l.Acquire(context.Background(), nil); err != nil {
					t.Error(err)
				}
				epoch, _ := l.Epoch()
				if err := l.Release(context.Background()); err != nil {
					t.Error(err)
				}
				got <- epoch
			}()
		}
		var epochs []flow.Epoch
		for range crowd {
			epochs = append(epochs, <-got)
		}
		slices.Sort(epochs)
		for i, e := range epochs {
			if e != flow.Epoch(i+2) {
				t.Fatalf("epochs %v", epochs)
			}
		}
	})
}
