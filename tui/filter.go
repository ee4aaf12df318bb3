package tui

import (
	"time"

	"weft/keymap"
	"weft/views"
)

// typedAfter is how long typing rests before the filter is applied.
const typedAfter = 80 * time.Millisecond

func (m *model) openFilter() {
	if m.typed.find = m.open == views.PaneInspector; m.typed.find {
		f := views.NewField("", false)
		m.typed.field, m.typed.found = &f, m.inspector
		return
	}
	f := views.NewField(m.list().Filter(), false)
	m.typed.field, m.typed.before = &f, *m.list()
}

// pressFilter edits the filter. It filters while it is typed; enter keeps it,
// esc goes back to the list as it was.
func (m *model) pressFilter(p views.Press) {
	if m.typed.find {
		m.pressFind(p)
		return
	}
	switch p.Action {
	case keymap.Keep:
		text := m.typed.field.Text()
		m.typed.field = nil
		if text != m.list().Filter() {
			m.refilter(text)
		}
		return
	case keymap.Back:
		id := m.current()
		m.asked.drop(slotOf(id))
		*m.list() = m.typed.before
		m.typed.field = nil
		m.refresh()
		return
	}
	f, ok := m.typed.field.Press(p)
	if !ok {
		return
	}
	m.typed.field = &f
	m.typed.count++
	m.do(after{typedAfter, typedMsg{m.typed.count}})
}

// refilter applies a filter; the answers to the one before are void.
func (m *model) refilter(text string) {
	l, ok := m.list().Refilter(text, m.instant())
	*m.list() = l
	switch {
	case ok:
		m.readList(m.current(), views.Anew)
	case m.typed.field == nil:
		m.say(views.Warn, "the filter is kept as it was: "+l.Problem())
		*m.list() = l.Settled()
	}
}

// showType lists the running runs of a type.
func (m *model) showType(name string) {
	m.back = append(m.back, m.spot())
	m.enter(views.PaneRunning)
	m.refilter("type=" + name)
}

// pressFind edits what is searched for in the inspector; it searches while it
// is typed. Enter keeps it, esc goes back to where the search began.
func (m *model) pressFind(p views.Press) {
	switch p.Action {
	case keymap.Keep:
		m.typed.field = nil
		return
	case keymap.Back:
		m.typed.field = nil
		m.inspector = m.typed.found.Search("")
		m.ask(slotDetail)
		return
	}
	if f, ok := m.typed.field.Press(p); ok {
		m.typed.field = &f
		m.inspector = m.inspector.Search(f.Text())
	}
}
