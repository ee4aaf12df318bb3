package flow

import "fmt"

// UnreachableError says why the code of a run can be neither updated nor
// queried: the run is pending or suspended, its type or version is not
// registered here, or its code no longer fits its journal.
type UnreachableError struct {
	Ref
	// Why is the reason, as the end of "run a/01… ".
	Why string
}

// Error implements error.
func (e *UnreachableError) Error() string { return fmt.Sprintf("run %s %s", e.Ref, e.Why) }

// Unwrap is [ErrUnreachable].
func (e *UnreachableError) Unwrap() error { return ErrUnreachable }

// RejectedError is the answer of a validator. Nothing was stored, and the code
// of the run has not seen the update.
type RejectedError struct {
	Name    string
	Failure *Failure
}

// Error implements error.
func (e *RejectedError) Error() string {
	return "rejected: " + e.Failure.Message
}

// Unwrap gives ErrRejected and what the validator said.
func (e *RejectedError) Unwrap() []error { return []error{ErrRejected, e.Failure} }

// UnansweredError says that a run ended after it had accepted an update and
// before it replied. What the handler did until then is done.
type UnansweredError struct {
	Ref
	UpdateID string
	Status   Status
}

// Error implements error.
func (e *UnansweredError) Error() string {
	how := "continued as new or was purged"
	if e.Status.Valid() {
		how = e.Status.String()
	}
	return fmt.Sprintf("run %s %s before it replied to update %q", e.Ref, how, e.UpdateID)
}

// Unwrap is [ErrUnanswered].
func (e *UnansweredError) Unwrap() error { return ErrUnanswered }

// NoReplyError says that an update was accepted, which is durable, and that the
// wait for its reply ended first. The same update id asks for the reply again.
type NoReplyError struct {
	Ref
	UpdateID string
	// Cause is why the wait ended.
	Cause error
}

// Error implements error.
func (e *NoReplyError) Error() string {
	return fmt.Sprintf("run %s accepted update %q and has not replied yet: %v", e.Ref, e.UpdateID, e.Cause)
}

// Unwrap gives ErrNoReply and the cause.
func (e *NoReplyError) Unwrap() []error { return []error{ErrNoReply, e.Cause} }

// OverrunError says that a query was given up. The run goes on untouched.
type OverrunError struct {
	Ref
	Name string
	// Limit is how long it might take, as text.
	Limit string
}

// Error implements error.
func (e *OverrunError) Error() string {
	return fmt.Sprintf("query %s of run %s has no answer after %s", e.Name, e.Ref, e.Limit)
}

// Unwrap is [ErrOverrun].
func (e *OverrunError) Unwrap() error { return ErrOverrun }

// SignalClosedError says that the code of a run has taken all signals of a name
// and asked for no more of them.
type SignalClosedError struct {
	Ref
	Name string
}

// Error implements error.
func (e *SignalClosedError) Error() string {
	return fmt.Sprintf("run %s takes no more signals %s", e.Ref, e.Name)
}

// Unwrap is [ErrSignalClosed].
func (e *SignalClosedError) Unwrap() error { return ErrSignalClosed }

// CheckUpdateID judges the id that a caller gives an update: the rules of
// [CheckSignalID].
func CheckUpdateID(s string) error { return checkText("update id", s, MaxSignalID) }
