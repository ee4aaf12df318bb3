package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"unicode/utf8"

	"weft/flow"
)

// Code is a declared error: a value that code compares with errors.Is and that
// keeps its identity when it is recorded and read back.
//
//	var OutOfStock = engine.Code("out-of-stock")
//	…
//	return engine.Fail(OutOfStock, "item %s", id)
//	…
//	if errors.Is(err, OutOfStock) { … } // live and on replay
type Code string

// Error is the code.
func (c Code) Error() string { return string(c) }

// FailureCode is the code.
func (c Code) FailureCode() string { return string(c) }

// Codes that the engine itself puts on failures.
const (
	// CodePanic: the code panicked.
	CodePanic Code = "panic"
	// CodeExit: the code ended its goroutine with runtime.Goexit.
	CodeExit Code = "goexit"
	// CodeTimeout: one attempt took longer than Activity.Timeout.
	CodeTimeout Code = "attempt-timeout"
	// CodeHeartbeat: no heartbeat came within Activity.HeartbeatTimeout.
	CodeHeartbeat Code = "heartbeat-timeout"
	// CodeScheduleToClose: Activity.ScheduleToClose was used up.
	CodeScheduleToClose Code = "schedule-to-close-timeout"
	// CodeEncoding: a value could not be written as, or read from, JSON.
	CodeEncoding Code = "encoding"
	// CodeMisuse: a context was used by a goroutine that it does not belong to.
	CodeMisuse Code = "context-misuse"
	// CodeLater: an activity returned [ErrLater] without a token.
	CodeLater Code = "later-without-token"
	// CodeDeadlock: all branches of a run wait for each other.
	CodeDeadlock Code = "deadlock"
	// CodeServices: the services the run needs are not to be had.
	CodeServices Code = "services-unavailable"
	// CodeRecord: the run's stored records cannot be read.
	CodeRecord Code = "record-unreadable"
	// CodeTooMany: more than 2,000 branches would wait in operations at once.
	// Give [Map] a width.
	CodeTooMany Code = "too-many-operations"
)

// Fail is an error with a code.
func Fail(code Code, format string, args ...any) error {
	return &flow.Failure{Code: string(code), Category: flow.Application, Message: cut(fmt.Sprintf(format, args...), maxText)}
}

// Permanent marks err: no further attempt is made. Permanent(nil) is nil.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return &permanentError{err}
}

type permanentError struct{ error }

func (e *permanentError) Unwrap() error { return e.error }

// failureOf turns an error into what is recorded. The chain is kept as far as
// it consists of recorded failures; other errors are kept as text.
func failureOf(err error) *flow.Failure {
	var permanent *permanentError
	isPermanent := errors.As(err, &permanent)
	var known *flow.Failure
	if errors.As(err, &known) {
		f := *known
		if text := errorText(err); text != f.Message {
			f = flow.Failure{Code: known.Code, Category: known.Category, Message: text, Cause: known}
		}
		f.Permanent = isPermanent || known.Permanent
		return &f
	}
	f := &flow.Failure{Category: flow.Application, Message: errorText(err), Permanent: isPermanent}
	var code Code
	if errors.As(err, &code) {
		f.Code = string(code)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		f.Category = flow.Timeout
	}
	return f
}

// errorText is err.Error(), even if that panics.
func errorText(err error) (text string) {
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprintf("error of type %T whose text panics", err)
		}
	}()
	return cut(err.Error(), maxText)
}

// maxText is the most bytes kept of the text of an error or a panic.
const maxText = 32 << 10

// cut shortens s to at most n bytes without breaking a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// panicText describes a recovered value, even if describing it panics.
func panicText(v any) (text string) {
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprintf("value of type %T whose text panics", v)
		}
	}()
	return cut(fmt.Sprint(v), maxText)
}

func panicFailure(v any) *flow.Failure {
	return &flow.Failure{Code: string(CodePanic), Category: flow.Application,
		Message: "panic: " + panicText(v), Stack: string(debug.Stack())}
}

func systemFailure(code Code, format string, args ...any) *flow.Failure {
	return &flow.Failure{Code: string(code), Category: flow.System, Permanent: true,
		Message: cut(fmt.Sprintf(format, args...), maxText)}
}
