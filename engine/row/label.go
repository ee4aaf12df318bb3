package row

import (
	"slices"

	"weft/flow"
)

// Families of the labels of runs: what they are found by beside type, version
// and status.
const (
	FamilyTag       = "wf-idx-tag:"
	FamilyAttribute = "wf-idx-attr:"
)

// TagKey is the key of the index row of one tag of a run.
func TagKey(tag string, created flow.Instant, id flow.WorkflowID) []byte {
	return appendText(append(appendInstant(TagPrefix(tag), created), ':'), string(id))
}

// TagPrefix is the prefix of the runs with a tag; they sort by creation, then
// id.
func TagPrefix(tag string) []byte {
	return append(appendText(start(FamilyTag, len(tag)+64), tag), ':')
}

// kindLetter begins the value in an attribute's key.
var kindLetter = map[flow.AttributeKind]string{flow.BoolAttribute: "b", flow.NumberAttribute: "n",
	flow.StringAttribute: "s", flow.TimeAttribute: "t"}

// AttributeKey is the key of the index row of one attribute of a run.
func AttributeKey(name string, a flow.Attribute, created flow.Instant, id flow.WorkflowID) []byte {
	return appendText(append(appendInstant(AttributeValuePrefix(name, a), created), ':'), string(id))
}

// AttributeValuePrefix is the prefix of the runs with one value of an attribute;
// they sort by creation, then id.
func AttributeValuePrefix(name string, a flow.Attribute) []byte {
	return append(appendText(AttributePrefix(name), kindLetter[a.Kind]+a.Order()), ':')
}

// AttributePrefix is the prefix of the runs with an attribute; they sort by
// kind, value, creation, id.
func AttributePrefix(name string) []byte {
	return append(appendText(start(FamilyAttribute, len(name)+flow.MaxAttributeText+64), name), ':')
}

// AttributeKindPrefix is the prefix of the runs whose attribute is of a kind.
func AttributeKindPrefix(name string, k flow.AttributeKind) []byte {
	return append(AttributePrefix(name), kindLetter[k]...)
}

// ParseTag reads a key of FamilyTag.
func ParseTag(key []byte) (tag string, created flow.Instant, id flow.WorkflowID, ok bool) {
	p := split(key, FamilyTag, 3)
	if p == nil {
		return "", 0, "", false
	}
	tag, fine := text(p[0])
	at, good := number(p[1], instantDigits)
	name, well := text(p[2])
	return tag, flow.Instant(at), flow.WorkflowID(name), fine && good && well && name != ""
}

// ParseAttribute reads a key of FamilyAttribute; the value in it has lost its
// form, and is in the head.
func ParseAttribute(key []byte) (name string, created flow.Instant, id flow.WorkflowID, ok bool) {
	p := split(key, FamilyAttribute, 4)
	if p == nil {
		return "", 0, "", false
	}
	name, fine := text(p[0])
	_, clear := text(p[1])
	at, good := number(p[2], instantDigits)
	s, well := text(p[3])
	return name, flow.Instant(at), flow.WorkflowID(s), fine && clear && good && well && s != ""
}

// Labels are the keys of all index rows that a head's tags and attributes have,
// in no order.
func (h *Head) Labels(id flow.WorkflowID) [][]byte {
	if len(h.Tags) == 0 && len(h.Attributes) == 0 {
		return nil
	}
	keys := make([][]byte, 0, len(h.Tags)+len(h.Attributes))
	for i, tag := range h.Tags {
		if !slices.Contains(h.Tags[:i], tag) {
			keys = append(keys, TagKey(tag, h.CreatedAt, id))
		}
	}
	for name, a := range h.Attributes {
		keys = append(keys, AttributeKey(name, a, h.CreatedAt, id))
	}
	return keys
}

// LabelMark says up to where the changes of labels that the code of a run asked
// for are in its head: the event it had seen, and how many it asked for since.
type LabelMark struct {
	Seq flow.EventSeq `cbor:"1,keyasint"`
	N   int           `cbor:"2,keyasint"`
}

// Before reports whether m is an earlier place than o.
func (m LabelMark) Before(o LabelMark) bool { return m.Seq < o.Seq || m.Seq == o.Seq && m.N < o.N }
