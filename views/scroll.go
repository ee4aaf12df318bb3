package views

import "weft/keymap"

// scroll is how far a text was scrolled that is only read. It has no cursor.
type scroll struct{ top int }

// press moves over n lines by a key, of which page are seen at a time.
func (s scroll) press(a keymap.Action, page, n int) scroll {
	switch a {
	case keymap.Top:
		s.top = 0
	case keymap.Bottom:
		s.top = n - page
	default:
		by, _ := stride(a, page)
		s.top += by
	}
	s.top = max(0, min(s.top, n-1))
	return s
}

// from is the first line that is shown of n where there is room for rows.
func (s scroll) from(rows, n int) int { return max(0, min(s.top, n-rows)) }

// window is h lines of w cells of a text. The lowest says how far that is when
// there are more.
func (s scroll) window(look Look, lines []string, w, h int) []string {
	if len(lines) <= h || h < 2 {
		return exactly(lines, w, h)
	}
	top := s.from(h-1, len(lines))
	last := top + h - 1
	return append(exactly(lines[top:last], w, h-1), look.paint(Dim, FitRight(place(last, len(lines)), w)))
}

// closes reports whether a key closes what is only read over the panes.
func closes(a keymap.Action) bool { return a == keymap.Back || a == keymap.Quit || a == keymap.Stay }
