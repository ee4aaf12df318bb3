package views

// needs are what a person should look at.
func (s Screen) needs() []Need { return Needs(s.Look, s.Header, s.Owed, s.Dead) }

// Lines is how many lines the open pane has in all, where it is only read.
func (s Screen) Lines() int {
	shape := s.shape()
	w := shape.list
	if shape.boxed() {
		w -= 2
	}
	switch s.Open {
	case PaneLease:
		return len(s.Header.leaseLines(s.Look, w))
	case PaneProblems:
		return len(s.problems(w))
	}
	return 0
}

// glance is what stands beside a pane that tells of everything: what needs a
// person, then the lease or the problems, whichever is not on the screen already.
func (s Screen) glance(w, h int) []string {
	needs, high := s.needs(), s.glanceHigh(w, h)
	overview := s.Overview
	if s.Open != PaneOverview {
		overview.index = -1 // the cursor is elsewhere
	}
	out := s.Look.box("Needs a person", overview.DrawNeeds(s.Look, s.Header, needs, w-2, high-2), w, high, false)
	text, below := s.problems(w-2), s.glancePane()
	if below == PaneLease {
		text = s.Header.leaseLines(s.Look, w-2)
	}
	return append(out, s.Look.box(below.Title(), text, w, h-high, false)...)
}

// glanceHigh is the height of what needs a person, in a column of h lines. Long
// texts have more than one as long as 8 are left for the pane below.
func (s Screen) glanceHigh(w, h int) int {
	needs, high := s.needs(), 2
	for _, n := range s.Look.spread(needs, w-4, h-8-2) {
		high += n
	}
	return max(3, min(high, h-6))
}

// NeedAt is the number of what needs a person at a cell, where that stands beside
// or below the open pane.
func (s Screen) NeedAt(x, y int) (need int, ok bool) {
	shape := s.shape()
	first, high := x < shape.list, shape.body-shape.feed-shape.low
	if shape.tall {
		first, high = y-shape.top < high-shape.stack, shape.stack
	}
	p, row, hit := s.Hit(x, y)
	if !hit || p != PaneOverview || first || row < 0 || !shape.Apart() {
		return 0, false
	}
	needs, h := s.needs(), s.glanceHigh(shape.side, high)-2
	row += s.Overview.needsFrom(needs, h, s.Open == PaneOverview)
	for i, rows := range s.Look.spread(needs, shape.side-4, h) {
		if row < rows {
			return i, true
		}
		row -= rows
	}
	return 0, false
}

// glancePane is the pane under what needs a person.
func (s Screen) glancePane() Pane {
	if s.Open == PaneProblems || s.Open == PaneOverview && s.shape().third == 0 {
		return PaneLease
	}
	return PaneProblems
}
