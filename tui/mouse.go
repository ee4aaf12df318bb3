package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"weft/keymap"
	"weft/views"
)

const (
	// wheelLines is how many lines a notch of the wheel moves.
	wheelLines = 3
	// doubleWithin is how soon a second click makes a double click.
	doubleWithin = 400 * time.Millisecond
	// focusWithin is how long clicks are ignored after the window got the
	// focus: such a click was meant for the window.
	focusWithin = 300 * time.Millisecond
)

// mouseState is the mouse.
type mouseState struct {
	off     bool
	focused time.Time // when the window got the focus
	clicked time.Time
	x, y    int
}

// wheel scrolls what has the keys; nothing is ever accepted by it.
func (m *model) wheel(msg tea.MouseWheelMsg) {
	a := keymap.Down
	switch msg.Button {
	case tea.MouseWheelUp:
		a = keymap.Up
	case tea.MouseWheelDown:
	default:
		return
	}
	if m.rush.drops(m.opts.Now(), "wheel "+a.String(), false) {
		return
	}
	for range wheelLines {
		switch {
		case m.modal.top != nil && m.modal.top.Place().Reads():
			m.modal.top, _ = m.modal.top.Press(views.Press{Action: a})
		case m.modal.top == nil && m.typed.field == nil && m.line.field == nil && m.place() != keymap.Small:
			m.pressPane(views.Press{Action: a})
		}
	}
}

// click goes to the pane that was clicked, or puts the cursor on the row; a
// second click opens it, the right button opens the menu of what can be done to
// it. Questions and forms take no clicks.
func (m *model) click(msg tea.MouseClickMsg) {
	now := m.opts.Now()
	if msg.Button != tea.MouseLeft && msg.Button != tea.MouseRight || now.Sub(m.mouse.focused) < focusWithin || m.typed.field != nil || m.line.field != nil {
		return
	}
	if m.modal.top != nil {
		m.clickChoice(msg)
		return
	}
	s := m.screen()
	if p, ok := s.HitPane(msg.X, msg.Y); ok {
		m.goPane(p)
		return
	}
	if tab, ok := s.HitTab(msg.X, msg.Y); ok {
		m.inspector = m.inspector.Turned(tab)
		m.ask(slotDetail)
		if m.open != views.PaneInspector {
			m.goPane(views.PaneInspector)
		}
		return
	}
	if p, row, ok := s.Hit(msg.X, msg.Y); ok {
		m.clickPane(msg, p, row)
	}
}

// clickPane goes to a pane, or to the row that was clicked in it.
func (m *model) clickPane(msg tea.MouseClickMsg, p views.Pane, row int) {
	now := m.opts.Now()
	double := now.Sub(m.mouse.clicked) < doubleWithin && msg.X == m.mouse.x && msg.Y == m.mouse.y
	m.mouse.clicked, m.mouse.x, m.mouse.y = now, msg.X, msg.Y
	need, needs := m.screen().NeedAt(msg.X, msg.Y)
	if p != m.open {
		m.goPane(p)
	}
	hit := false
	if p.Lists() && p == m.open {
		var l views.List
		l, hit = m.list().PointAt(row)
		*m.list() = l
		m.strayed()
	}
	switch s := m.shape(); {
	case needs:
		m.overview, hit = m.overview.PointNeed(need), true
	case p == views.PaneOverview:
		m.overview, hit = m.overview.PointAt(m.look(), row, m.needs(), s.ListWidth(), s.WholeRows(), s.Apart())
	}
	switch {
	case msg.Button == tea.MouseRight:
		m.mouse.clicked = time.Time{}
		m.openMenu()
	case hit && double:
		m.mouse.clicked = time.Time{}
		m.invoke(views.Press{Action: keymap.Open})
	}
}

// openMenu offers what the keys of the place do to the run in question, with the
// same reasons where they are refused.
func (m *model) openMenu() {
	var out []views.Choice
	for _, b := range m.set.Keys.All(m.paneplace()) {
		if _, of := menuActs[b.Action]; of {
			out = append(out, views.Choice{Text: b.Does, Key: b.Label, Off: m.refusal(b.Action), Do: views.Invoke{Action: b.Action}})
		}
	}
	name := m.open.String()
	if r, ok := m.run(); ok {
		name = string(r.ID)
	}
	m.openModal(views.NewMenu(name, out))
}

// menuActs are the actions on one run or on the marks.
var menuActs = map[keymap.Action]struct{}{keymap.Open: {}, keymap.Cancel: {}, keymap.Pause: {}, keymap.Signal: {}, keymap.Retry: {}, keymap.Start: {},
	keymap.Again: {}, keymap.Copy: {}, keymap.CopyAs: {}, keymap.Purge: {}, keymap.Relabel: {}, keymap.Discard: {}, keymap.Update: {}, keymap.AskQuery: {},
	keymap.Follow: {}, keymap.Diff: {}, keymap.Export: {}, keymap.Mark: {}}

// clickChoice does what is clicked in the palette or the menu, once that was to
// be read; a click beside it closes it. Nothing else over the panes takes clicks.
func (m *model) clickChoice(msg tea.MouseClickMsg) {
	v, ok := m.modal.top.(views.Palette)
	if !ok || !m.modal.readable(m.rush.earliest(m.opts.Now())) {
		return
	}
	row, in := m.screen().HitModal(msg.X, msg.Y)
	if !in {
		m.closeModal()
		return
	}
	if v, ok = v.At(row, m.shape().Over()); ok {
		m.modal.top = v
		m.pressModal(views.Press{Action: keymap.Submit}, false)
	}
}

func (m *model) toggleMouse(string) {
	m.mouse.off = !m.mouse.off
	if m.mouse.off {
		m.say(views.Plain, "the mouse is the terminal's: text can be selected")
		return
	}
	m.say(views.Plain, "the mouse is the console's: shift and drag selects text")
}
