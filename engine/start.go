package engine

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/oklog/ulid/v2"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// startRequest is one start, without types.
type startRequest struct {
	StartOptions
	typ   string
	input flow.Payload
	audit *flow.Audit // record to write in the same batch
}

// Limits on tags.
const (
	maxTags = 32
	maxTag  = 128
)

func (r *startRequest) check() error {
	if r.ID != "" {
		if err := flow.CheckName("workflow id", string(r.ID)); err != nil {
			return err
		}
	}
	if r.IdempotencyKey != "" {
		if err := flow.CheckName("idempotency key", r.IdempotencyKey); err != nil {
			return err
		}
	}
	if len(r.Tags) > maxTags {
		return &flow.LimitError{Limit: "tags of a run", Got: len(r.Tags), Max: maxTags}
	}
	for _, tag := range r.Tags {
		if len(tag) > maxTag {
			return &flow.LimitError{Limit: "bytes of a tag", Got: len(tag), Max: maxTag}
		}
		if err := flow.CheckName("tag", tag); err != nil {
			return err
		}
	}
	return nil
}

// start creates a run: head, first event with the input, ready row, index and
// counter in one batch, on condition that nobody has the id. It reports
// whether the run existed before, by its idempotency key.
func (e *Engine) start(ctx context.Context, r startRequest) (flow.Ref, bool, error) {
	def, ok := e.types[r.typ]
	if !ok {
		return flow.Ref{}, false, &flow.UnknownError{What: "workflow type", Name: r.typ, Known: e.types.names()}
	}
	if err := r.check(); err != nil {
		return flow.Ref{}, false, err
	}
	for {
		now := e.now()
		run, created := newRunID(now), max(flow.InstantOf(now), 1) // a clock before 1970 counts as 1970
		ref := flow.Ref{ID: r.ID, Run: run}
		if ref.ID == "" {
			ref.ID = flow.WorkflowID(run)
		}
		known, g, err := e.lookBeforeStart(r, ref.ID)
		if err != nil || known.Run != "" {
			return known, known.Run != "", err
		}
		l := e.newLife(ref, def, row.Head{Run: run, Type: def.name, Version: def.version, Status: flow.Running,
			CreatedAt: created, StartedAt: created, Tags: r.Tags}, r.input)
		admitted := e.admitFresh(l)
		applied, err := e.commitNow(ctx, &g, e.startBatch(l, r))
		if admitted && !(applied && err == nil) {
			e.lives.forget(l)
		}
		switch {
		case err != nil:
			return flow.Ref{}, false, e.unsure(ref.ID, err)
		case !applied:
			continue // somebody took the id or the key: look again
		}
		e.tellStarted(l)
		e.launchFresh(l, admitted, g.at)
		return ref, false, nil
	}
}

// newRunID is an id whose order is that of creation.
func newRunID(now time.Time) flow.RunID {
	ms := uint64(max(now.UnixMilli(), 0))
	return flow.RunID(ulid.MustNew(min(ms, ulid.MaxTime()), rand.Reader).String())
}

// lookBeforeStart answers with the run that the idempotency key names, or fails
// when the id is taken.
func (e *Engine) lookBeforeStart(r startRequest, id flow.WorkflowID) (flow.Ref, guard, error) {
	snap, err := e.store.Snapshot()
	if err != nil {
		return flow.Ref{}, guard{}, err
	}
	defer snap.Close()
	if r.IdempotencyKey != "" {
		raw, err := snap.Get(row.IdemKey(r.IdempotencyKey))
		if err != nil {
			return flow.Ref{}, guard{}, err
		}
		if raw != nil {
			ref, err := row.DecodeRef(raw)
			return ref, guard{}, err
		}
	}
	head, g, err := headIn(snap, id)
	if err != nil {
		return flow.Ref{}, guard{}, err
	}
	if g.raw != nil {
		return flow.Ref{}, guard{}, &flow.ExistsError{Ref: flow.Ref{ID: id, Run: head.Run}, Status: head.Status}
	}
	return flow.Ref{}, g, nil
}

func (e *Engine) startBatch(l *life, r startRequest) *store.Batch {
	b := &store.Batch{}
	b.Put(row.HeadKey(l.ref.ID), l.guard.raw)
	b.Put(row.EventKey(l.ref, 1), row.EncodeEvent(flow.Event{Kind: flow.EventStarted, At: l.at, Output: r.input}))
	b.Put(row.ReadyKey(l.ref), l.ready.raw)
	b.Put(row.IndexKey(l.head.Type, l.head.Version, l.head.Status, l.head.CreatedAt, l.ref.ID), []byte(l.ref.Run))
	b.Add(row.CountKey(l.head.Type, l.head.Version, l.head.Status), 1)
	if r.IdempotencyKey != "" {
		b.Expect(row.IdemKey(r.IdempotencyKey), nil, 0)
		b.Put(row.IdemKey(r.IdempotencyKey), row.EncodeRef(l.ref))
	}
	if r.audit != nil {
		r.audit.Target = l.ref
		r.audit.Text = fmt.Sprintf("started %s", l.head.Type)
		putAudit(b, r.audit)
	}
	return b
}

// unsure adds what is needed to find out when a write's outcome is unknown.
func (e *Engine) unsure(id flow.WorkflowID, err error) error {
	if outcomeUnknown(err) {
		return &flow.OutcomeUnknownError{ID: id, Cause: err}
	}
	return err
}
