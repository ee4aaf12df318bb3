package views

// Hit is the pane at a cell of the screen and the line in it, counted from its
// first row; ok is false where no pane is.
func (s Screen) Hit(x, y int) (p Pane, row int, ok bool) {
	shape := s.shape()
	y -= shape.top
	if shape.small || shape.tall || y < 0 || y >= shape.body || x < 0 || x >= s.Width {
		return 0, 0, false
	}
	edge := 1
	if shape.narrow {
		edge = 0
	}
	high := shape.body - shape.feed - shape.low
	switch {
	case shape.narrow && s.Open.Lists() && y >= shape.body-shape.under:
		return PaneInspector, 0, true
	case shape.narrow, s.Open.Whole():
		return s.Open, y - edge - rowsFrom(s.Open), true
	case y >= shape.body-shape.feed:
		return PaneFeed, 0, true
	case y >= high && x < s.Width*60/100:
		return PaneOwed, 0, true
	case y >= high:
		return PaneDead, 0, true
	case x < shape.list:
		return s.listing(), y - edge - rowsFrom(s.listing()), true
	case x < shape.list+shape.side:
		return PaneInspector, 0, true
	}
	return PaneLease, 0, true
}

// rowsFrom is how many lines stand above the first row of a pane.
func rowsFrom(p Pane) int {
	switch {
	case p.Lists(), p == PaneTypes:
		return 2
	case p == PaneAudit:
		return 1
	}
	return 0
}

// PointAt puts the cursor on a visible row; ok is false when there is none.
func (l List) PointAt(row int) (_ List, ok bool) {
	if i := l.top + row; row >= 0 && i < len(l.rows) {
		return l.step(i - l.index), true
	}
	return l, false
}
