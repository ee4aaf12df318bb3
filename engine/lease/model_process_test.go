package lease_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing/synctest"
	"time"

	"weft/engine/lease"
	"weft/engine/row"
	"weft/store"
)

// contender comes and goes as a process; its clock stays.
type contender struct {
	name    string
	clock   *clock
	process *process
}

// process is one life of a contender: it acquires the lease, writes as long as
// it can, and sometimes leaves.
type process struct {
	w         *world
	name      string
	l         *lease.Lease
	door      *door
	die       chan struct{} // closed by a crash
	leave     chan struct{} // closed to ask for a release
	leaveOnce sync.Once
	done      chan struct{} // closed when nothing of it is left
	waiting   atomic.Bool
}

func (p *process) String() string { return p.name }

func (w *world) newProcess(c *contender, long time.Duration) *process {
	p := &process{w: w, name: fmt.Sprintf("%s%d", c.name, len(w.everyone)), die: make(chan struct{}),
		leave: make(chan struct{}), done: make(chan struct{})}
	p.door = &door{Store: w.s, p: p, since: time.Now()}
	o := options(p.name)
	o.TTL, o.Renew, o.Now, o.Wait = long, long/4, c.clock.now, time.Hour
	var err error
	if p.l, err = lease.New(p.door, o); err != nil {
		w.rt.Fatalf("options: %v", err)
	}
	w.everyone = append(w.everyone, p)
	p.waiting.Store(true)
	go p.run()
	return p
}

func (p *process) ended() bool { return isClosed(p.done) }
func (p *process) dead() bool  { return isClosed(p.die) }

func isClosed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// crash ends the process between two instructions, so to speak.
func (p *process) crash() {
	if !p.dead() {
		close(p.die)
	}
	<-p.done
	synctest.Wait()
}

// waitsSince is from when on a take-over by this process may be expected.
func (p *process) waitsSince() (time.Time, bool) {
	p.door.mu.Lock()
	defer p.door.mu.Unlock()
	return p.door.since, p.waiting.Load() && p.door.held == nil
}

func (p *process) run() {
	var renewing sync.WaitGroup
	stop := make(chan struct{})
	defer close(p.done)
	defer renewing.Wait()
	defer close(stop)
	defer p.waiting.Store(false)
	if !p.acquire() {
		return
	}
	renewing.Go(func() { p.l.Renew(stop) })
	afterlife := 0
	for n := 0; afterlife < 3; n++ {
		select {
		case <-p.die:
			return
		case <-p.leave:
			_ = p.l.Release(context.Background()) // what became of it is in the store
			return
		case <-time.After(400 * time.Millisecond):
		}
		p.write(n)
		if p.l.Err() != nil {
			afterlife++ // it goes on trying for a while
		}
	}
	p.w.sum.deposed.Add(1)
}

func (p *process) acquire() bool {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan struct{})
	defer close(ended)
	go func() {
		select {
		case <-p.die:
			cancel()
		case <-ended:
		}
	}()
	call := p.w.tick()
	err := p.l.Acquire(ctx, nil)
	p.waiting.Store(false)
	ev := event{what: "acquire", who: p.name}
	epoch, raw := p.l.Epoch()
	switch {
	case epoch != 0: // taken, whatever came after
		p.w.record(call, ev, outcome{epoch: uint64(epoch)})
	case errors.Is(err, store.ErrFailed):
		p.w.record(call, ev, outcome{unknown: true})
	}
	if err != nil {
		return false
	}
	if number(raw) != uint64(epoch) || !p.l.InForce() && !p.door.disturbed() {
		p.w.mu.Lock()
		p.w.fault("%s acquired epoch %d, bytes %x, in force %t", p, epoch, raw, p.l.InForce())
		p.w.mu.Unlock()
	}
	return true
}

// write writes as an engine does, on condition of its epoch, whether or not it
// still believes in it.
func (p *process) write(n int) {
	epoch, raw := p.l.Epoch()
	ev := event{what: "write", who: p.name, epoch: uint64(epoch), value: fmt.Sprintf("%s/%d", p, n)}
	var b store.Batch
	b.Expect(row.LeaseEpoch, raw, 0)
	b.Put(dataKey, []byte(ev.value))
	call := p.w.tick()
	res, err := p.door.Commit(context.Background(), &b)
	switch {
	case errors.Is(err, store.ErrFailed):
		p.w.record(call, ev, outcome{unknown: true})
	case err == nil:
		p.w.record(call, ev, outcome{applied: res.Applied})
		p.w.sum.writes.Add(1)
		if !res.Applied {
			p.w.sum.refused.Add(1)
			p.l.Lose() // as an engine does that finds another epoch
		}
	}
}

// door is the store as one process sees it.
type door struct {
	store.Store
	p *process

	mu      sync.Mutex
	held    chan struct{} // commits wait for it to close; nil: they do not
	after   bool          // they have taken effect by then
	refused int           // commits still to be refused
	full    bool          // as by a full store, otherwise as by a stalled one
	lost    bool          // the next answer is lost
	failed  bool
	touched bool      // something was ever done to it
	since   time.Time // when that was over
}

func (d *door) disturb(f func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f()
	d.touched, d.since = true, time.Now()
}

func (d *door) disturbed() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.touched
}

func (d *door) stall(after bool) {
	d.disturb(func() {
		if d.held == nil {
			d.held, d.after = make(chan struct{}), after
		}
	})
}

// open ends a stall.
func (d *door) open() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.held != nil {
		close(d.held)
		d.held, d.since = nil, time.Now()
	}
	d.refused = 0
}

func (d *door) refuse(n int, full bool) { d.disturb(func() { d.refused, d.full = n, full }) }
func (d *door) loseNext()               { d.disturb(func() { d.lost = true }) }

// Commit implements [store.Store].
func (d *door) Commit(ctx context.Context, b *store.Batch) (store.Result, error) {
	d.mu.Lock()
	held, after := d.held, d.after
	if err := d.refusal(b); err != nil {
		d.since = time.Now()
		d.mu.Unlock()
		return store.Result{}, err
	}
	d.mu.Unlock()
	if held != nil && !after {
		select {
		case <-held:
		case <-ctx.Done():
			return store.Result{}, ctx.Err()
		case <-d.p.die:
		}
	}
	if d.p.dead() {
		return store.Result{}, store.ErrClosed
	}
	res, err := d.p.w.commit(d.p, b)
	if held != nil && after {
		select {
		case <-held:
		case <-d.p.die:
			return store.Result{}, store.ErrFailed
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.lost {
		d.lost, d.failed = false, true
		return store.Result{}, store.ErrFailed
	}
	return res, err
}

// refusal is what a commit is answered before it is taken up. mu is held.
func (d *door) refusal(b *store.Batch) error {
	switch {
	case d.p.dead():
		return store.ErrClosed
	case d.failed:
		return errFailedBefore
	case d.refused > 0 && d.full && b.Urgent:
		return nil
	case d.refused > 0 && d.full:
		d.refused--
		return store.ErrFull
	case d.refused > 0:
		d.refused--
		return store.ErrStalled
	}
	return nil
}

// errFailedBefore is what a store answers that has failed before: then nothing
// changes any more.
var errFailedBefore = fmt.Errorf("it has failed: %w", store.ErrClosed)
