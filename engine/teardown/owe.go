package teardown

import (
	"crypto/rand"
	"fmt"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// newToken names a claim: no two share one.
func newToken() string { return rand.Text() }

// Debt is a teardown that becomes owed.
type Debt struct {
	Ref             flow.Ref
	Type, Finalizer string
	// Pieces is how many compensations are owed, and the finalizer if it has
	// state; Finalizer is then the newest compensation. 0 is the finalizer alone.
	Pieces int
}

// Owe puts into the batch that ends a run what makes its teardown owed: the
// claim, due now, its timer and the count. The batch must not be one that could
// be applied to a run that owes already; the terminal batch, conditional on a
// live head, cannot. Hand the timer to [Driver.Added] once b is durable.
func Owe(b *store.Batch, d Debt, now flow.Instant) row.Teardown {
	c := flow.OweClaim(d.Type, d.Finalizer, newToken(), now)
	c.Piece, c.Pieces = min(d.Pieces, 1), d.Pieces
	return putOwed(b, d.Ref, c)
}

// putOwed puts a claim where there was none.
func putOwed(b *store.Batch, ref flow.Ref, c flow.Claim) row.Teardown {
	t := row.TeardownOf(ref, c)
	b.Put(row.ClaimKey(ref), row.EncodeClaim(c))
	b.Put(t.Key(), nil)
	b.Add(row.CountOwed, 1)
	return t
}

// PutState puts what a run records for its finalizer into the run's next batch.
// The last one wins.
func PutState(b *store.Batch, ref flow.Ref, s row.State) {
	b.Put(row.StateKey(ref), row.EncodeState(s))
}

// DropState removes it in the batch that ends a run which owes nothing. While a
// teardown is owed the state must stay: it is the finalizer's input.
func DropState(b *store.Batch, ref flow.Ref) { b.Delete(row.StateKey(ref)) }

// CarryState hands what one run recorded on to the next of its chain, readable or
// not.
func CarryState(r store.Reader, b *store.Batch, from, to flow.Ref) error {
	raw, err := r.Get(row.StateKey(from))
	if err != nil || raw == nil {
		return err
	}
	b.Put(row.StateKey(to), raw)
	b.Delete(row.StateKey(from))
	return nil
}

// StateOf reads what a run recorded; false when it recorded nothing. A state
// that cannot be read is true with an error: the teardown is owed all the same
// (with what the caller knows of type and finalizer) and becomes a dead letter
// that holds the bytes.
func StateOf(r store.Reader, ref flow.Ref) (row.State, bool, error) {
	raw, err := r.Get(row.StateKey(ref))
	if err != nil || raw == nil {
		return row.State{}, false, err
	}
	s, err := row.DecodeState(raw)
	if err != nil {
		return row.State{}, true, fmt.Errorf("run %s: %w", ref, err)
	}
	return s, true, nil
}

// Pending reports whether the teardown of a run is owed.
func Pending(r store.Reader, ref flow.Ref) (bool, error) {
	raw, err := r.Get(row.ClaimKey(ref))
	return raw != nil, err
}

// Refuse is a [*flow.PendingError] while the teardown of the run is owed: what
// would take the run away (purge, delete, a new start under its id) must not
// happen then. Nil when nothing is owed. A batch that goes on after it names
// [ExpectNone], because a dead letter may be redriven meanwhile.
func Refuse(r store.Reader, ref flow.Ref) error {
	raw, err := r.Get(row.ClaimKey(ref))
	if err != nil || raw == nil {
		return err
	}
	c, err := row.DecodeClaim(raw)
	if err != nil {
		return &flow.PendingError{Ref: ref}
	}
	return &flow.PendingError{Ref: ref, Finalizer: c.Finalizer, Status: c.Status, Attempts: c.Attempts, NextAt: c.TimerAt()}
}

// ExpectNone adds the condition that no teardown of the run is owed, known to
// hold at group at.
func ExpectNone(b *store.Batch, ref flow.Ref, at store.Group) { b.Expect(row.ClaimKey(ref), nil, at) }

// Counts reads how many teardowns are owed and how many dead letters there are.
func Counts(r store.Reader) (owed, dead int64, err error) {
	if owed, err = counter(r, row.CountOwed); err != nil {
		return 0, 0, err
	}
	dead, err = counter(r, row.CountDead)
	return owed, dead, err
}

func counter(r store.Reader, key []byte) (int64, error) {
	raw, err := r.Get(key)
	if err != nil {
		return 0, fmt.Errorf("read %s: %w", key, err)
	}
	n, err := store.DecodeCounter(raw)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", key, err)
	}
	return n, nil
}
