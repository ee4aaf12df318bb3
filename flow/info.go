package flow

// Mode is what an engine may do.
type Mode string

const (
	// ModeRun: holds the lease and runs workflows.
	ModeRun Mode = "run"
	// ModeOperate: holds the lease and acts, but runs no code.
	ModeOperate Mode = "operate"
	// ModeLook: changes nothing.
	ModeLook Mode = "look"
)

// Info is the state of the engine and its store, for a header.
type Info struct {
	Store     string `json:"store"` // what people call it: the directory
	StoreKind string `json:"storeKind"`
	StoreID   string `json:"storeId"`
	Mode      Mode   `json:"mode"`
	Lease     Lease  `json:"lease"`
	Counts    Counts `json:"counts"`
	// OwedSince is since when the oldest owed teardown is owed; zero when none
	// is, and when more are owed than are looked at (MaxOwedLook).
	OwedSince Instant `json:"owedSince,omitzero"`
	// Health is one word: healthy, stalled, full, failed, closed; Trouble says
	// why it is not healthy.
	Health  string `json:"health"`
	Trouble string `json:"trouble,omitempty"`
	// Problems are standing conditions an operator should know.
	Problems []Problem `json:"problems"`
	// Live is how many runs are in memory, Attempts how many activity attempts
	// are under way, Ready how many wait for a place; Finalizers how many
	// finalizer attempts are under way.
	Live       int `json:"live"`
	Attempts   int `json:"attempts"`
	Ready      int `json:"ready"`
	Finalizers int `json:"finalizers"`
	// Steps counts steps committed since open.
	Steps uint64 `json:"steps"`
	// SyncP50Micros and SyncP99Micros are recent times of one sync.
	SyncP50Micros int64 `json:"syncP50Micros"`
	SyncP99Micros int64 `json:"syncP99Micros"`
	// SizeBytes is what the store takes on disk, FreeBytes what is left there.
	SizeBytes int64 `json:"sizeBytes"`
	FreeBytes int64 `json:"freeBytes"`
	// At is when this was read.
	At Instant `json:"at"`
}

// MaxOwedLook is the most owed teardowns that are looked at for Info.OwedSince.
const MaxOwedLook = 1024

// Problem is a standing condition.
type Problem struct {
	// Since and Last are when it was seen first and last, Count how often.
	Since Instant `json:"since"`
	Last  Instant `json:"last"`
	Count int     `json:"count"`
	Text  string  `json:"text"`
	// Advice says what to do.
	Advice string `json:"advice,omitempty"`
}
