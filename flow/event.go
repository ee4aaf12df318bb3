package flow

// EventKind is what a journal entry records. The numbers are stored and never
// change.
type EventKind uint8

const (
	// EventStarted is always number 1 and holds the input.
	EventStarted EventKind = 1
	// EventStep is the outcome of a step.
	EventStep EventKind = 2
	// EventEnded is the last: the result or the failure.
	EventEnded EventKind = 3
	// EventSuspended and EventResumed mark life-cycle acts for people; replay
	// skips them.
	EventSuspended EventKind = 4
	EventResumed   EventKind = 5
	// EventUpdate is the acceptance of an update, with its input. Its reply is
	// the outcome of the step of the same path.
	EventUpdate EventKind = 6
)

var eventKindNames = [...]string{"?", "started", "step", "ended", "suspended", "resumed", "update"}

// String is the word for it.
func (k EventKind) String() string {
	if int(k) >= len(eventKindNames) {
		return "?"
	}
	return eventKindNames[k]
}

// MarshalText writes the name.
func (k EventKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads the name; an unknown one is kind 0.
func (k *EventKind) UnmarshalText(b []byte) error {
	*k = 0
	for i, name := range eventKindNames {
		if name == string(b) && i > 0 {
			*k = EventKind(i)
		}
	}
	return nil
}

// EventSeq numbers the events of one run from 1 without gaps, in the order
// they became durable. Replay delivers them in this order.
type EventSeq uint64

// Event is one journal entry.
type Event struct {
	Seq  EventSeq  `json:"seq"`
	Kind EventKind `json:"kind"`
	At   Instant   `json:"at"`

	// For a step: which, what it was, and a fingerprint of what it was asked.
	Step     StepPath `json:"step,omitempty"`
	StepKind StepKind `json:"stepKind,omitempty"`
	Name     string   `json:"name,omitempty"`
	Digest   Digest   `json:"digest,omitzero"`
	// StartedAt is when the step began, Attempt how many attempts it took.
	StartedAt Instant `json:"startedAt,omitzero"`
	Attempt   int     `json:"attempt,omitempty"`

	// Exactly one of these tells how it ended; TimedOut is a wait whose limit
	// passed.
	Output   Payload  `json:"output,omitempty"`
	Failure  *Failure `json:"failure,omitempty"`
	TimedOut bool     `json:"timedOut,omitempty"`

	// Status is the end, for EventEnded, and Reason why, for EventSuspended.
	Status Status `json:"status,omitempty"`
	Reason string `json:"reason,omitempty"`

	// Summary is the run's own one-line account of how far it is, repeated in
	// each event so that the last one tells it.
	Summary string `json:"summary,omitempty"`

	// UpdateID is the caller's name for an update, for EventUpdate.
	UpdateID string `json:"updateId,omitempty"`
	// Left says, for EventEnded, what the run left undone: signals that nobody
	// took, updates that got no reply. "" is nothing.
	Left string `json:"left,omitempty"`
}
