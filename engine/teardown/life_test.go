package teardown_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine/row"
	"weft/engine/teardown"
	"weft/flow"
	"weft/store"
)

// outside is what a power cut does not touch: the resources, how the finalizer
// fares with them, and what was acknowledged to whom.
type outside struct {
	mu sync.Mutex
	// held are resources not released, broken those whose release fails.
	held, broken map[string]bool
	released     map[string]int
	attempts     map[string]int
	// owed are the runs whose end was acknowledged; letters those whose dead
	// letter somebody has seen; redriven those whose redrive was acknowledged.
	owed, letters, redriven map[string]bool
	hang                    bool // the next attempt for what is broken waits for its context
}

func newOutside() *outside {
	return &outside{held: map[string]bool{}, broken: map[string]bool{}, released: map[string]int{}, attempts: map[string]int{},
		owed: map[string]bool{}, letters: map[string]bool{}, redriven: map[string]bool{}}
}

// copy is what is outside at this instant.
func (o *outside) copy() *outside {
	o.mu.Lock()
	defer o.mu.Unlock()
	c := newOutside()
	for _, m := range [][2]map[string]bool{{o.held, c.held}, {o.broken, c.broken}, {o.owed, c.owed}, {o.letters, c.letters}, {o.redriven, c.redriven}} {
		for k, v := range m[0] {
			m[1][k] = v
		}
	}
	for k, v := range o.released {
		c.released[k] = v
	}
	for k, v := range o.attempts {
		c.attempts[k] = v
	}
	return c
}

func (o *outside) set(m map[string]bool, id string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	m[id] = true
}

func (o *outside) is(m map[string]bool, id string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return m[id]
}

// do releases the resource of a run, unless it is broken.
func (o *outside) do(ctx context.Context, a teardown.Attempt) error {
	id := string(a.Ref.ID)
	o.mu.Lock()
	o.attempts[id]++
	hang, fails := o.hang && id == "broken", o.broken[id] || id == "fails twice" && o.attempts[id] <= 2
	o.hang = o.hang && !hang
	o.mu.Unlock()
	switch {
	case hang:
		<-ctx.Done()
		return ctx.Err()
	case fails:
		return errors.New("no route")
	case string(a.Input) != `"`+id+`"`:
		return fmt.Errorf("called with %s", a.Input)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.held[id] {
		o.released[id]++
	}
	delete(o.held, id)
	return nil
}

// life is the scripted life of teardowns on one store: one that fails twice and
// is called off by a shutdown once, and one that ends as a dead letter and is
// redriven. It can be gone on with after a cut at any place.
type life struct {
	*testing.T
	o       *outside
	open    func() (store.Store, error)
	s       store.Store
	d       *teardown.Driver
	closing chan struct{}
	ended   chan struct{}
	mu      sync.Mutex
	skew    time.Duration
}

var errCut = errors.New("the process is gone")

func (l *life) now() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Now().Add(l.skew)
}

// begin opens the store, takes the lease, checks and drives.
func (l *life) begin() error {
	s, err := l.open()
	if err != nil {
		return err
	}
	l.s = s
	raw, err := s.Get(row.LeaseEpoch)
	if err != nil {
		return err
	}
	epoch := uint64(1)
	if raw != nil {
		epoch = binary.BigEndian.Uint64(raw) + 1
	}
	b := new(store.Batch)
	b.Put(row.LeaseEpoch, binary.BigEndian.AppendUint64(nil, epoch))
	if _, err := s.Commit(context.Background(), b); err != nil {
		return err
	}
	o := l.o
	l.d, err = teardown.New(teardown.Config{Store: s, Now: l.now, Commit: fenced(s, epoch),
		Finalizer: func(ty, name string) (teardown.Finalizer, bool) { return teardown.Finalizer{Do: o.do}, true }})
	if err != nil {
		return err
	}
	l.closing, l.ended = make(chan struct{}), make(chan struct{})
	d, closing, ended := l.d, l.closing, l.ended
	go func() { defer close(ended); d.Run(closing) }()
	return nil
}

// halt ends the driver and closes the store.
func (l *life) halt() error {
	if l.d != nil {
		close(l.closing)
		<-l.ended
		l.d = nil
	}
	if l.s == nil {
		return nil
	}
	s := l.s
	l.s = nil
	if s.Health().State == store.Failed {
		_ = s.Close()
		return errCut
	}
	return s.Close()
}

// pass lets time go by: a jump of the wall clock, and the seconds in which the
// driver finds out.
func (l *life) pass(d time.Duration) error {
	l.mu.Lock()
	l.skew += d
	l.mu.Unlock()
	time.Sleep(1100 * time.Millisecond)
	synctest.Wait()
	select {
	case <-l.ended:
		return errCut
	default:
		return nil
	}
}

// owe ends a run that holds a resource, unless that has happened.
func (l *life) owe(id string) error {
	if l.o.is(l.o.owed, id) {
		return nil
	}
	if l.is(id) == "nothing" && (l.o.is(l.o.held, id) || l.o.released[id] == 0) {
		l.o.set(l.o.held, id)
		b := new(store.Batch)
		teardown.PutState(b, ref(id), row.State{Type: typ, Finalizer: fin, Payload: []byte(`"` + id + `"`)})
		t := teardown.Owe(b, teardown.Debt{Ref: ref(id), Type: typ, Finalizer: fin}, flow.InstantOf(l.now()))
		if res, err := l.s.Commit(context.Background(), b); err != nil || !res.Applied {
			return errCut
		}
		l.d.Added(t)
	}
	l.o.set(l.o.owed, id)
	return l.pass(0)
}

// is says how the teardown of a run stands in the store.
func (l *life) is(id string) string {
	for key, what := range map[string]string{string(row.ClaimKey(ref(id))): "owed", string(row.DeadKey(ref(id))): "dead"} {
		raw, err := l.s.Get([]byte(key))
		if err != nil {
			return err.Error()
		}
		if raw != nil {
			return what
		}
	}
	return "nothing"
}

// run is the script. It goes on from wherever the world and the store are.
func (l *life) run() error {
	if err := l.owe("fails twice"); err != nil {
		return err
	}
	for range 2 {
		if err := l.pass(time.Hour); err != nil {
			return err
		}
	}
	l.o.mu.Lock()
	l.o.hang = !l.o.owed["broken"]
	l.o.broken["broken"] = l.o.broken["broken"] || !l.o.owed["broken"]
	l.o.mu.Unlock()
	if err := l.owe("broken"); err != nil { // its first attempt is called off
		return err
	}
	if err := l.halt(); err != nil {
		return err
	}
	l.o.mu.Lock()
	l.o.hang = false
	l.o.mu.Unlock()
	if err := l.begin(); err != nil {
		return err
	}
	for n := 0; l.is("broken") == "owed" && l.o.is(l.o.broken, "broken"); n++ {
		if n > 20 {
			l.Fatalf("no dead letter after %d attempts", l.o.attempts["broken"])
		}
		if err := l.pass(2 * time.Hour); err != nil {
			return err
		}
	}
	return l.redrive("broken")
}

// redrive mends what was broken once the letter is there, and redrives.
func (l *life) redrive(id string) error {
	if l.is(id) == "dead" {
		l.o.mu.Lock()
		l.o.letters[id], l.o.broken[id] = true, false
		l.o.mu.Unlock()
		if _, err := l.d.Redrive(ref(id), teardown.Given{}, func(*store.Batch, string) {}); err != nil {
			return errCut
		}
	}
	l.o.set(l.o.redriven, id)
	for n := 0; l.is("broken")+l.is("fails twice") != "nothingnothing"; n++ {
		if n > 20 {
			l.Fatalf("broken: %s, fails twice: %s, in the end", l.is("broken"), l.is("fails twice"))
		}
		if err := l.pass(2 * time.Hour); err != nil {
			return err
		}
	}
	return l.halt()
}

// holds checks what must be true at every instant: the rows fit together, and
// whatever is not released is owed or in a letter.
func (l *life) holds(when string) {
	l.Helper()
	snap, err := l.s.Snapshot() // the driver is at work
	if err != nil {
		l.Fatal(err)
	}
	defer snap.Close()
	fits(l, snap, when+": ")
	for _, id := range []string{"fails twice", "broken"} {
		is := l.is(id)
		if l.o.is(l.o.owed, id) && l.o.is(l.o.held, id) && is == "nothing" {
			l.Errorf("%s: %s holds its resource and owes nothing", when, id)
		}
		if l.o.is(l.o.letters, id) && !l.o.is(l.o.redriven, id) && l.o.is(l.o.held, id) && is == "nothing" {
			l.Errorf("%s: the letter of %s is lost", when, id)
		}
		if l.o.is(l.o.broken, id) && l.o.released[id] > 0 {
			l.Errorf("%s: %s was released", when, id)
		}
	}
}

// over checks the end of a life that was cut so often.
func (l *life) over(when string, cuts int) {
	l.Helper()
	for _, id := range []string{"fails twice", "broken"} {
		if l.o.held[id] || l.o.released[id] != 1 {
			l.Errorf("%s: %s is held: %t, released %d times", when, id, l.o.held[id], l.o.released[id])
		}
	}
	// Eight that fail, one called off, one that succeeds. A start that was cut
	// before its call counts as one that failed; one cut after it is made again.
	a, b, none := l.o.attempts["fails twice"], l.o.attempts["broken"], min(cuts, 1)
	if a < 3 || a > 3+cuts || b < 10-none-cuts || b > 10+cuts {
		l.Errorf("%s: %d and %d attempts", when, a, b)
	}
}
