package row

import (
	"time"

	"weft/flow"
)

// FamilyAnswer holds what was told from outside of an activity's attempt and
// has not been taken by the run.
const FamilyAnswer = "async-act:"

// AnswerKey is the key of the answer to a step.
func AnswerKey(r flow.Ref, step flow.StepPath) []byte {
	return appendText(append(refKey(FamilyAnswer, r, len(step)+1), ':'), string(step))
}

// AnswerPrefix is the prefix of a run's answers.
func AnswerPrefix(r flow.Ref) []byte { return append(refKey(FamilyAnswer, r, 1), ':') }

// ParseAnswer reads an answer's key.
func ParseAnswer(key []byte) (flow.Ref, flow.StepPath, bool) { return ParseChild(FamilyAnswer, key) }

// Later is the state of an attempt whose outcome comes from outside. A Later
// without a token is what is left of an earlier attempt's: there may be an
// answer to it.
type Later struct {
	// Token is the secret part of the attempt's token.
	Token string `cbor:"1,keyasint,omitempty"`
	// Handed: the function has ended, the attempt is left to somebody outside.
	Handed bool `cbor:"2,keyasint,omitempty"`
	// End is when the attempt's time is up; 0 is never.
	End flow.Instant `cbor:"3,keyasint,omitempty"`
	// Beat is the longest time between two heartbeats, in milliseconds, and
	// BeatAt the last one; 0 is no bound.
	Beat   int64        `cbor:"4,keyasint,omitempty"`
	BeatAt flow.Instant `cbor:"5,keyasint,omitempty"`
}

// Due is when the attempt ends by itself if nothing is heard; 0 is never.
func (l Later) Due() flow.Instant {
	if l.Beat == 0 {
		return l.End
	}
	due := l.BeatAt.Add(time.Duration(l.Beat) * time.Millisecond)
	if l.End != 0 {
		due = min(due, l.End)
	}
	return due
}

// Answer is the outcome of an attempt, told from outside.
type Answer struct {
	Token   string
	At      flow.Instant
	Output  []byte
	Failure *flow.Failure
}

type answer struct {
	Token   string       `cbor:"1,keyasint"`
	At      flow.Instant `cbor:"2,keyasint"`
	Output  []byte       `cbor:"3,keyasint,omitempty"`
	Failure *failure     `cbor:"4,keyasint,omitempty"`
}

// EncodeAnswer writes an answer.
func EncodeAnswer(a Answer) []byte {
	return encode(answer{a.Token, a.At, a.Output, toFailure(a.Failure)})
}

// DecodeAnswer reads an answer.
func DecodeAnswer(b []byte) (Answer, error) {
	var a answer
	err := decode("answer from outside", b, &a)
	return Answer{a.Token, a.At, a.Output, fromFailure(a.Failure)}, err
}
