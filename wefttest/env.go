package wefttest

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine"
	"weft/engine/check"
	"weft/flow"
	"weft/store"
	"weft/store/memory"
)

// Options configures a [Test]. The zero value runs nothing but is sound.
type Options struct {
	// Workflows are the types that the test runs, those of children included.
	Workflows []engine.Definition
	// OnlyMocks makes the call of an activity that has no mock a failure of the
	// test. Otherwise its own function is called.
	OnlyMocks bool
	// Limit is how long, in virtual time, [Run.Result] waits before it fails the
	// test. Zero means 400 days.
	Limit time.Duration
	// Log receives what workflow code logs, once a line. Nil drops it.
	Log slog.Handler
	// Engine has further options; Workflows, Log and, unless it is set, the lease
	// times in it are replaced.
	Engine engine.Options
}

// Env is what a test runs in. Its methods may be called from any goroutine of
// the test's bubble.
type Env struct {
	*testing.T
	o     Options
	over  chan struct{} // closed when the test's function is through
	turn  chan struct{} // taken by who replaces the process; a channel, so that time goes on for who waits
	guard sync.WaitGroup

	mu     sync.Mutex
	now    *process
	mortal bool // a crash was ordered
	deaths int
	mocks  map[string]mock
	runs   []flow.WorkflowID
	names  int
	hooks  []func(*store.Batch)
}

// process is one life of the program under test.
type process struct {
	store *memory.Store
	eng   *engine.Engine
	gone  chan struct{} // closed when the next one is there
}

// farAway makes the lease outlast every test: renewals would be commits of their
// own, and many of them.
const farAway = 100 * 365 * 24 * time.Hour

// Test runs f with an open engine on an empty store in memory, in virtual time.
// When f has returned, the engine is closed and its store is checked.
func Test(t *testing.T, o Options, f func(*Env)) {
	t.Helper()
	if o.Limit == 0 {
		o.Limit = 400 * 24 * time.Hour
	}
	synctest.Test(t, func(t *testing.T) {
		t.Helper()
		v := &Env{T: t, o: o, over: make(chan struct{}), turn: make(chan struct{}, 1), mocks: map[string]mock{}}
		v.now = v.open(memory.New(memory.Options{Exclusive: true}))
		v.guard.Go(v.watch)
		defer v.end()
		f(v)
	})
}

// open opens an engine on s.
func (v *Env) open(s *memory.Store) *process {
	o := v.o.Engine
	o.Workflows, o.Log = v.o.Workflows, v.o.Log
	if o.LeaseTTL == 0 {
		o.LeaseTTL, o.LeaseRenew = farAway, farAway/3
	}
	if o.ClockEvery == 0 {
		o.ClockEvery = 24 * time.Hour
	}
	next := o.InterceptActivity
	o.InterceptActivity = func(ctx context.Context, c engine.ActivityCall) (flow.Payload, error) {
		return v.call(ctx, c, next)
	}
	s.SetHook(v.hook)
	e, err := engine.Open(context.Background(), s, o)
	if err != nil {
		v.Fatalf("open the engine: %v", err)
	}
	return &process{store: s, eng: e, gone: make(chan struct{})}
}

// Engine is the open engine. After a crash it is another one.
func (v *Env) Engine() *engine.Engine { return v.process().eng }

func (v *Env) process() *process {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.now
}

// end closes what is open, looks at what is left, and reports.
func (v *Env) end() {
	v.Helper()
	close(v.over)
	v.turn <- struct{}{} // nobody replaces the process any more
	v.guard.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if v.Failed() {
		v.report()
	}
	p := v.process()
	if err := p.eng.Close(ctx); err != nil && !v.isMortal() {
		v.Errorf("close the engine: %v", err)
	}
	findings, err := check.Run(p.store)
	if err != nil {
		v.Errorf("check the store: %v", err)
	}
	for _, f := range findings {
		v.Errorf("check the store: %s", f)
	}
	p.store.Close()
}

// Advance lets d pass, and then everything happen that is due by then.
func (v *Env) Advance(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// At calls f after d, in a goroutine of its own, unless the test is over by then.
func (v *Env) At(d time.Duration, f func()) {
	v.guard.Go(func() {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			f()
		case <-v.over:
		}
	})
}

// name makes up an id.
func (v *Env) name(what string) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.names++
	return fmt.Sprintf("%s-%d", what, v.names)
}

// try calls f on the engine; if its process dies meanwhile, again on the next.
// f is told how often it has been called before.
func try(v *Env, f func(e *engine.Engine, again int) error) error {
	v.Helper()
	for again := 0; ; again++ {
		p := v.process()
		err := f(p.eng, again)
		if err == nil || p.eng.Err() == nil || !v.isMortal() {
			return err
		}
		select {
		case <-p.gone:
		case <-v.over:
			return err
		}
	}
}
