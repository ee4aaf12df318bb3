package flow

import (
	"encoding/binary"
	"fmt"
	"strconv"
)

// StepPath addresses one durable operation of a run. The main branch counts
// "1", "2", …; the second operation of the first branch that step 4 opened is
// "4.1.2". The path depends on the code alone, so replay finds it again
// whatever order branches finish in.
type StepPath string

// StepKind is what a step does. The numbers are stored and never change.
type StepKind uint8

const (
	StepActivity StepKind = 1
	StepSleep    StepKind = 2
	StepSignal   StepKind = 3 // waits for a signal
	StepMemo     StepKind = 4
	StepChild    StepKind = 5 // starts a child
	StepUpdate   StepKind = 6 // replies to an update
	StepVersion  StepKind = 7
	StepWait     StepKind = 8 // waits for the end of a child
	// StepDrain takes a signal or, when there is none, closes the signal.
	StepDrain StepKind = 9
	// StepUntil waits until a condition over the state of the code holds.
	StepUntil StepKind = 10
)

var stepKindNames = [...]string{"?", "activity", "sleep", "signal", "memo", "child", "update", "version", "wait",
	"drain", "condition"}

// String is the word for it.
func (k StepKind) String() string {
	if int(k) >= len(stepKindNames) {
		return "?"
	}
	return stepKindNames[k]
}

// MarshalText writes the name.
func (k StepKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads the name; an unknown one is kind 0.
func (k *StepKind) UnmarshalText(b []byte) error {
	*k = 0
	for i, name := range stepKindNames {
		if name == string(b) && i > 0 {
			*k = StepKind(i)
		}
	}
	return nil
}

// StepState is how far a step is, as shown to people.
type StepState string

const (
	StepOpen     StepState = "open"     // waits, or an attempt runs
	StepRetrying StepState = "retrying" // between two attempts
	StepDone     StepState = "done"
	StepFailed   StepState = "failed"
	StepTimedOut StepState = "timed-out"
	// StepOutside: an activity whose outcome somebody outside will tell.
	StepOutside StepState = "outside"
)

// Step is one step as people see it.
type Step struct {
	Path StepPath `json:"path"`
	Kind StepKind `json:"kind"`
	Name string   `json:"name"`
	// Attempt is the latest, from 1.
	Attempt int `json:"attempt"`
	// MaxAttempts is 0 when there is no limit or none applies.
	MaxAttempts int       `json:"maxAttempts,omitempty"`
	State       StepState `json:"state"`
	StartedAt   Instant   `json:"startedAt"`
	EndedAt     Instant   `json:"endedAt"`
	// Due is when the wait or the back-off ends.
	Due Instant `json:"due,omitzero"`
	// Token is what the outcome is told with; only while it is waited for.
	Token  Token    `json:"token,omitempty"`
	Error  *Failure `json:"error,omitempty"`
	Output Payload  `json:"output,omitempty"`
}

// Digest is a 64-bit fingerprint of what a step was asked to do. It finds
// changes, it does not resist an adversary.
type Digest uint64

// DigestOf is FNV-1a over the parts, each preceded by its length so that
// ("ab","c") and ("a","bc") differ.
func DigestOf(parts ...[]byte) Digest {
	const offset, prime = 14695981039346656037, 1099511628211
	h := uint64(offset)
	var size [8]byte
	for _, p := range parts {
		binary.BigEndian.PutUint64(size[:], uint64(len(p)))
		for _, b := range size {
			h = (h ^ uint64(b)) * prime
		}
		for _, b := range p {
			h = (h ^ uint64(b)) * prime
		}
	}
	return Digest(h)
}

// MarshalText writes 16 hexadecimal digits: as a JSON number it would lose some
// in other languages.
func (d Digest) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%016x", uint64(d)), nil }

// UnmarshalText reads them.
func (d *Digest) UnmarshalText(b []byte) error {
	n, err := strconv.ParseUint(string(b), 16, 64)
	if err != nil || len(b) != 16 {
		return fmt.Errorf("digest %q: is not 16 hexadecimal digits", b)
	}
	*d = Digest(n)
	return nil
}
