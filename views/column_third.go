package views

import (
	"fmt"
	"slices"

	"weft/flow"
)

// column is the third column: the lease, what is owed, what is dead, and
// standing problems when there are any.
func (s Screen) column(w, h int) []string {
	var out []string
	for _, b := range s.thirds(w, h) {
		switch b.pane {
		case PaneLease:
			out = append(out, s.Look.box(b.pane.Title(), s.Header.leaseLines(s.Look, w-2), w, b.high, false)...)
		case PaneOwed:
			out = append(out, s.owedBox(w, b.high)...)
		case PaneDead:
			out = append(out, s.deadBox(w, b.high)...)
		case PaneProblems:
			out = append(out, s.Look.box(b.pane.Title(), s.problems(w-2), w, b.high, false)...)
		}
	}
	return out
}

// thirds are the panes of the third column.
func (s Screen) thirds(w, h int) []block {
	var out []block
	rest := h
	if s.Open != PaneLease && s.Open != PaneProblems { // else it is on the screen already
		high := min(len(s.Header.leaseLines(s.Look, w-2))+2, 18, h/3)
		out = append(out, block{PaneLease, high})
		rest -= high
	}
	problems := 0
	if len(s.Header.problems()) > 0 && !s.Open.Glance() {
		problems = min(2+len(s.problems(w-2)), h/4)
		rest -= problems
	}
	out = append(out, block{PaneOwed, (rest + 1) / 2}, block{PaneDead, rest / 2})
	if problems > 0 {
		out = append(out, block{PaneProblems, problems})
	}
	return out
}

// low is the row of owed teardowns and dead letters under the other panes.
func (s Screen) low(w, h int) []string {
	left := w * 60 / 100
	return joined(s.owedBox(left, h), s.deadBox(w-left, h))
}

func (s Screen) owedBox(w, h int) []string {
	return s.Look.box(s.counted("5 Owed teardowns", s.Header.Info.Counts.Owed), s.Owed.DrawShort(s.Look, w-2, h-2), w, h, false)
}

func (s Screen) deadBox(w, h int) []string {
	return s.Look.box(s.counted("6 Dead letters", s.Header.Info.Counts.Dead), s.Dead.DrawShort(s.Look, w-2, h-2), w, h, false)
}

func (s Screen) counted(title string, n int64) string {
	if !s.Header.Known || n == 0 {
		return title
	}
	return title + " " + Count(n)
}

// problems are the standing conditions, wrapped.
func (s Screen) problems(w int) []string {
	look := s.Look
	problems := s.Header.problems()
	switch {
	case len(problems) > 0:
	case !s.Header.Known:
		return []string{look.calm(s.Header)}
	default:
		return []string{look.paint(Dim, "nothing stands in the way: no problems")}
	}
	var out []string
	for i, p := range problems {
		if i > 0 {
			out = append(out, "")
		}
		for _, line := range wrap(look.clean(p.Text), w) {
			out = append(out, look.paint(Warn, line))
		}
		out = append(out, look.paint(Dim, "since "+clock(p.Since)+", "+often(p)+look.since(p.Last)+" ago"))
		out = append(out, wrap(look.clean(p.Advice), w)...)
	}
	return out
}

// often is how many times a problem was counted, before the age of the last time.
// One that stands on is seen again without being counted again.
func often(p flow.Problem) string {
	switch {
	case p.Count != 1:
		return fmt.Sprintf("%d times, last ", p.Count)
	case p.Last > p.Since:
		return "last seen "
	}
	return "once, "
}

// problems are all standing conditions: the engine's, then the console's own.
func (h Header) problems() []flow.Problem { return slices.Concat(h.Info.Problems, h.Own) }
