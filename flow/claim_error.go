package flow

import (
	"errors"
	"fmt"
)

// ClaimError says why something cannot happen to a claim now. It unwraps to
// [ErrConflict].
type ClaimError struct {
	Claim Claim
	Event ClaimEvent
	Now   Instant
}

// Error implements error.
func (e *ClaimError) Error() string {
	const clock = "15:04:05Z"
	c := e.Claim
	switch p := c.Phase(e.Now); {
	case p == ClaimIsFresh:
		return fmt.Sprintf("attempt %d running since %s, claim goes stale at %s", c.Attempt(),
			c.ClaimedAt.Time().Format(clock), c.StaleAt().Time().Format(clock))
	case p == ClaimWaits && e.Event == TakeClaim:
		return fmt.Sprintf("attempt %d is due only at %s", c.Attempt(), c.Due)
	default:
		return fmt.Sprintf("a teardown that is %s has no %s", p, e.Event)
	}
}

// Unwrap is [ErrConflict].
func (e *ClaimError) Unwrap() error { return ErrConflict }

// ErrTeardownOwed: the run's teardown is still owed. Wait for it, or discard
// its dead letter, then try again.
var ErrTeardownOwed = errors.New("a teardown is owed")

// PendingError refuses what would take a run away whose teardown is owed. It
// unwraps to [ErrTeardownOwed].
type PendingError struct {
	Ref
	Finalizer string
	// Status is 0 when the claim cannot be read.
	Status   ClaimStatus
	Attempts int
	// NextAt is when something happens next, as far as the claim knows.
	NextAt Instant
}

// Error implements error.
func (e *PendingError) Error() string {
	what := "teardown"
	if e.Finalizer != "" {
		what += " " + e.Finalizer
	}
	if e.Status == 0 {
		return fmt.Sprintf("blocked by owed teardown: the claim of workflow %q cannot be read", e.ID)
	}
	return fmt.Sprintf("blocked by owed teardown: %s of workflow %q is %s, %d of %d attempts used",
		what, e.ID, e.Status, e.Attempts, MaxTeardownAttempts)
}

// Unwrap is [ErrTeardownOwed].
func (e *PendingError) Unwrap() error { return ErrTeardownOwed }

// RedriveError says why a dead letter cannot be redriven. It unwraps to
// [ErrBadInput].
type RedriveError struct {
	Ref
	Problem string
}

// Error implements error.
func (e *RedriveError) Error() string {
	return fmt.Sprintf("dead letter of workflow %q: %s", e.ID, e.Problem)
}

// Unwrap is [ErrBadInput].
func (e *RedriveError) Unwrap() error { return ErrBadInput }
