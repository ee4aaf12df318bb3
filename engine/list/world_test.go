package list_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"weft/engine/list"
	"weft/engine/row"
	"weft/flow"
	"weft/store"
	"weft/store/memory"
)

// patient is the usual budget on a machine that is never slow.
var patient = list.Budget{Time: time.Hour}

// world is a store that tests fill through package row.
type world struct {
	t testing.TB
	*memory.Store
}

func newWorld(t testing.TB) world { return world{t, memory.New(memory.Options{})} }

// fataler is what a testing.TB and a rapid.T have in common.
type fataler interface {
	Fatalf(format string, args ...any)
}

func commit(t fataler, s store.Store, write func(*store.Batch)) {
	var b store.Batch
	write(&b)
	if _, err := s.Commit(context.Background(), &b); err != nil {
		t.Fatalf("commit: %v", err)
	}
}

func (w world) write(f func(*store.Batch)) { commit(w.t, w.Store, f) }

// run is a run to be stored.
type run struct {
	id       flow.WorkflowID
	typ      string
	version  string
	status   flow.Status
	created  flow.Instant
	closed   flow.Instant
	tags     []string
	attrs    map[string]flow.Attribute
	cause    flow.Reason
	reason   string
	events   []flow.Event // behind the first
	waits    map[flow.StepPath]row.Wait
	signals  []row.Signal
	noEvents bool
}

// ref is the run's address; the run id is made from the creation.
func (r run) ref() flow.Ref {
	return flow.Ref{ID: r.id, Run: flow.RunID(fmt.Sprintf("%026d", r.created))}
}

func (r run) head() row.Head {
	return row.Head{Run: r.ref().Run, Type: r.typ, Version: r.version, Status: r.status, CreatedAt: r.created,
		StartedAt: r.created, ClosedAt: r.closed, Tags: r.tags, Attributes: r.attrs, Cause: r.cause, Reason: r.reason}
}

// put writes all rows of r.
func (r run) put(b *store.Batch) {
	ref := r.ref()
	b.Put(row.HeadKey(r.id), row.EncodeHead(r.head()))
	b.Put(row.IndexKey(r.typ, r.version, r.status, r.created, r.id), []byte(ref.Run))
	head := r.head()
	for _, key := range head.Labels(r.id) {
		b.Put(key, []byte(ref.Run))
	}
	b.Add(row.CountKey(r.typ, r.version, r.status), 1)
	if r.status.Terminal() {
		b.Put(row.TerminalKey(r.closed, r.id), []byte(ref.Run))
	}
	events := append([]flow.Event{{Kind: flow.EventStarted, At: r.created, Output: flow.Payload(`{"n":1}`)}}, r.events...)
	if r.noEvents {
		events = nil
	}
	for i, e := range events {
		b.Put(row.EventKey(ref, flow.EventSeq(i+1)), row.EncodeEvent(e))
	}
	for step, w := range r.waits {
		b.Put(row.WaitKey(ref, step), row.EncodeWait(w))
	}
	for i, s := range r.signals {
		b.Put(row.SignalKey(ref, uint64(i+1)), row.EncodeSignal(s))
	}
}

func (w world) runs(runs ...run) {
	w.write(func(b *store.Batch) {
		for _, r := range runs {
			r.put(b)
		}
	})
}

// several makes n runs with rising ids and creation times.
func several(n int, change func(i int, r *run)) []run {
	var all []run
	for i := range n {
		r := run{id: flow.WorkflowID(fmt.Sprintf("run-%05d", i)), typ: "order", version: "1",
			status: flow.Running, created: flow.Instant(1_000_000 + i)}
		if change != nil {
			change(i, &r)
		}
		all = append(all, r)
	}
	return all
}

// fill stores many runs in batches a store accepts.
func (w world) fill(runs []run) {
	for len(runs) > 0 {
		n := min(len(runs), 500)
		w.runs(runs[:n]...)
		runs = runs[n:]
	}
}

func ids(p flow.Page) []flow.WorkflowID {
	out := []flow.WorkflowID{}
	for _, r := range p.Runs {
		out = append(out, r.ID)
	}
	return out
}
