package flow

// Run is one run as a list shows it.
type Run struct {
	Ref
	Type    string `json:"type"`
	Version string `json:"version"`
	Status  Status `json:"status"`
	// Waiting says in words what the run waits for; "" when it goes on or has
	// ended. Step is the step it is at.
	Waiting string   `json:"waiting"`
	Step    StepPath `json:"step"`
	// Due is when the wait ends by itself.
	Due Instant `json:"due,omitzero"`
	// StartAt is when a pending run begins; zero for all others.
	StartAt Instant `json:"startAt,omitzero"`
	// CreatedAt is when it was asked for, StartedAt when it began, UpdatedAt when
	// its last event was recorded, ClosedAt when it ended.
	CreatedAt Instant `json:"createdAt"`
	StartedAt Instant `json:"startedAt"`
	UpdatedAt Instant `json:"updatedAt"`
	ClosedAt  Instant `json:"closedAt"`
	// Deadline is when it is timed out; zero is never.
	Deadline Instant `json:"deadline"`
	// Failure tells why it failed, Reason why it is suspended or was ended.
	Failure *Failure `json:"failure"`
	Reason  string   `json:"reason"`
	// Held: its type or version is not registered here; HeldBecause says which.
	Held        bool   `json:"held"`
	HeldBecause string `json:"heldBecause,omitempty"`
	// Summary is the run's own account of how far it is.
	Summary    string            `json:"summary"`
	Tags       []string          `json:"tags"`
	Attributes map[string]string `json:"attributes"`
	// Parent started it as a child; nil for all others.
	Parent *Ref `json:"parent"`
	// Generation counts the runs before it that continued as new; First is the
	// first of them, "" when there were none.
	Generation int   `json:"generation,omitempty"`
	First      RunID `json:"first,omitempty"`
	// Events is the number of its last event; Signals how many are buffered,
	// -1 when that was not read.
	Events  EventSeq `json:"events"`
	Signals int      `json:"signals"`
}

// PastRun is what is kept of a run that continued as new: its journal is not.
type PastRun struct {
	Run       RunID    `json:"run"`
	Type      string   `json:"type"`
	Version   string   `json:"version"`
	CreatedAt Instant  `json:"createdAt"`
	ClosedAt  Instant  `json:"closedAt"`
	Events    EventSeq `json:"events"`
	Summary   string   `json:"summary"`
}
