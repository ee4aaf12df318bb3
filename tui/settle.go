package tui

import (
	"time"

	"weft/flow"
	"weft/keymap"
	"weft/views"
)

// lookAfter is how long the cursor rests on a run before that is read.
const lookAfter = 80 * time.Millisecond

// settle makes the parts agree after a message: sizes, what the inspector
// shows, what the lists lack.
func (m *model) settle() {
	s := m.shape()
	for i := range m.lists {
		m.lists[i] = m.lists[i].Sized(s.ListRows()).Hold(m.modal.top != nil || m.typed.field != nil || m.line.field != nil)
	}
	m.inspector = m.inspector.Sized(s.InspectorRows())
	m.types = m.types.Sized(s.TypeRows())
	m.feed = m.feed.Sized(s.FeedRows())
	m.audit = m.audit.Sized(s.WholeRows())
	if v, ok := m.modal.top.(views.Scrolled); ok {
		m.modal.top = v.Settled(m.look(), m.width, s.Over())
	}
	m.revise()
	if m.open.Lists() {
		m.follow()
	}
	m.header.OwedSince, m.header.OwedLost = m.lists[listOwed].Oldest(flow.InstantOf(m.now))
	if m.header.OwedSince == 0 {
		m.header.OwedSince = m.header.Info.OwedSince
	}
	m.nameParts()
	m.judge()
	if m.leave.closing { // nothing is asked of an engine that is being closed
		return
	}
	m.readTeardowns(false)
	if below, ok := m.audit.Wants(); ok && m.open == views.PaneAudit && m.asked.free(slotAudit) {
		m.readAudit(below)
	}
	if !m.listed() {
		return
	}
	id := m.current()
	if p, ok := m.lists[id].Wants(); ok && m.asked.free(slotOf(id)) && !m.header.Frozen {
		m.readList(id, p)
	}
}

// follow turns the inspector to the run under the cursor.
func (m *model) follow() {
	row, ok := m.list().Row()
	if !ok {
		m.inspector = views.Inspector{Tab: m.inspector.Tab}
		return
	}
	if row.Run.Ref == m.inspector.Ref {
		if row.Owed != nil || row.Dead != nil {
			m.inspector = m.inspector.Preview(row)
		}
		return
	}
	m.inspector = m.inspector.Show(row.Run.Ref).Preview(row)
	m.asked.drop(slotDetail)
	m.asked.looks++
	m.do(after{lookAfter, lookMsg{m.asked.looks}})
}

// refresh reads again all that is shown.
func (m *model) refresh() {
	m.refreshLists()
	m.readTeardowns(true)
	m.ask(slotDetail)
}

// refreshLists leaves the run alone that the inspector shows.
func (m *model) refreshLists() {
	m.ask(slotInfo)
	if m.header.Frozen || m.leave.closing {
		return
	}
	if m.listed() {
		id := m.current()
		if m.asked.free(slotOf(id)) {
			m.readList(id, views.Again)
		} else {
			m.asked.again[slotOf(id)] = true
		}
	}
	if m.open == views.PaneSuspended {
		m.readOther()
	}
	if m.open == views.PaneAudit && m.asked.free(slotAudit) {
		m.readAudit(false)
	}
	m.readTeardowns(false)
	if m.open == views.PaneTypes || len(m.types.All()) == 0 {
		m.ask(slotTypes)
	}
}

// readOther reads the part of pane 3 that is not shown, for its number.
func (m *model) readOther() {
	other := listHeld
	if m.held {
		other = listSuspended
	}
	if m.asked.free(slotOf(other)) {
		m.readList(other, views.Again)
	}
}

// readTeardowns reads what is owed and what is dead, where it is shown beside
// the open pane or judged in it: again when something happened to it, else when it
// was not read yet.
func (m *model) readTeardowns(again bool) {
	if m.header.Frozen || !m.shape().Teardowns() && m.open != views.PaneOverview && m.open != views.PaneProblems {
		return
	}
	for _, id := range []listID{listOwed, listDead} {
		shown := m.listed() && m.current() == id
		stale := again || (m.header.Known || m.link.trouble != nil) && m.lists[id].Total() < 0 // a store that cannot be read says so in each list
		if !shown && stale && m.asked.free(slotOf(id)) && m.lists[id].Filter() == "" {
			m.readList(id, views.Again)
		}
	}
}

// nameParts writes the two parts of pane 3 with their numbers.
func (m *model) nameParts() {
	part := func(id listID, open bool) string {
		l := m.lists[id]
		s := l.Name
		if n := l.Total(); n >= 0 {
			s += " " + views.Count(n)
		}
		if open {
			return "[" + s + "]"
		}
		return " " + s + " "
	}
	line := part(listSuspended, !m.held) + part(listHeld, m.held) + "  " + m.keyTo(keymap.NextTab) + " other part"
	m.lists[listRunning].More = ""
	if m.refusal(keymap.Start) == "" {
		m.lists[listRunning].More = m.keyOf(keymap.Runs, keymap.Start, "N") + " starts a workflow"
	}
	m.lists[listSuspended].More = m.keyOf(keymap.Runs, keymap.NextTab, "]") + " held runs"
	m.lists[listHeld].More = m.keyOf(keymap.Runs, keymap.PrevTab, "[") + " suspended runs"
	m.lists[listSuspended].Parts, m.lists[listHeld].Parts = line, line
}
