package views

// Hit is the pane at a cell of the screen and the line in it, counted from its
// first row; ok is false where no pane is.
func (s Screen) Hit(x, y int) (p Pane, row int, ok bool) {
	shape := s.shape()
	y -= shape.top
	if shape.small || y < 0 || y >= shape.body || x < 0 || x >= s.Width {
		return 0, 0, false
	}
	if !shape.boxed() {
		if s.Open.Lists() && y >= shape.body-shape.under {
			return PaneInspector, 0, true
		}
		return s.Open, y - rowsFrom(s.Open), true
	}
	for _, b := range s.pile(shape, x) {
		if y < b.high {
			return b.pane, y - 1 - rowsFrom(b.pane), true
		}
		y -= b.high
	}
	return 0, 0, false
}

// block is the height of a pane.
type block struct {
	pane Pane
	high int
}

// pile are the panes with borders that stand above each other in column x.
func (s Screen) pile(shape Shape, x int) []block {
	if s.Open.Whole() && !s.Open.Glance() && !shape.tall {
		return []block{{s.Open, shape.body}}
	}
	first := s.listing()
	if s.Open.Whole() && s.Open != PaneFeed {
		first = s.Open
	}
	short := PaneOwed
	if x >= shape.w*60/100 {
		short = PaneDead
	}
	high := shape.body - shape.feed - shape.low - shape.stack
	var out []block
	switch {
	case shape.tall:
		out = append([]block{{first, high}}, s.asides(shape.w, shape.stack)...)
	case x < shape.list:
		out = []block{{first, high}}
	case x < shape.list+shape.side:
		out = s.asides(shape.side, high)
	default:
		out = s.thirds(shape.third, high)
	}
	return append(out, block{short, shape.low}, block{PaneFeed, shape.feed})
}

// asides is what stands beside the first pane.
func (s Screen) asides(w, h int) []block {
	if !s.Open.Glance() {
		return []block{{PaneInspector, h}}
	}
	high := s.glanceHigh(w, h)
	return []block{{PaneOverview, high}, {s.glancePane(), h - high}}
}

// HitPane is the pane whose name is at a cell of the line of panes.
func (s Screen) HitPane(x, y int) (Pane, bool) {
	if s.Width >= 106 || y != 1 || s.shape().small {
		return 0, false
	}
	return s.Header.paneAt(s.Look, s.Width, s.Open, x)
}

// HitTab is the tab of the inspector whose name is at a cell.
func (s Screen) HitTab(x, y int) (Tab, bool) {
	shape := s.shape()
	edge, left, top, w := 1, shape.list, shape.top, shape.side
	switch {
	case shape.tall:
		left, top = 0, shape.top+shape.body-shape.feed-shape.low-shape.stack
	case shape.narrow && s.Open == PaneInspector:
		edge, left, w = 0, 0, shape.w
	case shape.narrow, s.Open.Whole(), s.listing() == PaneTypes && s.Open != PaneInspector:
		return 0, false
	}
	if shape.small || y != top+edge+2 {
		return 0, false
	}
	return s.Inspector.TabAt(x-left-edge, w-2*edge)
}

// HitModal is the line of what lies over the panes at a cell, counted from its
// border; ok is false beside it.
func (s Screen) HitModal(x, y int) (row int, ok bool) {
	shape := s.shape()
	if s.Modal == nil || shape.small {
		return 0, false
	}
	high := shape.top + shape.body
	box := s.Modal.Draw(s.Look, s.Width, high-2)
	if len(box) == 0 {
		return 0, false
	}
	left, top := max(0, (s.Width-width(box[0]))/2), max(0, (high-len(box))/2)
	return y - top, y >= top && y < top+len(box) && x >= left && x < left+width(box[0])
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
