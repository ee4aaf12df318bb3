package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"weft/views"
)

// pointer is the terminal's cursor: on the chosen row for who has a screen reader
// follow it, nil for everybody else.
func (m *model) pointer(s views.Screen, frame string) *tea.Cursor {
	if !m.set.Plain || m.modal.top != nil || m.typed.field != nil || m.line.field != nil {
		return nil
	}
	for y, line := range strings.Split(frame, "\n") {
		if p, row, ok := s.Hit(0, y); ok && p == m.open && row >= 0 && strings.HasPrefix(line, ">") {
			return tea.NewCursor(0, y)
		}
	}
	return nil
}
