package lease

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"weft/flow"
	"weft/store"
)

// Lease is one engine's claim to a store. It is acquired once; a lease that was
// lost or released is not acquired again. Its methods may be called from many
// goroutines.
type Lease struct {
	o     Options
	store store.Store

	// Whoever acquires, and whoever renews or releases, has the one place of
	// the channel meanwhile. Not a mutex: those who wait for it can give up.
	acquiring, renewing chan struct{}
	acquired            bool  // by the place in acquiring
	seen                sight // by the place in acquiring: the holder that is waited for

	mu      sync.Mutex
	epoch   uint64
	raw     []byte // of the holder row, as last written by us
	rawAt   store.Group
	record  holder
	history []flow.Tenure
	state   flow.LeaseState

	// confirmed is when the last write of ours that holds the lease was begun,
	// on the monotonic clock.
	confirmed atomic.Pointer[time.Time]
	held      atomic.Bool
	took      string // see Before
	stopped   chan struct{}
	stopOnce  sync.Once
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
	return &Lease{o: o, store: s, state: flow.LeaseNone, acquiring: make(chan struct{}, 1),
		renewing: make(chan struct{}, 1), stopped: make(chan struct{}), over: make(chan struct{})}, nil
}

// Held reports whether the lease was acquired and neither released nor lost, as
// far as this process knows.
func (l *Lease) Held() bool { return l.held.Load() }

// InForce reports whether something may be started: the lease is held, and its
// last confirmed renewal is less than a ttl ago on the monotonic clock.
func (l *Lease) InForce() bool { return l.held.Load() && l.age() < l.o.TTL }

// age is the time since the last confirmed renewal began. There has been one
// once the lease was held.
func (l *Lease) age() time.Duration { return time.Since(*l.confirmed.Load()) }

// lost is why a lease that was acquired is not held any more, or nil.
func (l *Lease) lost() error {
	if l.held.Load() {
		return nil
	}
	if err := l.Err(); err != nil {
		return err
	}
	return flow.ErrLeaseNotHeld
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

// Err is [flow.ErrDeposed] or what the store failed with, once the lease is over
// before it was released. Held turns false after that.
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

// Stop makes an Acquire that waits give up, with [flow.ErrClosed]. A lease that
// is held stays held: Release gives it back.
func (l *Lease) Stop() { l.stopOnce.Do(func() { close(l.stopped) }) }

func (l *Lease) isStopped() bool {
	select {
	case <-l.stopped:
		return true
	default:
		return false
	}
}

// errTaken: somebody else acted on the lease between our look and our write.
var errTaken = errors.New("the lease changed meanwhile")
