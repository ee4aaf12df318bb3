package engine

import (
	"slices"

	"weft/engine/row"
	"weft/engine/teardown"
	"weft/flow"
	"weft/store"
)

// openPieces are the compensations of a run's open sagas.
type openPieces struct {
	pieces []teardown.Piece // recorded, the oldest first
	// disarmed are those that go with the next commit, because their saga has
	// succeeded; disarmPut is how many of them are in the commit under way.
	disarmed  []flow.EventSeq
	disarmPut int
}

// disarmPiece notes that a step will not be undone. What is not recorded any more
// had been disarmed by a commit of an earlier life.
func (l *life) disarmPiece(seq flow.EventSeq) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if slices.ContainsFunc(l.pieces, func(p teardown.Piece) bool { return p.Seq == seq }) {
		l.disarmed = append(l.disarmed, seq)
	}
}

// putPieces adds to a step's batch what it means for open sagas.
func (l *life) putPieces(b *store.Batch, o *op, ev flow.Event) {
	if ev.Failure != nil {
		return
	}
	if o.undoBy != "" {
		teardown.PutPiece(b, l.ref, ev.Seq, row.State{Type: l.def.name, Finalizer: o.undoBy,
			Payload: undoPayload(o.activity.input, ev.Output)})
	}
	if o.undoes != 0 {
		teardown.DropPiece(b, l.ref, o.undoes)
	}
}

// piecesStored notes that the batch of putPieces is durable.
func (l *life) piecesStored(o *op, ev flow.Event) {
	if ev.Failure != nil {
		return
	}
	if o.undoBy != "" {
		l.pieces = append(l.pieces, teardown.Piece{Seq: ev.Seq, Name: o.undoBy})
	}
	if o.undoes != 0 {
		l.forgetPiece(o.undoes)
	}
}

func (l *life) forgetPiece(seq flow.EventSeq) {
	l.pieces = slices.DeleteFunc(l.pieces, func(p teardown.Piece) bool { return p.Seq == seq })
}

// putDisarmed adds the removal of what will not be undone to a commit.
func (l *life) putDisarmed(b *store.Batch) {
	for _, seq := range l.disarmed {
		teardown.DropPiece(b, l.ref, seq)
	}
	l.disarmPut = len(l.disarmed)
}

// disarmStored notes that the commit of putDisarmed is durable.
func (l *life) disarmStored() {
	for _, seq := range l.disarmed[:l.disarmPut] {
		l.forgetPiece(seq)
	}
	l.disarmed, l.disarmPut = l.disarmed[l.disarmPut:], 0
}

// readPieces reads the compensations that are recorded, also when this build
// knows none: what was recorded counts.
func (l *life) readPieces(r store.Reader) (err error) {
	l.pieces, err = teardown.PiecesOf(r, l.ref)
	return err
}

// owePieces adds to a terminal batch what the end means for open sagas: owed, or
// removed. It answers how many are owed and which is the first. A run that fails
// owes them too: its code would have undone them, and could not.
func (l *life) owePieces(b *store.Batch, end flow.Status) (n int, first string) {
	l.putDisarmed(b)
	for _, p := range l.pieces {
		if slices.Contains(l.disarmed, p.Seq) {
			continue
		}
		if !l.owesAt(end) && end != flow.Failed {
			teardown.DropPiece(b, l.ref, p.Seq)
			continue
		}
		n, first = n+1, p.Name
	}
	return n, first
}
