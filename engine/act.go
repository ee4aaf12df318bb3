package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"weft/flow"
)

// Do does what an operator asks for: the gate first, then the act and its audit
// record in one batch.
func (p *Operator) Do(ctx context.Context, act flow.Act) (flow.Receipt, error) {
	e := p.eng
	if act.Deed == nil {
		return flow.Receipt{}, errors.New("an act without a deed")
	}
	if err := e.takesCalls(); err != nil {
		return flow.Receipt{}, fmt.Errorf("%s: %w", act.Deed.Verb(), err)
	}
	if err := e.mayWrite(); err != nil {
		return flow.Receipt{}, fmt.Errorf("%s: %w", act.Deed.Verb(), err)
	}
	var r flow.Receipt
	var err error
	switch d := act.Deed.(type) {
	case flow.Start:
		r, err = e.doStart(ctx, act, d)
	case flow.SendSignal:
		r, err = e.doSignal(ctx, act, d)
	case flow.CompleteActivity, flow.FailActivity, flow.BeatActivity:
		r, err = e.doReply(ctx, act)
	case flow.CallUpdate:
		r, err = e.doUpdate(ctx, act, d)
	case flow.BulkAct:
		r, err = e.doBulk(ctx, act, d)
	default:
		r, err = e.doOne(ctx, act)
	}
	if err != nil {
		return flow.Receipt{}, fmt.Errorf("%s: %w", act.Deed.Verb(), err)
	}
	r.At = flow.InstantOf(e.now())
	return r, nil
}

// doStart starts a run from JSON that a person gave: it must fit the registered
// type.
func (e *Engine) doStart(ctx context.Context, act flow.Act, d flow.Start) (flow.Receipt, error) {
	def, ok := e.types[d.Type]
	if !ok {
		return flow.Receipt{}, &flow.UnknownError{What: "workflow type", Name: d.Type, Known: e.types.names()}
	}
	if err := def.checkInput(d.Input); err != nil {
		return flow.Receipt{}, err
	}
	a := e.newAudit(act)
	ref, existed, err := e.start(ctx, startRequest{typ: d.Type, input: d.Input, audit: a, attributes: d.Attributes,
		StartOptions: StartOptions{ID: d.ID, IdempotencyKey: d.IdempotencyKey, Tags: d.Tags, Headers: d.Headers,
			StartAt: d.StartAt.Time(), Deadline: time.Duration(d.DeadlineMillis) * time.Millisecond,
			OnTerminalConflict: d.OnTerminalConflict}})
	if err != nil {
		return flow.Receipt{}, err
	}
	if existed {
		return flow.Receipt{Ref: ref, Unchanged: true, Text: "had been started before under this key"}, nil
	}
	return flow.Receipt{Ref: ref, Audit: a.Number, Text: "started " + d.Type}, nil
}

// doSignal sends JSON that a person gave: the type must declare the signal and
// the payload must fit, unless the caller forces it.
func (e *Engine) doSignal(ctx context.Context, act flow.Act, d flow.SendSignal) (flow.Receipt, error) {
	if err := flow.CheckName("workflow id", string(d.Target.ID)); err != nil {
		return flow.Receipt{}, err
	}
	if err := flow.CheckName("signal name", d.Name); err != nil {
		return flow.Receipt{}, err
	}
	if err := e.checkSignal(d); err != nil {
		return flow.Receipt{}, err
	}
	a := e.newAudit(act)
	fresh, err := e.signal(ctx, signalRequest{target: d.Target, name: d.Name, payload: d.Payload, id: d.SignalID, audit: a})
	if err != nil {
		return flow.Receipt{}, err
	}
	if !fresh {
		return flow.Receipt{Ref: a.Target, Unchanged: true, Text: "this signal id had been accepted before"}, nil
	}
	return flow.Receipt{Ref: a.Target, Audit: a.Number, Text: "signal " + d.Name}, nil
}

func (e *Engine) checkSignal(d flow.SendSignal) error {
	head, g, err := e.readHead(d.Target.ID)
	if err != nil {
		return err
	}
	if g.raw == nil {
		return &flow.NotFoundError{What: "workflow", Name: string(d.Target.ID)}
	}
	if d.Force {
		return checkJSON("payload of signal "+d.Name, d.Payload)
	}
	def, ok := e.types[head.Type]
	if !ok {
		return fmt.Errorf("%w; force buffers the signal all the same",
			&flow.UnknownError{What: "workflow type", Name: head.Type, Known: e.types.names()})
	}
	m, ok := def.signals[d.Name]
	if !ok {
		known := make([]string, 0, len(def.signals))
		for name := range def.signals {
			known = append(known, name)
		}
		slices.Sort(known)
		return fmt.Errorf("%w; force buffers it all the same",
			&flow.UnknownError{What: "signal of " + head.Type, Name: d.Name, Known: known})
	}
	return m.check(d.Payload)
}
