package list

import (
	"strings"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// attributeOf checks what a query says about attributes and returns the one it
// sorts by.
func attributeOf(q flow.Query, after position) (string, error) {
	for _, t := range q.Filter.Attributes {
		if err := t.Check(); err != nil {
			return "", err
		}
	}
	name, ok := q.Sort.Attribute()
	if !ok || after == "" {
		return name, nil
	}
	if of := string(row.AttributePrefix(name)[len(row.FamilyAttribute):]); !strings.HasPrefix(string(after), of) {
		return "", &flow.NameError{What: "cursor", Value: q.After, Problem: "belongs to another list or order"}
	}
	return name, nil
}

// labelled yields the runs of a range of an index of labels.
func labelled(r store.Reader, g store.Range, read func(key []byte) (flow.WorkflowID, position, bool)) entries {
	return scan(r, g, func(kv store.Row) (entry, bool) {
		id, at, ok := read(kv.Key)
		return entry{at: at, id: id, run: flow.RunID(kv.Value)}, ok
	})
}

// fromAttribute reads a row in the order of an attribute.
func fromAttribute(key []byte) (flow.WorkflowID, position, bool) {
	_, _, id, ok := row.ParseAttribute(key)
	return id, position(key[len(row.FamilyAttribute):]), ok
}

// createdAt reads a row of one tag, or of one value of an attribute, whose runs
// are in the order of creation.
func createdAt(key []byte) (flow.WorkflowID, position, bool) {
	_, created, id, ok := row.ParseTag(key)
	if !ok {
		_, created, id, ok = row.ParseAttribute(key)
	}
	return id, timed(created, id), ok
}

// labelledBehind is behind for positions that begin after the family.
func labelledBehind(prefix []byte, family string, after position, reverse bool) store.Range {
	g := behind([]byte(family), after, reverse)
	return clip(g, prefix, store.PrefixEnd(prefix))
}

// equalities are the prefixes of index rows of which each run that the filter
// lets through has one: of its tag, or of the value of an attribute, which may
// be of several kinds. None when the filter has neither.
func (f *filter) equalities() [][]byte {
	if f.Tag != "" {
		return [][]byte{row.TagPrefix(f.Tag)}
	}
	if len(f.Tags) > 0 {
		return [][]byte{row.TagPrefix(f.Tags[0])}
	}
	for _, t := range f.Attributes {
		if t.Op != "=" {
			continue
		}
		var prefixes [][]byte
		for _, kind := range kinds {
			if a, err := flow.NewAttribute(kind, t.Value); err == nil {
				prefixes = append(prefixes, row.AttributeValuePrefix(t.Name, a))
			}
		}
		return prefixes
	}
	return nil
}

var kinds = []flow.AttributeKind{flow.BoolAttribute, flow.NumberAttribute, flow.StringAttribute, flow.TimeAttribute}

// labelRanges are the ranges of equalities behind a position in the order of
// creation.
func (s *search) labelRanges(after position) []entries {
	var all []entries
	for _, prefix := range s.filter.equalities() {
		all = append(all, labelled(s.r, behind(prefix, after, s.reverse), createdAt))
	}
	return all
}

// between is the range of an attribute that is compared, when there is one. Of
// strings all are looked at: the index has them in another order.
func (s *search) between() (entries, bool) {
	for _, t := range s.filter.Attributes {
		if t.Op == "!=" || s.order == byLabel && t.Name == s.attribute || len(s.filter.equalities()) > 0 {
			continue
		}
		var all []entries
		for _, kind := range kinds {
			a, err := flow.NewAttribute(kind, t.Value)
			if err != nil {
				continue
			}
			g := store.Prefix(row.AttributeKindPrefix(t.Name, kind))
			value := row.AttributeValuePrefix(t.Name, a)
			switch {
			case kind == flow.StringAttribute:
			case t.Op[0] == '>':
				g = clip(g, value, nil)
			default:
				g = clip(g, nil, store.PrefixEnd(value))
			}
			all = append(all, labelled(s.r, g, fromAttribute))
		}
		return merged(all, false), len(all) > 0
	}
	return nil, false
}

// has reports whether an entry whose head was read belongs to the order at all.
func (s *search) has(e *entry) bool {
	if s.order != byLabel {
		return true
	}
	_, ok := e.head.Attributes[s.attribute]
	return ok
}

// place is where an entry stands in the order.
func (s *search) place(e *entry) position {
	if s.order != byLabel {
		return s.order.place(e.id, e.head)
	}
	a := e.head.Attributes[s.attribute]
	return position(row.AttributeKey(s.attribute, a, e.head.CreatedAt, e.id)[len(row.FamilyAttribute):])
}
