package row

import "weft/flow"

// Wait is a step that is registered but has no outcome yet: a wait, or an
// activity between two attempts.
type Wait struct {
	Kind   flow.StepKind
	Name   string
	Digest flow.Digest
	// StartedAt is when the step was first reached.
	StartedAt flow.Instant
	// Due is when the wait or the back-off ends; 0 is never.
	Due flow.Instant
	// Timed: a timer row was put with it.
	Timed bool
	// Attempt is the attempt that comes next, 0 for waits; LastError how the
	// one before it ended, Details its last heartbeat.
	Attempt   int
	LastError *flow.Failure
	Details   []byte
	// Later says that the outcome of the attempt comes from outside; nil when not.
	Later *Later
	// Summary is the run's account of itself as of the registration.
	Summary string
	// Handlers is how many cancel handlers the code had asked for.
	Handlers int
}

type wait struct {
	Kind      flow.StepKind `cbor:"1,keyasint"`
	Name      string        `cbor:"2,keyasint,omitempty"`
	Digest    flow.Digest   `cbor:"3,keyasint,omitempty"`
	StartedAt flow.Instant  `cbor:"4,keyasint"`
	Due       flow.Instant  `cbor:"5,keyasint,omitempty"`
	Timed     bool          `cbor:"6,keyasint,omitempty"`
	Attempt   int           `cbor:"7,keyasint,omitempty"`
	LastError *failure      `cbor:"8,keyasint,omitempty"`
	Details   []byte        `cbor:"9,keyasint,omitempty"`
	Summary   string        `cbor:"10,keyasint,omitempty"`
	Handlers  int           `cbor:"11,keyasint,omitempty"`
	Later     *Later        `cbor:"12,keyasint,omitempty"`
}

// EncodeWait writes a wait.
func EncodeWait(w Wait) []byte {
	return encode(wait{w.Kind, w.Name, w.Digest, w.StartedAt, w.Due, w.Timed, w.Attempt,
		toFailure(w.LastError), w.Details, w.Summary, w.Handlers, w.Later})
}

// DecodeWait reads a wait.
func DecodeWait(b []byte) (Wait, error) {
	var w wait
	if err := decode("wait", b, &w); err != nil {
		return Wait{}, err
	}
	return Wait{Kind: w.Kind, Name: w.Name, Digest: w.Digest, StartedAt: w.StartedAt, Due: w.Due, Timed: w.Timed,
		Attempt: w.Attempt, LastError: fromFailure(w.LastError), Details: w.Details, Later: w.Later, Summary: w.Summary, Handlers: w.Handlers}, nil
}
