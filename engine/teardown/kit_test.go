package teardown_test

import (
	"context"
	"encoding/binary"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine/row"
	"weft/engine/teardown"
	"weft/flow"
	"weft/store"
	"weft/store/memory"
)

// env is a driver on a memory store in a bubble of virtual time.
type env struct {
	*testing.T
	s *memory.Store
	w *world
	// epoch is the fence of the driver's commits.
	epoch   uint64
	d       *teardown.Driver
	c       teardown.Config
	closing chan struct{}
	ended   chan struct{}
	start   time.Time
	// skew is how far the wall clock is off.
	mu       sync.Mutex
	skew     time.Duration
	notices  []flow.Notice
	problems []string
	// wrong says that the test damaged the store: no check at the end.
	wrong bool
}

// bubble runs f with a driver that is open. At the end it closes it and checks
// the rows.
func bubble(t *testing.T, w *world, f func(*env)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		v := newEnv(t, w, memory.New(memory.Options{Exclusive: true}))
		v.open()
		f(v)
		v.close()
		v.check()
		v.s.Close()
	})
}

func newEnv(t *testing.T, w *world, s *memory.Store) *env {
	return &env{T: t, s: s, w: w, start: time.Now(), c: teardown.Config{
		Finalizer: func(ty, name string) (teardown.Finalizer, bool) {
			return teardown.Finalizer{Do: w.do}, ty == typ && name == fin
		},
	}}
}

func (v *env) now() time.Time {
	v.mu.Lock()
	defer v.mu.Unlock()
	return time.Now().Add(v.skew)
}

func (v *env) step(d time.Duration) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.skew += d
}

// fenced is the engine's fenced commit: it adds the epoch.
func fenced(s store.Store, epoch uint64) func(*store.Batch) (bool, error) {
	raw := binary.BigEndian.AppendUint64(nil, epoch)
	return func(b *store.Batch) (bool, error) {
		n := len(b.Conditions)
		b.Expect(row.LeaseEpoch, raw, 0)
		res, err := s.Commit(context.Background(), b)
		b.Conditions = b.Conditions[:n]
		if err != nil || res.Applied {
			return res.Applied, err
		}
		if now, err := s.Get(row.LeaseEpoch); err != nil || string(now) != string(raw) {
			return false, flow.ErrDeposed
		}
		return false, nil
	}
}

// open takes the lease and starts a driver.
func (v *env) open() {
	v.Helper()
	v.epoch++
	b := new(store.Batch)
	b.Put(row.LeaseEpoch, binary.BigEndian.AppendUint64(nil, v.epoch))
	if _, err := v.s.Commit(context.Background(), b); err != nil {
		v.Fatal(err)
	}
	c := v.c
	c.Store, c.Now = v.s, v.now
	if c.Commit == nil {
		c.Commit = fenced(v.s, v.epoch)
	}
	c.Notify = func(n flow.Notice) { v.mu.Lock(); v.notices = append(v.notices, n); v.mu.Unlock() }
	c.Problem = func(text, _ string) { v.mu.Lock(); v.problems = append(v.problems, text); v.mu.Unlock() }
	d, err := teardown.New(c)
	if err != nil {
		v.Fatal(err)
	}
	v.d, v.closing, v.ended = d, make(chan struct{}), make(chan struct{})
	closing, ended := v.closing, v.ended
	go func() { defer close(ended); d.Run(closing) }()
}

// close closes the driver cleanly.
func (v *env) close() {
	v.Helper()
	if v.d == nil {
		return
	}
	close(v.closing)
	<-v.ended
	v.d = nil
}

// die ends the process: nothing of it is written any more. The data is open
// again, without a driver.
func (v *env) die() {
	v.Helper()
	v.s = v.s.Crash()
	v.close()
}

func (v *env) crash() {
	v.Helper()
	v.die()
	v.open()
}

// wait lets time pass until everything rests.
func (v *env) wait(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// long lets days pass, in jumps of the wall clock that the driver follows.
func (v *env) long() {
	for range 12 {
		v.step(2 * time.Hour)
		v.wait(2 * time.Second)
	}
}

// owe ends a run that recorded state: a resource is held from now on.
func (v *env) owe(id string) {
	v.Helper()
	v.w.hold(id)
	t := v.put(id, typ, fin)
	if v.d != nil {
		v.d.Added(t)
	}
	synctest.Wait()
}

func (v *env) put(id, ty, name string) row.Teardown {
	v.Helper()
	b := new(store.Batch)
	teardown.PutState(b, ref(id), row.State{Type: ty, Finalizer: name, Payload: []byte(`"vm-` + id + `"`)})
	t := teardown.Owe(b, teardown.Debt{Ref: ref(id), Type: ty, Finalizer: name}, flow.InstantOf(v.now()))
	v.commit(b)
	return t
}

func (v *env) commit(b *store.Batch) {
	v.Helper()
	if res, err := v.s.Commit(context.Background(), b); err != nil || !res.Applied {
		v.Fatalf("commit: %v, %v", res, err)
	}
}

// claim is the stored claim; the zero Claim when nothing is owed.
func (v *env) claim(id string) flow.Claim {
	v.Helper()
	raw := v.get(row.ClaimKey(ref(id)))
	if raw == nil {
		return flow.Claim{}
	}
	c, err := row.DecodeClaim(raw)
	if err != nil {
		v.Fatal(err)
	}
	return c
}

func (v *env) letter(id string) (row.Letter, bool) {
	v.Helper()
	raw := v.get(row.DeadKey(ref(id)))
	if raw == nil {
		return row.Letter{}, false
	}
	l, err := row.DecodeLetter(raw)
	if err != nil {
		v.Fatal(err)
	}
	return l, true
}

func (v *env) get(key []byte) []byte {
	v.Helper()
	raw, err := v.s.Get(key)
	if err != nil {
		v.Fatal(err)
	}
	return raw
}

// rows counts the rows of a family.
func (v *env) rows(family string) (n int) {
	v.Helper()
	for _, err := range v.s.Scan(store.Prefix([]byte(family))) {
		if err != nil {
			v.Fatal(err)
		}
		n++
	}
	return n
}

// check demands that the rows fit together.
func (v *env) check() {
	v.Helper()
	if !v.wrong {
		fits(v, v.s, "")
	}
}

func fits(t testing.TB, r store.Reader, when string) {
	t.Helper()
	found, err := teardown.Check(r)
	if err != nil {
		t.Errorf("%scheck: %v", when, err)
	}
	for _, f := range found {
		t.Errorf("%scheck: %s: %s", when, f.Key, f.Text)
	}
}

// counts demands numbers of claims and letters.
func (v *env) counts(owed, dead int64) {
	v.Helper()
	o, d, err := teardown.Counts(v.s)
	if err != nil || o != owed || d != dead {
		v.Errorf("%d owed, %d dead, %v; want %d, %d", o, d, err, owed, dead)
	}
}

// done demands that nothing is owed and the resource is released.
func (v *env) done(id string, attempts int) {
	v.Helper()
	if v.w.holds(id) {
		v.Errorf("the resource of %s is still held", id)
	}
	v.attempted(id, attempts)
	for what, key := range map[string][]byte{"claim": row.ClaimKey(ref(id)), "state": row.StateKey(ref(id)), "letter": row.DeadKey(ref(id))} {
		if v.get(key) != nil {
			v.Errorf("%s still has a %s", id, what)
		}
	}
}

func (v *env) attempted(id string, attempts int) {
	v.Helper()
	if n := v.w.attempts(id); n != attempts {
		v.Errorf("%d attempts for %s, want %d", n, id, attempts)
	}
}

// told reports whether a notice of the kind contains text.
func (v *env) told(kind flow.NoticeKind, text string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, n := range v.notices {
		if n.Kind == kind && strings.Contains(n.Text, text) {
			return true
		}
	}
	return false
}

func (v *env) problem(text string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, p := range v.problems {
		if strings.Contains(p, text) {
			return true
		}
	}
	return false
}

// commits counts commits from now on.
func (v *env) commits() func() uint64 {
	s, before := v.s, v.s.Health().Batches
	return func() uint64 { return s.Health().Batches - before }
}

// audit collects the texts of audit records, and writes them as the engine
// would.
type audits struct {
	texts []string
	n     uint64
}

func (a *audits) put(b *store.Batch, text string) {
	a.n++
	a.texts = append(a.texts, text)
	b.Put(row.AuditKey(a.n), row.EncodeAudit(flow.Audit{Number: a.n, Text: text}))
}
