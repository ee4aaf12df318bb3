package store

import (
	"context"
	"iter"
	"time"
)

// Store is all the engine asks of durable storage. Its methods may be called
// from many goroutines. Keys and values handed in are not kept after the call
// returns and not changed; slices handed out belong to the caller unless said
// otherwise.
type Store interface {
	// Reader reads the newest durable group. Two calls may see two groups:
	// take a Snapshot to read several rows as of one instant.
	Reader

	// Snapshot pins the newest durable group for reading. The caller closes
	// it, soon: an open snapshot keeps old rows on disk.
	Snapshot() (Snapshot, error)

	// Commit applies b whole or not at all and returns once it would survive a
	// power cut. Result.Applied is false, with a nil error, exactly when a
	// condition did not hold; then nothing was written. The error is
	// [ErrClosed], [ErrReadOnly], [ErrFull], [ErrStalled], [ErrFailed],
	// [ErrCorrupt] (a row that a condition or counter needs is unreadable),
	// [ErrReservedKey] or a [*LimitError]: after [ErrFailed] the outcome is
	// unknown and b must not be used again, after the others nothing changed.
	// If ctx ends before b is taken up, its error is returned and nothing
	// changed; after that ctx has no effect. Commit never waits for ever.
	Commit(ctx context.Context, b *Batch) (Result, error)

	// Info says what the store is. It does not change while the store is open.
	Info() Info

	// Health says how the store is now. It is cheap and never blocks.
	Health() Health

	// Close waits for readers and commits under way, then closes. Calls after
	// it answer [ErrClosed]. It does not wait for a store that has failed or
	// stalled. Closing twice is harmless.
	Close() error
}

// Owner is implemented by stores whose exclusive ownership can be lost behind
// their back, such as by deleting the lock file.
type Owner interface {
	// StillOwner returns nil while this opening owns the stored data, and an
	// error that unwraps to [ErrLocked] when it must be assumed that another
	// process does. It is cheap; a lease asks it at every renewal.
	StillOwner() error
}

// Reader reads rows.
type Reader interface {
	// Get returns the value of key, or nil when there is none. A present value
	// is never nil.
	Get(key []byte) ([]byte, error)

	// Scan yields the rows of r in key order. A row's slices are valid until
	// the next one is asked for. An error ends the scan and is yielded last,
	// with a zero row. The loop body must not block on a Commit.
	Scan(r Range) iter.Seq2[Row, error]
}

// Snapshot is a Reader fixed at one group.
type Snapshot interface {
	Reader
	// Group is the group the snapshot shows.
	Group() Group
	// Close releases the snapshot. Closing twice is harmless.
	Close()
}

// Group numbers the sets of batches that became durable together.
type Group uint64

// Row is one key with its value.
type Row struct{ Key, Value []byte }

// Range is the half-open interval [From, To). Nil From means the first row,
// nil To means past the last.
type Range struct {
	From, To []byte
	// Reverse yields the rows last to first.
	Reverse bool
}

// Prefix is the range of all keys that begin with p.
func Prefix(p []byte) Range { return Range{From: p, To: PrefixEnd(p)} }

// PrefixEnd is the least key above every key that begins with p; nil if there
// is none.
func PrefixEnd(p []byte) []byte {
	for i := len(p) - 1; i >= 0; i-- {
		if p[i] != 0xff {
			end := append([]byte(nil), p[:i+1]...)
			end[i]++
			return end
		}
	}
	return nil
}

// Result tells what became of a batch.
type Result struct {
	// Applied is false when a condition did not hold.
	Applied bool
	// Group is the group at which the conditions were judged and, when
	// Applied, that holds the writes. It is durable. A later condition on a
	// key judged or written here may name it in [Condition.At].
	Group Group
}

// Info describes an open store.
type Info struct {
	// Kind is the implementation, "pebble" or "memory".
	Kind string
	// Name is what people call the store: its directory, or "memory".
	Name string
	// ID names the stored data; it stays the same for the data's whole life.
	ID string
	// Instance names this opening; no two openings share one.
	Instance string
	// Exclusive promises that no other instance of this store is open for
	// writing: whoever wrote under another instance is gone.
	Exclusive bool
	// Durable is false when the data is gone after Close.
	Durable bool
	// ReadOnly is true when every Commit is refused with [ErrReadOnly].
	ReadOnly bool
	// Accepted tells what was accepted at open that an audit must know: "" or
	// a sentence, such as that a missing high-water mark was taken as it is.
	Accepted string
}

// State is the condition a store is in.
type State uint8

const (
	// Healthy: commits go through.
	Healthy State = iota
	// Stalled: writes have not gone on for a while; commits may block.
	Stalled
	// Full: free space is below the reserve; new work is refused.
	Full
	// Failed: a write failed. Nothing is written any more.
	Failed
	// Closed: Close was called.
	Closed
)

func (s State) String() string {
	return [...]string{"healthy", "stalled", "full", "failed", "closed"}[s]
}

// Health is how a store is at one instant.
type Health struct {
	State State
	// Err is why State is not Healthy; nil when it is.
	Err error
	// Group is the newest durable group.
	Group Group
	// Syncs counts groups written since open; Batches the batches in them.
	Syncs, Batches uint64
	// SyncP50 and SyncP99 are recent times of one sync; zero when unknown.
	SyncP50, SyncP99 time.Duration
	// Size is the bytes the store takes, Free what its volume has left; -1
	// when unknown.
	Size, Free int64
}
