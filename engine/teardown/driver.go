package teardown

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"weft/engine/row"
	"weft/engine/timers"
	"weft/flow"
	"weft/store"
)

// Driver drives the owed teardowns of one store while [Driver.Run] runs. The
// acts of operators work without that. Its methods may be called from many
// goroutines.
type Driver struct {
	c     Config
	queue *timers.Queue[row.Teardown]
	wg    sync.WaitGroup
	// closing is set by Run before anything else can look at it.
	closing <-chan struct{}

	failOnce sync.Once
	failed   chan struct{} // closed when a write failed for good

	running atomic.Int64 // attempts under way
	strays  atomic.Int64 // functions that go on after their attempt is over

	mu sync.Mutex
	// mine are the tokens of the claims whose attempts this process makes.
	mine map[string]struct{}
}

// New makes a driver. It does nothing before [Driver.Run].
func New(c Config) (*Driver, error) {
	c, err := c.resolve()
	if err != nil {
		return nil, fmt.Errorf("teardown: %w", err)
	}
	d := &Driver{c: c, failed: make(chan struct{}), mine: map[string]struct{}{}}
	d.queue = timers.New(timers.Config[row.Teardown]{
		Family: timers.Family[row.Teardown]{Prefix: row.FamilyTeardown, From: row.TeardownsFrom, Parse: row.ParseTeardown},
		Store:  c.Store, Now: c.Now, Slots: c.Slots, Ready: c.Allowed, LookEvery: c.LookEvery,
		Problem: func(err error) {
			if !d.stopping() {
				c.Problem("timers of teardowns could not be read: "+err.Error(), "")
			}
		},
	})
	return d, nil
}

// Added takes in timers whose rows have become durable outside of the driver:
// what [Owe] returned.
func (d *Driver) Added(timers ...row.Teardown) { d.queue.Added(timers...) }

// Running counts the attempts under way; Strays the functions that go on
// although their attempt is over.
func (d *Driver) Running() int { return int(d.running.Load()) }

// Strays counts the functions that go on although their attempt is over.
func (d *Driver) Strays() int { return int(d.strays.Load()) }

// errCalledOff is the cause that ends the contexts of attempts.
var errCalledOff = errors.New("the engine closes")

// Run drives teardowns until closing is closed, Halted is, or a write fails for
// good. Then it calls off the attempts under way and returns when their
// functions have. Attempts called off by closing are written back as owed; the
// others stay as they are, for the next owner. Run may be called once.
func (d *Driver) Run(closing <-chan struct{}) {
	d.closing = closing
	ctx, stop := context.WithCancelCause(context.Background())
	d.wg.Go(func() { d.walk(ctx) })
	d.queue.Run(func(t row.Teardown, slot timers.Slot) {
		d.wg.Go(func() {
			defer slot.Free()
			d.drive(ctx, t)
		})
	}, closing, d.c.Halted)
	stop(errCalledOff)
	d.wg.Wait()
}

// stopping reports that nothing is started any more.
func (d *Driver) stopping() bool {
	select {
	case <-d.closing:
		return true
	default:
		return d.dead()
	}
}

// dead reports that nothing may be written any more.
func (d *Driver) dead() bool {
	select {
	case <-d.c.Halted:
		return true
	case <-d.failed:
		return true
	default:
		return false
	}
}

func (d *Driver) now() flow.Instant { return flow.InstantOf(d.c.Now()) }

// later looks at a timer again after a while; its row stays where it is.
func (d *Driver) later(t row.Teardown) {
	time.AfterFunc(flow.TeardownPause, func() { d.queue.Again(t) })
}

// commit writes b. A final error ends the driver.
func (d *Driver) commit(b *store.Batch) (bool, error) {
	if d.dead() {
		return false, errCalledOff
	}
	applied, err := d.c.Commit(b)
	if err != nil && !passing(err) {
		d.failOnce.Do(func() { close(d.failed); d.queue.Stop() })
	}
	return applied, err
}

// passing reports whether an error of a commit concerns this batch only, or
// this moment.
func passing(err error) bool {
	var limit *store.LimitError
	return errors.Is(err, store.ErrFull) || errors.Is(err, store.ErrStalled) || errors.Is(err, store.ErrCorrupt) ||
		errors.As(err, &limit)
}

// isMine reports whether this process makes the attempt of the claim that has
// the token, whatever the clock says about it.
func (d *Driver) isMine(token string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, ok := d.mine[token]
	return ok
}

// own makes a claim this process's until the result is called.
func (d *Driver) own(token string) (disown func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.mine[token] = struct{}{}
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.mine, token)
	}
}

func (d *Driver) tell(kind flow.NoticeKind, s *standing, failed bool, format string, args ...any) {
	d.c.Notify(flow.Notice{Kind: kind, At: d.now(), Ref: s.ref, Type: s.claim.Type, Failed: failed,
		Text: fmt.Sprintf(format, args...)})
}
