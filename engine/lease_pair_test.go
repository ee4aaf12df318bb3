package engine_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine"
	"weft/engine/check"
	"weft/engine/row"
	"weft/flow"
	"weft/store"
	"weft/store/memory"
)

// pair is two engines, one after the other, on one open store. The first sees
// it through a stalling store.
type pair struct {
	*testing.T
	s             *memory.Store
	stall         *stalling
	first, second *engine.Engine
}

// leaseOf is what both engines agree on: two seconds.
func leaseOf(o engine.Options) engine.Options {
	o.LeaseTTL, o.LeaseRenew, o.LeasePoll = 2*time.Second, 500*time.Millisecond, 100*time.Millisecond
	return o
}

// inPair opens the first engine in a bubble and runs f. At the end both are
// closed, no goroutine may be left, and the rows must fit together.
func inPair(t *testing.T, o engine.Options, f func(p *pair)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := &pair{T: t, s: memory.New(memory.Options{})}
		p.stall = &stalling{Store: p.s}
		o.Holder = "first"
		p.first = p.open(p.stall, o)
		f(p)
		p.stall.heal()
		time.Sleep(time.Second) // a first one that was deposed finds out at its next renewal
		p.close(p.first)
		p.close(p.second)
		if left := goroutines(); len(left) > 0 {
			t.Errorf("%d goroutines left:\n%s", len(left), strings.Join(left, "\n\n"))
		}
		p.check()
	})
}

func (p *pair) open(s store.Store, o engine.Options) *engine.Engine {
	p.Helper()
	e, err := engine.Open(context.Background(), s, leaseOf(o))
	if err != nil {
		p.Fatalf("open: %v", err)
	}
	return e
}

func (p *pair) close(e *engine.Engine) {
	p.Helper()
	if e == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := e.Close(ctx); err != nil {
		p.Errorf("close: %v", err)
	}
}

func (p *pair) check() {
	p.Helper()
	snap, err := p.s.Snapshot()
	if err != nil {
		p.Fatal(err)
	}
	defer snap.Close()
	findings, err := check.Run(snap)
	if err != nil {
		p.Error(err)
	}
	for _, f := range findings {
		p.Errorf("check: %s", f)
	}
}

// rows is the whole store but for the row that the owner renews.
func (p *pair) rows() map[string]string {
	p.Helper()
	all := (&rig{TB: p.T, store: p.s}).rows()
	delete(all, string(row.LeaseHolder))
	return all
}

// takeOver opens the second engine, which waits for the first one's lease to
// expire.
func (p *pair) takeOver(o engine.Options) {
	p.Helper()
	began := time.Now()
	o.Holder = "second"
	p.second = p.open(p.s, o)
	if took := time.Since(began); took > 2*time.Second+2*100*time.Millisecond {
		p.Errorf("the take-over took %v", took)
	}
	if l := leaseAt(p.T, p.second); l.Epoch != 2 || l.State != flow.LeaseHeld || l.History[1].Ended != "expired" {
		p.Errorf("the second engine's lease: %+v", l)
	}
}

func leaseAt(t *testing.T, e *engine.Engine) flow.Lease {
	t.Helper()
	info, err := e.Operator().Info(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return info.Lease
}

// isDeposed demands that the first engine has found out and has halted.
func (p *pair) isDeposed() {
	p.Helper()
	synctest.Wait()
	select {
	case <-p.first.Halted():
	default:
		p.Fatal("the first engine has not halted")
	}
	if err := p.first.Err(); !errors.Is(err, flow.ErrDeposed) {
		p.Errorf("the first engine ended by %v", err)
	}
	now := leaseAt(p.T, p.second)
	if l := leaseAt(p.T, p.first); l.State != flow.LeaseDeposed || l.Mine || l.Lost != now.Epoch-1 || l.Epoch != now.Epoch || l.Holder != now.Holder {
		p.Errorf("the first engine's lease: %+v, the second one's: %+v", l, now)
	}
}

// stalling is a store whose commits can be made to hang. It
// remembers what came through after a stall.
type stalling struct {
	store.Store
	mu     sync.Mutex
	held   chan struct{}
	after  bool // a stall has begun
	passed []string
	kinds  map[string]int // refused batches by what they would write
}

func (s *stalling) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held, s.after, s.kinds, s.passed = make(chan struct{}), true, map[string]int{}, nil
}

func (s *stalling) heal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held != nil {
		close(s.held)
		s.held = nil
	}
}

// Commit implements [store.Store].
func (s *stalling) Commit(ctx context.Context, b *store.Batch) (store.Result, error) {
	s.mu.Lock()
	held, after := s.held, s.after
	s.mu.Unlock()
	if held != nil {
		<-held
	}
	res, err := s.Store.Commit(ctx, b)
	s.mu.Lock()
	defer s.mu.Unlock()
	if after {
		if kind := kindOf(b); err == nil && res.Applied {
			s.passed = append(s.passed, kind)
		} else {
			s.kinds[kind]++
		}
	}
	return res, err
}

// kindOf names a batch by the families of the rows it writes.
func kindOf(b *store.Batch) string {
	var parts []string
	for _, w := range b.Writes {
		family, _, _ := strings.Cut(string(w.Key), ":")
		if family == "lease" {
			family = string(w.Key)
		}
		part := map[store.Op]string{store.OpPut: "+", store.OpDelete: "-", store.OpDeleteRange: "--"}[w.Op] + family
		if !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	slices.Sort(parts)
	return strings.Join(parts, " ")
}

// nothingPassed demands that nothing of the first engine came through, and that
// batches of these kinds were refused.
func (p *pair) nothingPassed(kinds ...string) {
	p.Helper()
	p.stall.mu.Lock()
	defer p.stall.mu.Unlock()
	if len(p.stall.passed) > 0 {
		p.Errorf("writes of the deposed engine came through: %q", p.stall.passed)
	}
	for _, want := range kinds {
		if p.stall.kinds[want] == 0 {
			p.Errorf("no batch %q was refused, only %v: the test did not bring it about", want, p.stall.kinds)
		}
	}
}
