package list

import (
	"fmt"
	"strings"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// Describe tells of a run what a list shows: its head, its last event and its
// waits. What cannot be read is named in Run.Reason. Held is left to the
// caller.
func Describe(r store.Reader, head row.Head, ref flow.Ref) flow.Run {
	run, err := describe(r, head, ref)
	if err != nil {
		return remark(fromHead(head, ref), "rows unreadable: "+err.Error())
	}
	return run
}

// describe fails only when the reader does.
func describe(r store.Reader, head row.Head, ref flow.Ref) (flow.Run, error) {
	run := fromHead(head, ref)
	last, err := lastEvent(r, ref)
	if err != nil {
		return run, err
	}
	run.Events = last.seq
	run.Step = last.event.Step
	run.Summary = last.event.Summary
	run.UpdatedAt = max(run.UpdatedAt, last.event.At)
	if last.event.Kind == flow.EventEnded {
		run.Failure = last.event.Failure
	}
	run = remark(run, last.broken)
	if head.Status.Terminal() {
		return run, nil
	}
	w, err := readWaits(r, ref)
	if err != nil {
		return run, err
	}
	return await(run, w, last.event.At), nil
}

func fromHead(h row.Head, ref flow.Ref) flow.Run {
	run := flow.Run{
		Ref: ref, Type: h.Type, Version: h.Version, Status: h.Status,
		CreatedAt: h.CreatedAt, StartedAt: h.StartedAt, ClosedAt: h.ClosedAt, Deadline: h.Deadline,
		UpdatedAt: max(h.CreatedAt, h.StartedAt, h.ChangedAt, h.ClosedAt),
		Reason:    h.Reason, Tags: h.Tags, Attributes: map[string]string{}, Signals: -1,
	}
	for name, a := range h.Attributes {
		run.Attributes[name] = a.Text
	}
	if h.Generation > 0 {
		run.Generation, run.First = h.Generation, h.First
	}
	if h.Status == flow.Pending {
		run.StartAt, run.Due = h.StartAt, h.StartAt
	}
	if h.Parent != nil {
		parent := h.Parent.Ref()
		run.Parent = &parent
	}
	if run.Tags == nil {
		run.Tags = []string{}
	}
	if h.Status == flow.Suspended && h.Cause != "" && string(h.Cause) != h.Reason {
		run.Reason = strings.TrimSuffix(string(h.Cause)+": "+h.Reason, ": ")
	}
	return run
}

// remark adds what is wrong to the reason.
func remark(run flow.Run, wrong string) flow.Run {
	switch {
	case wrong == "":
	case run.Reason == "":
		run.Reason = wrong
	default:
		run.Reason += "; " + wrong
	}
	return run
}

// last is the end of a journal.
type last struct {
	seq    flow.EventSeq
	event  flow.Event
	broken string
}

func lastEvent(r store.Reader, ref flow.Ref) (last, error) {
	g := store.Prefix(row.EventPrefix(ref))
	g.Reverse = true
	for kv, err := range r.Scan(g) {
		if err != nil {
			return last{}, err
		}
		e, err := event(kv)
		l := last{seq: e.Seq, event: e}
		if err != nil {
			l.broken = err.Error()
		}
		return l, nil
	}
	return last{broken: "journal missing"}, nil
}

// event reads a row of a journal. With an error the event has its number at
// most.
func event(kv store.Row) (flow.Event, error) {
	_, seq, ok := row.ParseEvent(kv.Key)
	if !ok {
		return flow.Event{}, fmt.Errorf("journal key %q unreadable: %w", kv.Key, store.ErrCorrupt)
	}
	e, err := row.DecodeEvent(seq, kv.Value)
	if err != nil {
		return flow.Event{Seq: seq}, fmt.Errorf("event %d unreadable: %w", seq, err)
	}
	return e, nil
}
