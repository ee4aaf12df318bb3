package list

import (
	"encoding/base64"

	"weft/engine/row"
	"weft/flow"
)

// order says which list a position belongs to. It is the first byte of a
// cursor.
type order byte

const (
	byCreated order = 'c'
	byClosed  order = 'e'
	byID      order = 'i'
	byNumber  order = 'a'
	byLabel   order = 'l' // an attribute's value; the position names the attribute
)

// position is where a row is in a list: its key without the prefix. Positions
// of one order compare as strings.
type position string

func orderOf(s flow.Sort) (order, error) {
	switch s {
	case "", flow.ByCreated:
		return byCreated, nil
	case flow.ByClosed:
		return byClosed, nil
	case flow.ByID:
		return byID, nil
	}
	if name, ok := s.Attribute(); ok {
		return byLabel, flow.CheckAttributeName(name)
	}
	return 0, &flow.NameError{What: "sort", Value: string(s), Problem: "is none of created, closed, id, @attribute"}
}

// cursor writes a position of the order for people to hand back.
func (o order) cursor(p position) string {
	return base64.RawURLEncoding.EncodeToString(append([]byte{byte(o)}, p...))
}

// position reads a cursor, "" as the beginning, or fails with a
// [*flow.NameError].
func (o order) position(cursor string) (position, error) {
	if cursor == "" {
		return "", nil
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(b) == 0 {
		return "", &flow.NameError{What: "cursor", Value: cursor, Problem: "is not one this program gave"}
	}
	if order(b[0]) != o {
		return "", &flow.NameError{What: "cursor", Value: cursor, Problem: "belongs to another list or order"}
	}
	if !o.holds(string(b[1:])) {
		return "", &flow.NameError{What: "cursor", Value: cursor, Problem: "is not one this program gave"}
	}
	return position(b[1:]), nil
}

// holds reports whether s has the form of a position of the order.
func (o order) holds(s string) bool {
	ok := false
	switch o {
	case byCreated, byClosed:
		_, _, ok = row.ParseTerminal([]byte(row.FamilyTerminal + s))
	case byID:
		_, ok = row.ParseHead([]byte(row.FamilyHead + s))
	case byLabel:
		_, _, _, ok = row.ParseAttribute([]byte(row.FamilyAttribute + s))
	case byNumber:
		_, ok = row.ParseAudit([]byte(row.FamilyAudit + s))
	}
	return ok
}

// place is the position of a run whose head is known.
func (o order) place(id flow.WorkflowID, h row.Head) position {
	switch o {
	case byCreated:
		return timed(h.CreatedAt, id)
	case byClosed:
		return timed(h.ClosedAt, id)
	}
	return position(row.HeadKey(id)[len(row.FamilyHead):])
}

// timed is a position in the order of an instant: the index by creation and
// the list of ended runs write it alike.
func timed(at flow.Instant, id flow.WorkflowID) position {
	return position(row.TerminalKey(at, id)[len(row.FamilyTerminal):])
}
