package engine

import (
	"context"
	"fmt"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// signalRequest is one signal, without types.
type signalRequest struct {
	target  flow.Ref // without Run: whatever run has the id
	name    string
	payload flow.Payload
	id      string
	audit   *flow.Audit
}

// signal buffers a signal: its row, the memory of its id, and the run's ready
// row with a fresh generation, in one batch on condition of the run's head. It
// reports false when the same signal id had been accepted before.
func (e *Engine) signal(ctx context.Context, r signalRequest) (bool, error) {
	if err := e.takesCalls(); err != nil {
		return false, err
	}
	if err := r.check(); err != nil {
		return false, err
	}
	for {
		s, err := e.prepareSignal(r)
		if err != nil || s == nil {
			return false, err
		}
		applied, err := e.commitNow(ctx, &s.guard, &s.batch)
		if err != nil {
			return false, e.unsure(r.target.ID, err)
		}
		if applied {
			e.tellSignal(s.ref, s.head.Type, r.name)
			e.hand(s)
			return true, nil
		}
	}
}

func (r *signalRequest) check() error {
	if err := flow.CheckName("workflow id", string(r.target.ID)); err != nil {
		return err
	}
	if err := flow.CheckName("signal name", r.name); err != nil {
		return err
	}
	if r.id == "" {
		return nil
	}
	return flow.CheckSignalID(r.id)
}

// sending is a signal ready to be committed.
type sending struct {
	ref   flow.Ref
	head  row.Head
	guard guard
	batch store.Batch
	entry buffered
	idKey []byte
	ready []byte // nil: the run is not to be woken
}

// prepareSignal looks at the run and puts the batch together; nil when the
// signal is a repetition.
func (e *Engine) prepareSignal(r signalRequest) (*sending, error) {
	snap, err := e.store.Snapshot()
	if err != nil {
		return nil, err
	}
	defer snap.Close()
	s := &sending{}
	if s.head, s.guard, err = liveHead(snap, r.target); err != nil {
		return nil, err
	}
	s.ref = flow.Ref{ID: r.target.ID, Run: s.head.Run}
	box := s.head.Box(r.target.ID)
	if r.audit != nil {
		r.audit.Target, r.audit.Text = s.ref, "signal "+r.name
	}
	closed := row.SignalClosedKey(s.head.Box(r.target.ID), r.name)
	if raw, err := snap.Get(closed); err != nil {
		return nil, err
	} else if raw != nil {
		return nil, &flow.SignalClosedError{Ref: s.ref, Name: r.name}
	}
	s.batch.Expect(closed, nil, snap.Group())
	if r.id != "" {
		s.idKey = row.SignalIDKey(box, r.name, r.id)
		if known, err := snap.Get(s.idKey); err != nil || known != nil {
			return nil, err
		}
		s.batch.Expect(s.idKey, nil, snap.Group())
		s.batch.Put(s.idKey, row.EncodeGeneration(s.head.Generation))
	}
	if err := e.weigh(r.payload, cargo{ref: s.ref, typ: s.head.Type, kind: "signal", name: r.name}); err != nil {
		return nil, fmt.Errorf("payload: %w", err)
	}
	s.entry = buffered{arrival: e.arrival(), Signal: row.Signal{Name: r.name, ID: r.id, Payload: r.payload,
		At: flow.InstantOf(e.now())}}
	s.batch.Put(row.SignalKey(box, s.entry.arrival), row.EncodeSignal(s.entry.Signal))
	if s.head.Status == flow.Running {
		if s.ready, err = e.freshReady(snap, s.ref); err != nil {
			return nil, err
		}
		s.batch.Put(row.ReadyKey(s.ref), s.ready)
	}
	if r.audit != nil {
		putAudit(&s.batch, r.audit)
	}
	return s, nil
}

// liveHead reads the head of a run that has not ended.
func liveHead(snap store.Snapshot, target flow.Ref) (row.Head, guard, error) {
	head, g, err := headIn(snap, target.ID)
	switch {
	case err != nil:
		return head, g, err
	case g.raw == nil:
		return head, g, &flow.NotFoundError{What: "workflow", Name: string(target.ID)}
	case target.Run != "" && target.Run != head.Run:
		return head, g, &flow.NotFoundError{What: "run", Name: target.String()}
	case head.Status.Terminal():
		return head, g, &flow.FinishedError{Ref: flow.Ref{ID: target.ID, Run: head.Run}, Status: head.Status, At: head.ClosedAt}
	}
	return head, g, nil
}

// freshReady is a ready row with a new generation that keeps what an old one
// says about recoveries.
func (e *Engine) freshReady(snap store.Snapshot, ref flow.Ref) ([]byte, error) {
	raw, err := snap.Get(row.ReadyKey(ref))
	if err != nil {
		return nil, err
	}
	r, err := row.DecodeReady(raw)
	if err != nil {
		r = row.Ready{} // there is none, or only its count is lost
	}
	r.Generation = e.arrival()
	return row.EncodeReady(r), nil
}

// hand gives a durable signal to the run in memory, or wakes it.
func (e *Engine) hand(s *sending) {
	if s.ready == nil {
		return
	}
	l := e.lives.get(s.ref)
	if l == nil {
		e.wake(s.ref)
		// Somebody else may have been faster, with a life that has not read
		// the signal.
		if l = e.lives.get(s.ref); l == nil {
			return
		}
	}
	if !l.receive(s, store.Group(s.guard.at)) {
		e.wake(s.ref)
	}
}

// receive takes in a signal that has become durable, unless the life has read
// it from the store: then it may have been taken since. It answers false when
// the life is leaving, so that the run has to be woken again.
func (l *life) receive(s *sending, at store.Group) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.leaving != stay || l.cold {
		return false
	}
	if at <= l.loadedAt {
		return true
	}
	s.entry.at = at
	l.signals.add(s.entry)
	if s.idKey != nil {
		l.signals.remember(s.idKey, s.head.Generation)
	}
	// Others may have sent before and not been answered yet: only a look at the
	// store tells what is there.
	l.stale = true
	l.kick()
	return true
}
