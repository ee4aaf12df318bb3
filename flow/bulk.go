package flow

import "time"

// Bulk asks what doing one deed to every run that a filter chooses would touch.
type Bulk struct {
	Filter Filter `json:"filter"`
	// Only, when not empty, is the choice itself: these runs and no filter.
	Only []Ref `json:"only,omitempty"`
	// Verb is what is to be done: cancel, suspend, resume, signal, purge,
	// restart, tag, attr or redrive. The filter of redrive chooses dead letters.
	Verb string `json:"verb"`
}

// FrozenFor is how long a preview may be acted on.
const FrozenFor = 10 * time.Minute

// MaxBulk is the most runs one bulk act touches.
const MaxBulk = 100_000

// Preview is what a bulk act would touch: exactly these runs, frozen.
type Preview struct {
	// Count is how many runs, [MaxBulk] at most.
	Count int64 `json:"count"`
	// Sample is the first of them. For redrive, each is the run of a dead
	// letter: Reason is the letter's last error and ClosedAt its time; Status is
	// zero when the run was removed.
	Sample []Run `json:"sample"`
	// Token names the frozen choice, for [BulkAct].
	Token string `json:"token"`
	// Until is when the token is forgotten.
	Until Instant `json:"until"`
}

// BulkAct does what a preview showed. Runs whose status has changed since are
// skipped and reported.
type BulkAct struct {
	// Token is that of the preview.
	Token string `json:"token"`
	// Signal and Payload belong to the verb signal.
	Signal  string  `json:"signal,omitempty"`
	Payload Payload `json:"payload,omitempty"`
	// Add and Remove belong to the verb tag, Set and Remove to attr.
	Add    []string             `json:"add,omitempty"`
	Set    map[string]Attribute `json:"set,omitempty"`
	Remove []string             `json:"remove,omitempty"`
	// Now is [CancelRun].Now, for the verb cancel.
	Now bool `json:"now,omitempty"`
}

// Verb implements [Deed].
func (BulkAct) Verb() string { return "bulk" }

// BulkOutcome is what became of one run in a bulk act.
type BulkOutcome string

const (
	BulkDone    BulkOutcome = "done"
	BulkSkipped BulkOutcome = "skipped" // it had changed since the preview, or owes a teardown
	BulkFailed  BulkOutcome = "failed"  // nothing was changed; the text says why
)

// BulkResult tells what became of one run.
type BulkResult struct {
	Ref     Ref         `json:"ref"`
	Outcome BulkOutcome `json:"outcome"`
	// Audit is the number of the audit record; 0 when nothing was changed.
	Audit uint64 `json:"audit,omitempty"`
	// Text says why it was skipped or failed.
	Text string `json:"text,omitempty"`
}
