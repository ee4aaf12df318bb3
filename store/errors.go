package store

import (
	"errors"
	"fmt"
	"time"
)

// Each sentinel is one answer a caller branches on. Structs below carry the
// details for people and unwrap to their sentinel.
var (
	// ErrMissing: there is no store here. Make one (init) or correct the path.
	ErrMissing = errors.New("no store here")
	// ErrLocked: another process, or this one, has the store. See
	// [*LockedError].
	ErrLocked = errors.New("store in use")
	// ErrForeign: the directory holds something else. Choose another one.
	ErrForeign = errors.New("not a weft store")
	// ErrHalfMade: creating the store was interrupted. Create it again; it holds
	// no data.
	ErrHalfMade = errors.New("store half made")
	// ErrNewer: a newer program wrote this store. Use that program.
	ErrNewer = errors.New("store written by a newer version")
	// ErrCorrupt: stored bytes are damaged.
	ErrCorrupt = errors.New("store damaged")
	// ErrDataLoss: the store opens, but acknowledged groups are missing.
	ErrDataLoss = errors.New("acknowledged data missing")
	// ErrFull: too little free space to take new work. Make room.
	ErrFull = errors.New("disk full")
	// ErrStalled: the store did not answer in time.
	ErrStalled = errors.New("store stalled")
	// ErrFailed: a write failed; its outcome is unknown and nothing is written
	// any more. Open the store anew.
	ErrFailed = errors.New("storage failed")
	// ErrReadOnly: the store was opened for reading only.
	ErrReadOnly = errors.New("store is read-only")
	// ErrClosed: the store was closed.
	ErrClosed = errors.New("store closed")
	// ErrReservedKey: a key is empty or begins with a zero byte. Those keys are
	// the store's own.
	ErrReservedKey = errors.New("key reserved for the store")
	// ErrDenied: the operating system refuses access to the directory.
	ErrDenied = errors.New("access denied")
)

// OpenError says why a store could not be opened, in one sentence, and what to
// do. It unwraps to one of the sentinels.
type OpenError struct {
	Dir    string
	Reason error // unwraps to a sentinel
	Advice string
}

func (e *OpenError) Error() string {
	if e.Advice == "" {
		return fmt.Sprintf("open %s: %v", e.Dir, e.Reason)
	}
	return fmt.Sprintf("open %s: %v; %s", e.Dir, e.Reason, e.Advice)
}

func (e *OpenError) Unwrap() error { return e.Reason }

// LockedError names the process that has the store, as far as known. PID is 0
// when the system cannot tell.
type LockedError struct {
	PID    int
	Host   string
	Since  time.Time
	Socket string // where it answers; "" when it does not
	// Here: it is this process, which has the store open already.
	Here bool
}

func (e *LockedError) Error() string {
	if e.Here {
		return ErrLocked.Error() + ": this process has it open already"
	}
	if e.PID == 0 {
		return ErrLocked.Error() + " by another process"
	}
	s := fmt.Sprintf("%v by process %d", ErrLocked, e.PID)
	if e.Host != "" {
		s += " on " + e.Host
	}
	if !e.Since.IsZero() {
		s += " since " + e.Since.UTC().Format(time.RFC3339)
	}
	return s
}

func (e *LockedError) Unwrap() error { return ErrLocked }

// LimitError names a limit that a batch exceeds.
type LimitError struct {
	Limit    string
	Got, Max int
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("%s: %d, at most %d", e.Limit, e.Got, e.Max)
}
