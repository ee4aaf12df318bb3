package row

import "weft/flow"

// FamilyPiece holds the compensations of a run's open sagas: one row for each
// step that is to be undone if the run does not get to its end, with a State as
// its value. The newest is undone first.
const FamilyPiece = "wf-saga:"

// PieceKey is the key of the compensation of the step whose event has the number.
func PieceKey(r flow.Ref, seq flow.EventSeq) []byte {
	return appendNumber(append(refKey(FamilyPiece, r, seqDigits+1), ':'), uint64(seq), seqDigits)
}

// PiecePrefix is the prefix of a run's compensations; they sort by age, the
// oldest first.
func PiecePrefix(r flow.Ref) []byte { return append(refKey(FamilyPiece, r, 1), ':') }

// ParsePiece reads the key of a compensation.
func ParsePiece(key []byte) (flow.Ref, flow.EventSeq, bool) {
	p := split(key, FamilyPiece, 3)
	if p == nil {
		return flow.Ref{}, 0, false
	}
	ref, ok := parseRef(p[0], p[1])
	n, fine := number(p[2], seqDigits)
	return ref, flow.EventSeq(n), ok && fine
}
