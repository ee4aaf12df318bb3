package row

import (
	"bytes"
	"strconv"

	"weft/flow"
)

// split cuts a key of family into exactly n components; nil when it is none.
func split(key []byte, family string, n int) [][]byte {
	rest, ok := bytes.CutPrefix(key, []byte(family))
	if !ok {
		return nil
	}
	parts := bytes.Split(rest, []byte(":"))
	if len(parts) != n {
		return nil
	}
	return parts
}

func number(b []byte, digits int) (uint64, bool) {
	if len(b) != digits {
		return 0, false
	}
	n, err := strconv.ParseUint(string(b), 10, 64)
	return n, err == nil
}

func parseRef(id, run []byte) (flow.Ref, bool) {
	s, ok := text(id)
	if !ok || s == "" {
		return flow.Ref{}, false
	}
	r, err := flow.ParseRunID(string(run))
	return flow.Ref{ID: flow.WorkflowID(s), Run: r}, err == nil
}

// ParseHead reads a head's key.
func ParseHead(key []byte) (flow.WorkflowID, bool) {
	p := split(key, FamilyHead, 1)
	if p == nil {
		return "", false
	}
	s, ok := text(p[0])
	return flow.WorkflowID(s), ok && s != ""
}

// ParseEvent reads a journal entry's key.
func ParseEvent(key []byte) (flow.Ref, flow.EventSeq, bool) {
	p := split(key, FamilyEvent, 3)
	if p == nil {
		return flow.Ref{}, 0, false
	}
	ref, ok := parseRef(p[0], p[1])
	n, fine := number(p[2], seqDigits)
	return ref, flow.EventSeq(n), ok && fine
}

// ParseWait reads a registered wait's key.
func ParseWait(key []byte) (flow.Ref, flow.StepPath, bool) {
	p := split(key, FamilyWait, 3)
	if p == nil {
		return flow.Ref{}, "", false
	}
	ref, ok := parseRef(p[0], p[1])
	step, fine := text(p[2])
	return ref, flow.StepPath(step), ok && fine
}

// ParseReady reads a ready row's key.
func ParseReady(key []byte) (flow.Ref, bool) {
	p := split(key, FamilyReady, 2)
	if p == nil {
		return flow.Ref{}, false
	}
	return parseRef(p[0], p[1])
}

// SignalRow is what the key of a signal row says: a buffered signal, a
// remembered signal id, or that a name is closed.
type SignalRow struct {
	Ref      flow.Ref
	Buffered bool
	Closed   bool
	Arrival  uint64
	Name, ID string
}

// ParseSignal reads a signal row's key.
func ParseSignal(key []byte) (SignalRow, bool) {
	if p := split(key, FamilySignal, 4); p != nil && string(p[2]) == "q" {
		ref, ok := parseRef(p[0], p[1])
		n, fine := number(p[3], arrivalDigits)
		return SignalRow{Ref: ref, Buffered: true, Arrival: n}, ok && fine
	}
	if p := split(key, FamilySignal, 4); p != nil && string(p[2]) == "c" {
		ref, ok := parseRef(p[0], p[1])
		name, fine := text(p[3])
		return SignalRow{Ref: ref, Closed: true, Name: name}, ok && fine
	}
	p := split(key, FamilySignal, 5)
	if p == nil || string(p[2]) != "i" {
		return SignalRow{}, false
	}
	ref, ok := parseRef(p[0], p[1])
	name, fine := text(p[3])
	id, good := text(p[4])
	return SignalRow{Ref: ref, Name: name, ID: id}, ok && fine && good
}

// Timer is what a timer's key says.
type Timer struct {
	Due  flow.Instant
	Ref  flow.Ref
	Step flow.StepPath
}

// Key is the timer's key.
func (t Timer) Key() []byte { return TimerKey(t.Due, t.Ref, t.Step) }

// At is when the timer is due.
func (t Timer) At() flow.Instant { return t.Due }

// ParseTimer reads a timer's key.
func ParseTimer(key []byte) (Timer, bool) {
	p := split(key, FamilyTimer, 4)
	if p == nil {
		return Timer{}, false
	}
	due, ok := number(p[0], instantDigits)
	ref, fine := parseRef(p[1], p[2])
	step, good := text(p[3])
	return Timer{Due: flow.Instant(due), Ref: ref, Step: flow.StepPath(step)}, ok && fine && good
}

// Index is what an index row's key says.
type Index struct {
	Type, Version string
	Status        flow.Status
	Created       flow.Instant
	ID            flow.WorkflowID
}

// ParseIndex reads an index row's key.
func ParseIndex(key []byte) (Index, bool) {
	p := split(key, FamilyIndex, 5)
	if p == nil || len(p[2]) != 1 {
		return Index{}, false
	}
	typ, ok1 := text(p[0])
	version, ok2 := text(p[1])
	created, ok3 := number(p[3], instantDigits)
	id, ok4 := text(p[4])
	s := flow.Status(p[2][0] - '0')
	return Index{typ, version, s, flow.Instant(created), flow.WorkflowID(id)},
		ok1 && ok2 && ok3 && ok4 && s.Valid()
}

// ParseTerminal reads the key of an ended run.
func ParseTerminal(key []byte) (flow.Instant, flow.WorkflowID, bool) {
	p := split(key, FamilyTerminal, 2)
	if p == nil {
		return 0, "", false
	}
	closed, ok := number(p[0], instantDigits)
	id, fine := text(p[1])
	return flow.Instant(closed), flow.WorkflowID(id), ok && fine
}

// Count is what a counter's key says.
type Count struct {
	Type, Version string
	Status        flow.Status
}

// ParseCount reads a counter's key.
func ParseCount(key []byte) (Count, bool) {
	p := split(key, FamilyCount, 3)
	if p == nil || len(p[2]) != 1 {
		return Count{}, false
	}
	typ, ok := text(p[0])
	version, fine := text(p[1])
	s := flow.Status(p[2][0] - '0')
	return Count{typ, version, s}, ok && fine && s.Valid()
}

// ParseAudit reads an audit record's key.
func ParseAudit(key []byte) (uint64, bool) {
	p := split(key, FamilyAudit, 1)
	if p == nil {
		return 0, false
	}
	return number(p[0], arrivalDigits)
}
