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
// second click opens it. Questions and forms take no clicks.
func (m *model) click(msg tea.MouseClickMsg) {
	now := m.opts.Now()
	if msg.Button != tea.MouseLeft || now.Sub(m.mouse.focused) < focusWithin || m.modal.top != nil || m.typed.field != nil || m.line.field != nil {
		return
	}
	p, row, ok := m.screen().Hit(msg.X, msg.Y)
	if !ok {
		return
	}
	double := now.Sub(m.mouse.clicked) < doubleWithin && msg.X == m.mouse.x && msg.Y == m.mouse.y
	m.mouse.clicked, m.mouse.x, m.mouse.y = now, msg.X, msg.Y
	if p != m.open {
		m.goPane(p)
	}
	if !p.Lists() || p != m.open {
		return
	}
	l, hit := m.list().PointAt(row)
	*m.list() = l
	m.strayed()
	if hit && double {
		m.mouse.clicked = time.Time{}
		m.invoke(views.Press{Action: keymap.Open})
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
