package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"weft/flow"
)

// Update asks a running run to change something and to reply. The run's code
// sets a handler for it ([Update.Handle]); the handler may do whatever workflow
// code does, and what it does is recorded like everything else.
//
// An update is accepted, which is durable, or refused, which leaves no trace.
// What was accepted is handled once, whatever crashes in between, and its reply
// is durable too.
type Update[I, O any] struct {
	// Name is what it is called by.
	Name string
	// Validate, when set, refuses inputs that are wrong whatever state the run
	// is in. It runs where the call is made, before the run is looked at.
	Validate func(in I) error
}

// AnyUpdate is an [Update] of any types.
type AnyUpdate interface {
	// MessageName is the name it is called by.
	MessageName() string
	checkUpdate(flow.Payload) error
}

// MessageName implements [AnyUpdate].
func (u Update[I, O]) MessageName() string { return u.Name }

// checkUpdate judges an input that a person gave.
func (u Update[I, O]) checkUpdate(p flow.Payload) error {
	if err := decodeStrict[I]("input of update "+u.Name, p); err != nil {
		return err
	}
	in, err := decode[I](p)
	if err != nil {
		return err
	}
	return u.judge(in)
}

func (u Update[I, O]) judge(in I) error {
	if u.Validate == nil {
		return nil
	}
	if f := judged(func() error { return u.Validate(in) }); f != nil {
		return &flow.RejectedError{Name: u.Name, Failure: f}
	}
	return nil
}

// UpdateOptions belong to one call. The zero value is right.
type UpdateOptions struct {
	// UpdateID, 1 to 128 bytes, makes a repeated call with the same input
	// answer with the reply of the first, also when the run has ended and after
	// a restart, until the run is purged or continues as new. "" chooses one.
	UpdateID string
}

// Call sends the update to the run that has the id and waits for the reply. It
// waits until ctx ends, also for code that has not come to where it sets its
// handler.
//
// The errors: what the handler returned is a [*flow.Failure], what a validator
// refused a [*flow.RejectedError]. A run that is pending, suspended or held is a
// [*flow.UnreachableError], one that has ended a [*flow.FinishedError], one that
// ends before it replies a [*flow.UnansweredError]. A wait that ends early is a
// [*flow.NoReplyError] once the update is accepted, with the id to ask again.
func (u Update[I, O]) Call(ctx context.Context, e *Engine, id flow.WorkflowID, in I) (O, error) {
	return u.CallWith(ctx, e, id, in, UpdateOptions{})
}

// CallWith is Call with options. A call that repeats an accepted update is a
// [*flow.UnansweredError] when the run continues as new just then: the reply
// went with its journal.
func (u Update[I, O]) CallWith(ctx context.Context, e *Engine, id flow.WorkflowID, in I, o UpdateOptions) (O, error) {
	var zero O
	r, err := u.request(id, in, o)
	if err != nil {
		return zero, u.failed(id, err)
	}
	r.waits = true
	ref, _, err := e.accept(ctx, &r)
	if err != nil {
		return zero, u.failed(id, err)
	}
	ev, err := e.replyTo(ctx, ref, &r)
	if err != nil {
		return zero, err
	}
	return replied[O](ref, ev)
}

// request is the call without its types.
func (u Update[I, O]) request(id flow.WorkflowID, in I, o UpdateOptions) (updateRequest, error) {
	if err := u.judge(in); err != nil {
		return updateRequest{}, err
	}
	payload, err := encode(in)
	if err != nil {
		return updateRequest{}, fmt.Errorf("input: %w", err)
	}
	return updateRequest{target: flow.Ref{ID: id}, name: u.Name, input: payload, id: o.UpdateID}, nil
}

func (u Update[I, O]) failed(id flow.WorkflowID, err error) error {
	return fmt.Errorf("update %s of %s: %w", u.Name, id, err)
}

// Begin sends the update and returns once it is accepted, without waiting for
// the reply. A run that continues as new takes its replies away: then only
// [Update.Call] is sure of them.
func (u Update[I, O]) Begin(ctx context.Context, e *Engine, id flow.WorkflowID, in I, o UpdateOptions) (Reply[O], error) {
	r, err := u.request(id, in, o)
	if err != nil {
		return Reply[O]{}, u.failed(id, err)
	}
	ref, _, err := e.accept(ctx, &r)
	if err != nil {
		return Reply[O]{}, u.failed(id, err)
	}
	return Reply[O]{eng: e, ref: ref, id: r.id}, nil
}

// ReplyTo is a handle to the reply to an update that was accepted earlier, by
// the run that has the workflow id now.
func (u Update[I, O]) ReplyTo(e *Engine, id flow.WorkflowID, updateID string) (Reply[O], error) {
	if err := errors.Join(flow.CheckName("workflow id", string(id)), flow.CheckUpdateID(updateID)); err != nil {
		return Reply[O]{}, err
	}
	head, g, err := e.readHead(id)
	switch {
	case err != nil:
		return Reply[O]{}, err
	case g.raw == nil:
		return Reply[O]{}, &flow.NotFoundError{What: "workflow", Name: string(id)}
	}
	return Reply[O]{eng: e, ref: flow.Ref{ID: id, Run: head.Run}, id: updateID}, nil
}

// Reply is a handle to the reply to one accepted update.
type Reply[O any] struct {
	eng *Engine
	ref flow.Ref
	id  string
}

// Ref is the run that accepted the update.
func (r Reply[O]) Ref() flow.Ref { return r.ref }

// UpdateID is the update's id: the caller's, or the one that was chosen.
func (r Reply[O]) UpdateID() string { return r.id }

// Wait waits for the reply. It may be called again, from anywhere.
func (r Reply[O]) Wait(ctx context.Context) (O, error) {
	ev, err := r.eng.updateReply(ctx, r.ref, r.id)
	if err != nil {
		var zero O
		return zero, err
	}
	return replied[O](r.ref, ev)
}

// replied is what a caller gets of the event that replies to him.
func replied[O any](ref flow.Ref, ev flow.Event) (O, error) {
	if ev.Failure != nil {
		var zero O
		return zero, fmt.Errorf("update %s of %s: %w", ev.Name, ref.ID, ev.Failure)
	}
	return decode[O](ev.Output)
}

// HandleOptions belong to one handler. The zero value is right.
type HandleOptions[I any] struct {
	// Validate, when set, refuses inputs that do not fit the state of the run.
	// It only looks: it runs while the code waits, before anything is stored,
	// and must neither change state nor block. It does not run again at replay.
	Validate func(in I) error
}

// Handle sets the handler of the update. It costs no step; a later call replaces
// the handler. The update must be declared in [Workflow].Updates.
//
// Each accepted update runs do in a branch of its own, as [Go] does, so that
// handlers share the code's variables without locks: one of them moves at a
// time, and only an operation lets another go on. Updates are handled in the
// order in which they were accepted, as far as their handlers do not wait.
func (u Update[I, O]) Handle(ctx *Context, do func(*Context, I) (O, error)) {
	u.HandleWith(ctx, do, HandleOptions[I]{})
}

// HandleWith is Handle with options.
func (u Update[I, O]) HandleWith(ctx *Context, do func(*Context, I) (O, error), o HandleOptions[I]) {
	h := &handler{do: func(ctx *Context, p flow.Payload) (flow.Payload, error) {
		in, err := decode[I](p)
		if err != nil {
			return nil, systemFailure(CodeEncoding, "update %s: input: %v", u.Name, err)
		}
		out, err := do(ctx, in)
		if err != nil {
			return nil, err
		}
		reply, err := encode(out)
		if err != nil {
			return nil, systemFailure(CodeEncoding, "update %s: reply: %v", u.Name, err)
		}
		return reply, nil
	}}
	h.validate = func(p flow.Payload) error {
		in, err := decode[I](p)
		if err != nil || o.Validate == nil {
			return err
		}
		return o.Validate(in)
	}
	ctx.setHandler(u.Name, h)
}

// declared are the updates or queries of a definition by name.
func declared[M interface{ MessageName() string }](d *definition, what string, list []M) map[string]M {
	out := map[string]M{}
	for i, m := range list {
		if any(m) == nil {
			d.problem = errors.Join(d.problem, fmt.Errorf("workflow %s: %s %d is nil", d.name, what, i))
			continue
		}
		name := m.MessageName()
		d.problem = errors.Join(d.problem, flow.CheckName(what+" name", name))
		if _, twice := out[name]; twice {
			d.problem = errors.Join(d.problem, fmt.Errorf("workflow %s: %s %s is declared twice", d.name, what, name))
		}
		out[name] = m
	}
	return out
}

// judged runs a validator: what it refuses with, or panics with, is a failure.
func judged(validate func() error) (f *flow.Failure) {
	defer func() {
		if r := recover(); r != nil {
			f = panicFailure(r)
		}
	}()
	if err := validate(); err != nil {
		return failureOf(err)
	}
	return nil
}

// replyWithin is how long an operator's update waits for its reply when nothing
// else is said.
const replyWithin = 10 * time.Second
