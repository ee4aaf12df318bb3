package flow

// Teardown is an owed finalizer as people see it.
type Teardown struct {
	Ref
	Type      string  `json:"type"`
	Finalizer string  `json:"finalizer"`
	State     string  `json:"state"`
	Attempts  int     `json:"attempts"`
	NextAt    Instant `json:"nextAt"`
	ClaimedAt Instant `json:"claimedAt"`
	StaleAt   Instant `json:"staleAt"`
	LastError string  `json:"lastError"`
	// OwedAt is when the run ended.
	OwedAt Instant `json:"owedAt"`
}

// Dead is a dead letter: a teardown that was given up.
type Dead struct {
	Ref
	Type           string  `json:"type"`
	Finalizer      string  `json:"finalizer"`
	Attempts       int     `json:"attempts"`
	LastError      string  `json:"lastError"`
	DeadLetteredAt Instant `json:"deadLetteredAt"`
	Input          Payload `json:"input"`
}
