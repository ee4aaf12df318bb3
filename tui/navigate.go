package tui

import (
	"weft/flow"
	"weft/keymap"
	"weft/views"
)

// spot is a place to come back to: a pane, and in the inspector the run.
type spot struct {
	pane views.Pane
	ref  flow.Ref
}

func (m *model) spot() spot { return spot{m.open, m.inspector.Ref} }

// goPane opens a pane by its digit.
func (m *model) goPane(p views.Pane) {
	if p == m.open {
		return
	}
	if !p.Side() && p != views.PaneOverview {
		m.back = append(m.back, m.spot())
	} else {
		m.back = nil
	}
	m.enter(p)
	m.seekBlocker()
}

// enter opens a pane and reads what it shows.
func (m *model) enter(p views.Pane) {
	m.unmask = false
	if p != m.open {
		m.last = m.open
	}
	m.open = p
	if p.Side() {
		m.side = p
	}
	m.refresh()
}

// goBack is one step of the ladder: marks, filter, zoom, back. At the root it does
// nothing; dialogs and text fields took their esc before.
func (m *model) goBack() {
	l := m.list()
	shown, hidden := l.Marked()
	switch {
	case m.open.Lists() && shown+hidden > 0:
		*l = l.Unmarked()
	case m.open.Lists() && l.Filter() != "":
		m.refilter("")
	case m.open == views.PaneInspector && m.inspector.Find() != "":
		m.inspector = m.inspector.Search("")
	case m.zoom:
		m.zoom = false
	default:
		m.unwind()
	}
}

// resort reads the list in another order.
func (m *model) resort(n int) {
	l, ok := m.list().SortBy(n)
	if !ok {
		m.say(views.Warn, "this list has one order only: by id; "+m.keyOf(m.paneplace(), keymap.SortFlip, "=")+" turns it round")
		return
	}
	*m.list() = l
	m.readList(m.current(), views.Anew)
	m.keepMemory()
}

// setColumns gives the list its columns.
func (m *model) setColumns(in views.SetColumns) {
	*m.list() = m.list().WithColumns(in.Names)
	if in.Close {
		m.closeModal()
	}
	m.keepMemory()
}

// unwind goes back one level; false at the root.
func (m *model) unwind() bool {
	if len(m.back) == 0 {
		return false
	}
	last := len(m.back) - 1
	at := m.back[last]
	m.back = m.back[:last]
	if at.pane == views.PaneInspector && at.ref != m.inspector.Ref {
		m.asked.drop(slotDetail)
		m.inspector = m.inspector.Show(at.ref)
	}
	m.enter(at.pane)
	return true
}

// openRun shows a run in the inspector.
func (m *model) openRun(ref flow.Ref) {
	if m.open != views.PaneInspector || m.inspector.Ref != ref {
		m.back = append(m.back, m.spot())
	}
	if m.inspector.Ref != ref {
		m.asked.drop(slotDetail)
	}
	m.inspector = m.inspector.Show(ref)
	m.enter(views.PaneInspector)
	if m.side.Lists() { // the list beside it shows where that is, as far as it is there
		*m.list() = m.list().Seek(ref)
	}
}

// reload reads again and takes everything in, with the cursor where it is.
func (m *model) reload() {
	if m.header.Frozen {
		m.say(views.Warn, "frozen: "+m.keyTo(keymap.Freeze)+" lets it go on")
		return
	}
	m.asked.rest = [slotCount]bool{}
	if m.listed() {
		m.readList(m.current(), views.Retake)
	}
	m.ask(slotInfo)
	m.ask(slotTypes)
	m.ask(slotDetail)
}

// freeze stops or goes on with reading.
func (m *model) freeze() {
	m.header.Frozen = !m.header.Frozen
	if m.header.Frozen {
		return
	}
	if m.header.Changes > 0 && m.link.live { // what they were is not known
		m.feed = m.feed.Heard(m.instant())
	}
	m.header.Changes = 0
	m.now = m.opts.Now()
	m.refresh()
}
