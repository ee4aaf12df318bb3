package flow

import (
	"errors"
	"fmt"
	"strings"
)

// Sentinels for callers that branch. Errors below unwrap to one of them where
// a caller needs no details.
var (
	// ErrNotFound: no such workflow or run. Correct the id.
	ErrNotFound = errors.New("not found")
	// ErrExists: the workflow id is taken. Choose another, or read that run.
	ErrExists = errors.New("already exists")
	// ErrFinished: the run has ended; nothing can be done to it any more.
	ErrFinished = errors.New("already finished")
	// ErrBadName: an id or name breaks the rule of [CheckName].
	ErrBadName = errors.New("bad name")
	// ErrBadInput: a payload is not what the receiver declares.
	ErrBadInput = errors.New("bad input")
	// ErrUnknown: no such type, signal, query or update is registered here.
	ErrUnknown = errors.New("unknown name")
	// ErrLeaseNotHeld: this engine does not own the store.
	ErrLeaseNotHeld = errors.New("this engine does not hold the lease")
	// ErrDeposed: this engine owned the store and lost it. Open a new engine.
	ErrDeposed = errors.New("this engine lost the lease")
	// ErrReadOnly: opened for looking only.
	ErrReadOnly = errors.New("opened read-only: nothing can be changed")
	// ErrNotOffered: this engine or mode does not do that.
	ErrNotOffered = errors.New("not offered here")
	// ErrClosed: the engine was closed.
	ErrClosed = errors.New("engine closed")
	// ErrConflict: what the act was meant for has changed. Look again.
	ErrConflict = errors.New("changed meanwhile")
	// ErrUnreachable: the run's code cannot be asked. Wait, or resume it.
	ErrUnreachable = errors.New("the code of the run cannot be reached")
	// ErrRejected: the run's own check refused the update. Nothing was stored.
	ErrRejected = errors.New("update rejected")
	// ErrUnanswered: the run ended before it replied to an accepted update.
	ErrUnanswered = errors.New("ended before answering")
	// ErrNoReply: an accepted update has no reply yet. Ask again.
	ErrNoReply = errors.New("no reply yet")
	// ErrOverrun: a query took too long. Nothing was changed.
	ErrOverrun = errors.New("took too long")
	// ErrSignalClosed: the run takes no more signals of the name.
	ErrSignalClosed = errors.New("signal closed")
)

// NameError says which id or name is refused and why. What says what it names,
// as "workflow id" does.
type NameError struct{ What, Value, Problem string }

// Error implements error.
func (e *NameError) Error() string {
	shown := e.Value
	if len(shown) > 40 {
		shown = strings.ToValidUTF8(shown[:40], "") + "…"
	}
	return fmt.Sprintf("%s %q %s", e.What, shown, e.Problem)
}

// Unwrap is [ErrBadName].
func (e *NameError) Unwrap() error { return ErrBadName }

// NotFoundError names what was looked for: What is its kind, "workflow" for one.
type NotFoundError struct{ What, Name string }

// Error implements error.
func (e *NotFoundError) Error() string { return fmt.Sprintf("there is no %s %q", e.What, e.Name) }

// Unwrap is [ErrNotFound].
func (e *NotFoundError) Unwrap() error { return ErrNotFound }

// ExistsError names the run that has the id.
type ExistsError struct {
	Ref
	Status Status
}

// Error implements error.
func (e *ExistsError) Error() string {
	return fmt.Sprintf("workflow %q already exists and is %s", e.ID, e.Status)
}

// Unwrap is [ErrExists].
func (e *ExistsError) Unwrap() error { return ErrExists }

// FinishedError tells how the run ended.
type FinishedError struct {
	Ref
	Status Status
	At     Instant
}

// Error implements error.
func (e *FinishedError) Error() string {
	return fmt.Sprintf("workflow %q is already %s since %s", e.ID, e.Status, e.At)
}

// Unwrap is [ErrFinished].
func (e *FinishedError) Unwrap() error { return ErrFinished }

// InputError says where a payload is wrong. Line and Column count from 1; 0
// means the position is unknown.
type InputError struct {
	What         string // "input of order", "payload of signal paid"
	Line, Column int
	Problem      string
}

// Error implements error.
func (e *InputError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.What, e.Problem)
	}
	return fmt.Sprintf("%s: line %d, column %d: %s", e.What, e.Line, e.Column, e.Problem)
}

// Unwrap is [ErrBadInput].
func (e *InputError) Unwrap() error { return ErrBadInput }

// UnknownError names what is not registered: What is its kind, a "workflow type"
// for one, and Known are the names there are.
type UnknownError struct {
	What, Name string
	Known      []string
}

// Error implements error.
func (e *UnknownError) Error() string {
	s := fmt.Sprintf("%s %q is not known here", e.What, e.Name)
	if len(e.Known) == 0 {
		return s
	}
	known := e.Known
	more := ""
	if len(known) > 10 {
		known, more = known[:10], fmt.Sprintf(" and %d more", len(e.Known)-10)
	}
	return s + "; known: " + strings.Join(known, ", ") + more
}

// Unwrap is [ErrUnknown].
func (e *UnknownError) Unwrap() error { return ErrUnknown }

// LimitError names a limit, as "tags of a run" does, what there was and what is
// allowed at most.
type LimitError struct {
	Limit    string
	Got, Max int
}

// Error implements error.
func (e *LimitError) Error() string {
	return fmt.Sprintf("%s: %d, at most %d", e.Limit, e.Got, e.Max)
}

// OutcomeUnknownError means the act may or may not have happened: look at ID
// to find out.
type OutcomeUnknownError struct {
	ID    WorkflowID
	Cause error
}

// Error implements error.
func (e *OutcomeUnknownError) Error() string {
	return fmt.Sprintf("outcome unknown, look at workflow %q to find out: %v", e.ID, e.Cause)
}

// Unwrap is the cause.
func (e *OutcomeUnknownError) Unwrap() error { return e.Cause }

// EndedError is the end of a run that did not complete, as a waiter gets it.
type EndedError struct {
	Ref
	Status Status
	// Reason is why it was cancelled or timed out, Failure why it failed.
	Reason  string
	Failure *Failure
}

// Error implements error.
func (e *EndedError) Error() string {
	s := fmt.Sprintf("workflow %q %s", e.ID, e.Status)
	switch {
	case e.Failure != nil:
		s += ": " + e.Failure.Message
	case e.Reason != "":
		s += ": " + e.Reason
	}
	return s
}

// Unwrap is the failure, if there is one.
func (e *EndedError) Unwrap() error {
	if e.Failure == nil {
		return nil
	}
	return e.Failure
}

// Trouble is an error as a script reads it: a code to branch on, the text, and
// what to do about it.
type Trouble struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Advice  string `json:"advice,omitempty"`
}

// troubles gives each sentinel its code and what to do about it.
var troubles = []struct {
	err          error
	code, advice string
}{
	{ErrToken, "token", "see what is waited for with: weft-tui steps ID"}, // its cause may be one of the others
	{ErrNotFound, "not-found", "list what there is with: weft-tui ls"},
	{ErrExists, "exists", "choose another id, or look at that run with: weft-tui show ID"},
	{ErrFinished, "finished", ""},
	{ErrBadName, "bad-name", "use 1 to 200 bytes of printable text"},
	{ErrBadInput, "bad-input", ""},
	{ErrUnknown, "unknown-name", ""},
	{ErrLeaseNotHeld, "lease-not-held", ""},
	{ErrDeposed, "deposed", "another engine owns the store now; open it again"},
	{ErrReadOnly, "read-only", "start without --read-only"},
	{ErrNotOffered, "not-offered", ""},
	{ErrClosed, "closed", ""},
	{ErrTeardownOwed, "teardown-owed", "wait for it, or look at it with: weft-tui teardowns"},
	{ErrUnreachable, "unreachable", ""},
	{ErrRejected, "rejected", ""},
	{ErrUnanswered, "unanswered", ""},
	{ErrNoReply, "no-reply", "call again with the same update id"},
	{ErrOverrun, "overrun", ""},
	{ErrSignalClosed, "signal-closed", "start the next run when this one has ended"},
	{ErrConflict, "conflict", "look again and repeat"},
}

// TroubleOf describes err by the first sentinel it is; code "error" if none.
func TroubleOf(err error) Trouble {
	for _, t := range troubles {
		if errors.Is(err, t.err) {
			return Trouble{Code: t.code, Message: err.Error(), Advice: t.advice}
		}
	}
	return Trouble{Code: "error", Message: err.Error()}
}
