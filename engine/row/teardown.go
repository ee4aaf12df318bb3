package row

import (
	"fmt"
	"time"

	"weft/flow"
	"weft/store"
)

// Families of owed teardowns, as in the package doc.
const (
	FamilyClaim    = "wf-teardown-needed:"
	FamilyState    = "wf-finalizer-state:"
	FamilyTeardown = "wf-teardown:"
	FamilyDead     = "wf-teardown-deadletter:"
)

// Counters of the claims and of the dead letters there are.
var (
	CountOwed = []byte("count-owed")
	CountDead = []byte("count-dead")
)

const tokenRoom = 32

// ClaimKey is the key of the claim of a run's owed teardown.
func ClaimKey(r flow.Ref) []byte { return refKey(FamilyClaim, r, 0) }

// StateKey is the key of what a run recorded for its finalizer.
func StateKey(r flow.Ref) []byte { return refKey(FamilyState, r, 0) }

// DeadKey is the key of a run's dead letter.
func DeadKey(r flow.Ref) []byte { return refKey(FamilyDead, r, 0) }

// ClaimPrefix is the prefix of the claims of all ids that begin with p.
func ClaimPrefix(p string) []byte { return appendText(start(FamilyClaim, len(p)+8), p) }

// DeadPrefix is the prefix of the dead letters of all ids that begin with p.
func DeadPrefix(p string) []byte { return appendText(start(FamilyDead, len(p)+8), p) }

// Teardown is what the key of a teardown's timer says. Only the timer that has
// the claim's token counts.
type Teardown struct {
	Due   flow.Instant
	Ref   flow.Ref
	Token string
}

// TeardownOf is the timer of a claim.
func TeardownOf(r flow.Ref, c flow.Claim) Teardown {
	return Teardown{Due: c.TimerAt(), Ref: r, Token: c.Token}
}

// Key is the timer's key; timers sort by due time.
func (t Teardown) Key() []byte {
	b := start(FamilyTeardown, instantDigits+len(t.Ref.ID)+len(t.Ref.Run)+tokenRoom+12)
	b = append(appendInstant(b, t.Due), ':')
	return appendText(append(appendRef(b, t.Ref), ':'), t.Token)
}

// At is when the timer is due.
func (t Teardown) At() flow.Instant { return t.Due }

// TeardownsFrom is the least key of a teardown's timer due at or after due.
func TeardownsFrom(due flow.Instant) []byte {
	return appendInstant(start(FamilyTeardown, instantDigits), due)
}

// ParseTeardown reads the key of a teardown's timer.
func ParseTeardown(key []byte) (Teardown, bool) {
	p := split(key, FamilyTeardown, 4)
	if p == nil {
		return Teardown{}, false
	}
	due, ok := number(p[0], instantDigits)
	ref, fine := parseRef(p[1], p[2])
	token, good := text(p[3])
	return Teardown{Due: flow.Instant(due), Ref: ref, Token: token}, ok && fine && good && token != ""
}

// ParseClaim reads a claim's key.
func ParseClaim(key []byte) (flow.Ref, bool) { return parseOwn(key, FamilyClaim) }

// ParseState reads the key of a finalizer's state.
func ParseState(key []byte) (flow.Ref, bool) { return parseOwn(key, FamilyState) }

// ParseDead reads a dead letter's key.
func ParseDead(key []byte) (flow.Ref, bool) { return parseOwn(key, FamilyDead) }

func parseOwn(key []byte, family string) (flow.Ref, bool) {
	p := split(key, family, 2)
	if p == nil {
		return flow.Ref{}, false
	}
	return parseRef(p[0], p[1])
}

type claim struct {
	Status    flow.ClaimStatus `cbor:"1,keyasint"`
	Attempts  int              `cbor:"2,keyasint,omitempty"`
	Token     string           `cbor:"3,keyasint"`
	Due       flow.Instant     `cbor:"4,keyasint,omitempty"`
	ClaimedAt flow.Instant     `cbor:"5,keyasint,omitempty"`
	Timeout   int64            `cbor:"6,keyasint,omitempty"` // milliseconds
	Type      string           `cbor:"7,keyasint"`
	Finalizer string           `cbor:"8,keyasint"`
	LastError string           `cbor:"9,keyasint,omitempty"`
	OwedAt    flow.Instant     `cbor:"10,keyasint,omitempty"`
	Piece     int              `cbor:"11,keyasint,omitempty"`
	Pieces    int              `cbor:"12,keyasint,omitempty"`
}

// EncodeClaim writes a claim. Its bytes are what conditions compare.
func EncodeClaim(c flow.Claim) []byte {
	return encode(claim{c.Status, c.Attempts, c.Token, c.Due, c.ClaimedAt, c.Timeout.Milliseconds(),
		c.Type, c.Finalizer, c.LastError, c.OwedAt, c.Piece, c.Pieces})
}

// maxTimeout bounds what is taken for a timeout, in milliseconds.
const maxTimeout = int64(flow.MaxTeardownTimeout / time.Millisecond)

// DecodeClaim reads a claim. One that no engine can have written is
// [store.ErrCorrupt].
func DecodeClaim(b []byte) (flow.Claim, error) {
	var c claim
	if err := decode("claim", b, &c); err != nil {
		return flow.Claim{}, err
	}
	if c.Timeout < 0 || c.Timeout > maxTimeout {
		return flow.Claim{}, fmt.Errorf("claim: timeout of %d ms: %w", c.Timeout, store.ErrCorrupt)
	}
	out := flow.Claim{Status: c.Status, Attempts: c.Attempts, Token: c.Token, Due: c.Due, ClaimedAt: c.ClaimedAt,
		Timeout: time.Duration(c.Timeout) * time.Millisecond, Type: c.Type, Finalizer: c.Finalizer,
		LastError: c.LastError, OwedAt: c.OwedAt, Piece: c.Piece, Pieces: c.Pieces}
	if problem := out.Problem(); problem != "" {
		return flow.Claim{}, fmt.Errorf("claim: %s: %w", problem, store.ErrCorrupt)
	}
	return out, nil
}

// State is what a run recorded for its finalizer.
type State struct {
	// Type is the run's, so that a teardown whose claim is damaged can still
	// be told from others.
	Type      string `cbor:"1,keyasint"`
	Finalizer string `cbor:"2,keyasint"`
	Payload   []byte `cbor:"3,keyasint,omitempty"`
}

// EncodeState writes a finalizer's state.
func EncodeState(s State) []byte { return encode(s) }

// DecodeState reads a finalizer's state.
func DecodeState(b []byte) (s State, err error) {
	err = decode("finalizer state", b, &s)
	return s, err
}

// Letter is a dead letter as it is stored. Its address is in its key.
type Letter struct {
	Type      string       `cbor:"1,keyasint"`
	Finalizer string       `cbor:"2,keyasint"`
	Attempts  int          `cbor:"3,keyasint,omitempty"`
	LastError string       `cbor:"4,keyasint,omitempty"`
	At        flow.Instant `cbor:"5,keyasint"`
	Input     []byte       `cbor:"6,keyasint,omitempty"`
	// OwedAt is when the teardown became owed; 0 when that could not be read.
	OwedAt flow.Instant `cbor:"7,keyasint,omitempty"`
	// Claim and State are stored bytes that could not be read, as they were.
	Claim []byte `cbor:"8,keyasint,omitempty"`
	State []byte `cbor:"9,keyasint,omitempty"`
	// Piece of Pieces is what was given up, Seq the number in the key of its
	// record; 0 for a finalizer.
	Piece  int           `cbor:"10,keyasint,omitempty"`
	Pieces int           `cbor:"11,keyasint,omitempty"`
	Seq    flow.EventSeq `cbor:"12,keyasint,omitempty"`
}

// EncodeLetter writes a dead letter.
func EncodeLetter(l Letter) []byte { return encode(l) }

// DecodeLetter reads a dead letter.
func DecodeLetter(b []byte) (l Letter, err error) {
	err = decode("dead letter", b, &l)
	return l, err
}

// Dead is the letter as people see it.
func (l Letter) Dead(r flow.Ref) flow.Dead {
	return flow.Dead{Ref: r, Type: l.Type, Finalizer: l.Finalizer, Attempts: l.Attempts, LastError: l.LastError,
		DeadLetteredAt: l.At, Input: l.Input, Piece: l.Piece, Pieces: l.Pieces}
}
