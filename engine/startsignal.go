package engine

import (
	"context"
	"errors"
	"fmt"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// StartOrSignal sends a signal to the live run that has o.ID, or starts a run
// with the signal as its first, in one batch. It reports whether it started
// one. A run of the id that has ended is a [*flow.FinishedError], unless
// o.OnTerminalConflict replaces it.
//
// Callers that may repeat the call give s.SignalID: then however many of them
// meet, one run gets the signal once.
func StartOrSignal[I, O, T any](ctx context.Context, e *Engine, w Workflow[I, O], in I, o StartOptions,
	sig Signal[T], payload T, s SendOptions) (Run[O], bool, error) {
	fail := func(err error) (Run[O], bool, error) {
		return Run[O]{}, false, fmt.Errorf("start %s or signal %s: %w", w.Name, sig.Name, err)
	}
	if o.ID == "" {
		return fail(errors.New("needs an id"))
	}
	input, err := encode(in)
	if err != nil {
		return fail(fmt.Errorf("input: %w", err))
	}
	value, err := encode(payload)
	if err != nil {
		return fail(fmt.Errorf("payload: %w", err))
	}
	send := signalRequest{target: flow.Ref{ID: o.ID}, name: sig.Name, payload: value, id: s.SignalID}
	if err := send.check(); err != nil {
		return fail(err)
	}
	ref, started, err := e.startOrSignal(ctx, startRequest{typ: w.Name, input: input, StartOptions: o, first: &send}, send)
	if err != nil {
		return fail(err)
	}
	return Run[O]{eng: e, ref: ref}, started, nil
}

// startOrSignal tries one and then the other until the run stands still long
// enough: it may begin or end between two looks.
func (e *Engine) startOrSignal(ctx context.Context, r startRequest, send signalRequest) (flow.Ref, bool, error) {
	for {
		ref, existed, err := e.start(ctx, r)
		if err == nil {
			return ref, !existed, nil
		}
		var exists *flow.ExistsError
		if !errors.As(err, &exists) {
			return flow.Ref{}, false, err
		}
		if exists.Status.Terminal() {
			return flow.Ref{}, false, &flow.FinishedError{Ref: exists.Ref, Status: exists.Status}
		}
		send.target = exists.Ref
		_, err = e.signal(ctx, send)
		if errors.Is(err, flow.ErrSignalClosed) { // it is about to end
			if _, _, err := e.resultOf(ctx, exists.Ref); err != nil {
				return exists.Ref, false, err
			}
			continue
		}
		if !errors.Is(err, flow.ErrNotFound) && !errors.Is(err, flow.ErrFinished) {
			return exists.Ref, false, err
		}
		if err := ctx.Err(); err != nil {
			return flow.Ref{}, false, err
		}
	}
}

// putFirst adds the first signal to the batch of a start.
func (e *Engine) putFirst(b *store.Batch, l *life, s *signalRequest) {
	entry := buffered{arrival: e.arrival(), Signal: row.Signal{Name: s.name, ID: s.id, Payload: s.payload,
		At: l.head.CreatedAt}}
	b.Put(row.SignalKey(l.ref, entry.arrival), row.EncodeSignal(entry.Signal))
	l.signals.add(entry)
	if s.id != "" {
		key := row.SignalIDKey(l.ref, s.name, s.id)
		b.Put(key, nil)
		l.signals.remember(key, 0)
	}
}
