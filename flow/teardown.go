package flow

import "fmt"

// Teardown is an owed finalizer as people see it.
type Teardown struct {
	Ref
	Type      string `json:"type"`
	Finalizer string `json:"finalizer"`
	// State is a word for where it is.
	State string `json:"state"`
	// Attempts is how many ended without success, LastError how the latest did.
	Attempts int `json:"attempts"`
	// NextAt is when something happens next. ClaimedAt is when the attempt under
	// way began, StaleAt when it counts as lost; both are zero when none is.
	NextAt    Instant `json:"nextAt"`
	ClaimedAt Instant `json:"claimedAt"`
	StaleAt   Instant `json:"staleAt"`
	LastError string  `json:"lastError"`
	// OwedAt is when the run ended.
	OwedAt Instant `json:"owedAt"`
	// Piece of Pieces is where it is, when the run left open sagas; else 0.
	Piece  int `json:"piece,omitempty"`
	Pieces int `json:"pieces,omitempty"`
}

// Place is "piece 2 of 4", or "" for a finalizer alone.
func (t Teardown) Place() string { return place(t.Piece, t.Pieces) }

// Place is "piece 2 of 4", or "" for a finalizer alone.
func (d Dead) Place() string { return place(d.Piece, d.Pieces) }

func place(piece, pieces int) string {
	if pieces == 0 {
		return ""
	}
	return fmt.Sprintf("piece %d of %d", piece, pieces)
}

// Dead is a dead letter: a teardown that was given up.
type Dead struct {
	Ref
	Type           string  `json:"type"`
	Finalizer      string  `json:"finalizer"`
	Attempts       int     `json:"attempts"`
	LastError      string  `json:"lastError"`
	DeadLetteredAt Instant `json:"deadLetteredAt"`
	// Input is the state the finalizer was called with; nil when there is none.
	Input Payload `json:"input"`
	// Piece of Pieces was given up; those behind it wait for a redrive, or go on
	// when the letter is discarded.
	Piece  int `json:"piece,omitempty"`
	Pieces int `json:"pieces,omitempty"`
}
