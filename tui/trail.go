package tui

import (
	"fmt"

	"weft/flow"
	"weft/keymap"
	"weft/views"
)

// trail begins or ends to follow the run in question: the console goes to the
// list the run is in, and its text stays scrolled to the end.
func (m *model) trail() {
	if m.open == views.PaneFeed {
		m.pressPane(views.Press{Action: keymap.Top})
		return
	}
	ref := m.subject().Run.Ref
	if m.trailed == ref {
		m.untrail()
		return
	}
	m.trailed = ref
	m.inspector = m.inspector.Tailing(true)
	m.say(views.Plain, fmt.Sprintf("following %s wherever it goes; %s again, or moving away, ends it", ref.ID,
		m.keyOf(m.paneplace(), keymap.Follow, "F")))
}

func (m *model) untrail() {
	if m.trailed.ID != "" {
		m.say(views.Plain, "no longer following "+string(m.trailed.ID))
	}
	m.trailed = flow.Ref{}
	m.inspector = m.inspector.Tailing(false)
}

// strayed ends following once the cursor is on another run.
func (m *model) strayed() {
	if row, ok := m.list().Row(); m.trailed.ID != "" && m.open.Lists() && (!ok || row.Run.Ref != m.trailed) {
		m.untrail()
	}
}

// paneOf is the list that has runs of a status.
func paneOf(s flow.Status) views.Pane {
	switch {
	case s.Terminal():
		return views.PaneTerminal
	case s == flow.Suspended:
		return views.PaneSuspended
	}
	return views.PaneRunning
}

// pursue goes to the list that the followed run went to.
func (m *model) pursue(n flow.Notice) {
	if n.Ref != m.trailed || n.Ref.ID == "" || !n.Status.Valid() || m.modal.top != nil || m.typed.field != nil || m.line.field != nil {
		return
	}
	to := paneOf(n.Status)
	if m.open != views.PaneRunning && m.open != views.PaneSuspended && m.open != views.PaneTerminal || to == m.open {
		return
	}
	m.say(views.Plain, fmt.Sprintf("followed to %s: %s is %s now", to.Title(), n.Ref.ID, n.Status))
	m.held = false
	m.enter(to)
	*m.list() = m.list().Aimed(n.Ref)
	m.readList(m.current(), views.Anew)
}

// caught looks whether the list that was gone to has the followed run; where it
// has not, for a filter or for being long, the run is opened.
func (m *model) caught(id listID) {
	if m.trailed.ID == "" || id != m.current() || !m.open.Lists() {
		return
	}
	if _, ok := m.list().Find(m.trailed); !ok {
		m.openRun(m.trailed)
	}
}
