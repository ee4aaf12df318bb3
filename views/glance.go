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
	needs := s.needs()
	high := max(3, min(len(needs)+2, h-6))
	overview := s.Overview
	if s.Open != PaneOverview {
		overview.index = -1 // the cursor is elsewhere
	}
	out := s.Look.box("Needs a person", overview.DrawNeeds(s.Look, s.Header, needs, w-2, high-2), w, high, false)
	rest := h - high
	switch {
	case s.Open == PaneOverview && s.shape().third == 0:
		return append(out, s.Look.box(PaneLease.Title(), s.Header.leaseLines(s.Look, w-2), w, rest, false)...)
	case s.Open == PaneProblems:
		return append(out, s.Look.box(PaneLease.Title(), s.Header.leaseLines(s.Look, w-2), w, rest, false)...)
	}
	return append(out, s.Look.box(PaneProblems.Title(), s.problems(w-2), w, rest, false)...)
}
