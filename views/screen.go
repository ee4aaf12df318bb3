package views

import (
	"fmt"
	"strings"

	"weft/keymap"
)

// Screen is everything a frame is made of.
type Screen struct {
	Width, Height int
	// As is the size the shape is chosen by, zero for the size itself.
	As     Extent
	Look   Look
	Header Header
	// Open is the pane that has the keys, Side the list shown beside it while
	// that is the inspector.
	Open, Side Pane
	// Zoom gives the open pane the whole screen.
	Zoom bool

	List List
	// Owed and Dead are shown beside the list where there is room.
	Owed, Dead List
	Lease      Sheet
	Overview   Overview
	Problems   Sheet
	Audit      Audit
	Types      Types
	Inspector  Inspector
	Feed       Feed
	Modal      Modal
	// Typing is the filter that is being typed, nil when none is.
	Typing *Field
	// Command is the command line, with a hint to its right; nil when closed.
	Command *Field
	Hint    string
	Status  Status
	Place   keymap.Place
	Words   map[keymap.Action]string
	// Follows: the run under the cursor is followed.
	Follows bool
}

// Frame draws the screen: Height lines of Width cells each.
func (s Screen) Frame() string { return strings.Join(s.lines(), "\n") }

func (s Screen) lines() []string {
	w, h := s.Width, s.Height
	shape := s.shape()
	if shape.small {
		return s.tooSmall()
	}
	s.Header.Rate = s.Overview.Rate
	out := []string{s.Header.first(s.Look, w), s.Header.second(s.Look, w, s.Open)}
	if b := s.Header.banner(s.Look); b != "" {
		out = append(out, s.Look.paint(Banner, Fit("! "+b, w)))
	}
	out = append(out, exactly(s.body(shape), w, shape.body)...)
	if s.Modal != nil {
		out = s.Look.over(out, s.Modal.Draw(s.Look, w, len(out)-2), w, shape.top)
	}
	out = append(out, s.statusLine(w), s.footer(w))
	return exactly(out, w, h)
}

// statusLine is the last result, or the command that is typed.
func (s Screen) statusLine(w int) string {
	if s.Command == nil {
		return s.Status.line(s.Look, w, s.List)
	}
	hint := s.Look.clean(s.Hint)
	hw := min(width(hint), w/2)
	return ":" + s.Command.Draw(s.Look, w-hw-2, 1, true)[0] + " " + s.Look.paint(Dim, Fit(hint, hw))
}

func (s Screen) shape() Shape {
	z := s.As
	z.W, z.H = s.Width, s.Height
	return ShapeOf(z, s.Header.Alarmed(), s.Open).Zoomed(s.Zoom)
}

// footer is the keys, or a question that is asked there.
func (s Screen) footer(w int) string {
	if q, ok := s.Modal.(Question); ok {
		return q.line(s.Look, w)
	}
	return Footer(s.Look, w, s.Place, s.Words)
}

// tooSmall says what is lacking and what must never be hidden.
func (s Screen) tooSmall() []string {
	w := s.Width
	text := []string{
		fmt.Sprintf("needs %dx%d, has %dx%d", minWide, minHigh, s.Width, s.Height),
		s.Header.lease(s.Look, false),
		s.Header.alarms(s.Look, false),
		"q quit  work goes on",
	}
	if s.Height < len(text) {
		text = []string{strings.Join(text, "  ")}
	}
	if s.Modal != nil && s.Place.Leaves() {
		text = append(text, s.Modal.Draw(s.Look, w, max(0, s.Height-len(text)))...)
	}
	return exactly(text, w, s.Height)
}

// listing is the pane of the list or the types that is shown.
func (s Screen) listing() Pane {
	if s.Open.Side() {
		return s.Open
	}
	return s.Side
}

func (s Screen) body(shape Shape) []string {
	w, h := shape.w, shape.body
	switch {
	case shape.tall:
		return s.stacked(shape)
	case shape.narrow:
		return s.single(shape)
	case s.Open.Whole() && !s.Open.Glance():
		return s.Look.box(s.Open.Title(), s.whole(w-2, h-2, false), w, h, true)
	}
	high := h - shape.feed - shape.low
	blocks := [][]string{s.main(shape.list, high), s.beside(shape.side, high)}
	if shape.third > 0 {
		blocks = append(blocks, s.column(shape.third, high))
	}
	out := joined(blocks...)
	if shape.low > 0 {
		out = append(out, s.low(w, shape.low)...)
	}
	if shape.feed > 0 {
		out = append(out, s.Look.box("8 Feed", s.Feed.Draw(s.Look, w-2, shape.feed-2, false), w, shape.feed, false)...)
	}
	return out
}

// stacked is for tall, narrow screens: list, inspector, teardowns, feed.
func (s Screen) stacked(shape Shape) []string {
	out := s.main(shape.w, shape.body-shape.feed-shape.low-shape.stack)
	out = append(out, s.beside(shape.w, shape.stack)...)
	out = append(out, s.low(shape.w, shape.low)...)
	at := s.Open == PaneFeed
	return append(out, s.Look.box("8 Feed", s.Feed.Draw(s.Look, shape.w-2, shape.feed-2, at), shape.w, shape.feed, at)...)
}

// single is for screens with room for one pane.
func (s Screen) single(shape Shape) []string {
	w, h := shape.w, shape.body
	switch {
	case s.Open == PaneInspector:
		return s.Inspector.Draw(s.Look, w, h)
	case s.Open.Whole():
		return s.whole(w, h, false)
	case s.Open == PaneTypes && shape.under > 0:
		rule := s.Look.paint(Dim, strings.Repeat("-", w))
		return append(append(s.Types.Draw(s.Look, w, h-shape.under), rule), s.Types.DrawType(s.Look, w, shape.under-1)...)
	case s.Open == PaneTypes:
		return s.Types.Draw(s.Look, w, h)
	}
	out := s.list(w, h-shape.under)
	if shape.under > 0 {
		out = append(out, s.Inspector.DrawPreview(s.Look, w)...)
	}
	return out
}

// whole draws a pane that has the screen for itself, or with what needs a person
// beside it.
func (s Screen) whole(w, h int, beside bool) []string {
	switch s.Open {
	case PaneOverview:
		return s.Overview.Draw(s.Look, s.Header, s.Owed, s.needs(), w, h, beside)
	case PaneLease:
		return s.Lease.Draw(s.Look, s.Header.leaseLines(s.Look, w), w, h)
	case PaneProblems:
		return s.Problems.Draw(s.Look, s.problems(w), w, h)
	case PaneAudit:
		return s.Audit.Draw(s.Look, w, h)
	}
	return s.Feed.Draw(s.Look, w, h, true)
}

// main is the box of the list or the types.
func (s Screen) main(w, h int) []string {
	p := s.listing()
	if s.Open.Whole() && s.Open != PaneFeed { // on tall screens it takes the place of the list
		return s.Look.box(s.Open.Title(), s.whole(w-2, h-2, true), w, h, true)
	}
	title := p.Title()
	if p == PaneTypes {
		return s.Look.box(title, s.Types.Draw(s.Look, w-2, h-2), w, h, s.Open == p)
	}
	if s.List.Name != p.String() {
		title += ": " + s.List.Name
	}
	return s.Look.box(title, s.list(w-2, h-2), w, h, s.Open == p)
}

// list draws the list, with the filter that is being typed.
func (s Screen) list(w, h int) []string {
	out := s.List.Draw(s.Look, w, h, s.badge())
	if s.Typing != nil && len(out) > 0 {
		hint := s.List.problem
		if hint == "" {
			hint = s.List.amount()
		}
		hint = s.Look.clean(hint)
		hw := min(width(hint), w/2)
		out[0] = "/" + s.Typing.Draw(s.Look, w-hw-2, 1, true)[0] + " " + s.Look.paint(Warn, Fit(hint, hw))
	}
	return out
}

// badge says why a list does not follow.
func (s Screen) badge() string {
	shown, hidden := s.List.Marked()
	switch {
	case s.Header.Frozen && s.Header.Changes > 0:
		return fmt.Sprintf("FROZEN, %s", plural(s.Header.Changes, "change"))
	case s.Header.Frozen:
		return "FROZEN"
	case shown+hidden > 0 || s.Modal != nil || s.Typing != nil:
		return "HELD"
	case s.Follows:
		return "FOLLOWS"
	}
	return ""
}

// beside is the box of the inspector, or of the chosen type, or what needs a person.
func (s Screen) beside(w, h int) []string {
	if s.Open.Glance() {
		return s.glance(w, h)
	}
	if s.listing() == PaneTypes && s.Open != PaneInspector {
		return s.Look.box("Type", s.Types.DrawType(s.Look, w-2, h-2), w, h, false)
	}
	return s.Look.box("0 Inspector", s.Inspector.Draw(s.Look, w-2, h-2), w, h, s.Open == PaneInspector)
}
