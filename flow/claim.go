package flow

import (
	"fmt"
	"time"
)

const (
	// MaxTeardownAttempts is how many attempts a teardown gets; when the last
	// one ends without success the claim becomes a dead letter.
	MaxTeardownAttempts = 8
	// TeardownTimeout bounds an attempt whose finalizer declares no timeout.
	TeardownTimeout = 5 * time.Minute
	// MaxTeardownTimeout is the longest timeout that is kept; a longer one is
	// cut to it.
	MaxTeardownTimeout = 365 * 24 * time.Hour
	// TeardownSlack is how long after its timeout an attempt counts as lost.
	TeardownSlack = 30 * time.Second
	// TeardownPause is how long a teardown rests that could not be settled,
	// such as one whose attempt was called off by a shutdown.
	TeardownPause = 30 * time.Second
	// MaxTeardownError is the most bytes that are kept of an attempt's error.
	MaxTeardownError = 4096
)

// teardownBackOff are the waits after the first failures; the last one stays.
var teardownBackOff = [...]time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour}

// TeardownBackOff is the wait between the failure of attempt n (from 1) and the
// next attempt.
func TeardownBackOff(n int) time.Duration {
	return teardownBackOff[min(max(n, 1), len(teardownBackOff))-1]
}

// ClaimStatus is what a claim records. The numbers are stored.
type ClaimStatus uint8

const (
	// ClaimOwed: the teardown waits for its next attempt.
	ClaimOwed ClaimStatus = 1
	// ClaimRunning: somebody began an attempt.
	ClaimRunning ClaimStatus = 2
)

// String is the word for it.
func (s ClaimStatus) String() string {
	switch s {
	case ClaimOwed:
		return "owed"
	case ClaimRunning:
		return "running"
	}
	return fmt.Sprintf("claim status %d", uint8(s))
}

// Claim is the marker of an owed teardown. It exists from the batch that ends
// the run to the batch that records success or the dead letter.
//
// A claim is never changed in place: every transition returns a new one under a
// token that was never used before. So no two claims of a run are equal, and
// whoever settles the claim it holds settles nothing else.
type Claim struct {
	Status ClaimStatus
	// Attempts is how many attempts ended without success.
	Attempts int
	// Token names this very claim. Only the timer that carries it counts.
	Token string
	// Due is when an owed claim may be taken, not earlier.
	Due Instant
	// ClaimedAt is when the attempt under way began; 0 while owed.
	ClaimedAt Instant
	// Timeout bounds the attempt under way; 0 while owed.
	Timeout         time.Duration
	Type, Finalizer string
	// LastError is how the latest attempt ended; "" before the first.
	LastError string
	// OwedAt is when the teardown became owed.
	OwedAt Instant
	// Piece of Pieces is what the claim is at, from 1, when the run left open
	// sagas: the compensations, newest first, then the finalizer if it has state.
	// Attempts and LastError are the piece's. Both are 0 for a finalizer alone.
	Piece, Pieces int
}

// OweClaim is the claim of a teardown that becomes owed now, due at once.
func OweClaim(typ, finalizer, token string, now Instant) Claim {
	return Claim{Status: ClaimOwed, Token: token, Due: now, Type: typ, Finalizer: finalizer, OwedAt: now}
}

// StaleAt is when the attempt under way counts as lost; 0 while owed.
func (c Claim) StaleAt() Instant {
	if c.Status != ClaimRunning {
		return 0
	}
	return c.ClaimedAt.Add(c.Timeout + TeardownSlack)
}

// TimerAt is the instant of the claim's own timer: when it may be taken.
func (c Claim) TimerAt() Instant {
	if c.Status == ClaimRunning {
		return c.StaleAt()
	}
	return c.Due
}

// Attempt is the number of the attempt under way, or of the next one.
func (c Claim) Attempt() int { return c.Attempts + 1 }

// Problem says why no engine can have written c; "" when one can.
func (c Claim) Problem() string {
	switch {
	case c.Status != ClaimOwed && c.Status != ClaimRunning:
		return c.Status.String()
	case c.Attempts < 0 || c.Attempts >= MaxTeardownAttempts:
		return fmt.Sprintf("%d attempts", c.Attempts)
	case c.Token == "":
		return "no token"
	case c.Timeout < 0 || (c.Status == ClaimRunning) != (c.Timeout > 0):
		return fmt.Sprintf("%s with timeout %v", c.Status, c.Timeout)
	case c.Piece < 0 || c.Piece > c.Pieces || c.Piece == 0 && c.Pieces > 0:
		return fmt.Sprintf("piece %d of %d", c.Piece, c.Pieces)
	case c.Status == ClaimOwed && c.ClaimedAt != 0:
		return "owed, yet an attempt began"
	}
	return ""
}

// ClaimPhase is where a claim is at one instant.
type ClaimPhase uint8

const (
	// ClaimWaits: owed, due later.
	ClaimWaits ClaimPhase = iota + 1
	// ClaimIsDue: owed, to be taken now.
	ClaimIsDue
	// ClaimIsFresh: an attempt is under way.
	ClaimIsFresh
	// ClaimIsStale: an attempt began, and whoever made it is gone.
	ClaimIsStale
)

// String is the word for it.
func (p ClaimPhase) String() string {
	names := [...]string{ClaimWaits: "waiting", ClaimIsDue: "due", ClaimIsFresh: "running", ClaimIsStale: "stale"}
	if p == 0 || int(p) >= len(names) {
		return fmt.Sprintf("claim phase %d", uint8(p))
	}
	return names[p]
}

// Phase is where c is at now. The instants themselves count as past: a claim is
// due at Due and stale at StaleAt.
func (c Claim) Phase(now Instant) ClaimPhase {
	switch {
	case c.Status == ClaimRunning && now < c.StaleAt():
		return ClaimIsFresh
	case c.Status == ClaimRunning:
		return ClaimIsStale
	case now < c.Due:
		return ClaimWaits
	}
	return ClaimIsDue
}
