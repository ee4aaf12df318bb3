package tui

import (
	"context"
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"weft/flow"
	"weft/keymap"
	"weft/views"
)

// subject is what acts would be done to, as far as is known of it.
func (m *model) subject() views.Subject {
	var s views.Subject
	switch {
	case m.open.Lists():
		row, ok := m.list().Row()
		if !ok {
			return s
		}
		s.Run, s.Owed, s.Dead = row.Run, row.Owed, row.Dead
		if row.Gone && row.Run.Status == 0 {
			s.Owed, s.Dead, s.Gone = nil, nil, "it is no longer in this list: done, redriven or discarded"
		}
	case m.open == views.PaneInspector:
		s.Run, _ = m.inspector.Run()
		if s.Run.ID == "" {
			s.Run.Ref = m.inspector.Ref
		}
	default:
		return s
	}
	if m.inspector.Ref != s.Run.Ref {
		return s
	}
	if d, known := m.inspector.Detail(); known {
		s.Known, s.Finalizer, s.State = true, d.Finalizer, int64(len(d.FinalizerState))
		if s.Run.Status == 0 {
			s.Run = d.Run
		}
	}
	if !m.open.Lists() || m.list().Pane < views.PaneOwed {
		s.Owed, s.Dead = m.inspector.Owed()
		s.Sought = s.Run.Status.Terminal()
	}
	return s
}

// run is the run acts would be done to.
func (m *model) run() (flow.Run, bool) {
	r := m.subject().Run
	return r, r.ID != ""
}

// asking is the run the open question is about; ok is false when none is.
func (m *model) asking() (ref flow.Ref, ok bool) {
	ref, _ = m.question()
	return ref, ref.ID != ""
}

// question is the run and the act the open question is about.
func (m *model) question() (flow.Ref, keymap.Action) {
	switch v := m.modal.top.(type) {
	case views.Confirm:
		return v.Target, v.Of
	case views.Question:
		return v.Target, v.Of
	}
	return flow.Ref{}, keymap.None
}

// confirm opens the dialog before an act on the run in question, which is
// frozen with it.
func (m *model) confirm(a keymap.Action, s views.Subject) {
	m.target = s
	m.asked.drop(slotTarget)
	if a == keymap.Retry && s.Dead == nil {
		m.openModal(s.Question(a, m.instant()))
	} else {
		m.openModal(s.Confirm(a, m.instant()).Recalling(m.why))
	}
	m.ask(slotTarget)
}

func (m *model) instant() flow.Instant { return flow.InstantOf(m.opts.Now()) }

// revise replaces the text of the open question when the truth has changed;
// accepting it then needs a new key press.
func (m *model) revise() {
	m.fillStart()
	if _, ok := m.asking(); !ok {
		return
	}
	changed := false
	switch v := m.modal.top.(type) {
	case views.Confirm:
		m.modal.top, changed = v.Became(m.target.Confirm(v.Of, m.instant()))
	case views.Question:
		m.modal.top, changed = v.Became(m.target.Question(v.Of, m.instant()))
	}
	if changed {
		m.modal.rearm(m.opts.Now())
	}
}

type readTarget struct {
	n   uint64
	ref flow.Ref
}

type targetMsg struct {
	readTarget
	detail flow.Detail
	left   leftBehind
	err    error
}

// readTarget reads what the open question is about.
func (m *model) readTarget() {
	if ref, ok := m.asking(); ok && !m.leave.closing {
		m.do(readTarget{m.asked.next(slotTarget), ref})
	}
}

// run reads the latest run of the id: another one may have taken the place of
// the one that was meant.
func (e readTarget) run(ctx context.Context, c Console) tea.Msg {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	msg := targetMsg{readTarget: e}
	msg.detail, msg.err = c.Detail(ctx, flow.Ref{ID: e.ref.ID}, flow.PartSummary)
	msg.left = whatLeft(ctx, c, e.ref)
	return msg
}

// onTarget takes in the truth about what the open question is about.
func (m *model) onTarget(msg targetMsg) {
	ref, of := m.question()
	if !m.asked.answered(slotTarget, msg.n, nil) || ref.ID == "" || msg.ref != ref {
		return
	}
	s := &m.target
	left := of == keymap.Retry || of == keymap.Discard // it is about what the run left
	if msg.left.sought {
		s.Owed, s.Dead, s.Sought = msg.left.owed, msg.left.dead, true
	}
	switch {
	case left && msg.left.sought && s.Owed == nil && s.Dead == nil:
		s.Gone = "it is gone: done, redriven or discarded elsewhere"
	case msg.err == nil && msg.detail.Run.Ref == ref:
		s.Run, s.Gone, s.Known = msg.detail.Run, "", true
		s.Finalizer, s.State = msg.detail.Finalizer, int64(len(msg.detail.FinalizerState))
	case left: // its run may be gone, or another may have its id
	case msg.err == nil:
		s.Gone = fmt.Sprintf("a new run of this id exists: %s", msg.detail.Run.Run)
	case errors.Is(msg.err, flow.ErrNotFound):
		s.Gone = "this run is gone"
	}
	m.repeat(slotTarget)
}

// noteTarget takes in what a notice says of what the open question is about.
func (m *model) noteTarget(n flow.Notice) {
	ref, ok := m.asking()
	if !ok || n.Ref.ID != ref.ID {
		return
	}
	if n.Ref == ref && n.Status.Valid() {
		m.target.Run.Status = n.Status
		if n.Status.Terminal() {
			m.target.Run.ClosedAt = n.At
		}
	}
	m.ask(slotTarget)
}
