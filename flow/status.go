package flow

import (
	"fmt"
	"strconv"
	"strings"
)

// Status is where a run is in its life. Waiting is still [Running]. The
// numbers are stored and never change.
type Status uint8

const (
	// Pending: a delayed start that has not begun.
	Pending Status = 1
	// Running: the run goes on, or waits.
	Running Status = 2
	// Suspended: stopped until somebody resumes it; see [Reason].
	Suspended Status = 3
	// Completed: the code returned a result.
	Completed Status = 4
	// Failed: the code returned an error, or could not go on.
	Failed Status = 5
	// Cancelled: somebody ended it.
	Cancelled Status = 6
	// TimedOut: its deadline passed.
	TimedOut Status = 7
)

// Statuses are all of them, in the order people read them.
func Statuses() []Status {
	return []Status{Pending, Running, Suspended, Completed, Failed, Cancelled, TimedOut}
}

// becomes is the whole life cycle. A terminal status becomes nothing: the
// first durable end wins and no run is revived.
var becomes = map[Status][]Status{
	Pending:   {Running, Failed, Cancelled, TimedOut},
	Running:   {Suspended, Completed, Failed, Cancelled, TimedOut},
	Suspended: {Running, Failed, Cancelled, TimedOut},
}

// CanBecome reports whether a run may go from s to next.
func (s Status) CanBecome(next Status) bool {
	for _, to := range becomes[s] {
		if to == next {
			return true
		}
	}
	return false
}

// Terminal reports whether s is an end.
func (s Status) Terminal() bool { return s >= Completed && s <= TimedOut }

// Valid reports whether s is one of the seven.
func (s Status) Valid() bool { return s >= Pending && s <= TimedOut }

var statusNames = [...]string{
	Pending: "pending", Running: "running", Suspended: "suspended", Completed: "completed",
	Failed: "failed", Cancelled: "cancelled", TimedOut: "timed-out",
}

// String is the word for it.
func (s Status) String() string {
	if !s.Valid() {
		return fmt.Sprintf("status %d", uint8(s))
	}
	return statusNames[s]
}

// ParseStatus reads what String wrote, or fails with a [*NameError].
func ParseStatus(name string) (Status, error) {
	for _, s := range Statuses() {
		if s.String() == name {
			return s, nil
		}
	}
	return 0, &NameError{What: "status", Value: name,
		Problem: "is none of pending, running, suspended, completed, failed, cancelled, timed-out"}
}

// MarshalText writes the name.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText wrote, also a number that has no name
// here: one damaged row must not make a whole page unreadable.
func (s *Status) UnmarshalText(b []byte) error {
	parsed, err := ParseStatus(string(b))
	if digits, ok := strings.CutPrefix(string(b), "status "); ok {
		n, bad := strconv.ParseUint(digits, 10, 8)
		if bad == nil && Status(n).String() == string(b) {
			parsed, err = Status(n), nil
		}
	}
	*s = parsed
	return err
}

// Reason says why a run is suspended. The text is stored.
type Reason string

const (
	// ByOperator: somebody asked for it.
	ByOperator Reason = "operator"
	// Nondeterminism: the code no longer fits the journal.
	Nondeterminism Reason = "nondeterminism"
	// CrashLoop: the run was recovered too often without progress.
	CrashLoop Reason = "crash-loop"
	// ByPanic: the code panicked and its definition asks to suspend then.
	ByPanic Reason = "panic"
)
