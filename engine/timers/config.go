package timers

import (
	"time"

	"weft/flow"
	"weft/store"
)

// Timer is what the key of a timer row says.
type Timer interface {
	comparable
	// Key is the key of the row. Keys sort by due time.
	Key() []byte
	// At is when the timer is due.
	At() flow.Instant
}

// Family is the keys that a queue is made of.
type Family[T Timer] struct {
	// Prefix is the prefix of all keys.
	Prefix string
	// From is the least key due at or after an instant.
	From func(flow.Instant) []byte
	// Parse reads a key; false when it is not one of a timer, which is then
	// passed over.
	Parse func(key []byte) (T, bool)
}

// Config configures a [Queue].
type Config[T Timer] struct {
	Family Family[T]
	// Store is where the rows are.
	Store store.Reader
	// Now is the wall clock. Nil means [time.Now].
	Now func() time.Time
	// Slots bounds the actions under way: those that were called and have not
	// freed their slot. At least 1.
	Slots int
	// Patience is how long all slots may be taken without any being freed before
	// their holders count as stuck and other actions begin beside them. Zero
	// means that no action ever begins without a slot.
	Patience time.Duration
	// Ready reports whether an action may begin now; it is asked before each,
	// and must not block. Nil means always.
	Ready func() bool
	// Freed tells that Ready may have become true. Without it that is found out
	// within a second.
	Freed <-chan struct{}
	// LookEvery is the longest Run waits before it looks at the wall clock again.
	// Zero means a second.
	LookEvery time.Duration
	// Problem takes errors of reading rows; the rows are read again later.
	Problem func(error)
}

const (
	// ahead is how far ahead of the clock timers are held in memory, in looks.
	ahead = 5
	// page bounds how many rows of each cursor are in memory before they are
	// due.
	page = 4096
	// most bounds how many rows of the near cursor may be due and wait before it
	// reads no further.
	most = 4 * page
	// look is LookEvery unless it is given, and how long Run waits before it
	// looks again whether an action may begin.
	look = time.Second
)
