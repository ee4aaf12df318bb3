package engine

import (
	"fmt"
	"time"

	"weft/engine/row"
	"weft/flow"
)

// op is one durable operation while a branch is blocked in it. Guarded by
// life.mu.
type op struct {
	branch *branch
	step   flow.StepPath
	kind   flow.StepKind
	name   string
	digest flow.Digest

	activity *task
	limited  bool // the wait ends by itself after limit
	limit    time.Duration
	compute  func() (flow.Payload, *flow.Failure)
	child    *birth        // to be started
	awaits   flow.StepPath // the step whose child's end is waited for
	taken    *flow.Event   // that end once it was taken, for all who await it
	reply    *update       // that the operation answers
	holds    func() bool   // the condition that is waited for
	round    uint64        // in which it was last looked at

	// Once live:
	dispatched bool
	startedAt  flow.Instant
	due        flow.Instant // when the wait or back-off ends; 0 is never
	attempt    int          // that runs, or comes next
	running    *attempt
	lastError  *flow.Failure
	details    []byte
	stored     *row.Wait     // the wait row on disk
	undoBy     string        // the compensation to record with the result
	undoes     flow.EventSeq // the step that it compensates
	later      *row.Later    // an attempt was promised an outcome from outside
	timer      *time.Timer

	event flow.Event // the outcome, once delivered
}

// what names the operation in a sentence.
func (o *op) what() string { return stepText(o.kind, o.name) }

// String is what.
func (o *op) String() string { return o.what() }

// wording is a sentence's name for what is no op.
type wording string

func (w wording) String() string { return string(w) }

func stepText(kind flow.StepKind, name string) string {
	if name == "" {
		return kind.String()
	}
	return kind.String() + " " + name
}

// waits reports whether the operation needs nothing of this process but the
// passing of time or a signal.
func (o *op) waits() bool {
	switch o.kind {
	case flow.StepSleep, flow.StepSignal, flow.StepWait, flow.StepUntil:
		return o.dispatched
	case flow.StepActivity:
		return o.dispatched && o.running == nil && (o.due > 0 || o.handed())
	}
	return false
}

// waitOf is the row that registers an operation. mu is held.
func (l *life) waitOf(o *op, timed bool) row.Wait {
	w := row.Wait{Kind: o.kind, Name: o.name, Digest: o.digest, StartedAt: o.startedAt, Due: o.due,
		Timed: timed, Summary: l.summary, Handlers: len(l.onCancel)}
	if o.kind == flow.StepActivity {
		w.Attempt, w.LastError, w.Details, w.Later = o.attempt, o.lastError, o.details, o.later
	}
	return w
}

// adopt takes over what an earlier life registered.
func (o *op) adopt(w row.Wait) {
	o.stored = &w
	o.startedAt, o.due = w.StartedAt, w.Due
	o.attempt, o.lastError, o.details, o.later = w.Attempt, w.LastError, w.Details, w.Later
}

// differs says how the operation differs from what was recorded for its step,
// or "". A digest alone is reported apart: it may be tolerated.
func (o *op) differs(kind flow.StepKind, name string, digest flow.Digest) (problem string, inputOnly bool) {
	if kind != o.kind || name != o.name {
		return fmt.Sprintf("step %s: recorded %s, code asks for %s", o.step, stepText(kind, name), o.what()), false
	}
	if digest != o.digest && o.reply != nil {
		return fmt.Sprintf("step %s: recorded %s with another reply than the code gives now", o.step, o.what()), true
	}
	if digest != o.digest {
		return fmt.Sprintf("step %s: recorded %s with another input than the code gives now", o.step, o.what()), true
	}
	return "", false
}
