package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"weft/flow"
)

// Workflow is a type of run: a name, and the code that runs under it.
//
// The code may do anything between two operations as long as it does the same
// every time it is given the same outcomes: no clock, no random numbers, no
// map order, no goroutines of its own. The context offers each of these in a
// deterministic form.
type Workflow[I, O any] struct {
	// Name is recorded with each run and must stay the same: 1 to 200 bytes of
	// printable UTF-8, as all names here, and different from other types'.
	Name string
	// Version is recorded too, and may be "". A run goes on only under the version
	// it was started with; raise it when a change does not fit old journals.
	Version string
	// Do is the code.
	Do func(ctx *Context, in I) (O, error)
	// Finalizer releases what the run holds outside, when it is cancelled or
	// times out after it recorded state with [SetFinalizerState].
	Finalizer Finalizer
	// Compensations are what undoes the [Reversible] steps of the code's sagas
	// (Reversible.By), so that an owed teardown finds them.
	Compensations []Finalizer
	// FinalizeOn adds ends that owe the finalizer to those that always do:
	// flow.Failed, or even flow.Completed.
	FinalizeOn []flow.Status
	// Signals are the signals the code waits for, for consoles and for the
	// check of what people send.
	Signals []Message
	// Updates and Queries are those that the code handles and answers. What is
	// not declared here is refused, and code that handles it fails.
	Updates []AnyUpdate
	Queries []AnyQuery
	// Example is an input to begin with, shown by consoles. Its zero value
	// means there is none.
	Example I
	// OnPanic says what becomes of a run whose code panics. The zero value
	// fails it.
	OnPanic OnPanic
	// LooseInput turns a changed input of a step from a mismatch, which suspends
	// the run, into a warning in the log.
	LooseInput bool
}

// OnPanic is what becomes of a run whose code panics.
type OnPanic uint8

const (
	// PanicFails ends the run as failed, with the stack.
	PanicFails OnPanic = iota
	// PanicSuspends suspends it: fixed code can go on.
	PanicSuspends
)

// Definition is a [Workflow] of any types.
type Definition interface {
	definition() *definition
}

// Message is a [Signal] of any type.
type Message interface {
	// MessageName is the name it is sent under.
	MessageName() string
	check(flow.Payload) error
}

// definition is a workflow without its types.
type definition struct {
	name, version string
	run           func(*Context, flow.Payload) (flow.Payload, error)
	checkInput    func(flow.Payload) error
	signals       map[string]Message
	updates       map[string]AnyUpdate
	queries       map[string]AnyQuery
	example       flow.Payload
	finalizer     *finalizer
	compensations map[string]*finalizer
	finalizeOn    []flow.Status
	onPanic       OnPanic
	loose         bool
	problem       error
}

func (w Workflow[I, O]) definition() *definition {
	d := &definition{name: w.Name, version: w.Version, onPanic: w.OnPanic, loose: w.LooseInput,
		signals: map[string]Message{}, run: w.run,
		checkInput: func(p flow.Payload) error { return decodeStrict[I]("input of "+w.Name, p) }}
	d.problem = flow.CheckName("workflow name", w.Name)
	if w.Version != "" {
		d.problem = errors.Join(d.problem, flow.CheckName("workflow version", w.Version))
	}
	if w.Do == nil {
		d.problem = errors.Join(d.problem, fmt.Errorf("workflow %s: has no Do function", w.Name))
	}
	for i, m := range w.Signals {
		if m == nil {
			d.problem = errors.Join(d.problem, fmt.Errorf("workflow %s: Signals[%d] is nil", w.Name, i))
			continue
		}
		d.problem = errors.Join(d.problem, flow.CheckName("signal name", m.MessageName()))
		if _, twice := d.signals[m.MessageName()]; twice {
			d.problem = errors.Join(d.problem, fmt.Errorf("workflow %s: signal %s is declared twice", w.Name, m.MessageName()))
		}
		d.signals[m.MessageName()] = m
	}
	d.updates = declared(d, "update", w.Updates)
	d.queries = declared(d, "query", w.Queries)
	if w.Finalizer != nil {
		d.finalizer, d.finalizeOn = w.Finalizer.finalizer(), w.FinalizeOn
		d.problem = errors.Join(d.problem, d.finalizer.problem)
	}
	d.addCompensations(w.Compensations)
	if p, err := encode(w.Example); err == nil {
		d.example = p
	}
	return d
}

// addCompensations registers what undoes steps.
func (d *definition) addCompensations(all []Finalizer) {
	for i, c := range all {
		if c == nil {
			d.problem = errors.Join(d.problem, fmt.Errorf("workflow %s: Compensations[%d] is nil", d.name, i))
			continue
		}
		f := c.finalizer()
		_, twice := d.compensations[f.name]
		if twice || d.finalizer != nil && d.finalizer.name == f.name {
			d.problem = errors.Join(d.problem, fmt.Errorf("workflow %s: two of its finalizer and compensations are called %s", d.name, f.name))
		}
		if d.compensations == nil {
			d.compensations = map[string]*finalizer{}
		}
		d.compensations[f.name] = f
		d.problem = errors.Join(d.problem, f.problem)
	}
}

func (w Workflow[I, O]) run(ctx *Context, input flow.Payload) (flow.Payload, error) {
	in, err := decode[I](input)
	if err != nil {
		return nil, systemFailure(CodeEncoding, "workflow %s: input: %v", w.Name, err)
	}
	out, err := w.Do(ctx, in)
	if err != nil {
		return nil, err
	}
	p, err := encode(out)
	if err != nil {
		return nil, systemFailure(CodeEncoding, "workflow %s: result: %v", w.Name, err)
	}
	return p, nil
}

// StartOptions belong to one start. The zero value is right.
type StartOptions struct {
	// ID names the run; "" lets the engine choose one.
	ID flow.WorkflowID
	// IdempotencyKey, 1 to 200 bytes, makes a repeated start answer with the first
	// run, whatever its id, input or state. It is remembered for ever.
	IdempotencyKey string
	// Tags are labels for people, at most 32 of 128 bytes.
	Tags []string
	// Attributes are what the run is found and sorted by; see
	// [Attribute.Of]. At most 32.
	Attributes []AttributeSetting
	// Headers are handed on to everything the run does, see [Header]: a trace
	// context, a tenant. They are stored, so they are no place for secrets. At
	// most 32 and 4 KiB.
	Headers map[string]string
	// StartAt delays the beginning: the run is pending until then. Zero, or an
	// instant that has passed, begins at once.
	StartAt time.Time
	// Deadline is how long the run may take from its beginning; then it is
	// timed out. Zero is no bound, suspension does not extend it.
	Deadline time.Duration
	// NeedsServices marks a run that cannot go on without what
	// Options.Services makes. Each launch asks for it; if there is none, the
	// run fails with category system.
	NeedsServices bool
	// OnTerminalConflict says what to do when the id belongs to a run that has
	// ended; "" refuses.
	OnTerminalConflict flow.OnTerminalConflict
}

// Start starts a run; when it returns nil, the run survives a power cut.
//
// It fails with a [*flow.ExistsError] while the id is taken, by a run that has
// ended as well, a [*flow.UnknownError] when the engine does not have the type, a
// [*flow.NameError] or [*flow.LimitError] when an option or the input breaks a limit,
// and a [*flow.OutcomeUnknownError] when it cannot tell: then a start with the same id
// or key finds out.
func (w Workflow[I, O]) Start(ctx context.Context, e *Engine, in I, o StartOptions) (Run[O], error) {
	payload, err := encode(in)
	if err != nil {
		return Run[O]{}, fmt.Errorf("start %s: input: %w", w.Name, err)
	}
	ref, _, err := e.start(ctx, startRequest{typ: w.Name, input: payload, StartOptions: o})
	if err != nil {
		return Run[O]{}, fmt.Errorf("start %s: %w", w.Name, err)
	}
	return Run[O]{eng: e, ref: ref}, nil
}

// Run is a handle to one run. It is a plain value, may be used from many
// goroutines and needs no closing; letting go of it changes nothing. What else can
// be done to a run, a cancel for one, goes through [Engine.Operator].
type Run[O any] struct {
	eng *Engine
	ref flow.Ref
}

// Ref is the run's address.
func (r Run[O]) Ref() flow.Ref { return r.ref }

// Result waits for the end, of the last run if this one continues as new. It is
// the recorded result, or a [*flow.EndedError] that tells how the run ended
// instead. The wait ends early when ctx ends or the engine closes or halts; it
// may be repeated, from many goroutines, and after the end answers at once.
func (r Run[O]) Result(ctx context.Context) (O, error) {
	var zero O
	ref, ev, err := r.eng.result(ctx, r.ref)
	if err != nil {
		return zero, err
	}
	if ev.Status != flow.Completed {
		return zero, &flow.EndedError{Ref: ref, Status: ev.Status, Reason: ev.Reason, Failure: ev.Failure}
	}
	return decode[O](ev.Output)
}
