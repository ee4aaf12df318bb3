package teardown

import (
	"errors"
	"fmt"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// standing is how the teardown of one run stands: what is stored, as of one
// snapshot or as it was just written.
type standing struct {
	ref flow.Ref
	at  store.Group // at which raw is known to be stored; 0 when none is
	raw []byte      // the claim's bytes, nil when nothing is owed
	// claim is raw, read; damaged says why it could not be.
	claim   flow.Claim
	damaged error
	// state is what the run recorded for what is torn down now, nil when nothing
	// is; stateKey is where, stateSeq its number among the compensations.
	stateKey     []byte
	stateSeq     flow.EventSeq
	stateRaw     []byte
	state        row.State
	stateDamaged error
	// following is the finalizer of the piece behind, left how many pieces there
	// are from this one on.
	following string
	left      int
}

// readStanding reads how the teardown of a run stands.
func readStanding(s store.Store, ref flow.Ref) (standing, error) {
	snap, err := s.Snapshot()
	if err != nil {
		return standing{}, err
	}
	defer snap.Close()
	return standingIn(snap, ref)
}

func standingIn(snap store.Snapshot, ref flow.Ref) (out standing, err error) {
	out = standing{ref: ref, at: snap.Group()}
	if out.raw, err = snap.Get(row.ClaimKey(ref)); err != nil {
		return out, fmt.Errorf("read the claim of run %s: %w", ref, err)
	}
	if out.raw == nil {
		return out, nil
	}
	out.claim, out.damaged = row.DecodeClaim(out.raw)
	now, next, left, err := partsIn(snap, ref)
	if err != nil {
		return out, fmt.Errorf("read what run %s recorded: %w", ref, err)
	}
	out.stateKey, out.stateSeq, out.stateRaw, out.state, out.stateDamaged = now.key, now.seq, now.raw, now.state, now.damaged
	out.following, out.left = next.state.Finalizer, left
	return out, nil
}

// newer reports that a newer program wrote what this one cannot read.
func (s *standing) newer() bool {
	return errors.Is(s.damaged, store.ErrNewer) || errors.Is(s.stateDamaged, store.ErrNewer)
}

// timer is the claim's own timer.
func (s *standing) timer() row.Teardown { return row.TeardownOf(s.ref, s.claim) }

// change begins a batch that replaces or removes the claim, on condition that
// it is as it was read. The claim's own timer goes.
func (s *standing) change() *store.Batch {
	b := new(store.Batch)
	b.Expect(row.ClaimKey(s.ref), s.raw, s.at)
	if s.damaged == nil {
		b.Delete(s.timer().Key())
	}
	return b
}

// replace puts the next claim and its timer.
func (s *standing) replace(b *store.Batch, next flow.Claim) standing {
	now := *s
	now.at, now.raw, now.claim = 0, row.EncodeClaim(next), next
	b.Put(row.ClaimKey(s.ref), now.raw)
	b.Put(now.timer().Key(), nil)
	return now
}

// remove ends what is owed.
func (s *standing) remove(b *store.Batch) {
	b.Delete(row.ClaimKey(s.ref))
	s.dropState(b)
	b.Add(row.CountOwed, -1)
}

// dropState removes the record of what is torn down now.
func (s *standing) dropState(b *store.Batch) {
	if s.stateKey != nil {
		b.Delete(s.stateKey)
	}
}

// bury ends what is owed with a dead letter. A letter that is there already
// must not be lost: the batch then does not apply.
func (s *standing) bury(b *store.Batch, l row.Letter) {
	s.remove(b)
	b.Expect(row.DeadKey(s.ref), nil, 0)
	b.Put(row.DeadKey(s.ref), row.EncodeLetter(l))
	b.Add(row.CountDead, 1)
}

// What a dead letter says when no attempt could be made.
const (
	ReasonClaim   = "claim unreadable"
	ReasonState   = "recorded state unreadable"
	ReasonMissing = "recorded state missing: there is nothing to call the finalizer with"
)

// letter is the dead letter of claim c, the last one there was.
func (s *standing) letter(c flow.Claim, now flow.Instant) row.Letter {
	l := row.Letter{Type: c.Type, Finalizer: c.Finalizer, Attempts: c.Attempts, LastError: c.LastError, At: now,
		OwedAt: c.OwedAt, Piece: c.Piece, Pieces: c.Pieces, Seq: s.stateSeq}
	s.enclose(&l)
	return l
}

// enclose puts into the letter what is known of the state, and of type and
// finalizer if the claim does not tell.
func (s *standing) enclose(l *row.Letter) {
	if s.stateDamaged != nil {
		l.State = s.stateRaw
		return
	}
	l.Input = s.state.Payload
	if l.Type == "" {
		l.Type = s.state.Type
	}
	if l.Finalizer == "" {
		l.Finalizer = s.state.Finalizer
	}
}

// hopeless is the letter of a teardown for which no attempt can be made by
// anybody; false when one can.
func (s *standing) hopeless(now flow.Instant) (row.Letter, bool) {
	switch {
	case s.damaged != nil:
		l := row.Letter{At: now, LastError: fmt.Sprintf("%s: %v", ReasonClaim, s.damaged), Claim: s.raw, Seq: s.stateSeq}
		if s.left > 1 || s.stateSeq > 0 {
			l.Piece, l.Pieces = 1, s.left // how many there were is not known any more
		}
		s.enclose(&l)
		return l, true
	case s.stateRaw == nil:
		l := s.letter(s.claim, now)
		l.LastError = ReasonMissing
		return l, true
	case s.stateDamaged != nil:
		l := s.letter(s.claim, now)
		l.LastError = fmt.Sprintf("%s: %v", ReasonState, s.stateDamaged)
		return l, true
	}
	return row.Letter{}, false
}

// finalizer is the name of the finalizer to call.
func (s *standing) finalizer() string {
	if s.claim.Finalizer == "" {
		return s.state.Finalizer
	}
	return s.claim.Finalizer
}
