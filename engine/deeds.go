package engine

import (
	"context"
	"fmt"
	"time"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// doOne does a deed to one existing run.
func (e *Engine) doOne(ctx context.Context, act flow.Act) (flow.Receipt, error) {
	target, ok := targetOf(act.Deed)
	if !ok {
		return flow.Receipt{}, flow.ErrNotOffered
	}
	if err := flow.CheckName("workflow id", string(target.ID)); err != nil {
		return flow.Receipt{}, err
	}
	a := e.newAudit(act)
	var ref flow.Ref
	var err error
	switch d := act.Deed.(type) {
	case flow.TagRun, flow.SetAttributes:
		return e.relabel(ctx, target, act.Deed, a)
	case flow.CancelRun:
		ref, err = e.endRun(ctx, target, ending{status: flow.Cancelled, reason: act.Why, audit: a}, d.Now)
	case flow.SuspendRun:
		ref, err = e.suspendRunning(ctx, target, act.Why, a)
	case flow.ResumeRun:
		ref, err = e.resumeRun(ctx, target, a)
	case flow.PurgeRun:
		ref, err = e.purgeRun(ctx, target, a)
	case flow.RestartRun:
		ref, err = e.restartRun(ctx, target, a)
	default:
		ref, err = e.teardownDeed(ctx, act.Deed, target, a)
	}
	if err != nil {
		return flow.Receipt{}, err
	}
	return flow.Receipt{Ref: ref, Audit: a.Number, Text: a.Text}, nil
}

// targetOf is the run a deed is done to.
func targetOf(d flow.Deed) (flow.Ref, bool) {
	switch d := d.(type) {
	case flow.CancelRun:
		return d.Target, true
	case flow.SuspendRun:
		return d.Target, true
	case flow.ResumeRun:
		return d.Target, true
	case flow.PurgeRun:
		return d.Target, true
	case flow.RestartRun:
		return d.Target, true
	case flow.RetryTeardown:
		return d.Target, true
	case flow.Redrive:
		return d.Target, true
	case flow.Discard:
		return d.Target, true
	case flow.TagRun:
		return d.Target, true
	case flow.SetAttributes:
		return d.Target, true
	}
	return flow.Ref{}, false
}

// resumeRun lets a suspended run go on: head, index, mark, deadline timer and
// ready row in one batch, then the launch. A version that is not the recorded
// one is adopted: that is what resuming under it means, and replay guards it.
// The deadline stays the instant it was; if it has passed, the timer fires at
// once.
func (e *Engine) resumeRun(ctx context.Context, target flow.Ref, a *flow.Audit) (flow.Ref, error) {
	ref, err := e.settle(ctx, settlement{target: target, outside: true,
		allows: func(ref flow.Ref, head row.Head) error {
			_, err := e.mayResume(ref, head)
			return err
		},
		do: func(l *life, _ bool) error { return l.resume(a) }})
	if err != nil {
		return ref, err
	}
	e.wake(ref)
	return ref, nil
}

func (e *Engine) mayResume(ref flow.Ref, head row.Head) (*definition, error) {
	def, ok := e.types[head.Type]
	if !ok {
		return nil, fmt.Errorf("run %s is held, %s: %w", ref, e.types.held(head.Type, head.Version), flow.ErrConflict)
	}
	if head.Status != flow.Suspended && head.Version == def.version {
		return nil, fmt.Errorf("run %s is %s, not suspended: %w", ref, head.Status, flow.ErrConflict)
	}
	return def, nil
}

// resume commits the batch that makes a run go on. mu is held.
func (l *life) resume(a *flow.Audit) error {
	def, err := l.eng.mayResume(l.ref, l.head)
	if err != nil {
		return err
	}
	now := flow.InstantOf(l.eng.now())
	a.Target, a.Text = l.ref, "resumed"
	if l.head.Version != def.version {
		a.Text = fmt.Sprintf("resumed under version %q instead of %q", def.version, l.head.Version)
	}
	ev := flow.Event{Seq: l.seq + 1, Kind: flow.EventResumed, At: now, Status: flow.Running, Reason: a.Text, Summary: l.summary}
	ready := row.EncodeReady(row.Ready{Generation: l.eng.arrival()})
	var next row.Head
	if err := l.commitExact(func(b *store.Batch) error {
		next = l.head
		next.Status, next.Cause, next.Reason, next.ChangedAt, next.Version = flow.Running, "", "", now, def.version
		changeHead(b, l.ref.ID, l.head, next)
		b.Put(row.EventKey(l.ref, ev.Seq), row.EncodeEvent(ev))
		b.Put(row.ReadyKey(l.ref), ready)
		if next.Deadline != 0 {
			b.Put(row.TimerKey(next.Deadline, l.ref, row.StepDeadline), nil)
		}
		putAudit(b, a)
		return nil
	}); err != nil {
		return err
	}
	l.seq, l.head, l.guard.raw = ev.Seq, next, row.EncodeHead(next)
	l.ready = readyRow{raw: ready, at: l.guard.at}
	l.again = true // this life, if it still ends attempts, is followed by another
	if next.Deadline != 0 {
		l.eng.timers.Added(row.Timer{Due: next.Deadline, Ref: l.ref, Step: row.StepDeadline})
	}
	l.eng.tellResumed(l.ref, l.head.Type)
	return nil
}

// restartRun starts a new run under the id of an ended one, the way that one was
// started: type, input, time limit, need of services, headers, and with the tags and
// attributes it had.
func (e *Engine) restartRun(ctx context.Context, target flow.Ref, a *flow.Audit) (flow.Ref, error) {
	ref, p, _, err := e.lookAtEnded(target)
	if err != nil {
		return ref, err
	}
	raw, err := e.store.Get(row.EventKey(ref, 1))
	if err != nil {
		return ref, err
	}
	first, err := row.DecodeEvent(1, raw)
	if err != nil {
		return ref, fmt.Errorf("input of run %s: %w", ref, err)
	}
	fresh, _, err := e.start(ctx, startRequest{typ: p.head.Type, input: first.Output, audit: a, replaces: ref.Run,
		attributes: p.head.Attributes,
		StartOptions: StartOptions{ID: ref.ID, Tags: p.head.Tags, Headers: p.head.Headers, NeedsServices: p.head.Services,
			Deadline: time.Duration(p.head.Limit) * time.Millisecond, OnTerminalConflict: flow.StartNew}})
	return fresh, err
}
