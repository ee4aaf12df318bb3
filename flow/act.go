package flow

// Act is something an operator does. Every act that changes something leaves
// an [Audit] record in the same batch.
type Act struct {
	// Actor is who: the name of the OS user, or what an embedding program
	// says. "" becomes "unknown".
	Actor string
	// Why is the reason given; may be "".
	Why  string
	Deed Deed
}

// Deed is what is done: one of the types in this file.
type Deed interface {
	// Verb is the word for it, on the command line and in the audit.
	Verb() string
}

// Start starts a run.
type Start struct {
	Type string `json:"type"`
	// ID is chosen for the caller when "".
	ID    WorkflowID `json:"id"`
	Input Payload    `json:"input"`
	// IdempotencyKey, when set, makes a repeated start answer with the first
	// run instead of failing.
	IdempotencyKey string `json:"idempotencyKey,omitempty"`
}

// SendSignal buffers a signal for a live run.
type SendSignal struct {
	// Target names the run; without Run the live one of the id is meant.
	Target  Ref     `json:"target"`
	Name    string  `json:"name"`
	Payload Payload `json:"payload"`
	// SignalID, when set, makes a repeated send change nothing.
	SignalID string `json:"signalId,omitempty"`
	// Force sends a name that the type does not declare.
	Force bool `json:"force,omitempty"`
}

// ResumeRun lets a suspended run go on.
type ResumeRun struct {
	Target Ref `json:"target"`
}

// Verb implements [Deed].
func (Start) Verb() string { return "start" }

// Verb implements [Deed].
func (SendSignal) Verb() string { return "signal" }

// Verb implements [Deed].
func (ResumeRun) Verb() string { return "resume" }

// Receipt tells what an act did.
type Receipt struct {
	Ref Ref `json:"ref"`
	// Audit is the number of the audit record; 0 when nothing was changed.
	Audit uint64 `json:"audit"`
	// Text is one line for people.
	Text string `json:"text"`
	// Unchanged: the act had been done before; nothing was changed now.
	Unchanged bool    `json:"unchanged,omitempty"`
	At        Instant `json:"at"`
}

// Audit is the record of one act.
type Audit struct {
	Number uint64  `json:"number"`
	At     Instant `json:"at"`
	Actor  string  `json:"actor"`
	Why    string  `json:"why"`
	Verb   string  `json:"verb"`
	Target Ref     `json:"target"`
	Text   string  `json:"text"`
}

// Bulk is a deed done to every run a filter chooses.
type Bulk struct {
	Filter Filter `json:"filter"`
	Verb   string `json:"verb"`
}

// Preview is what a bulk act would touch.
type Preview struct {
	Count  int64  `json:"count"`
	Sample []Run  `json:"sample"`
	Token  string `json:"token"`
}

// Ask is a workflow query.
type Ask struct {
	Target Ref     `json:"target"`
	Name   string  `json:"name"`
	Input  Payload `json:"input"`
}

// Answer is what a workflow query returned.
type Answer struct {
	Payload Payload `json:"payload"`
	At      Instant `json:"at"`
}
