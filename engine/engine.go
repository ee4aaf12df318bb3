package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"weft/engine/lease"
	"weft/engine/row"
	"weft/engine/teardown"
	"weft/engine/timers"
	"weft/flow"
	"weft/store"
)

// Engine runs the workflows of one store. Its methods may be called from many
// goroutines.
type Engine struct {
	o     Options
	store store.Store
	types registry
	log   *slog.Logger

	fence    fence
	lease    *lease.Lease
	crashes  int          // tenures in a row before this one that did not end by release
	openedAt flow.Instant // by the wall clock

	lives   *lives
	timers  *timers.Queue[row.Timer]
	ring    *ring
	waiters waiters
	replies replies
	asks    asks
	slots   chan struct{}
	ends    chan struct{} // capacity 1: an end must reach children
	calls   calls
	wg      sync.WaitGroup
	keeping sync.WaitGroup // of the lease, until everything else has ended

	closing    chan struct{} // closed when Close begins
	released   chan struct{} // closed when the lease need not be kept any more
	drained    chan struct{} // closed when Close no longer waits for outcomes
	dead       chan struct{} // closed when the engine has halted
	recovered  chan struct{} // closed when the ready set has been gone through
	closed     chan struct{} // closed when Close is through, after closeErr was set
	closeBegun atomic.Bool
	closeErr   error

	haltOnce sync.Once
	haltErr  atomic.Pointer[error]

	arrivals atomic.Uint64
	audits   atomic.Uint64
	idle     atomic.Int64
	attempts atomic.Int64  // under way
	steps    atomic.Uint64 // committed since open
	dropped  atomic.Uint64 // outcomes of attempts or lives that were over

	teardowns *teardown.Driver
	problems  problems
	larges    larges
	previews  previews
}

// Open starts an engine on a store. The engine does not own the store: the
// caller closes it, after the engine. In [flow.ModeRun] what the last tenure
// left behind is recovered in the background; calls are answered at once.
//
// It fails when options or definitions make no sense, which it tells all in one
// error, with an [*UnknownTypesError] when the store has unfinished runs of types
// that Workflows lacks, with [store.ErrNewer] when a newer program wrote the
// store, and when another engine keeps the lease for longer than
// Options.LeaseWait. A store that could not be opened was not changed.
func Open(ctx context.Context, s store.Store, o Options) (*Engine, error) {
	o, err := o.resolve()
	if err != nil {
		return nil, fmt.Errorf("engine options: %w", err)
	}
	types, err := newRegistry(o.Workflows)
	if err != nil {
		return nil, fmt.Errorf("engine workflows: %w", err)
	}
	e := &Engine{o: o, store: s, types: types, log: slog.New(o.Log),
		ring: newRing(o.Ring), slots: make(chan struct{}, o.ActivitySlots),
		ends: make(chan struct{}, 1), closing: make(chan struct{}), drained: make(chan struct{}), closed: make(chan struct{}), released: make(chan struct{}),
		dead: make(chan struct{}), recovered: make(chan struct{})}
	e.lives = newLives(o.MaxLive, &e.wg)
	e.timers = e.newTimers()
	if e.lease, err = e.newLease(); err != nil {
		return nil, err
	}
	if e.teardowns, err = e.newTeardowns(); err != nil {
		return nil, err
	}
	if err := checkSchema(s); err != nil {
		return nil, err
	}
	if o.Mode == flow.ModeRun && !o.AcknowledgeUnknownTypes {
		if err := types.checkTypes(s); err != nil {
			return nil, err
		}
	}
	if err := e.prime(); err != nil {
		return nil, err
	}
	if o.Mode == flow.ModeLook {
		return e, nil
	}
	if err := e.acquire(ctx); err != nil {
		return nil, err
	}
	e.keepLease()
	if err := e.prime(); err != nil { // again: until here another owner may have written
		return nil, errors.Join(err, e.Close(ctx))
	}
	if o.Mode == flow.ModeRun {
		e.wg.Go(e.feed)
		e.wg.Go(e.fireTimers)
		e.wg.Go(e.walk)
		e.wg.Go(e.watchStuck)
		e.wg.Go(e.sweep)
		e.wg.Go(e.cascade)
		e.wg.Go(func() { e.teardowns.Run(e.closing) })
	}
	return e, nil
}

// prime raises the counters that must not repeat what an earlier tenure gave
// out.
func (e *Engine) prime() error {
	snap, err := e.store.Snapshot()
	if err != nil {
		return err
	}
	defer snap.Close()
	// Groups only grow, and a group holds fewer batches than a million: what is
	// counted from here lies above everything an earlier tenure gave out.
	e.arrivals.Store(uint64(snap.Group()) << 20)
	last, err := lastAudit(snap)
	e.audits.Store(max(last, e.audits.Load()))
	return err
}

// arrival is a number above all earlier ones of this store, across restarts.
func (e *Engine) arrival() uint64 { return e.arrivals.Add(1) }

// now is the wall clock.
func (e *Engine) now() time.Time { return e.o.Now() }

// halt stops the engine for good: no effect starts any more, every life is told
// to leave, and everyone who waits gets err.
func (e *Engine) halt(err error) {
	e.haltOnce.Do(func() {
		if errors.Is(err, store.ErrClosed) {
			err = flow.ErrClosed
		}
		e.haltErr.Store(&err)
		close(e.dead)
		if !errors.Is(err, flow.ErrClosed) {
			e.problem("the engine has halted: "+err.Error(), "open the store again")
		}
		for _, l := range e.lives.close() {
			l.dismiss(leaveClosed)
		}
	})
}

// isClosing reports that Close has begun.
func (e *Engine) isClosing() bool {
	select {
	case <-e.closing:
		return true
	default:
		return false
	}
}

// halted is why the engine has halted, or nil.
func (e *Engine) halted() error {
	if p := e.haltErr.Load(); p != nil {
		return *p
	}
	return nil
}

// Halted closes when the engine has halted by itself; Err then says why.
func (e *Engine) Halted() <-chan struct{} { return e.dead }

// Err is why the engine halted or that it is closed, nil while it works.
func (e *Engine) Err() error { return e.halted() }

func outcomeUnknown(err error) bool { return errors.Is(err, store.ErrFailed) }

// stuckAfter is how long Close waits for goroutines that were told to end.
const stuckAfter = 10 * time.Second

// Close stops the engine: it takes nothing new, lets activity attempts that are
// under way end until ctx ends, calls off the others, and gives the lease back.
// Runs go on at the next open; those that merely wait are parked, and need not be
// replayed then. It fails with a [*StuckError] when user code
// would not end, and then leaves the lease as it is, because that code may
// still act. Closing twice answers the same.
func (e *Engine) Close(ctx context.Context) error {
	if e.closeBegun.CompareAndSwap(false, true) {
		e.closeErr = e.close(ctx)
		close(e.closed)
	}
	<-e.closed
	return e.closeErr
}

func (e *Engine) close(ctx context.Context) error {
	close(e.closing)
	lives := e.lives.close()
	e.drain(ctx)
	close(e.drained)
	for _, l := range lives {
		l.dismiss(leaveClosed)
	}
	ended := make(chan struct{})
	go func() { e.wg.Wait(); close(ended) }()
	t := time.NewTimer(stuckAfter)
	defer t.Stop()
	var err error
	select {
	case <-ended:
	case <-t.C:
		err = e.stuck()
	}
	close(e.released)
	e.keeping.Wait()
	if err == nil && e.halted() == nil {
		err = e.lease.Release(context.WithoutCancel(ctx))
	}
	e.halt(flow.ErrClosed)
	e.ring.close()
	return err
}
