package lease_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine/lease"
	"weft/engine/row"
	"weft/flow"
	"weft/store"
	"weft/store/memory"
)

// Times of every lease in these tests, unless a test says otherwise.
const (
	ttl   = 2 * time.Second
	renew = 500 * time.Millisecond
	poll  = 100 * time.Millisecond
)

// record is the holder's row as other programs read it.
type record struct {
	HolderID  string `json:"holderId"`
	ExpiresAt any    `json:"expiresAt"`
	Epoch     any    `json:"epoch"`
	TTL       int64  `json:"ttlMillis,omitempty"`
	Instance  string `json:"instance,omitempty"`
}

// bench is a store in a bubble of virtual time.
type bench struct {
	*testing.T
	s *memory.Store
}

func onBench(t *testing.T, o memory.Options, f func(b *bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { f(&bench{T: t, s: memory.New(o)}) })
}

// options of a contender.
func options(name string) lease.Options {
	return lease.Options{Holder: name, TTL: ttl, Renew: renew, Poll: poll, Wait: time.Minute}
}

func (b *bench) lease(s store.Store, o lease.Options) *lease.Lease {
	b.Helper()
	l, err := lease.New(s, o)
	if err != nil {
		b.Fatal(err)
	}
	return l
}

// owner is a lease that is held; it is renewed until the test ends or stop is
// called.
func (b *bench) owner(s store.Store, o lease.Options) (l *lease.Lease, stop func()) {
	b.Helper()
	l = b.lease(s, o)
	b.must(l.Acquire(b.Context(), nil))
	return l, b.renewing(l)
}

func (b *bench) renewing(l *lease.Lease) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() { l.Renew(done); close(ended) }()
	stop = sync.OnceFunc(func() { close(done); <-ended })
	b.Cleanup(stop)
	return stop
}

func (b *bench) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func (b *bench) get(key []byte) []byte {
	b.Helper()
	raw, err := b.s.Get(key)
	b.must(err)
	return raw
}

// plant writes rows behind everybody's back; nil removes one.
func (b *bench) plant(epoch, holder []byte) {
	b.Helper()
	var batch store.Batch
	for _, r := range []struct{ key, value []byte }{{row.LeaseEpoch, epoch}, {row.LeaseHolder, holder}} {
		if r.value == nil {
			batch.Delete(r.key)
		} else {
			batch.Put(r.key, r.value)
		}
	}
	_, err := b.s.Commit(b.Context(), &batch)
	b.must(err)
}

func epochBytes(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

func (b *bench) json(v any) []byte {
	b.Helper()
	raw, err := json.Marshal(v)
	b.must(err)
	return raw
}

// holds demands that l owns the store at an epoch, which is the stored one.
func (b *bench) holds(l *lease.Lease, epoch uint64) {
	b.Helper()
	got, raw := l.Epoch()
	if stored := b.get(row.LeaseEpoch); uint64(got) != epoch || string(raw) != string(stored) || string(raw) != string(epochBytes(epoch)) {
		b.Errorf("epoch %d, bytes %x, stored %x; want %d", got, raw, stored, epoch)
	}
	if v := l.View(); !l.Held() || v.State != flow.LeaseHeld && v.State != flow.LeaseDoubt || !v.Mine && v.State == flow.LeaseHeld {
		b.Errorf("held %t, view %+v; want it held", l.Held(), v)
	}
}

// history is how the tenures ended, newest first.
func (b *bench) history() (ends []string) {
	b.Helper()
	look, err := lease.Look(b.s)
	b.must(err)
	for _, t := range look.History {
		ends = append(ends, t.Ended)
	}
	return ends
}

// gate is the store of one contender: its commits can be refused, stopped
// before or after they take effect, and the answers lost.
type gate struct {
	store.Store
	mu     sync.Mutex
	before chan struct{} // commits wait here first; nil: they do not
	after  chan struct{} // and here once they have taken effect
	refuse error
	still  error // what StillOwner answers
}

func (g *gate) set(f func(g *gate)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	f(g)
}

// Commit implements [store.Store].
func (g *gate) Commit(ctx context.Context, b *store.Batch) (store.Result, error) {
	g.mu.Lock()
	before, after, refuse := g.before, g.after, g.refuse
	g.mu.Unlock()
	if refuse != nil {
		return store.Result{}, refuse
	}
	if before != nil {
		<-before
	}
	res, err := g.Store.Commit(context.WithoutCancel(ctx), b)
	if after != nil {
		<-after
	}
	return res, err
}

// StillOwner implements [store.Owner].
func (g *gate) StillOwner() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.still
}

// clock is a wall clock apart from the time of the bubble.
type clock struct {
	mu     sync.Mutex
	at     time.Time // where it was set
	since  time.Time // when
	frozen bool
}

func clockAt(at time.Time) *clock { return &clock{at: at, since: time.Now()} }

func (c *clock) set(at time.Time, frozen bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at, c.since, c.frozen = at, time.Now(), frozen
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.frozen {
		return c.at
	}
	return c.at.Add(time.Since(c.since))
}

func (b *bench) deposed(l *lease.Lease) {
	b.Helper()
	select {
	case <-l.Over():
	default:
		b.Error("the lease is not over")
	}
	if !errors.Is(l.Err(), flow.ErrDeposed) || l.Held() || l.InForce() || l.View().State != flow.LeaseDeposed {
		b.Errorf("err %v, held %t, in force %t, view %+v; want deposed", l.Err(), l.Held(), l.InForce(), l.View())
	}
}
