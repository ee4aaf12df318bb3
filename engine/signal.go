package engine

import (
	"context"
	"fmt"
	"time"

	"weft/flow"
)

// Signal is a message that others send to a run. Signals are buffered durably
// and taken one by one, in order of arrival, by the code that waits for them.
type Signal[T any] struct {
	// Name is what it is sent under.
	Name string
}

// MessageName implements [Message].
func (s Signal[T]) MessageName() string { return s.Name }

func (s Signal[T]) check(p flow.Payload) error {
	return decodeStrict[T]("payload of signal "+s.Name, p)
}

// Wait takes the next signal, waiting for it as long as it takes.
func (s Signal[T]) Wait(ctx *Context) (T, error) {
	v, _, err := s.wait(ctx, op{kind: flow.StepSignal, name: s.Name})
	return v, err
}

// WaitFor takes the next signal if it arrives within limit; false when it did
// not. The limit counts from the moment the step is first reached, over restarts
// and whatever else the run does meanwhile; a crash within Options.Grace of that
// moment begins it again. A signal that arrived in time is taken even if the run
// looks later. With a limit of 0 it takes what is there and does not wait; code
// that is about to return takes the rest with [Signal.Drain].
func (s Signal[T]) WaitFor(ctx *Context, limit time.Duration) (T, bool, error) {
	o := op{kind: flow.StepSignal, name: s.Name, limited: true, limit: max(limit, 0)}
	o.digest = flow.DigestOf([]byte(limit.String()))
	return s.wait(ctx, o)
}

func (s Signal[T]) wait(ctx *Context, o op) (T, bool, error) {
	var zero T
	ev := ctx.perform(&o)
	if ev.TimedOut {
		return zero, false, nil
	}
	v, err := outcomeOf[T](ev)
	return v, err == nil, err
}

// SendOptions belong to one signal. The zero value is right.
type SendOptions struct {
	// SignalID, 1 to 128 bytes, makes a repeated send with the same name and
	// id change nothing, until the run ends.
	SignalID string
}

// Send buffers the signal for the run that has the id; when it returns, the
// signal survives a power cut. It fails with a [*flow.NotFoundError] when
// there is none and with a [*flow.FinishedError] when it has ended.
func (s Signal[T]) Send(ctx context.Context, e *Engine, id flow.WorkflowID, v T) error {
	return s.SendWith(ctx, e, id, v, SendOptions{})
}

// SendWith is Send with options.
func (s Signal[T]) SendWith(ctx context.Context, e *Engine, id flow.WorkflowID, v T, o SendOptions) error {
	payload, err := encode(v)
	if err != nil {
		return fmt.Errorf("signal %s: payload: %w", s.Name, err)
	}
	_, err = e.signal(ctx, signalRequest{target: flow.Ref{ID: id}, name: s.Name, payload: payload, id: o.SignalID})
	if err != nil {
		return fmt.Errorf("signal %s to %s: %w", s.Name, id, err)
	}
	return nil
}
