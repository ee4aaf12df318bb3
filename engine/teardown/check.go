package teardown

import (
	"fmt"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// Finding is one row that does not fit.
type Finding struct {
	Key  []byte
	Text string
}

// Check walks the families of teardowns and returns what does not fit: rows that
// cannot be read, a claim without its timer, a timer that no claim needs, a
// claim of a run that goes on or beside a dead letter, a state that will not be
// used, wrong counters. R should be a snapshot. The error is the reader's.
func Check(r store.Reader) ([]Finding, error) {
	c := &checker{r: r}
	for _, f := range []struct {
		family string
		look   func(store.Row) error
	}{
		{row.FamilyClaim, c.claim}, {row.FamilyTeardown, c.timer}, {row.FamilyDead, c.letter}, {row.FamilyState, c.state}, {row.FamilyPiece, c.piece},
	} {
		for kv, err := range r.Scan(store.Prefix([]byte(f.family))) {
			if err != nil {
				return c.found, err
			}
			if err := f.look(kv); err != nil {
				return c.found, err
			}
		}
	}
	if err := c.counter(row.CountOwed, c.claims); err != nil {
		return c.found, err
	}
	return c.found, c.counter(row.CountDead, c.letters)
}

type checker struct {
	r               store.Reader
	found           []Finding
	claims, letters int64
}

func (c *checker) add(key []byte, format string, args ...any) {
	c.found = append(c.found, Finding{append([]byte(nil), key...), fmt.Sprintf(format, args...)})
}

func (c *checker) claim(kv store.Row) error {
	c.claims++
	ref, ok := row.ParseClaim(kv.Key)
	if !ok {
		c.add(kv.Key, "this is no key of a claim")
		return nil
	}
	claim, err := row.DecodeClaim(kv.Value)
	if err != nil {
		c.add(kv.Key, "the claim does not decode: %v", err)
	} else if err := c.needs(kv.Key, row.TeardownOf(ref, claim).Key(), "its timer %s is missing: nothing will drive it"); err != nil {
		return err
	}
	if _, _, left, err := partsIn(c.r, ref); err != nil {
		return err
	} else if left == 0 {
		c.add(kv.Key, "the recorded state %s is missing", row.StateKey(ref))
	} else if claim.Pieces > 0 && left != claim.Pieces-claim.Piece+1 {
		c.add(kv.Key, "the claim is at piece %d of %d, %d are recorded", claim.Piece, claim.Pieces, left)
	}
	raw, err := c.r.Get(row.DeadKey(ref))
	if err != nil {
		return err
	}
	if raw != nil {
		c.add(kv.Key, "the run has a dead letter, too")
	}
	return c.ended(kv.Key, ref)
}

func (c *checker) needs(key, other []byte, format string) error {
	raw, err := c.r.Get(other)
	if err == nil && raw == nil {
		c.add(key, format, other)
	}
	return err
}

// ended checks that a run that is still stored under its id owes only after its
// end.
func (c *checker) ended(key []byte, ref flow.Ref) error {
	head, ok, err := c.head(ref)
	if ok && head.Run == ref.Run && !head.Status.Terminal() {
		c.add(key, "a run that is %s owes no teardown", head.Status)
	}
	return err
}

// head is the head of the run's id, the zero Head when there is none; false when
// it cannot be read, which is found elsewhere.
func (c *checker) head(ref flow.Ref) (row.Head, bool, error) {
	raw, err := c.r.Get(row.HeadKey(ref.ID))
	if err != nil || raw == nil {
		return row.Head{}, err == nil, err
	}
	h, err := row.DecodeHead(raw)
	return h, err == nil, nil
}

func (c *checker) timer(kv store.Row) error {
	t, ok := row.ParseTeardown(kv.Key)
	if !ok {
		c.add(kv.Key, "this is no key of a teardown's timer")
		return nil
	}
	if len(kv.Value) > 0 {
		c.add(kv.Key, "a timer has no value, this one has %d bytes", len(kv.Value))
	}
	raw, err := c.r.Get(row.ClaimKey(t.Ref))
	if err != nil {
		return err
	}
	claim, err := row.DecodeClaim(raw)
	switch {
	case raw == nil:
		c.add(kv.Key, "no claim needs the timer")
	case err == nil && string(row.TeardownOf(t.Ref, claim).Key()) != string(kv.Key):
		c.add(kv.Key, "the claim has another timer: it is %s, due %s", claim.Status, claim.TimerAt())
	}
	return nil
}

func (c *checker) letter(kv store.Row) error {
	c.letters++
	if _, ok := row.ParseDead(kv.Key); !ok {
		c.add(kv.Key, "this is no key of a dead letter")
		return nil
	}
	if _, err := row.DecodeLetter(kv.Value); err != nil {
		c.add(kv.Key, "the dead letter does not decode: %v", err)
	}
	return nil
}

func (c *checker) state(kv store.Row) error {
	ref, ok := row.ParseState(kv.Key)
	if !ok {
		c.add(kv.Key, "this is no key of a finalizer's state")
		return nil
	}
	if _, err := row.DecodeState(kv.Value); err != nil {
		c.add(kv.Key, "the finalizer's state does not decode: %v", err)
	}
	return c.wanted(kv.Key, ref)
}

func (c *checker) piece(kv store.Row) error {
	ref, _, ok := row.ParsePiece(kv.Key)
	if !ok {
		c.add(kv.Key, "this is no key of a compensation")
		return nil
	}
	if _, err := row.DecodeState(kv.Value); err != nil {
		c.add(kv.Key, "the compensation does not decode: %v", err)
	}
	return c.wanted(kv.Key, ref)
}

// wanted checks that what is recorded may still be called.
func (c *checker) wanted(key []byte, ref flow.Ref) error {
	owed, err := Pending(c.r, ref)
	if err != nil || owed {
		return err
	}
	if behind, err := Behind(c.r, ref); err != nil || behind {
		return err
	}
	head, ok, err := c.head(ref)
	if ok && (head.Run != ref.Run || head.Status.Terminal()) {
		c.add(key, "the run has ended and owes no teardown, yet its state is there")
	}
	return err
}

func (c *checker) counter(key []byte, want int64) error {
	raw, err := c.r.Get(key)
	if err != nil {
		return err
	}
	n, err := store.DecodeCounter(raw)
	switch {
	case err != nil:
		c.add(key, "the counter does not decode: %v", err)
	case n != want:
		c.add(key, "the counter says %d, there are %d", n, want)
	case n == 0 && raw != nil:
		c.add(key, "a counter of 0 has no row")
	}
	return nil
}
