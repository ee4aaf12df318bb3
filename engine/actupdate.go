package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"weft/flow"
)

// doUpdate sends an update with JSON that a person gave, and waits a while for
// the reply. The type must declare the update and the input must fit.
func (e *Engine) doUpdate(ctx context.Context, act flow.Act, d flow.CallUpdate) (flow.Receipt, error) {
	if err := flow.CheckName("workflow id", string(d.Target.ID)); err != nil {
		return flow.Receipt{}, err
	}
	if d.WaitMillis < 0 {
		return flow.Receipt{}, fmt.Errorf("wait of %d ms: must not be negative", d.WaitMillis)
	}
	if err := e.checkUpdate(d); err != nil {
		return flow.Receipt{}, err
	}
	within := replyWithin
	if d.WaitMillis > 0 {
		within = time.Duration(d.WaitMillis) * time.Millisecond
	}
	a := e.newAudit(act)
	r := updateRequest{target: d.Target, name: d.Name, input: d.Input, id: d.UpdateID, audit: a, waits: true}
	ref, fresh, err := e.acceptWithin(ctx, &r, within)
	if err != nil {
		return flow.Receipt{}, err
	}
	out := flow.Receipt{Ref: ref, UpdateID: r.id, Audit: a.Number, Text: "update " + d.Name}
	if !fresh {
		out.Audit, out.Unchanged, out.Text = 0, true, "this update id had been accepted before"
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	ev, err := e.replyTo(ctx, ref, &r)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		out.Text += ": accepted, no reply yet; ask again with update id " + r.id
		return out, nil
	case err != nil:
		return flow.Receipt{}, err
	case ev.Failure != nil:
		return flow.Receipt{}, ev.Failure
	}
	out.Output = ev.Output
	return out, nil
}

// acceptWithin bounds the wait for code that does not come to where it takes the
// update.
func (e *Engine) acceptWithin(ctx context.Context, r *updateRequest, within time.Duration) (flow.Ref, bool, error) {
	bounded, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	ref, fresh, err := e.accept(bounded, r)
	if err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) && !outcomeUnknown(err) {
		return ref, false, &flow.UnreachableError{Ref: flow.Ref{ID: r.target.ID, Run: ref.Run},
			Why: fmt.Sprintf("has not come to where its code takes update %s, within %v", r.name, within)}
	}
	return ref, fresh, err
}

func (e *Engine) checkUpdate(d flow.CallUpdate) error {
	head, g, err := e.readHead(d.Target.ID)
	switch {
	case err != nil:
		return err
	case g.raw == nil:
		return &flow.NotFoundError{What: "workflow", Name: string(d.Target.ID)}
	}
	if def := e.types[head.Type]; def != nil && def.updates[d.Name] != nil {
		return def.updates[d.Name].checkUpdate(d.Input)
	}
	return nil // what is not known is refused where the run is looked at
}
