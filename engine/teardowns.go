package engine

import (
	"context"
	"errors"
	"fmt"

	"weft/engine/row"
	"weft/engine/teardown"
	"weft/flow"
	"weft/store"
)

// newTeardowns is the driver of owed teardowns under this engine's fence.
func (e *Engine) newTeardowns() (*teardown.Driver, error) {
	return teardown.New(teardown.Config{
		Store:     e.store,
		Commit:    func(b *store.Batch) (bool, error) { return e.commitNow(context.Background(), nil, b) },
		Finalizer: e.finalizerOf,
		Now:       e.o.Now,
		Slots:     e.o.FinalizerSlots,
		LookEvery: e.o.ClockEvery,
		Allowed:   e.mayStart,
		Halted:    e.dead,
		Notify:    e.tell,
		Problem:   e.problem,
	})
}

// mayStart reports whether an effect may be started: the lease is in good
// standing.
func (e *Engine) mayStart() bool { return e.lease.InForce() && e.halted() == nil }

// teardownDeed does an operator's act on an owed teardown or a dead letter. A
// target without a run means the only one of the id.
func (e *Engine) teardownDeed(_ context.Context, deed flow.Deed, target flow.Ref, a *flow.Audit) (flow.Ref, error) {
	find := teardown.Letters
	if _, ok := deed.(flow.RetryTeardown); ok {
		find = teardown.Owed
	}
	ref, err := e.onlyOne(deed.Verb(), target, find)
	if err != nil {
		return target, err
	}
	audit := func(b *store.Batch, text string) {
		a.Target, a.Text = ref, text
		putAudit(b, a)
	}
	var out teardown.Outcome
	switch d := deed.(type) {
	case flow.RetryTeardown:
		out, err = e.teardowns.Retry(ref, audit)
	case flow.Redrive:
		out, err = e.teardowns.Redrive(ref, teardown.Given{Input: d.Input}, audit)
	case flow.Discard:
		out, err = e.teardowns.Discard(ref, audit)
	default:
		err = flow.ErrNotOffered
	}
	if out.Unchanged {
		a.Number, a.Text = 0, out.Text
	}
	return ref, err
}

// onlyOne completes a target that names no run.
func (e *Engine) onlyOne(verb string, target flow.Ref, find func(store.Reader, flow.WorkflowID) ([]flow.Ref, error)) (flow.Ref, error) {
	if target.Run != "" {
		return target, nil
	}
	refs, err := find(e.store, target.ID)
	switch {
	case err != nil:
		return target, err
	case len(refs) == 0:
		what := "dead letter of workflow"
		if verb == "retry-teardown" {
			what = "owed teardown of workflow"
		}
		return target, &flow.NotFoundError{What: what, Name: string(target.ID)}
	case len(refs) > 1:
		return target, fmt.Errorf("workflow %q has %d of them, name the run: %w", target.ID, len(refs), flow.ErrConflict)
	}
	return refs[0], nil
}

// freezeDead chooses dead letters for a bulk redrive.
func (e *Engine) freezeDead(s store.Snapshot, bulk flow.Bulk, add func(flow.Run) error) error {
	if len(bulk.Only) > 0 {
		for _, ref := range bulk.Only {
			raw, err := s.Get(row.DeadKey(ref))
			switch {
			case err != nil:
				return err
			case raw == nil:
				continue // it has gone since it was marked: not part of the act
			}
			l, err := row.DecodeLetter(raw)
			if err != nil {
				l = row.Letter{LastError: err.Error()}
			}
			if err := addDead(s, l.Dead(ref), add); err != nil {
				return err
			}
		}
		return nil
	}
	q := flow.Query{Of: flow.ListDead, Filter: bulk.Filter, Limit: flow.MaxLimit}
	for {
		page, err := teardown.Dead(s, q)
		if err != nil {
			return err
		}
		for _, d := range page.Dead {
			if err := addDead(s, d, add); err != nil {
				return err
			}
		}
		if !page.More {
			return nil
		}
		if q.After = page.Next; q.After == "" {
			q.After = page.Cursors[len(page.Cursors)-1]
		}
	}
}

// addDead adds the run of a dead letter, with its status while it is there.
func addDead(s store.Snapshot, d flow.Dead, add func(flow.Run) error) error {
	r := flow.Run{Ref: d.Ref, Type: d.Type, Reason: d.LastError, ClosedAt: d.DeadLetteredAt}
	// A head that cannot be read does not keep its letter out of the act.
	if head, g, err := headIn(s, d.ID); err == nil && g.raw != nil && head.Run == d.Run {
		r.Status = head.Status
	}
	return add(r)
}

// heldFinalizer reports that an owed teardown may not run here.
func (e *Engine) heldFinalizer(typ, name string) bool {
	_, ok := e.finalizerOf(typ, name)
	return !ok
}

// describeTeardown names, for an inspector, the teardown that a cancel would owe.
func (e *Engine) describeTeardown(s store.Reader, d *flow.Detail) error {
	st, stored, err := teardown.StateOf(s, d.Run.Ref)
	if err != nil && !errors.Is(err, store.ErrCorrupt) {
		return err
	}
	if stored {
		d.Finalizer, d.FinalizerState = st.Finalizer, st.Payload
	}
	pieces, err := teardown.PiecesOf(s, d.Run.Ref)
	for i := range pieces {
		d.Compensations = append(d.Compensations, pieces[len(pieces)-1-i].Name)
	}
	if err != nil {
		return err
	}
	return nil
}
