package lease_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine/lease"
	"weft/engine/row"
	"weft/flow"
	"weft/store"
	"weft/store/memory"
)

// TestReleaseKeepsTheEpoch: the holder goes, the epoch stays, and the next
// owner, who need not wait, gets the one after it.
func TestReleaseKeepsTheEpoch(t *testing.T) {
	onBench(t, memory.Options{}, func(b *bench) {
		for n := range uint64(100) {
			l, stop := b.owner(b.s, options(fmt.Sprint("owner ", n)))
			b.holds(l, n+1)
			time.Sleep(time.Duration(n) * 100 * time.Millisecond)
			if n%2 == 0 {
				stop() // before or after: a release waits for a renewal under way
			}
			b.must(l.Release(b.Context()))
			b.must(l.Release(b.Context()))
			if l.Held() || l.InForce() || l.View().State != flow.LeaseReleased || l.Err() != nil {
				t.Fatalf("released: held %t, in force %t, %+v, %v", l.Held(), l.InForce(), l.View(), l.Err())
			}
			if raw := b.get(row.LeaseHolder); raw != nil {
				t.Fatalf("the holder stays: %s", raw)
			}
			if err := l.Acquire(b.Context(), nil); !errors.Is(err, flow.ErrLeaseNotHeld) {
				t.Fatalf("acquire a released lease: %v", err)
			}
		}
		look, err := lease.Look(b.s)
		b.must(err)
		if look.State != flow.LeaseNone || look.Epoch != 100 || len(look.History) != 32 {
			t.Fatalf("look %+v with %d tenures", look, len(look.History))
		}
		for i, h := range look.History {
			n := 99 - i
			if h.Epoch != flow.Epoch(n+1) || h.Holder != fmt.Sprint("owner ", n) || h.Ended != "released" ||
				h.Until.Sub(h.Since) != time.Duration(n)*100*time.Millisecond {
				t.Errorf("tenure %d: %+v", i, h)
			}
		}
	})
}

// TestReleaseRemovesOnlyOurs: after the lease has passed to another one,
// nothing is removed.
func TestReleaseRemovesOnlyOurs(t *testing.T) {
	onBench(t, memory.Options{}, func(b *bench) {
		ann, stop := b.owner(b.s, options("ann"))
		stop()
		bob, _ := b.owner(b.s, options("bob"))
		if err := ann.Release(b.Context()); !errors.Is(err, flow.ErrDeposed) {
			t.Errorf("release: %v", err)
		}
		b.deposed(ann)
		b.holds(bob, 2)
		if l, err := lease.LookLost(b.s, 1); err != nil || l.State != flow.LeaseDeposed || l.Lost != 1 || l.Epoch != 2 || l.Holder != "bob" {
			t.Errorf("the lease of who lost it: %+v, %v", l, err)
		}
		if l, err := lease.LookLost(b.s, 2); err != nil || l.Lost != 2 || l.Epoch != 0 || l.Holder != "" || len(l.History) == 0 {
			t.Errorf("the lease of who lost it to somebody that the store does not tell of: %+v, %v", l, err)
		}
		time.Sleep(10 * ttl)
		b.holds(bob, 2)
	})
}

// TestReleaseWithALostLock touches nothing: another process may have the data.
func TestReleaseWithALostLock(t *testing.T) {
	onBench(t, memory.Options{}, func(b *bench) {
		g := &gate{Store: b.s}
		l, stop := b.owner(g, options("ann"))
		stop()
		g.set(func(g *gate) { g.still = store.ErrLocked })
		if err := l.Release(b.Context()); !errors.Is(err, store.ErrLocked) {
			t.Errorf("release: %v", err)
		}
		b.deposed(l)
		if b.get(row.LeaseHolder) == nil {
			t.Error("the holder was removed")
		}
	})
}

// TestReleaseWaitsForARenewal that is under way, and removes what it wrote.
func TestReleaseWaitsForARenewal(t *testing.T) {
	onBench(t, memory.Options{}, func(b *bench) {
		held := make(chan struct{})
		g := &gate{Store: b.s}
		l, _ := b.owner(g, options("ann"))
		g.set(func(g *gate) { g.after = held })
		time.Sleep(renew)
		synctest.Wait() // the renewal has taken effect, and has no answer
		released := make(chan error)
		go func() { released <- l.Release(b.Context()) }()
		synctest.Wait()
		g.set(func(g *gate) { g.after = nil })
		close(held)
		b.must(<-released)
		if raw := b.get(row.LeaseHolder); raw != nil {
			t.Errorf("the holder stays: %s", raw)
		}
	})
}

// TestARefusedReleaseLeavesTheRecord: others wait it out.
func TestARefusedReleaseLeavesTheRecord(t *testing.T) {
	onBench(t, memory.Options{}, func(b *bench) {
		g := &gate{Store: b.s}
		ann, stop := b.owner(g, options("ann"))
		stop()
		g.set(func(g *gate) { g.refuse = store.ErrStalled })
		if err := ann.Release(b.Context()); !errors.Is(err, store.ErrStalled) || ann.Held() {
			t.Errorf("release: %v, held %t", err, ann.Held())
		}
		bob, _ := b.owner(b.s, options("bob"))
		b.holds(bob, 2)
		if want := []string{"", "expired"}; !slices.Equal(b.history(), want) {
			t.Errorf("history %q, want %q", b.history(), want)
		}
	})
}

// TestTheHistoryTellsHowTenuresEnded, newest first.
func TestTheHistoryTellsHowTenuresEnded(t *testing.T) {
	onBench(t, memory.Options{Exclusive: true}, func(b *bench) {
		ann, _ := b.owner(b.s, options("ann"))
		b.must(ann.Release(b.Context()))
		_, stop := b.owner(b.s, options("bob"))
		stop()
		_, stop = b.owner(b.s, options("cleo")) // waits for bob's ttl
		stop()
		b.s = b.s.Crash()
		_, stop = b.owner(b.s, options("dora"))
		stop()
		b.plant(epochBytes(4), []byte("garbage"))
		_, stop = b.owner(b.s, options("eve"))
		stop()
		b.plant(epochBytes(5), nil)
		b.owner(b.s, options("fay"))
		if got, want := b.history(), []string{"", "unknown", "unreadable", "process gone", "expired", "released"}; !slices.Equal(got, want) {
			t.Errorf("history %q, want %q", got, want)
		}
	})
}

// TestACrashOfAnExclusiveStore: the next process is owner at once.
func TestACrashOfAnExclusiveStore(t *testing.T) {
	onBench(t, memory.Options{Exclusive: true}, func(b *bench) {
		for n := range uint64(20) {
			began := time.Now()
			o := options("me")
			o.Wait = -1
			l, stop := b.owner(b.s, o)
			if took := time.Since(began); took != 0 {
				t.Errorf("waited %v", took)
			}
			b.holds(l, n+1)
			if before := l.Before(); (n > 0) != (before == "process gone") {
				t.Errorf("before: %q", before)
			}
			time.Sleep(time.Duration(n) * renew)
			stop()
			b.s = b.s.Crash()
		}
	})
}

// TestAnUnreadableHistoryStopsNobody: it is for people.
func TestAnUnreadableHistoryStopsNobody(t *testing.T) {
	for _, raw := range []string{"", "garbage", "{}", `[{"epoch":"x"}]`, "[]", "null", "[null]"} {
		onBench(t, memory.Options{}, func(b *bench) {
			var batch store.Batch
			batch.Put(row.LeaseHistory, []byte(raw))
			_, err := b.s.Commit(b.Context(), &batch)
			b.must(err)
			l, _ := b.owner(b.s, options("ann"))
			b.holds(l, 1)
			b.must(l.Release(b.Context()))
			if ends := b.history(); len(ends) == 0 || ends[0] != "released" {
				t.Errorf("history of %q afterwards: %q", raw, ends)
			}
		})
	}
}

func TestOptionsThatMakeNoSense(t *testing.T) {
	for want, o := range map[string]lease.Options{
		"TTL -1ns":               {TTL: -1},
		"TTL below 1ms":          {TTL: time.Microsecond},
		"Renew -1s":              {Renew: -time.Second},
		"Poll -1s":               {Poll: -time.Second},
		"more than a third":      {TTL: 10 * time.Second, Renew: 4 * time.Second},
		"Renew 20s: more than a": {Renew: 20 * time.Second},
	} {
		if _, err := lease.New(memory.New(memory.Options{}), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", o, err, want)
		}
	}
	for _, o := range []lease.Options{{}, {TTL: time.Millisecond}, {TTL: 3 * time.Second, Renew: time.Second}, {Wait: -1}} {
		if _, err := lease.New(memory.New(memory.Options{}), o); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
