package lease

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// Lease is one engine's claim to a store. It is acquired once; a lease that was
// lost or released is not acquired again. Its methods may be called from many
// goroutines.
type Lease struct {
	o     Options
	store store.Store

	acquiring sync.Mutex
	acquired  bool // under acquiring

	mu       sync.Mutex
	epoch    uint64
	raw      []byte // of the holder row, as last written by us
	rawAt    store.Group
	record   holder
	history  []flow.Tenure
	state    flow.LeaseState
	stopped  bool
	renewing sync.Mutex // one renewal or release at a time

	// confirmed is when the last write of ours that holds the lease was begun,
	// on the monotonic clock.
	confirmed atomic.Pointer[time.Time]
	held      atomic.Bool
	took      string // how the tenure before ended: "", "released", "process gone", "expired"
	over      chan struct{}
	overOnce  sync.Once
	err       error
}

// New makes a lease that is not yet held.
func New(s store.Store, o Options) (*Lease, error) {
	o, err := o.resolve()
	if err != nil {
		return nil, fmt.Errorf("lease options: %w", err)
	}
	return &Lease{o: o, store: s, state: flow.LeaseNone, over: make(chan struct{})}, nil
}

// Held reports whether the lease was acquired and neither released nor lost, as
// far as this process knows.
func (l *Lease) Held() bool { return l.held.Load() }

// InForce reports whether something may be started: the lease is held, and its
// last confirmed renewal is less than a ttl ago on the monotonic clock.
func (l *Lease) InForce() bool {
	at := l.confirmed.Load()
	return l.held.Load() && at != nil && time.Since(*at) < l.o.TTL
}

// Epoch is the fencing token, as a number and as the bytes under lease:epoch.
// It is set once, by Acquire.
func (l *Lease) Epoch() (flow.Epoch, []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return flow.Epoch(l.epoch), encodeEpoch(l.epoch)
}

// Before says how the tenure before this one ended: "" if there was none or it
// was released, otherwise what showed that its owner is gone: "process gone",
// "expired" or "unreadable".
func (l *Lease) Before() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.took
}

// Over closes when the lease is over before it was released: lost to another
// owner, or its store has failed. Err then says which.
func (l *Lease) Over() <-chan struct{} { return l.over }

// Err is [flow.ErrDeposed] or what the store failed with, once Over has closed.
func (l *Lease) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// Lose notes that another epoch was seen in the store.
func (l *Lease) Lose() { l.end(flow.LeaseDeposed, flow.ErrDeposed) }

func (l *Lease) end(state flow.LeaseState, err error) {
	l.overOnce.Do(func() {
		l.mu.Lock()
		l.state, l.err = state, err
		l.mu.Unlock()
		l.held.Store(false)
		close(l.over)
	})
}

// View is the lease as people see it.
func (l *Lease) View() flow.Lease {
	inForce := l.InForce()
	l.mu.Lock()
	defer l.mu.Unlock()
	v := flow.Lease{State: l.state, Holder: l.record.HolderID, Mine: l.state == flow.LeaseHeld, Epoch: flow.Epoch(l.epoch),
		ExpiresAt: flow.Instant(l.record.ExpiresAt), RenewedAt: l.record.RenewedAt,
		History: append([]flow.Tenure(nil), l.history...)}
	if v.State == flow.LeaseHeld && !inForce {
		v.State = flow.LeaseDoubt
	}
	return v
}

// Renew keeps the lease until stop closes or it is lost. The caller runs it in a
// goroutine of its own, after Acquire.
func (l *Lease) Renew(stop <-chan struct{}) {
	t := time.NewTicker(l.o.Renew)
	defer t.Stop()
	for {
		select {
		case <-stop:
			return
		case <-l.over:
			return
		case <-t.C:
			l.renewOnce()
		}
	}
}

// renewOnce writes the holder's record anew. A store that refuses or fails is
// tried again at the next round: only another owner ends a tenure.
func (l *Lease) renewOnce() {
	l.renewing.Lock()
	defer l.renewing.Unlock()
	if !l.held.Load() {
		return
	}
	if o, ok := l.store.(interface{ StillOwner() error }); ok && o.StillOwner() != nil {
		l.Lose()
		return
	}
	began := time.Now()
	l.mu.Lock()
	next := l.record
	now := l.o.Now()
	next.RenewedAt = flow.InstantOf(now)
	next.ExpiresAt = now.Add(l.o.TTL).UnixMilli()
	raw := encode(next)
	var b store.Batch
	b.Expect(row.LeaseEpoch, encodeEpoch(l.epoch), 0)
	b.Expect(row.LeaseHolder, l.raw, l.rawAt)
	b.Put(row.LeaseHolder, raw)
	l.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), l.o.TTL)
	defer cancel()
	res, err := l.store.Commit(ctx, &b)
	switch {
	case errors.Is(err, store.ErrFailed), errors.Is(err, store.ErrClosed):
		l.end(flow.LeaseDoubt, err)
	case err != nil: // refused for the moment
	case res.Applied:
		l.mu.Lock()
		l.record, l.raw, l.rawAt = next, raw, res.Group
		l.mu.Unlock()
		l.confirmed.Store(&began)
	default:
		l.judge()
	}
}

// judge follows a renewal that lost its condition: with another epoch or
// another holder stored the lease is lost; a record that is as we wrote it
// means that an earlier renewal had an unknown outcome.
func (l *Lease) judge() {
	snap, err := l.store.Snapshot()
	if err != nil {
		return
	}
	defer snap.Close()
	epoch, err := snap.Get(row.LeaseEpoch)
	if err != nil {
		return
	}
	l.mu.Lock()
	ours := bytes.Equal(epoch, encodeEpoch(l.epoch))
	l.mu.Unlock()
	raw, err := snap.Get(row.LeaseHolder)
	if err != nil {
		return
	}
	h, ok := readHolder(raw)
	if !ours || !ok || h.HolderID != l.record.HolderID || h.Instance != l.record.Instance || h.Epoch != l.record.Epoch {
		l.Lose()
		return
	}
	l.mu.Lock()
	l.record, l.raw, l.rawAt = h, raw, snap.Group()
	l.mu.Unlock()
}

// Release gives the lease back: the holder's record goes, on condition that it
// is ours, and the history says so. The epoch stays. It does nothing when the
// lease is not held.
func (l *Lease) Release(ctx context.Context) error {
	l.renewing.Lock()
	defer l.renewing.Unlock()
	if !l.held.Swap(false) {
		return nil
	}
	l.mu.Lock()
	l.state = flow.LeaseReleased
	if len(l.history) > 0 {
		l.history[0].Until, l.history[0].Ended = flow.InstantOf(l.o.Now()), "released"
	}
	var b store.Batch
	b.Expect(row.LeaseEpoch, encodeEpoch(l.epoch), 0)
	b.Expect(row.LeaseHolder, l.raw, l.rawAt)
	b.Delete(row.LeaseHolder)
	b.Put(row.LeaseHistory, encode(l.history))
	l.mu.Unlock()
	res, err := l.store.Commit(ctx, &b)
	switch {
	case err != nil:
		return fmt.Errorf("release the lease: %w", err)
	case !res.Applied:
		return fmt.Errorf("release the lease: %w", flow.ErrDeposed)
	}
	return nil
}

// Stop makes an Acquire that waits give up, with [flow.ErrClosed]. A lease that
// is held stays held: Release gives it back.
func (l *Lease) Stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stopped = true
}

func (l *Lease) isStopped() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stopped
}

// errTaken: somebody else acted on the lease between our look and our write.
var errTaken = errors.New("the lease changed meanwhile")
