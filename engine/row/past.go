package row

import (
	"strconv"

	"weft/flow"
)

// FamilyPast has what is kept of runs that continued as new.
const FamilyPast = "wf-past:"

// PastKey is the key of one generation of an id.
func PastKey(id flow.WorkflowID, generation int) []byte {
	return appendNumber(PastPrefix(id), uint64(max(generation, 0)), seqDigits)
}

// PastPrefix is the prefix of the generations of an id.
func PastPrefix(id flow.WorkflowID) []byte {
	return append(appendText(start(FamilyPast, len(id)+seqDigits+8), string(id)), ':')
}

// ParsePast reads a key of FamilyPast.
func ParsePast(key []byte) (flow.WorkflowID, int, bool) {
	p := split(key, FamilyPast, 2)
	if p == nil {
		return "", 0, false
	}
	id, ok := text(p[0])
	n, fine := number(p[1], seqDigits)
	return flow.WorkflowID(id), int(n), ok && fine && id != ""
}

// Past is what is kept of a run that continued as new: its journal is not.
type Past struct {
	Run       flow.RunID    `cbor:"1,keyasint"`
	Type      string        `cbor:"2,keyasint"`
	Version   string        `cbor:"3,keyasint,omitempty"`
	CreatedAt flow.Instant  `cbor:"4,keyasint"`
	ClosedAt  flow.Instant  `cbor:"5,keyasint"`
	Events    flow.EventSeq `cbor:"6,keyasint"`
	Summary   string        `cbor:"7,keyasint,omitempty"`
}

// EncodePast writes a past generation.
func EncodePast(p Past) []byte { return encode(p) }

// DecodePast reads a past generation.
func DecodePast(b []byte) (p Past, err error) {
	err = decode("past generation", b, &p)
	return p, err
}

// Chain names the runs that follow each other by continuing as new: the run of
// the first of them. A run that nothing preceded is its own.
func (h *Head) Chain() flow.RunID {
	if h.First != "" {
		return h.First
	}
	return h.Run
}

// Box is the address under which signals to the run are buffered. A chain has
// one, so that what was not taken need not be moved.
func (h *Head) Box(id flow.WorkflowID) flow.Ref { return flow.Ref{ID: id, Run: h.Chain()} }

// Succeeds reports whether the run is, or went on from, the given one. Run ids
// of one workflow id grow.
func (h *Head) Succeeds(run flow.RunID) bool {
	return run == h.Run || run >= h.Chain() && run < h.Run
}

// EncodeGeneration writes which generation accepted a signal id.
func EncodeGeneration(n int) []byte {
	if n == 0 {
		return nil
	}
	return strconv.AppendInt(nil, int64(n), 10)
}

// DecodeGeneration reads it; what cannot be read is old.
func DecodeGeneration(b []byte) int {
	n, _ := strconv.Atoi(string(b))
	return n
}
