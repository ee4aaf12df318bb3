package check

import (
	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// journal is what the walk knows of the journal it is in.
type journal struct {
	ref flow.Ref
	key []byte // of the event seen last
	// next is the number that must come; last is the event seen last, its Kind
	// 0 when it does not decode.
	next  flow.EventSeq
	last  flow.Event
	stray bool // not of a current run; named once
}

// event checks one journal entry. The walk sees those of a run one after the
// other.
func (w *walk) event(kv store.Row) error {
	ref, seq, ok := row.ParseEvent(kv.Key)
	if !ok {
		w.found(kv.Key, "this is no key of a journal entry")
		return nil
	}
	if w.journal.next == 0 || w.journal.ref != ref {
		w.endJournal()
		if err := w.beginJournal(kv.Key, ref); err != nil {
			return err
		}
	}
	j := &w.journal
	if seq != j.next {
		w.found(kv.Key, "the event before it is missing: %d was expected", j.next)
	}
	if j.last.Kind == flow.EventEnded {
		w.found(kv.Key, "the run had ended with the event before")
	}
	e, err := row.DecodeEvent(seq, kv.Value)
	if err != nil {
		w.found(kv.Key, "the journal entry does not decode: %v", err)
		e = flow.Event{Seq: seq}
	} else if (seq == 1) != (e.Kind == flow.EventStarted) {
		w.found(kv.Key, "event %d is of kind %s: the first event, and only it, is started", seq, e.Kind)
	} else if e.Kind.String() == "?" {
		w.found(kv.Key, "event kind %d is unknown", uint8(e.Kind))
	}
	j.next, j.last = seq+1, e
	j.key = append(j.key[:0], kv.Key...)
	return nil
}

func (w *walk) beginJournal(key []byte, ref flow.Ref) error {
	o, err := w.ownerOf(ref.ID)
	if err != nil {
		return err
	}
	why := o.stray(ref)
	if why != "" {
		w.found(key, "the journal belongs to no run: %s", why)
	}
	w.journal = journal{ref: ref, next: 1, stray: why != ""}
	return nil
}

// endJournal compares the last event with the head. The owner is still the one
// looked up when the journal began.
func (w *walk) endJournal() {
	j := w.journal
	if j.next == 0 {
		return
	}
	w.journal = journal{}
	o := &w.owner
	switch {
	case j.stray, !o.decodes, j.last.Kind == 0:
	case j.last.Kind == flow.EventEnded && j.last.Status != o.head.Status:
		w.found(j.key, "the journal ends %s, the head is %s", j.last.Status, o.head.Status)
	case j.last.Kind != flow.EventEnded && o.head.Status.Terminal():
		w.found(j.key, "the head is %s, but the last event is of kind %s", o.head.Status, j.last.Kind)
	}
}
