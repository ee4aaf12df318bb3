package row

import "weft/flow"

// Families of children. A child is addressed by its parent's run and the step
// that started it.
const (
	FamilyChild    = "child-by-parent:"
	FamilyChildEnd = "child-end:"
	FamilyCascade  = "cascade:"
)

// ChildKey is the key of a child of a run.
func ChildKey(parent flow.Ref, step flow.StepPath) []byte {
	return appendText(append(refKey(FamilyChild, parent, len(step)+1), ':'), string(step))
}

// ChildPrefix is the prefix of a run's children.
func ChildPrefix(parent flow.Ref) []byte { return append(refKey(FamilyChild, parent, 1), ':') }

// ChildEndKey is the key of a child's end that its parent has not taken.
func ChildEndKey(parent flow.Ref, step flow.StepPath) []byte {
	return appendText(append(refKey(FamilyChildEnd, parent, len(step)+1), ':'), string(step))
}

// ChildEndPrefix is the prefix of the ends that a run has not taken.
func ChildEndPrefix(parent flow.Ref) []byte { return append(refKey(FamilyChildEnd, parent, 1), ':') }

// CascadeKey is the key of an end that must still reach a run's children.
func CascadeKey(parent flow.Ref) []byte { return refKey(FamilyCascade, parent, 0) }

// ParseChild reads a key of FamilyChild or FamilyChildEnd.
func ParseChild(family string, key []byte) (flow.Ref, flow.StepPath, bool) {
	p := split(key, family, 3)
	if p == nil {
		return flow.Ref{}, "", false
	}
	ref, ok := parseRef(p[0], p[1])
	step, fine := text(p[2])
	return ref, flow.StepPath(step), ok && fine
}

// ParseCascade reads a key of FamilyCascade.
func ParseCascade(key []byte) (flow.Ref, bool) {
	p := split(key, FamilyCascade, 2)
	if p == nil {
		return flow.Ref{}, false
	}
	return parseRef(p[0], p[1])
}

// Child is what a parent's row says of a child.
type Child struct {
	ID   flow.WorkflowID `cbor:"1,keyasint"`
	Run  flow.RunID      `cbor:"2,keyasint"`
	Type string          `cbor:"3,keyasint"`
	// Abandoned is how Close == flow.Abandon was written before there were more.
	Abandoned bool `cbor:"4,keyasint,omitempty"`
	// Close is what the parent's end means for it.
	Close flow.ParentClose `cbor:"5,keyasint,omitempty"`
}

// Ref is the child's address.
func (c Child) Ref() flow.Ref { return flow.Ref{ID: c.ID, Run: c.Run} }

// EncodeChild writes a child.
func EncodeChild(c Child) []byte { return encode(c) }

// DecodeChild reads a child.
func DecodeChild(b []byte) (Child, error) {
	var c Child
	err := decode("child", b, &c)
	if c.Abandoned {
		c.Close = flow.Abandon
	}
	return c, err
}

// Parent is what a child's head says of its parent.
type Parent struct {
	ID   flow.WorkflowID `cbor:"1,keyasint"`
	Run  flow.RunID      `cbor:"2,keyasint"`
	Step flow.StepPath   `cbor:"3,keyasint"`
	// Depth counts the ancestors.
	Depth int `cbor:"4,keyasint"`
}

// Ref is the parent's address.
func (p Parent) Ref() flow.Ref { return flow.Ref{ID: p.ID, Run: p.Run} }

// EncodeCascade writes how the run ended whose end must reach its children.
func EncodeCascade(end flow.Status) []byte { return []byte{'0' + byte(end)} }

// DecodeCascade reads it. Without a value it was a cancel.
func DecodeCascade(b []byte) flow.Status {
	if len(b) == 1 {
		if s := flow.Status(b[0] - '0'); s.Terminal() {
			return s
		}
	}
	return flow.Cancelled
}
