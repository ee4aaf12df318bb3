package store

import (
	"encoding/binary"
	"fmt"
)

// Limits of one batch. A batch beyond one is refused with a [*LimitError].
const (
	// MaxOperations is the most conditions, writes and counter adds.
	MaxOperations = 10_000
	// MaxBytes is the most bytes of keys and values to write. A bigger batch
	// would displace the working memory of any store.
	MaxBytes = 64 << 20
	// MaxKey is the longest key.
	MaxKey = 16 << 10
)

// Batch is a set of conditions and writes. The zero Batch is ready to use.
// Writes take effect in the order they were added, range deletes included. A
// Batch is not safe for concurrent use, and must not be changed between the
// call of Commit and its return.
type Batch struct {
	Conditions []Condition
	Writes     []Write
	Adds       []Add
	// Urgent batches are taken even when free space is below the reserve: for
	// what must go on (a lease) and what makes room (a purge). The reserve is
	// finite: new work is never urgent.
	Urgent bool
}

// Condition demands that Key has exactly the value Want when the batch is
// applied; nil Want demands that Key is absent.
type Condition struct {
	Key, Want []byte
	// At is a group at which the caller knows the condition to hold, from a
	// snapshot or an earlier Result; zero when it knows none. It lets the
	// store decide without reading the row. A false At breaks the promise.
	At Group
}

// Op is the kind of a Write.
type Op uint8

const (
	// OpPut sets Key to Value.
	OpPut Op = iota
	// OpDelete removes Key; a missing key is fine.
	OpDelete
	// OpDeleteRange removes the keys in [Key, Value).
	OpDeleteRange
)

// Write is one change.
type Write struct {
	Op         Op
	Key, Value []byte
}

// Add adds Delta to the counter at Key. A counter that reaches zero is removed.
// A counter key must not be touched by Put, Delete or DeleteRange.
type Add struct {
	Key   []byte
	Delta int64
}

// Expect adds the condition that key has the value want (nil: is absent), known
// to hold at group at (zero: unknown).
func (b *Batch) Expect(key, want []byte, at Group) {
	b.Conditions = append(b.Conditions, Condition{Key: key, Want: want, At: at})
}

// Put sets key to value. A nil value is stored as an empty one.
func (b *Batch) Put(key, value []byte) {
	b.Writes = append(b.Writes, Write{Op: OpPut, Key: key, Value: value})
}

// Delete removes key.
func (b *Batch) Delete(key []byte) {
	b.Writes = append(b.Writes, Write{Op: OpDelete, Key: key})
}

// DeleteRange removes the keys in [from, to). Unflushed range deletes cost
// every read: use it for purges of hundreds of rows, not for a few.
func (b *Batch) DeleteRange(from, to []byte) {
	b.Writes = append(b.Writes, Write{Op: OpDeleteRange, Key: from, Value: to})
}

// Add adds delta to the counter at key.
func (b *Batch) Add(key []byte, delta int64) {
	b.Adds = append(b.Adds, Add{Key: key, Delta: delta})
}

// Operations counts what the batch asks for.
func (b *Batch) Operations() int { return len(b.Conditions) + len(b.Writes) + len(b.Adds) }

// Validate reports, as a [*LimitError] or [ErrReservedKey], why no store may
// take b; nil when it may.
func (b *Batch) Validate() error {
	if n := b.Operations(); n > MaxOperations {
		return &LimitError{Limit: "operations in a batch", Got: n, Max: MaxOperations}
	}
	for i := range b.Conditions {
		if err := validKey(b.Conditions[i].Key); err != nil {
			return err
		}
	}
	for i := range b.Writes {
		w := &b.Writes[i]
		if err := validKey(w.Key); err != nil {
			return err
		}
		if w.Op == OpDeleteRange {
			if err := validKey(w.Value); err != nil {
				return err
			}
		}
	}
	for i := range b.Adds {
		if err := validKey(b.Adds[i].Key); err != nil {
			return err
		}
	}
	if n := b.Bytes(); n > MaxBytes {
		return &LimitError{Limit: "bytes in a batch", Got: n, Max: MaxBytes}
	}
	return nil
}

// Bytes counts the keys and values to write.
func (b *Batch) Bytes() int {
	n := 0
	for i := range b.Writes {
		n += len(b.Writes[i].Key) + len(b.Writes[i].Value)
	}
	return n
}

func validKey(key []byte) error {
	switch {
	case len(key) == 0 || key[0] == 0:
		return fmt.Errorf("key %q: %w", key[:min(len(key), 40)], ErrReservedKey)
	case len(key) > MaxKey:
		return &LimitError{Limit: "bytes in a key", Got: len(key), Max: MaxKey}
	}
	return nil
}

// EncodeCounter is the stored value of a counter: 8 bytes, big endian.
func EncodeCounter(n int64) []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(n))
}

// DecodeCounter reads a counter's value; nil is an absent counter, zero.
func DecodeCounter(v []byte) (int64, error) {
	switch len(v) {
	case 0:
		return 0, nil
	case 8:
		return int64(binary.BigEndian.Uint64(v)), nil
	}
	return 0, fmt.Errorf("counter of %d bytes, want 8: %w", len(v), ErrCorrupt)
}
