package flow

// CompleteActivity tells the result of an attempt that was left to somebody
// outside.
type CompleteActivity struct {
	Token  Token   `json:"token"`
	Output Payload `json:"output"`
}

// FailActivity tells that such an attempt failed. Another one may follow, as
// the activity's retry policy says.
type FailActivity struct {
	Token   Token  `json:"token"`
	Message string `json:"message"`
	// Code is what code compares the error with; may be "".
	Code string `json:"code,omitempty"`
	// Permanent: no further attempt.
	Permanent bool `json:"permanent,omitempty"`
}

// BeatActivity says that such an attempt is under way.
type BeatActivity struct {
	Token Token `json:"token"`
	// Details are for the next attempt; nil leaves what there is.
	Details Payload `json:"details,omitempty"`
}

// Verb implements [Deed].
func (CompleteActivity) Verb() string { return "activity complete" }

// Verb implements [Deed].
func (FailActivity) Verb() string { return "activity fail" }

// Verb implements [Deed].
func (BeatActivity) Verb() string { return "activity heartbeat" }
