package row

import (
	"sync"

	"weft/flow"
)

// event is a journal entry as stored. The number is in the key.
type event struct {
	Kind      flow.EventKind `cbor:"1,keyasint"`
	At        flow.Instant   `cbor:"2,keyasint"`
	Step      flow.StepPath  `cbor:"3,keyasint,omitempty"`
	StepKind  flow.StepKind  `cbor:"4,keyasint,omitempty"`
	Name      string         `cbor:"5,keyasint,omitempty"`
	Digest    flow.Digest    `cbor:"6,keyasint,omitempty"`
	StartedAt flow.Instant   `cbor:"7,keyasint,omitempty"`
	Attempt   int            `cbor:"8,keyasint,omitempty"`
	Output    []byte         `cbor:"9,keyasint,omitempty"`
	Failure   *failure       `cbor:"10,keyasint,omitempty"`
	TimedOut  bool           `cbor:"11,keyasint,omitempty"`
	Status    flow.Status    `cbor:"12,keyasint,omitempty"`
	Reason    string         `cbor:"13,keyasint,omitempty"`
	Summary   string         `cbor:"14,keyasint,omitempty"`
	UpdateID  string         `cbor:"15,keyasint,omitempty"`
	Left      string         `cbor:"16,keyasint,omitempty"`
}

type failure struct {
	Code      string        `cbor:"1,keyasint,omitempty"`
	Category  flow.Category `cbor:"2,keyasint"`
	Message   string        `cbor:"3,keyasint"`
	Permanent bool          `cbor:"4,keyasint,omitempty"`
	Stack     string        `cbor:"5,keyasint,omitempty"`
	Cause     *failure      `cbor:"6,keyasint,omitempty"`
}

// maxCauses is how many causes of a failure are kept. Deeper ones would make a
// record that no reader takes.
const maxCauses = 32

func toFailure(f *flow.Failure) *failure { return toFailureWith(f, maxCauses) }

func toFailureWith(f *flow.Failure, causes int) *failure {
	if f == nil || causes < 0 {
		return nil
	}
	return &failure{f.Code, f.Category, f.Message, f.Permanent, f.Stack, toFailureWith(f.Cause, causes-1)}
}

func fromFailure(f *failure) *flow.Failure {
	if f == nil {
		return nil
	}
	return &flow.Failure{Code: f.Code, Category: f.Category, Message: f.Message,
		Permanent: f.Permanent, Stack: f.Stack, Cause: fromFailure(f.Cause)}
}

// EncodeEvent writes a journal entry.
func EncodeEvent(e flow.Event) []byte { return AppendEvent(nil, e) }

// stored are events on their way to the encoder, which takes pointers.
var stored = sync.Pool{New: func() any { return new(event) }}

// AppendEvent appends what EncodeEvent writes.
func AppendEvent(dst []byte, e flow.Event) []byte {
	ev := stored.Get().(*event)
	defer stored.Put(ev)
	*ev = event{e.Kind, e.At, e.Step, e.StepKind, e.Name, e.Digest, e.StartedAt, e.Attempt,
		e.Output, toFailure(e.Failure), e.TimedOut, e.Status, e.Reason, e.Summary, e.UpdateID, e.Left}
	dst = appendRecord(dst, ev)
	*ev = event{} // keeps nothing alive
	return dst
}

// DecodeEvent reads the journal entry with the given number.
func DecodeEvent(seq flow.EventSeq, b []byte) (flow.Event, error) {
	var e event
	if err := decode("journal entry", b, &e); err != nil {
		return flow.Event{}, err
	}
	return flow.Event{Seq: seq, Kind: e.Kind, At: e.At, Step: e.Step, StepKind: e.StepKind, Name: e.Name,
		Digest: e.Digest, StartedAt: e.StartedAt, Attempt: e.Attempt, Output: e.Output,
		Failure: fromFailure(e.Failure), TimedOut: e.TimedOut, Status: e.Status, Reason: e.Reason,
		Summary: e.Summary, UpdateID: e.UpdateID, Left: e.Left}, nil
}
