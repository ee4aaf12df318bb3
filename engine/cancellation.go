package engine

import (
	"context"
	"fmt"
	"time"
)

// cancellation is an attempt as the context of its function. Most functions
// never ask for Done or derive a context, so what that takes is made when it is
// first asked for. The fields are guarded by attempt.mu.
type cancellation struct {
	cause  error           // why it was cancelled; nil while it is not
	real   context.Context // nil until somebody needs it
	revoke context.CancelCauseFunc
}

// cancel ends the context. Only the first cause counts.
func (a *attempt) cancel(cause error) {
	a.mu.Lock()
	first := a.cause == nil
	if first {
		a.cause = cause
	}
	revoke := a.revoke
	a.mu.Unlock()
	if first && revoke != nil {
		revoke(cause)
	}
}

// context is the standard library's own context behind the attempt: what is
// derived from it ends without a goroutine, and [context.Cause] finds the
// cause.
func (a *attempt) context() context.Context {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.real == nil {
		a.real, a.revoke = context.WithCancelCause(context.Background())
		if a.cause != nil {
			a.revoke(a.cause)
		}
	}
	return a.real
}

// Deadline implements [context.Context]: timeouts are the engine's.
func (a *attempt) Deadline() (time.Time, bool) { return time.Time{}, false }

// Done implements [context.Context].
func (a *attempt) Done() <-chan struct{} { return a.context().Done() }

// Err implements [context.Context].
func (a *attempt) Err() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.real != nil:
		return a.real.Err()
	case a.cause != nil:
		return context.Canceled
	}
	return nil
}

// Value implements [context.Context].
func (a *attempt) Value(key any) any {
	if _, mine := key.(attemptKey); mine {
		return a
	}
	return a.context().Value(key)
}

// String names the attempt where a context is printed.
func (a *attempt) String() string {
	return fmt.Sprintf("activity %s of run %s, step %s, attempt %d", a.op.name, a.life.ref, a.op.step, a.number)
}

var _ context.Context = (*attempt)(nil)
