package engine_test

import (
	"context"
	"errors"
	"flag"
	"math/rand/v2"
	"runtime"
	"strings"
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

var seedFlag = flag.Uint64("seed", 0, "seed of randomised engine tests; 0 chooses one")

// dice is a random source whose seed is printed when the test fails.
func dice(t *testing.T) *rand.Rand {
	t.Helper()
	seed := *seedFlag
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("run again with -seed %d", seed)
		}
	})
	return rand.New(rand.NewPCG(seed, 1))
}

// env is an engine on a memory store in a bubble of virtual time.
type env struct {
	*testing.T
	ctx  context.Context
	s    *memory.Store
	e    *engine.Engine
	opts engine.Options
	// late, when set, holds back the answers of commits: see lateStore.
	late *lateStore
	// dirty says that the test damaged the store: no check at the end.
	dirty bool
}

// bubble runs f with an open engine. At the end it closes the engine, checks
// that the rows fit together and that no goroutine is left.
func bubble(t *testing.T, o engine.Options, f func(*env)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		v := &env{T: t, ctx: t.Context(), s: memory.New(memory.Options{Exclusive: true}), opts: o}
		v.open()
		f(v)
		v.end()
	})
}

// lateStore answers commits late, each by a random time, as a store does whose
// groups are synced while callers wait: what one caller did may be seen, and
// built upon, by another before the first one hears of it.
type lateStore struct {
	*memory.Store
	mu   sync.Mutex
	dice *rand.Rand
	most time.Duration
}

// Commit implements [store.Store].
func (s *lateStore) Commit(ctx context.Context, b *store.Batch) (store.Result, error) {
	res, err := s.Store.Commit(ctx, b)
	s.mu.Lock()
	d := time.Duration(s.dice.Int64N(int64(s.most)))
	s.mu.Unlock()
	time.Sleep(d)
	return res, err
}

// lateBubble is bubble on a lateStore.
func lateBubble(t *testing.T, o engine.Options, f func(*env)) {
	t.Helper()
	dice := dice(t)
	synctest.Test(t, func(t *testing.T) {
		v := &env{T: t, ctx: t.Context(), s: memory.New(memory.Options{Exclusive: true}), opts: o,
			late: &lateStore{dice: dice, most: 4 * time.Millisecond}}
		v.open()
		f(v)
		v.end()
	})
}

// end closes what is open and judges what is left.
func (v *env) end() {
	v.Helper()
	v.close()
	v.check()
	if left := goroutines(); len(left) > 0 {
		v.Errorf("%d goroutines left:\n%s", len(left), strings.Join(left, "\n\n"))
	}
	v.s.Close()
}

func (v *env) open() {
	v.Helper()
	if v.opts.LeaseTTL == 0 {
		v.opts.LeaseTTL = 100 * 365 * 24 * time.Hour // no renewals among the commits that tests count
		v.opts.LeaseRenew = v.opts.LeaseTTL / 3
	}
	if v.opts.ClockEvery == 0 && v.opts.Now == nil { // no clock that jumps, and days go by in many tests
		v.opts.ClockEvery = time.Minute
	}
	var s store.Store = v.s
	if v.late != nil {
		v.late.Store = v.s
		s = v.late
	}
	e, err := engine.Open(v.ctx, s, v.opts)
	if err != nil {
		v.Fatalf("open: %v", err)
	}
	v.e = e
}

// close closes the engine cleanly, unless the test did.
func (v *env) close() {
	v.Helper()
	if v.e == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := v.e.Close(ctx); err != nil {
		v.Errorf("close: %v", err)
	}
	v.e = nil
	synctest.Wait()
}

// restart closes the engine and opens the store's data anew.
func (v *env) restart() {
	v.Helper()
	v.close()
	v.check()
	v.reopen()
	v.open()
}

func (v *env) reopen() {
	v.Helper()
	v.s.Close()
	s, err := v.s.Reopen()
	if err != nil {
		v.Fatalf("reopen: %v", err)
	}
	v.s = s
}

// die ends the process, so to speak: what was not durable is gone. The data is
// open again, without an engine.
func (v *env) die() {
	v.Helper()
	old := v.e
	v.s = v.s.Crash()
	v.e = nil
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	old.Close(ctx)
	synctest.Wait()
}

// crash ends the process and starts another.
func (v *env) crash() {
	v.Helper()
	v.die()
	v.check()
	v.open()
}

func (v *env) check() {
	v.Helper()
	if v.dirty {
		return
	}
	snap, err := v.s.Snapshot()
	if err != nil {
		v.Fatalf("snapshot: %v", err)
	}
	defer snap.Close()
	findings, err := check.Run(snap)
	if err != nil {
		v.Errorf("check: %v", err)
	}
	for _, f := range findings {
		v.Errorf("check: %s", f)
	}
}

// rows counts the rows of a family.
func (v *env) rows(family string) (n int) {
	v.Helper()
	for _, err := range v.s.Scan(store.Prefix([]byte(family))) {
		if err != nil {
			v.Fatalf("scan %s: %v", family, err)
		}
		n++
	}
	return n
}

// commits counts commits from now on.
func (v *env) commits() func() uint64 {
	before := v.s.Health().Batches
	return func() uint64 { return v.s.Health().Batches - before }
}

// goroutines are the stacks of the other goroutines of this bubble.
func goroutines() []string {
	synctest.Wait()
	all := strings.Split(stacks(), "\n\n")
	_, rest, _ := strings.Cut(all[0], "synctest bubble ")
	number, _, _ := strings.Cut(rest, "]")
	var out []string
	for _, g := range all[1:] {
		head, _, _ := strings.Cut(g, "\n")
		if strings.Contains(head, "synctest bubble "+number+"]") && !strings.Contains(head, "[synctest.Run") &&
			!strings.Contains(g, "synctest.testingSynctestTest") {
			out = append(out, g)
		}
	}
	return out
}

// stacks are those of all goroutines, this one first.
func stacks() string {
	for size := 64 << 10; ; size *= 4 {
		buf := make([]byte, size)
		if n := runtime.Stack(buf, true); n < size {
			return string(buf[:n])
		}
	}
}

// begin starts a run under an id.
func begin[I, O any](v *env, w engine.Workflow[I, O], id flow.WorkflowID, in I) engine.Run[O] {
	v.Helper()
	run, err := w.Start(v.ctx, v.e, in, engine.StartOptions{ID: id})
	if err != nil {
		v.Fatalf("start %s: %v", id, err)
	}
	return run
}

// ending waits for the result of the run that has the id, for at most a day.
func ending[O any](v *env, id flow.WorkflowID) (O, error) {
	v.Helper()
	ctx, cancel := context.WithTimeout(v.ctx, 24*time.Hour)
	defer cancel()
	run, err := engine.Handle[O](v.e, id)
	if err != nil {
		v.Fatalf("handle of %s: %v", id, err)
	}
	return run.Result(ctx)
}

// wants demands a result.
func wants[O comparable](v *env, id flow.WorkflowID, wanted O) {
	v.Helper()
	got, err := ending[O](v, id)
	if err != nil || got != wanted {
		v.Errorf("result of %s: %v, %v; want %v", id, got, err, wanted)
	}
}

// sends sends a signal.
func sends[T any](v *env, sig engine.Signal[T], id flow.WorkflowID, payload T) {
	v.Helper()
	if err := sig.Send(v.ctx, v.e, id, payload); err != nil {
		v.Fatalf("send %s to %s: %v", sig.Name, id, err)
	}
}

// info is the engine's account of itself.
func (v *env) info() flow.Info {
	v.Helper()
	info, err := v.e.Operator().Info(v.ctx)
	if err != nil {
		v.Fatalf("info: %v", err)
	}
	return info
}

// detail is the operator's account of a run.
func (v *env) detail(id flow.WorkflowID, part flow.Part) flow.Detail {
	v.Helper()
	d, err := v.e.Operator().Detail(v.ctx, flow.Ref{ID: id}, part)
	if err != nil {
		v.Fatalf("detail of %s: %v", id, err)
	}
	return d
}

// problem reports whether the engine lists a problem that contains text.
func (v *env) problem(text string) bool {
	v.Helper()
	for _, p := range v.info().Problems {
		if strings.Contains(p.Text, text) {
			return true
		}
	}
	return false
}

// failureIn is the recorded failure in err, or fails the test.
func failureIn(v *env, err error) *flow.Failure {
	v.Helper()
	var f *flow.Failure
	if !errors.As(err, &f) {
		v.Fatalf("error %v (%T) holds no recorded failure", err, err)
	}
	return f
}

// flowOf is a workflow of one name for tests: every test registers its own.
func flowOf[I, O any](do func(*engine.Context, I) (O, error)) engine.Workflow[I, O] {
	return engine.Workflow[I, O]{Name: "w", Do: do}
}

// typed are options that register workflows.
func typed(defs ...engine.Definition) engine.Options { return engine.Options{Workflows: defs} }

// dice is a random duration below most. Only for tests in a lateBubble.
func (v *env) dice(most time.Duration) time.Duration {
	v.late.mu.Lock()
	defer v.late.mu.Unlock()
	return time.Duration(v.late.dice.Int64N(int64(most)))
}

// notes is a list that many goroutines write.
type notes[T any] struct {
	mu   sync.Mutex
	list []T
}

func (n *notes[T]) add(v T) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.list = append(n.list, v)
}

func (n *notes[T]) all() []T {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]T(nil), n.list...)
}

func (n *notes[T]) len() int { return len(n.all()) }

// forget drops what was added after the first so many.
func (n *notes[T]) forget(after int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.list = n.list[:after]
}
