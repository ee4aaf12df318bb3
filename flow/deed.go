package flow

// OnTerminalConflict says what a start does when its id belongs to a run that
// has ended.
type OnTerminalConflict string

const (
	// Refuse fails with an [*ExistsError]. The zero value means it.
	Refuse OnTerminalConflict = ""
	// StartNew removes the ended run and starts a new one under the id, in one
	// batch. It needs an id and excludes an idempotency key, and is refused
	// while the old run owes a teardown.
	StartNew OnTerminalConflict = "start-new"
)

// CancelRun ends a run now. Its finalizer becomes owed if it recorded state.
type CancelRun struct {
	Target Ref `json:"target"`
	// Now cancels a run that could not first be brought to its block point,
	// with what is durable: state that its code has staged may be unknown.
	Now bool `json:"now,omitempty"`
}

// SuspendRun stops a run until somebody resumes it.
type SuspendRun struct {
	Target Ref `json:"target"`
}

// PurgeRun removes an ended run and everything recorded of it but a dead
// letter and the audit.
type PurgeRun struct {
	Target Ref `json:"target"`
}

// RestartRun starts a new run under the id of an ended one, with its type and
// input.
type RestartRun struct {
	Target Ref `json:"target"`
}

// RetryTeardown makes an owed teardown due now; its attempts stay counted.
type RetryTeardown struct {
	Target Ref `json:"target"`
}

// Redrive makes a dead letter an owed teardown again, with no attempts.
type Redrive struct {
	Target Ref `json:"target"`
	// Input replaces the recorded state when it is not nil.
	Input Payload `json:"input,omitempty"`
}

// Discard gives a dead letter up for good. Its content goes into the audit.
type Discard struct {
	Target Ref `json:"target"`
}

// Verb implements [Deed].
func (CancelRun) Verb() string { return "cancel" }

// Verb implements [Deed].
func (SuspendRun) Verb() string { return "suspend" }

// Verb implements [Deed].
func (PurgeRun) Verb() string { return "purge" }

// Verb implements [Deed].
func (RestartRun) Verb() string { return "restart" }

// Verb implements [Deed].
func (RetryTeardown) Verb() string { return "retry-teardown" }

// Verb implements [Deed].
func (Redrive) Verb() string { return "redrive" }

// Verb implements [Deed].
func (Discard) Verb() string { return "discard" }
