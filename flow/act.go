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

// Deed is what is done: [Start], [SendSignal], [CallUpdate], [CancelRun],
// [SuspendRun], [ResumeRun], [RestartRun], [PurgeRun], [TagRun], [SetAttributes],
// [CompleteActivity], [FailActivity], [BeatActivity], [RetryTeardown], [Redrive],
// [Discard] or [BulkAct].
//
// A deed has a Target where it is done to one run. A Target without a Run means
// the run that has the id now.
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
	IdempotencyKey string               `json:"idempotencyKey,omitempty"`
	Tags           []string             `json:"tags,omitempty"`
	Attributes     map[string]Attribute `json:"attributes,omitempty"`
	Headers        map[string]string    `json:"headers,omitempty"`
	// StartAt delays the beginning; the run is pending until then.
	StartAt Instant `json:"startAt,omitzero"`
	// DeadlineMillis is how long the run may take from its beginning; then it
	// is timed out. 0 is no bound.
	DeadlineMillis     int64              `json:"deadlineMillis,omitempty"`
	OnTerminalConflict OnTerminalConflict `json:"onTerminalConflict,omitempty"`
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

// CallUpdate asks the code of a running run to change something and to reply.
type CallUpdate struct {
	Target Ref     `json:"target"`
	Name   string  `json:"name"`
	Input  Payload `json:"input"`
	// UpdateID, 1 to 128 bytes, makes a repeated call answer with the reply of
	// the first. "" chooses one; the receipt tells it.
	UpdateID string `json:"updateId,omitempty"`
	// WaitMillis is how long to wait for the reply once the update is accepted;
	// 0 means 10 s. A receipt without a reply says so in its text.
	WaitMillis int64 `json:"waitMillis,omitempty"`
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
func (CallUpdate) Verb() string { return "update" }

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
	Unchanged bool `json:"unchanged,omitempty"`
	// UpdateID names an update, Output is its reply; nil when there is none yet.
	UpdateID string  `json:"updateId,omitempty"`
	Output   Payload `json:"output,omitempty"`
	At       Instant `json:"at"`
	// Results has one entry per run of a bulk act.
	Results []BulkResult `json:"results,omitempty"`
}

// Audit is the record of one act.
type Audit struct {
	// Number counts the records of the store, from 1.
	Number uint64  `json:"number"`
	At     Instant `json:"at"`
	Actor  string  `json:"actor"`
	Why    string  `json:"why"`
	Verb   string  `json:"verb"`
	Target Ref     `json:"target"`
	// Text is one line for people: what was changed.
	Text string `json:"text"`
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
	// At is when it was given.
	At Instant `json:"at"`
}
