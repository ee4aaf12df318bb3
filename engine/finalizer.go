package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"weft/engine/row"
	"weft/engine/teardown"
	"weft/flow"
	"weft/store"
)

// Finalizer is an [Activity] that releases what a run holds outside: it gets
// the state the run recorded last with [SetFinalizerState]. It must be
// idempotent, is tried up to 8 times over hours, each time within its Timeout
// (zero: 5 minutes), and its own Retry plays no part. See package teardown.
type Finalizer interface {
	finalizer() *finalizer
}

type finalizer struct {
	name    string
	timeout time.Duration
	fn      function
	problem error
}

func (a Activity[I, O]) finalizer() *finalizer {
	_, problem := a.check()
	return &finalizer{name: a.Name, timeout: a.Timeout, fn: a, problem: problem}
}

// WrongFinalizerError says that code recorded state for another finalizer than
// its definition names.
type WrongFinalizerError struct {
	Type      string
	Want, Got string // Want is "" when the type has no finalizer
}

// Error implements error.
func (e *WrongFinalizerError) Error() string {
	if e.Want == "" {
		return fmt.Sprintf("workflow %s records state for finalizer %s, but its definition has none", e.Type, e.Got)
	}
	return fmt.Sprintf("workflow %s records state for finalizer %s, its definition has %s", e.Type, e.Got, e.Want)
}

// SetFinalizerState records what f needs to release what the run holds. It is
// no step: the state rides on the run's next commit, or on the batch that ends
// it, and the last one wins. If the run is cancelled or times out, f becomes
// owed; if it completes or fails, the state is removed (see
// [Workflow].FinalizeOn).
//
// Record the intent before the activity that makes the resource, with a name
// the code chose itself, for instance by [Context.NewID]: an activity that is
// under way when the run is cancelled may have made it already.
//
// It fails with a [*WrongFinalizerError] when f is not the definition's, and with a
// [*flow.LimitError] when the state is above Options.MaxPayload: then what was
// recorded before stays, and the refusal takes a step, so that every later life
// gets it, whatever the option says there.
func SetFinalizerState[S, O any](ctx *Context, f Activity[S, O], state S) error {
	l := ctx.life
	switch fin := l.def.finalizer; {
	case fin == nil:
		return &WrongFinalizerError{Type: l.def.name, Got: f.Name}
	case fin.name != f.Name:
		return &WrongFinalizerError{Type: l.def.name, Want: fin.name, Got: f.Name}
	}
	p, err := encode(state)
	if err == nil {
		err = ctx.weighState(f.Name, p)
	}
	if err != nil {
		return fmt.Errorf("finalizer state: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.staged = &row.State{Type: l.def.name, Finalizer: f.Name, Payload: p}
	return nil
}

// finalState is what a run has recorded for its finalizer: staged since the
// last commit, put in the commit under way, stored.
type finalState struct {
	staged, put *row.State
	stored      bool
	mayBeLate   bool          // the replay has come to a suspension
	droppedPut  int           // how many of life.dropped are in the commit under way
	debt        teardown.Debt // of the stored state
}

// putStaged adds the staged state to the batch of a commit.
func (l *life) putStaged(b *store.Batch) {
	l.putDropped(b)
	l.droppedPut = len(l.dropped)
	l.putDisarmed(b)
	l.putState(b)
	l.putLabels(b)
}

// putState adds only the state.
func (l *life) putState(b *store.Batch) {
	l.put = l.staged
	if l.staged != nil {
		teardown.PutState(b, l.ref, *l.staged)
	}
}

// stagedStored notes that the batch of putStaged is durable.
func (l *life) stagedStored() {
	l.dropped, l.droppedPut = l.dropped[l.droppedPut:], 0
	l.labelsStored()
	l.disarmStored()
	if l.put == nil {
		return
	}
	l.stored, l.debt = true, teardown.Debt{Ref: l.ref, Type: l.put.Type, Finalizer: l.put.Finalizer}
	if l.staged == l.put {
		l.staged = nil
	}
	l.put = nil
}

// stagedReplayed forgets the state that the code staged before a recorded event:
// the event's commit, or an earlier one, carried it, and the summary. Behind a
// suspension that is not sure: what became of attempts under way was recorded
// while there was no code, which stages only now what it does between two such
// outcomes. Then the next commit carries the state, perhaps again.
func (l *life) stagedReplayed(ev flow.Event) {
	if l.mayBeLate {
		return
	}
	if ev.Summary != "" {
		l.summary = ev.Summary
	}
	l.put, l.droppedPut, l.disarmPut = l.staged, 0, 0
	l.stagedStored()
}

// readState looks for stored state. State that cannot be read is state: the
// teardown becomes owed, and then a dead letter with the bytes.
func (l *life) readState(r store.Reader) error {
	s, stored, err := teardown.StateOf(r, l.ref)
	if err != nil && !stored {
		return err
	}
	l.stored = stored
	l.debt = teardown.Debt{Ref: l.ref, Type: l.head.Type, Finalizer: s.Finalizer}
	if l.debt.Finalizer == "" && l.def != nil && l.def.finalizer != nil {
		l.debt.Finalizer = l.def.finalizer.name
	}
	return l.readPieces(r)
}

// owe adds to a terminal batch what the end means for open sagas and for the
// finalizer: owed, or what they recorded is removed.
func (l *life) owe(b *store.Batch, end flow.Status, at flow.Instant) *row.Teardown {
	pieces, first := l.owePieces(b, end)
	recorded := l.staged != nil || l.stored
	owed := recorded && l.owesAt(end)
	if recorded && !owed {
		teardown.DropState(b, l.ref)
	}
	if !owed && pieces == 0 {
		return nil
	}
	debt := l.debt
	if owed && l.staged != nil {
		l.putState(b) // the rest is in the batch already
		debt = teardown.Debt{Ref: l.ref, Type: l.staged.Type, Finalizer: l.staged.Finalizer}
	}
	if pieces > 0 {
		debt.Ref, debt.Type, debt.Finalizer, debt.Pieces = l.ref, l.head.Type, first, pieces
		if owed {
			debt.Pieces++
		}
	}
	timer := teardown.Owe(b, debt, at)
	return &timer
}

func (l *life) owesAt(end flow.Status) bool {
	return end == flow.Cancelled || end == flow.TimedOut || l.def != nil && slices.Contains(l.def.finalizeOn, end)
}

// finalizerOf finds the code of an owed teardown, or of a piece of one.
func (e *Engine) finalizerOf(typ, name string) (teardown.Finalizer, bool) {
	def, ok := e.types[typ]
	if !ok {
		return teardown.Finalizer{}, false
	}
	f := def.finalizer
	if f == nil || f.name != name {
		if f = def.compensations[name]; f == nil {
			return teardown.Finalizer{}, false
		}
	}
	return teardown.Finalizer{Timeout: f.timeout, Do: func(ctx context.Context, a teardown.Attempt) error {
		_, err := e.callActivity(context.WithValue(ctx, finalizerKey{}, Info{Ref: a.Ref, Key: a.Key(), Attempt: a.Number,
			FirstAt: a.OwedAt.Time()}), f.name, f.fn, a.Input)
		return err
	}}, true
}
