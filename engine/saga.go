package engine

import (
	"fmt"
	"slices"
	"strings"

	"weft/flow"
)

// Saga runs do as a saga: when it fails, what its [Reversible] steps have done is
// undone, the newest first, by steps that are recorded like any other, each under
// the retry policy of its compensation. A crash in between goes on where it was.
// The step that failed is not compensated: it has no result. If do panics, that
// is a failure too. The error is then do's own or, when a compensation failed for
// good as well, a [*SagaError] with all of them.
//
// While a saga is open, every completed step's compensation is recorded in the
// batch of the step. If the run is cancelled or times out they are owed, like a
// finalizer and before it: newest first, one at a time, each up to 8 times over
// hours, and one that never succeeds ends as a dead letter at which a redrive
// goes on. So are those that are left when the run fails: compensations that
// failed for good, or whose code could not run. A run that completes owes none.
// A definition names its compensations in [Workflow].Compensations.
//
// A do that ends with [WorkflowRef.ContinueAsNew] has succeeded.
//
// Within do, use the context it is given, also in branches: all steps of them
// belong to the saga, in the order they were done. A saga within a saga hands
// its steps to the outer one when it succeeds.
func Saga[O any](ctx *Context, do func(*Context) (O, error)) (O, error) {
	s := &saga{outer: ctx.saga}
	inside := &Context{life: ctx.life, branch: ctx.branch, saga: s}
	out, err := protect(inside, do)
	s.closed = true
	if err == nil || continuationIn(err) != nil {
		s.succeed(ctx)
		return out, err
	}
	s.failed = true
	var zero O
	return zero, s.undo(ctx, err)
}

// saga is one that is open, or was. Only code of its run uses it, one goroutine
// at a time.
type saga struct {
	outer          *saga
	done           []undoing // in the order of their events
	closed, failed bool
}

// undoing is a completed step that can be undone.
type undoing struct {
	seq  flow.EventSeq
	name string
	run  func(*Context) error
}

// add takes in a completed step. A branch may complete one after the saga was
// closed: then it shares its fate.
func (s *saga) add(ctx *Context, u undoing) error {
	switch {
	case !s.closed:
		i, _ := slices.BinarySearchFunc(s.done, u, func(a, b undoing) int { return int(int64(a.seq) - int64(b.seq)) })
		s.done = slices.Insert(s.done, i, u)
		return nil
	case !s.failed && s.outer != nil:
		return s.outer.add(ctx, u)
	case !s.failed:
		ctx.life.disarmPiece(u.seq)
		return nil
	}
	return u.run(ctx)
}

func (s *saga) succeed(ctx *Context) {
	for _, u := range s.done {
		if s.outer != nil {
			// It cannot fail unless the outer one has, and then nobody reads it.
			_ = s.outer.add(ctx, u)
			continue
		}
		ctx.life.disarmPiece(u.seq)
	}
	s.done = nil
}

// undo compensates and collects what goes wrong.
func (s *saga) undo(ctx *Context, cause error) error {
	var bad []UndoError
	for len(s.done) > 0 {
		u := s.done[len(s.done)-1]
		s.done = s.done[:len(s.done)-1]
		if err := u.run(ctx); err != nil {
			bad = append(bad, UndoError{Compensation: u.name, Err: err})
		}
	}
	if len(bad) == 0 {
		return cause
	}
	return &SagaError{Cause: cause, Undo: bad}
}

// UndoError is a compensation that failed for good, by the name of its activity.
type UndoError struct {
	Compensation string
	Err          error
}

// SagaError is a saga that failed and could not be undone completely.
type SagaError struct {
	// Cause is why it failed.
	Cause error
	// Undo are the compensations that failed, in the order they were tried.
	Undo []UndoError
}

// Error implements error.
func (e *SagaError) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%v; not undone:", e.Cause)
	for i, u := range e.Undo {
		if i > 0 {
			text.WriteString(",")
		}
		fmt.Fprintf(&text, " %s: %v", u.Compensation, u.Err)
	}
	return text.String()
}

// Unwrap is the cause, then the errors of the compensations.
func (e *SagaError) Unwrap() []error {
	all := []error{e.Cause}
	for _, u := range e.Undo {
		all = append(all, u.Err)
	}
	return all
}

// Undo is what a compensation gets: Input is what the step was asked, Output what
// it gave.
type Undo[I, O any] struct {
	Input  I `json:"input"`
	Output O `json:"output"`
}

// Reversible is an activity with what undoes it. Declare it as a package
// variable, and name By in [Workflow].Compensations.
type Reversible[I, O any] struct {
	// Do is the step.
	Do Activity[I, O]
	// By must be idempotent: it runs at least once, and may be called again by
	// an owed teardown after a cancel has met it half way. There its Retry plays
	// no part. Its name must differ from those of other compensations and of the
	// finalizer.
	By Activity[Undo[I, O], Void]
}

// Run runs the activity as the next step of the saga that ctx belongs to, and
// records its compensation with its result.
func (r Reversible[I, O]) Run(ctx *Context, in I) (O, error) {
	var zero O
	if problem := r.problem(ctx); problem != nil {
		return zero, problem
	}
	input, err := encode(in)
	if err != nil {
		return zero, systemFailure(CodeEncoding, "activity %s: input: %v", r.Do.Name, err)
	}
	o, err := r.Do.newOp(input)
	if err != nil {
		return zero, systemFailure("bad-activity", "activity %s: %v", r.Do.Name, err)
	}
	o.undoBy = r.By.Name
	ev := ctx.perform(o)
	out, err := outcomeOf[O](ev)
	if ev.Failure != nil || ev.Seq == 0 {
		return out, err
	}
	undo := undoPayload(input, ev.Output)
	failed := ctx.saga.add(ctx, undoing{seq: ev.Seq, name: r.By.Name, run: func(ctx *Context) error {
		return r.compensate(ctx, ev.Seq, undo)
	}})
	if err == nil {
		err = failed
	}
	return out, err
}

func (r Reversible[I, O]) problem(ctx *Context) error {
	switch _, declared := ctx.life.def.compensations[r.By.Name]; {
	case ctx.saga == nil:
		return systemFailure(CodeMisuse, "activity %s: a Reversible runs within Saga only, with the context that Saga gives", r.Do.Name)
	case ctx.saga.closed:
		return systemFailure(CodeMisuse, "activity %s: the saga is over", r.Do.Name)
	case !declared:
		return &CompensationError{Type: ctx.life.def.name, Compensation: r.By.Name}
	}
	return nil
}

// compensate undoes one step, as a step.
func (r Reversible[I, O]) compensate(ctx *Context, seq flow.EventSeq, undo flow.Payload) error {
	o, err := r.By.newOp(undo)
	if err != nil {
		return systemFailure("bad-activity", "activity %s: %v", r.By.Name, err)
	}
	o.undoes = seq
	if ev := ctx.perform(o); ev.Failure != nil {
		return ev.Failure
	}
	return nil
}

// CompensationError says that a definition does not name a compensation its code
// uses: after a cancel nobody could call it. [Reversible.Run] returns it and has
// run nothing.
type CompensationError struct{ Type, Compensation string }

// Error implements error.
func (e *CompensationError) Error() string {
	return fmt.Sprintf("workflow %s uses compensation %s, but its definition does not name it in Compensations", e.Type, e.Compensation)
}

// undoPayload is an [Undo] of what is JSON already.
func undoPayload(input, output flow.Payload) flow.Payload {
	if len(output) == 0 {
		output = flow.Payload("null")
	}
	return flow.Payload(`{"input":` + string(input) + `,"output":` + string(output) + `}`)
}
