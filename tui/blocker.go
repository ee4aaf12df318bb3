package tui

import (
	"errors"
	"strings"

	"weft/flow"
	"weft/keymap"
	"weft/views"
)

// blockerState leads from a refusal to the owed teardown that it is for.
type blockerState struct {
	// ref is the run whose teardown blocks; pane 5, when it is opened next, has
	// its cursor there.
	ref flow.Ref
	// sought: pane 5 was opened for it and is read.
	sought bool
}

// leads is how to get from a refusal to what blocks it. The digits of panes
// cannot be rebound.
const leads = "5 leads to it"

// blockedBy is the run whose owed teardown refuses an act; its zero value when
// that is not the reason.
func blockedBy(a keymap.Action, s views.Subject) flow.Ref {
	if (a == keymap.Again || a == keymap.Purge) && s.Owed != nil && s.Gone == "" {
		return s.Run.Ref
	}
	return flow.Ref{}
}

// withLead names the way to what blocks an act, where it is not open already.
func (m *model) withLead(why string, by flow.Ref) string {
	if why == "" || by.ID == "" || m.open == views.PaneOwed {
		return why
	}
	return why + "; " + leads
}

// noteBlocker remembers what an act that failed was blocked by, and names the
// way there.
func (m *model) noteBlocker(err error) error {
	var p *flow.PendingError
	if !errors.As(err, &p) {
		return err
	}
	m.blocker = blockerState{ref: p.Ref}
	return &ledError{err, m.withLead(err.Error(), p.Ref)}
}

// ledError is an error with the way to its cause.
type ledError struct {
	error
	text string
}

func (e *ledError) Error() string { return e.text }
func (e *ledError) Unwrap() error { return e.error }

// forgetBlocker ends the way once something else is done; choosing where to go
// is not.
func (m *model) forgetBlocker(a keymap.Action) {
	if a != keymap.Command && a != keymap.Palette {
		m.blocker = blockerState{}
	}
}

// seekBlocker puts the cursor of pane 5, which was just opened, on what blocks.
func (m *model) seekBlocker() {
	if m.open != views.PaneOwed || m.blocker.ref.ID == "" {
		return
	}
	m.blocker.sought = true
	*m.list() = m.list().Aimed(m.blocker.ref)
	if m.list().Filter() != "" {
		m.refilter("")
		return
	}
	m.readList(m.current(), views.Anew)
}

// foundBlocker looks whether pane 5 has what blocks: a row far down is not in
// the first page, so the list is narrowed to it.
func (m *model) foundBlocker(id listID) {
	if id != listOwed || !m.blocker.sought {
		return
	}
	by := m.blocker.ref
	m.blocker = blockerState{}
	if _, ok := m.list().Find(by); !ok && m.open == views.PaneOwed {
		m.refilter("id=" + strings.Join(strings.Fields(string(by.ID))[:1], ""))
		*m.list() = m.list().Aimed(by)
	}
}
