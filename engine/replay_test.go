package engine_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"strconv"
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

// rig is one store that outlives engines: it opens them, closes them, and lets
// their process die. Everything happens in a synctest bubble.
type rig struct {
	testing.TB
	store store.Store
	mem   *memory.Store      // the store, unless it is another; for faults
	next  func() store.Store // else what opens after the process died
	eng   *engine.Engine
	opts  engine.Options
}

// inRig runs f in a bubble with an empty store, and looks at the store at the
// end: whatever happened, its rows fit together.
func inRig(t *testing.T, f func(r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := &rig{TB: t, mem: memory.New(memory.Options{Exclusive: true})}
		r.store = r.mem
		defer r.over()
		f(r)
	})
}

// over looks at what is left.
func (r *rig) over() {
	r.Helper()
	r.leave()
	r.sound()
	r.store.Close()
}

// open opens an engine that runs the given workflows.
func (r *rig) open(defs ...engine.Definition) *engine.Engine {
	r.Helper()
	e, err := r.tryOpen(defs...)
	if err != nil {
		r.Fatalf("open: %v", err)
	}
	return e
}

func (r *rig) tryOpen(defs ...engine.Definition) (*engine.Engine, error) {
	o := r.opts
	o.Workflows = defs
	if o.ClockEvery == 0 && o.Now == nil { // as in env.open
		o.ClockEvery = time.Minute
	}
	e, err := engine.Open(context.Background(), r.store, o)
	if err == nil {
		r.eng = e
	}
	return e, err
}

// leave closes the engine, if there is one, cleanly.
func (r *rig) leave() {
	r.Helper()
	if r.eng == nil {
		return
	}
	halted := r.eng.Err()
	if err := r.eng.Close(context.Background()); err != nil && halted == nil {
		r.Errorf("close: %v", err)
	}
	r.eng = nil
}

// die lets the process that holds the store end at this instant.
func (r *rig) die() {
	r.Helper()
	old := r.store
	if r.mem != nil {
		r.mem = r.mem.Crash()
		r.store = r.mem
	}
	if r.eng != nil {
		gone, cancel := context.WithCancel(context.Background())
		cancel()
		_ = r.eng.Close(gone) // what is left of it finds a dead store
		r.eng = nil
	}
	if r.mem == nil {
		_ = old.Close()
		r.store = r.next()
	}
	r.sound()
}

// sound demands that the rows of the store fit together.
func (r *rig) sound() {
	r.Helper()
	findings, err := check.Run(r.store)
	if err != nil {
		r.Errorf("check: %v", err)
	}
	for _, f := range findings {
		r.Errorf("check: %s", f)
	}
}

// settle lets everything that can happen now happen.
func (r *rig) settle() { synctest.Wait() }

// head is the stored head of a run.
func (r *rig) head(id flow.WorkflowID) row.Head {
	r.Helper()
	raw, err := r.store.Get(row.HeadKey(id))
	if err != nil || raw == nil {
		r.Fatalf("head of %s: %q, %v", id, raw, err)
	}
	h, err := row.DecodeHead(raw)
	if err != nil {
		r.Fatalf("head of %s: %v", id, err)
	}
	return h
}

func (r *rig) ref(id flow.WorkflowID) flow.Ref { return flow.Ref{ID: id, Run: r.head(id).Run} }

// journal is what a run has recorded, in order.
func (r *rig) journal(id flow.WorkflowID) []flow.Event {
	r.Helper()
	var out []flow.Event
	for kv, err := range r.store.Scan(store.Prefix(row.EventPrefix(r.ref(id)))) {
		if err != nil {
			r.Fatalf("journal of %s: %v", id, err)
		}
		_, seq, _ := row.ParseEvent(kv.Key)
		ev, err := row.DecodeEvent(seq, kv.Value)
		if err != nil {
			r.Fatalf("journal of %s: %v", id, err)
		}
		out = append(out, ev)
	}
	return out
}

// steps are the recorded steps of a run, as "path kind name".
func (r *rig) steps(id flow.WorkflowID) []string {
	r.Helper()
	var out []string
	for _, ev := range r.journal(id) {
		if ev.Kind == flow.EventStep {
			out = append(out, fmt.Sprintf("%s %s %s", ev.Step, ev.StepKind, ev.Name))
		}
	}
	return out
}

// rows are the rows whose key begins with one of the prefixes; all when none is
// given.
func (r *rig) rows(prefixes ...[]byte) map[string]string {
	r.Helper()
	out := map[string]string{}
	if len(prefixes) == 0 {
		prefixes = [][]byte{nil}
	}
	for _, p := range prefixes {
		for kv, err := range r.store.Scan(store.Range{From: p, To: store.PrefixEnd(p)}) {
			if err != nil {
				r.Fatalf("dump: %v", err)
			}
			out[string(kv.Key)] = string(kv.Value)
		}
	}
	return out
}

// rowsOf are all rows of one run.
func (r *rig) rowsOf(id flow.WorkflowID) map[string]string {
	r.Helper()
	ref := r.ref(id)
	out := r.rows(row.EventPrefix(ref), row.WaitPrefix(ref), row.SignalPrefix(ref), row.ReadyKey(ref), row.HeadKey(id))
	for k, v := range r.rows([]byte(row.FamilyTimer)) {
		if bytes.Contains([]byte(k), []byte(ref.Run)) {
			out[k] = v
		}
	}
	return out
}

func (r *rig) sameRows(what string, before, after map[string]string) {
	r.Helper()
	if maps.Equal(before, after) {
		return
	}
	for k, v := range after {
		if old, was := before[k]; !was {
			r.Errorf("%s: row %q was added", what, k)
		} else if old != v {
			r.Errorf("%s: row %q was changed from %q to %q", what, k, old, v)
		}
	}
	for k := range before {
		if _, is := after[k]; !is {
			r.Errorf("%s: row %q was removed", what, k)
		}
	}
}

// write changes the store underneath the engine.
func (r *rig) write(build func(b *store.Batch)) {
	r.Helper()
	var b store.Batch
	build(&b)
	if res, err := r.store.Commit(context.Background(), &b); err != nil || !res.Applied {
		r.Fatalf("write underneath: %v, %v", res, err)
	}
}

// resume lets a suspended run go on.
func (r *rig) resume(id flow.WorkflowID) error {
	_, err := r.eng.Operator().Do(context.Background(),
		flow.Act{Actor: "ana", Why: "fixed", Deed: flow.ResumeRun{Target: flow.Ref{ID: id}}})
	return err
}

// within waits, in virtual time, for a run's result.
func within[O any](r *rig, d time.Duration, id flow.WorkflowID) (O, error) {
	r.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	run, err := engine.Handle[O](r.eng, id)
	if err != nil {
		r.Fatalf("handle of %s: %v", id, err)
	}
	return run.Result(ctx)
}

// seeds gives n seeds, or the one in WEFT_SEED, each in a subtest that names it.
func seeds(t *testing.T, n int, f func(t *testing.T, rng *rand.Rand)) {
	t.Helper()
	from, to := uint64(1), uint64(n)
	if s := os.Getenv("WEFT_SEED"); s != "" {
		one, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatalf("WEFT_SEED: %v", err)
		}
		from, to = one, one
	}
	for seed := from; seed <= to; seed++ {
		if !t.Run(fmt.Sprintf("WEFT_SEED=%d", seed), func(t *testing.T) { f(t, rand.New(rand.NewPCG(seed, 1))) }) {
			return
		}
	}
}
