package flow

import (
	"fmt"
	"strings"
	"time"
)

// ClaimEvent is what can happen to a claim.
type ClaimEvent uint8

const (
	// TakeClaim: an engine begins an attempt.
	TakeClaim ClaimEvent = iota + 1
	// ClaimSucceeded, ClaimFailed and ClaimCalledOff: the attempt under way
	// ended; called off means by a shutdown, whatever it returned.
	ClaimSucceeded
	ClaimFailed
	ClaimCalledOff
	// RetryClaim: an operator wants the attempt now.
	RetryClaim
)

// String is the word for it.
func (e ClaimEvent) String() string {
	names := [...]string{TakeClaim: "take", ClaimSucceeded: "success", ClaimFailed: "failure",
		ClaimCalledOff: "shutdown", RetryClaim: "retry"}
	if e == 0 || int(e) >= len(names) {
		return fmt.Sprintf("claim event %d", uint8(e))
	}
	return names[e]
}

// Verdict says what a transition leaves behind.
type Verdict uint8

const (
	// ClaimStays: the claim is written anew, with its timer.
	ClaimStays Verdict = iota + 1
	// ClaimDone: the teardown succeeded; the claim goes.
	ClaimDone
	// ClaimDead: the teardown is given up; the claim becomes a dead letter.
	ClaimDead
)

// String is the word for it.
func (v Verdict) String() string {
	names := [...]string{ClaimStays: "stays", ClaimDone: "done", ClaimDead: "dead"}
	if v == 0 || int(v) >= len(names) {
		return fmt.Sprintf("verdict %d", uint8(v))
	}
	return names[v]
}

// Turn is an event with all it brings.
type Turn struct {
	Event ClaimEvent
	Now   Instant
	// Token is a new one, never used before.
	Token string
	// Timeout is what the finalizer declares; for TakeClaim. Zero or less means
	// TeardownTimeout.
	Timeout time.Duration
	// Following is the finalizer of the piece that comes after this one; for
	// ClaimSucceeded.
	Following string
	// Error is how the attempt failed; for ClaimFailed.
	Error string
}

type claimMove func(Claim, Turn) (Claim, Verdict)

// claimMoves is the whole machine. A pair that is absent is refused. An attempt
// may be settled past its horizon, as long as nobody took the claim over: the
// condition on the claim's bytes decides that.
var claimMoves = map[ClaimPhase]map[ClaimEvent]claimMove{
	ClaimWaits:   {RetryClaim: Claim.hurry},
	ClaimIsDue:   {TakeClaim: Claim.begin, RetryClaim: Claim.stay},
	ClaimIsFresh: {ClaimSucceeded: Claim.succeed, ClaimFailed: Claim.fail, ClaimCalledOff: Claim.putBack},
	ClaimIsStale: {ClaimSucceeded: Claim.succeed, ClaimFailed: Claim.fail, ClaimCalledOff: Claim.putBack,
		TakeClaim: Claim.takeOver, RetryClaim: Claim.recall},
}

// Next is what c becomes, or a [*ClaimError] when the event cannot happen to it
// now. With ClaimDone or ClaimDead the claim returned is the last one there
// was, with all attempts counted.
func (c Claim) Next(t Turn) (Claim, Verdict, error) {
	move, ok := claimMoves[c.Phase(t.Now)][t.Event]
	if !ok {
		return c, 0, &ClaimError{Claim: c, Event: t.Event, Now: t.Now}
	}
	next, v := move(c, t)
	return next, v, nil
}

// CanTake reports whether an attempt may begin at now. It may turn out that no
// attempt is left: see takeOver.
func (c Claim) CanTake(now Instant) bool {
	_, ok := claimMoves[c.Phase(now)][TakeClaim]
	return ok
}

func (c Claim) begin(t Turn) (Claim, Verdict) {
	c.Status, c.Token, c.ClaimedAt, c.Due = ClaimRunning, t.Token, t.Now, 0
	if c.Timeout = min(t.Timeout, MaxTeardownTimeout).Truncate(time.Millisecond); c.Timeout <= 0 {
		c.Timeout = TeardownTimeout
	}
	return c, ClaimStays
}

// takeOver counts the attempt whose maker is gone, and begins the next one if
// there is one left: a finalizer that kills its process ends as a dead letter,
// too.
func (c Claim) takeOver(t Turn) (Claim, Verdict) {
	c, v := c.recall(t)
	if v != ClaimStays {
		return c, v
	}
	return c.begin(t)
}

// recall counts the attempt whose maker is gone; the next one is due now.
func (c Claim) recall(t Turn) (Claim, Verdict) {
	return c.lost(fmt.Sprintf("attempt %d ended without result", c.Attempt()), t.Token, t.Now)
}

// succeed is the end, or the next piece, due now and with all attempts.
func (c Claim) succeed(t Turn) (Claim, Verdict) {
	if c.Piece >= c.Pieces {
		return c, ClaimDone
	}
	return c.follow(t.Following).owed(t.Token, t.Now), ClaimStays
}

func (c Claim) follow(finalizer string) Claim {
	c.Piece++
	c.Finalizer, c.Attempts, c.LastError = finalizer, 0, ""
	return c
}

func (c Claim) fail(t Turn) (Claim, Verdict) {
	return c.lost(t.Error, t.Token, t.Now.Add(TeardownBackOff(c.Attempt())))
}

// lost is the claim after an attempt without success.
func (c Claim) lost(why, token string, due Instant) (Claim, Verdict) {
	c.LastError = cutError(why)
	if c.Attempts++; c.Attempts >= MaxTeardownAttempts {
		return c, ClaimDead
	}
	return c.owed(token, due), ClaimStays
}

// putBack does not count the attempt: it was not the finalizer's fault.
func (c Claim) putBack(t Turn) (Claim, Verdict) {
	return c.owed(t.Token, t.Now.Add(TeardownPause)), ClaimStays
}

func (c Claim) hurry(t Turn) (Claim, Verdict) { return c.owed(t.Token, t.Now), ClaimStays }

// stay is hurrying what is due already: nothing changes.
func (c Claim) stay(Turn) (Claim, Verdict) { return c, ClaimStays }

func (c Claim) owed(token string, due Instant) Claim {
	c.Status, c.Token, c.Due, c.ClaimedAt, c.Timeout = ClaimOwed, token, due, 0, 0
	return c
}

// cutError keeps the beginning of a text that is too long.
func cutError(text string) string {
	if len(text) <= MaxTeardownError {
		return text
	}
	return strings.ToValidUTF8(text[:MaxTeardownError-len("…")], "") + "…"
}

// Letter is the dead letter of a claim that is given up at now. Input is the
// recorded state, nil when there is none.
func (c Claim) Letter(ref Ref, now Instant, input Payload) Dead {
	return Dead{Ref: ref, Type: c.Type, Finalizer: c.Finalizer, Attempts: c.Attempts, LastError: c.LastError,
		DeadLetteredAt: now, Input: input, Piece: c.Piece, Pieces: c.Pieces}
}

// Redriven is the claim that a dead letter becomes: owed anew, with all
// attempts, at the piece where it was given up. It fails with a [*RedriveError] when the finalizer could not be
// called.
func (d Dead) Redriven(token string, now Instant) (Claim, error) {
	switch {
	case d.Type == "" || d.Finalizer == "":
		return Claim{}, &RedriveError{Ref: d.Ref, Problem: "the letter does not name its type and finalizer"}
	case len(d.Input) == 0:
		return Claim{}, &RedriveError{Ref: d.Ref, Problem: "no recorded input: the clean-up cannot be rebuilt"}
	}
	c := OweClaim(d.Type, d.Finalizer, token, now)
	c.LastError, c.Piece, c.Pieces = d.LastError, d.Piece, d.Pieces
	return c, nil
}
