package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"weft/flow"
)

// Query asks a run's code about its state. The answer changes nothing: it comes
// from a replay of what is recorded, made for the purpose and thrown away. So a
// run can be asked while it runs, waits, is suspended, and when it has ended.
type Query[I, O any] struct {
	// Name is what it is asked by.
	Name string
}

// AnyQuery is a [Query] of any types.
type AnyQuery interface {
	// MessageName is the name it is asked by.
	MessageName() string
	checkQuery(flow.Payload) error
}

// MessageName implements [AnyQuery].
func (q Query[I, O]) MessageName() string { return q.Name }

// checkQuery judges an input that a person gave. None at all is fine.
func (q Query[I, O]) checkQuery(p flow.Payload) error {
	if len(p) == 0 {
		return nil
	}
	return decodeStrict[I]("input of query "+q.Name, p)
}

// answerer is what the code answers to a query, without types.
type answerer func(flow.Payload) (flow.Payload, error)

// Answer sets what the code answers to the query. It costs no step; a later call
// replaces it. The query must be declared in [Workflow].Queries.
//
// f looks at the code's variables and must be quick. What it changes, it changes
// in a copy; operations in it fail.
func (q Query[I, O]) Answer(ctx *Context, f func(in I) (O, error)) {
	ctx.setAnswer(q.Name, func(p flow.Payload) (flow.Payload, error) {
		in, err := decode[I](p)
		if err != nil {
			return nil, systemFailure(CodeEncoding, "query %s: input: %v", q.Name, err)
		}
		out, err := f(in)
		if err != nil {
			return nil, err
		}
		answer, err := encode(out)
		if err != nil {
			return nil, systemFailure(CodeEncoding, "query %s: answer: %v", q.Name, err)
		}
		return answer, nil
	})
}

// queryLimit bounds a query: the replay and the answer together.
const queryLimit = 5 * time.Second

// Ask asks the run that has the id. The answer is of the state after the last
// durable event. It takes as long as a replay of the run, at most 5 s or until
// ctx ends; then it is a [*flow.OverrunError].
//
// What the code answers with an error is a [*flow.Failure]. A run that is
// pending or held, or whose code no longer fits its journal, is a
// [*flow.UnreachableError].
func (q Query[I, O]) Ask(ctx context.Context, e *Engine, id flow.WorkflowID, in I) (O, error) {
	var zero O
	payload, err := encode(in)
	if err != nil {
		return zero, fmt.Errorf("query %s of %s: input: %w", q.Name, id, err)
	}
	answer, err := e.ask(ctx, flow.Ask{Target: flow.Ref{ID: id}, Name: q.Name, Input: payload})
	if err != nil {
		return zero, fmt.Errorf("query %s of %s: %w", q.Name, id, err)
	}
	return decode[O](answer.Payload)
}

// setAnswer sets what the code answers to a query.
func (c *Context) setAnswer(name string, f answerer) {
	l := c.life
	l.mu.Lock()
	if f := l.block(c.branch, wording("answer to query "+name)); f != nil {
		misuse(f)
	}
	defer l.mu.Unlock()
	if l.def.queries[name] == nil {
		misuse(systemFailure(CodeMisuse, "query %s is answered but not declared: add it to Workflow.Queries of %s", name, l.def.name))
	}
	if l.answerers == nil {
		l.answerers = map[string]answerer{}
	}
	l.answerers[name] = f
}

// errNoCode refuses what needs the code of a run where none runs.
var errNoCode = fmt.Errorf("no workflow code runs here: ask where the engine runs: %w", flow.ErrNotOffered)

// askChecked is ask for JSON that a person gave.
func (e *Engine) askChecked(ctx context.Context, q flow.Ask) (flow.Answer, error) {
	head, _, err := e.readHead(q.Target.ID)
	if err != nil {
		return flow.Answer{}, err
	}
	if def := e.types[head.Type]; def != nil && def.queries[q.Name] != nil {
		if err := def.queries[q.Name].checkQuery(q.Input); err != nil {
			return flow.Answer{}, err
		}
	}
	return e.ask(ctx, q)
}

// ask answers a query by a life of its own, which only replays.
func (e *Engine) ask(ctx context.Context, q flow.Ask) (flow.Answer, error) {
	if err := e.takesCalls(); err != nil {
		return flow.Answer{}, err
	}
	if err := errors.Join(flow.CheckName("workflow id", string(q.Target.ID)), flow.CheckName("query name", q.Name)); err != nil {
		return flow.Answer{}, err
	}
	l, err := e.conjure(q)
	if err != nil {
		return flow.Answer{}, err
	}
	limit := time.NewTimer(queryLimit)
	defer limit.Stop()
	if err := e.asks.enter(ctx, e, l, limit.C); err != nil {
		return flow.Answer{}, err
	}
	select {
	case got := <-l.ghost.got:
		if got.err != nil {
			return flow.Answer{}, got.err
		}
		return flow.Answer{Payload: got.out, At: flow.InstantOf(e.now())}, nil
	case <-limit.C:
		err = &flow.OverrunError{Ref: l.ref, Name: q.Name, Limit: queryLimit.String()}
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-e.closing:
		err = flow.ErrClosed
	case <-e.dead:
		err = e.halted()
	}
	l.dismiss(leaveClosed)
	return flow.Answer{}, err
}
