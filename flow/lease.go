package flow

// Epoch is the fencing token of a store's lease. It only grows; 0 means the
// store was never owned.
type Epoch uint64

// Tenure is one ownership of a store, for people.
type Tenure struct {
	Epoch  Epoch   `json:"epoch"`
	Holder string  `json:"holder"`
	Since  Instant `json:"since"`
	// Until is when it ended; zero while it lasts or when nobody knows.
	Until Instant `json:"until"`
	// Ended says how: "released", "process gone", "expired", "unreadable",
	// "unknown", or "" while it lasts.
	Ended string `json:"ended"`
}

// LeaseState is what is known of the lease.
type LeaseState string

const (
	LeaseHeld     LeaseState = "held"      // by this engine
	LeaseOther    LeaseState = "other"     // by another holder
	LeaseNone     LeaseState = "no-lease"  // nobody holds it
	LeaseDoubt    LeaseState = "doubt"     // ours, but the renewal is overdue
	LeaseDeposed  LeaseState = "deposed"   // was ours
	LeaseReleased LeaseState = "released"  // was ours and was given back
	LeaseCorrupt  LeaseState = "corrupted" // its records cannot be read
)

// Lease is the lease as a console shows it.
type Lease struct {
	State  LeaseState `json:"state"`
	Holder string     `json:"holder"`
	Mine   bool       `json:"mine"`
	Epoch  Epoch      `json:"epoch"`
	// Lost is the epoch of a deposed engine. The other fields then are of who owns
	// the store now; they are zero where the store does not tell.
	Lost      Epoch    `json:"lost,omitempty"`
	ExpiresAt Instant  `json:"expiresAt"`
	RenewedAt Instant  `json:"renewedAt"`
	History   []Tenure `json:"history"`
}
