package teardown

import (
	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// Piece is the compensation of one completed step of an open saga, recorded like
// a finalizer's state.
type Piece struct {
	// Seq is the number of the step's event; the newest is driven first.
	Seq flow.EventSeq
	// Name is the compensation's; "" when the record cannot be read.
	Name string
}

// PutPiece records a compensation in the batch that records its step.
func PutPiece(b *store.Batch, ref flow.Ref, seq flow.EventSeq, s row.State) {
	b.Put(row.PieceKey(ref, seq), row.EncodeState(s))
}

// DropPiece removes one that was called, or is not needed any more. While a
// teardown is owed, or a dead letter has pieces behind it, only the driver does.
func DropPiece(b *store.Batch, ref flow.Ref, seq flow.EventSeq) { b.Delete(row.PieceKey(ref, seq)) }

// PiecesOf reads the compensations of a run, the oldest first.
func PiecesOf(r store.Reader, ref flow.Ref) ([]Piece, error) {
	var all []Piece
	for kv, err := range r.Scan(store.Prefix(row.PiecePrefix(ref))) {
		if err != nil {
			return nil, err
		}
		p := Piece{}
		if _, seq, ok := row.ParsePiece(kv.Key); ok {
			p.Seq = seq
		}
		if s, err := row.DecodeState(kv.Value); err == nil {
			p.Name = s.Finalizer
		}
		all = append(all, p)
	}
	return all, nil
}

// part is what one teardown, or one piece of it, is called with.
type part struct {
	key     []byte // nil: there is none
	seq     flow.EventSeq
	raw     []byte
	state   row.State
	damaged error
}

// partsIn reads what is to be torn down now, and what follows: the newest
// compensations, then the finalizer's state. left counts them all.
func partsIn(snap store.Reader, ref flow.Ref) (now, next part, left int, err error) {
	rng := store.Prefix(row.PiecePrefix(ref))
	rng.Reverse = true
	add := func(key, raw []byte, seq flow.EventSeq) {
		left++
		p := part{key: key, seq: seq, raw: raw}
		switch left {
		case 1:
			p.state, p.damaged = row.DecodeState(raw)
			now = p
		case 2:
			p.state, p.damaged = row.DecodeState(raw)
			next = p
		}
	}
	for kv, err := range snap.Scan(rng) {
		if err != nil {
			return now, next, left, err
		}
		_, seq, _ := row.ParsePiece(kv.Key)
		add(append([]byte(nil), kv.Key...), append([]byte(nil), kv.Value...), seq)
	}
	raw, err := snap.Get(row.StateKey(ref))
	if err == nil && raw != nil {
		add(row.StateKey(ref), raw, 0)
	}
	return now, next, left, err
}

// Behind reports whether a dead letter has pieces of its teardown behind it: a
// purge must leave them for a redrive.
func Behind(r store.Reader, ref flow.Ref) (bool, error) {
	raw, err := r.Get(row.DeadKey(ref))
	if err != nil || raw == nil {
		return false, err
	}
	l, err := row.DecodeLetter(raw)
	return err != nil || l.Piece < l.Pieces, nil
}
