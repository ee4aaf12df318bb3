package engine

import (
	"context"
	"crypto/rand"
	"errors"
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
	// attributes are those of a start by name, beside StartOptions.
	attributes map[string]flow.Attribute
	audit      *flow.Audit // record to write in the same batch
	// first, when set, is the signal the run begins with.
	first *signalRequest
	// replaces, when set, is the only run that may be replaced.
	replaces flow.RunID
}

func (r *startRequest) check() error {
	if r.Deadline < 0 {
		return fmt.Errorf("deadline %v: is negative", r.Deadline)
	}
	switch r.OnTerminalConflict {
	case flow.Refuse:
	case flow.StartNew:
		if r.ID == "" || r.IdempotencyKey != "" {
			return errors.New("start-new needs an id and excludes an idempotency key")
		}
	default:
		return fmt.Errorf("on terminal conflict %q: is neither empty nor start-new", r.OnTerminalConflict)
	}
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
	return r.checkLabels()
}

// checkLabels refuses tags, attributes and headers that cannot be.
func (r *startRequest) checkLabels() error {
	if len(r.Tags) > flow.MaxTags {
		return &flow.LimitError{Limit: "tags of a run", Got: len(r.Tags), Max: flow.MaxTags}
	}
	for _, tag := range r.Tags {
		if err := flow.CheckTag(tag); err != nil {
			return err
		}
	}
	if n := len(r.Attributes) + len(r.attributes); n > flow.MaxAttributes {
		return &flow.LimitError{Limit: "attributes of a run", Got: n, Max: flow.MaxAttributes}
	}
	for _, a := range r.Attributes {
		if a.err != nil {
			return fmt.Errorf("attribute %s: %w", a.name, a.err)
		}
	}
	for name, a := range r.attributes {
		_, err := flow.NewAttribute(a.Kind, a.Text)
		if err := errors.Join(flow.CheckAttributeName(name), err); err != nil {
			return fmt.Errorf("attribute %s: %w", name, err)
		}
	}
	return checkHeaders(r.Headers)
}

// labelsOf are the attributes of a new run.
func (r *startRequest) labelsOf() map[string]flow.Attribute {
	out := map[string]flow.Attribute{}
	for name, a := range r.attributes {
		out[name], _ = flow.NewAttribute(a.Kind, a.Text)
	}
	for _, a := range r.Attributes {
		out[a.name] = a.value
	}
	return out
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
	if err := e.takesCalls(); err != nil {
		return flow.Ref{}, false, err
	}
	for {
		now := e.now()
		run := newRunID(now)
		ref := flow.Ref{ID: r.ID, Run: run}
		if ref.ID == "" {
			ref.ID = flow.WorkflowID(run)
		}
		found, err := e.lookBeforeStart(r, ref.ID)
		if err != nil || found.known.Run != "" {
			return found.known, found.known.Run != "", err
		}
		if err := e.weighStart(r, ref); err != nil {
			return flow.Ref{}, false, err
		}
		l := e.newLife(ref, def, startHead(r, def, run, now), r.input)
		admitted := l.head.Status == flow.Running && e.admitFresh(l)
		l.mu.Lock()
		b, timers := e.startBatch(l, r, found)
		l.mu.Unlock()
		applied, err := e.commitNow(ctx, &found.guard, b)
		if admitted && !(applied && err == nil) {
			e.lives.forget(l)
		}
		switch {
		case err != nil:
			return flow.Ref{}, false, e.unsure(ref.ID, err)
		case !applied:
			continue // somebody took the id or the key: look again
		}
		e.timers.Added(timers...)
		e.tellStarted(l)
		if l.head.Status == flow.Running {
			e.launchFresh(l, admitted, found.guard.at)
		}
		return ref, false, nil
	}
}

// weighStart judges what a run begins with. What a restart takes over from the
// run before was let in then.
func (e *Engine) weighStart(r startRequest, ref flow.Ref) error {
	if r.replaces != "" {
		return nil
	}
	if err := e.weigh(r.input, cargo{ref: ref, typ: r.typ, kind: "input"}); err != nil {
		return fmt.Errorf("input: %w", err)
	}
	if r.first == nil {
		return nil
	}
	if err := e.weigh(r.first.payload, cargo{ref: ref, typ: r.typ, kind: "signal", name: r.first.name}); err != nil {
		return fmt.Errorf("payload: %w", err)
	}
	return nil
}

// runIDAfter is a new run id that is greater than prev, also when the clock was
// set back or stands still.
func runIDAfter(now time.Time, prev flow.RunID) flow.RunID {
	for {
		run := newRunID(now)
		if run > prev {
			return run
		}
		if id, err := ulid.ParseStrict(string(prev)); err == nil {
			now = time.UnixMilli(int64(id.Time()) + 1)
		} else {
			now = now.Add(time.Millisecond)
		}
	}
}

// newRunID is an id whose order is that of creation.
func newRunID(now time.Time) flow.RunID {
	ms := uint64(max(now.UnixMilli(), 0))
	return flow.RunID(ulid.MustNew(min(ms, ulid.MaxTime()), rand.Reader).String())
}

func startHead(r startRequest, def *definition, run flow.RunID, now time.Time) row.Head {
	at := max(flow.InstantOf(now), 1) // a clock before 1970 counts as 1970
	h := row.Head{Run: run, Type: def.name, Version: def.version, Status: flow.Running, CreatedAt: at, StartedAt: at,
		Tags: r.Tags, Limit: r.Deadline.Milliseconds(), Services: r.NeedsServices, Headers: r.Headers}
	if len(r.Attributes)+len(r.attributes) > 0 {
		h.Attributes = r.labelsOf()
	}
	if r.Deadline > 0 {
		h.Limit = max(h.Limit, 1)
	}
	if start := flow.InstantAfter(r.StartAt); r.StartAt.After(now) {
		h.Status, h.StartedAt, h.StartAt = flow.Pending, 0, start
	}
	return h
}

// found is what is there before a start.
type found struct {
	known flow.Ref // the run that the idempotency key names
	guard guard
	old   *purge // an ended run that the new one replaces
}

// lookBeforeStart answers with the run that the idempotency key names, or fails
// when the id is taken.
func (e *Engine) lookBeforeStart(r startRequest, id flow.WorkflowID) (found, error) {
	snap, err := e.store.Snapshot()
	if err != nil {
		return found{}, err
	}
	defer snap.Close()
	if r.IdempotencyKey != "" {
		raw, err := snap.Get(row.IdemKey(r.IdempotencyKey))
		if err != nil {
			return found{}, err
		}
		if raw != nil {
			ref, err := row.DecodeRef(raw)
			return found{known: ref}, err
		}
	}
	head, g, err := headIn(snap, id)
	if err != nil || g.raw == nil {
		return found{guard: g}, err
	}
	ref := flow.Ref{ID: id, Run: head.Run}
	if r.OnTerminalConflict != flow.StartNew || !head.Status.Terminal() {
		return found{}, &flow.ExistsError{Ref: ref, Status: head.Status}
	}
	if r.replaces != "" && r.replaces != head.Run {
		return found{}, fmt.Errorf("run %s is no longer the latest: %w", flow.Ref{ID: id, Run: r.replaces}, flow.ErrConflict)
	}
	old, err := preparePurge(snap, ref, head)
	return found{guard: g, old: old}, err
}

func (e *Engine) startBatch(l *life, r startRequest, f found) (*store.Batch, []row.Timer) {
	b := &store.Batch{}
	if f.old != nil {
		f.old.put(b)
	}
	var timers []row.Timer
	switch l.head.Status {
	case flow.Pending:
		timers = []row.Timer{{Due: l.head.StartAt, Ref: l.ref, Step: row.StepStart}}
		b.Put(row.TimerKey(l.head.StartAt, l.ref, row.StepStart), nil)
	default:
		timers = e.putDeadline(b, l.ref, &l.head)
		b.Put(row.ReadyKey(l.ref), l.ready.raw)
	}
	l.guard.raw = row.EncodeHead(l.head)
	b.Put(l.guard.key, l.guard.raw)
	putLabelRows(b, l.ref.ID, &row.Head{}, &l.head)
	b.Put(row.EventKey(l.ref, 1), row.EncodeEvent(flow.Event{Kind: flow.EventStarted, At: l.head.CreatedAt, Output: r.input}))
	b.Put(row.IndexKey(l.head.Type, l.head.Version, l.head.Status, l.head.CreatedAt, l.ref.ID), []byte(l.ref.Run))
	b.Add(row.CountKey(l.head.Type, l.head.Version, l.head.Status), 1)
	if r.first != nil {
		e.putFirst(b, l, r.first)
	}
	if r.IdempotencyKey != "" {
		b.Expect(row.IdemKey(r.IdempotencyKey), nil, 0)
		b.Put(row.IdemKey(r.IdempotencyKey), row.EncodeRef(l.ref))
	}
	if r.audit != nil {
		r.audit.Target = l.ref
		r.audit.Text = fmt.Sprintf("started %s", l.head.Type)
		if f.old != nil {
			r.audit.Text += fmt.Sprintf(", replaces run %s", f.old.ref.Run)
		}
		putAudit(b, r.audit)
	}
	return b, timers
}

// unsure adds what is needed to find out when a write's outcome is unknown.
func (e *Engine) unsure(id flow.WorkflowID, err error) error {
	if outcomeUnknown(err) {
		return &flow.OutcomeUnknownError{ID: id, Cause: err}
	}
	return err
}
