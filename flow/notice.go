package flow

// NoticeKind says what a notice is about.
type NoticeKind string

const (
	NoticeStarted   NoticeKind = "started"
	NoticeStep      NoticeKind = "step"    // a step has its outcome
	NoticeAttempt   NoticeKind = "attempt" // an attempt failed, another follows
	NoticeWaiting   NoticeKind = "waiting" // the run was parked
	NoticeSignal    NoticeKind = "signal"  // one was buffered
	NoticeSuspended NoticeKind = "suspended"
	NoticeResumed   NoticeKind = "resumed"
	NoticeEnded     NoticeKind = "ended"
	NoticeLabels    NoticeKind = "labels" // an operator changed tags or attributes
	// NoticeContinued: a run ended and another one of the id began in its place.
	NoticeContinued NoticeKind = "continued"
	NoticePurged    NoticeKind = "purged"
	NoticeLease     NoticeKind = "lease"   // it was taken or lost
	NoticeStore     NoticeKind = "store"   // the engine mended a row
	NoticeProblem   NoticeKind = "problem" // see [Problem]
	// NoticeTeardown: a teardown became owed, was attempted, or is done.
	NoticeTeardown NoticeKind = "teardown"
	// NoticeDead: a dead letter was written, redriven or discarded.
	NoticeDead NoticeKind = "dead"
)

// Notice says that something changed and is durable.
type Notice struct {
	// Seq numbers the notices of one engine without gaps. Missed is how many
	// were overwritten before this one: refetch.
	Seq    uint64     `json:"seq"`
	Missed uint64     `json:"missed,omitempty"`
	At     Instant    `json:"at"`
	Kind   NoticeKind `json:"kind"`
	Ref    Ref        `json:"ref"`
	Type   string     `json:"type,omitempty"`
	Step   StepPath   `json:"step,omitempty"`
	// Status is the status after it, for what changes one.
	Status Status `json:"status,omitzero"`
	// Text is one line for people.
	Text string `json:"text,omitempty"`
	// Failed: what it tells went wrong.
	Failed bool `json:"failed,omitempty"`
}

// News is what a watcher is told at once.
type News struct {
	// Notices are in the order of their numbers. Missed of the first counts
	// those that were asked for and lie before it.
	Notices []Notice
	// Next is the number of the next notice, to ask on from.
	Next uint64
}
