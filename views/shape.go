package views

// Shape is how a screen is divided.
type Shape struct {
	w, h   int
	wide   int // what the shape is chosen by
	high   int
	top    int // lines of header and banner
	body   int
	small  bool
	tall   bool // portrait: panes stacked
	list   int  // width of the list, 0 when it is not shown
	side   int  // width of the inspector beside it
	third  int  // width of the third column
	low    int  // height of the row of teardowns and dead letters under both
	feed   int  // height of the feed under it
	under  int  // height of the preview under the list
	stack  int  // height of the inspector under the list, when tall
	narrow bool
	glance bool // the pane beside shows no run
}

// The smallest screen that is worth dividing.
const minWide, minHigh = 58, 16

// Extent is the size of a screen. Wide and High, when set, are the size its shape
// is chosen by: see [Extent.After].
type Extent struct {
	W, H       int
	Wide, High int
}

// widths and heights are where shapes change.
var (
	widths  = []int{85, 106, 160, 190}
	heights = []int{20, 30, 34, 46, 50}
)

// slack is how far an edge must pass the place where the shape changes, so that
// dragging it does not make the shape flicker.
const slack = 2

// After is the size with the shape kept that the screen had, as long as the
// edge is hardly past the place where that changes.
func (z Extent) After(was Extent) Extent {
	z.Wide, z.High = steady(was.wide(), z.W, widths), steady(was.high(), z.H, heights)
	return z
}

func steady(was, is int, marks []int) int {
	for _, m := range marks {
		switch {
		case was == 0:
		case was < m && is >= m && is < m+slack:
			return m - 1
		case was >= m && is < m && is >= m-slack:
			return m
		}
	}
	return is
}

func (z Extent) wide() int {
	if z.Wide != 0 {
		return z.Wide
	}
	return z.W
}

func (z Extent) high() int {
	if z.High != 0 {
		return z.High
	}
	return z.H
}

// ShapeOf divides a screen for the pane that is open.
func ShapeOf(z Extent, banner bool, open Pane) Shape {
	s := Shape{w: z.W, h: z.H, wide: z.wide(), high: z.high(), top: 2, small: z.W < minWide || z.H < minHigh}
	if banner {
		s.top = 3
	}
	s.body = max(0, s.h-s.top-2)
	s.glance = open.Glance()
	s.narrow = s.wide < 106
	s.tall = s.high >= 46 && s.wide < 85
	switch {
	case s.tall:
		s.list, s.side = s.w, s.w
		s.feed = 8
		s.low = 6
		s.stack = (s.body - s.feed - s.low) / 2
	case s.narrow:
		s.list = s.w
		switch {
		case open.Lists() && s.high >= 20:
			s.under = PreviewLines
		case open == PaneTypes && s.high >= 20:
			s.under = typeLines
		}
	case open.Whole() && !s.glance:
		s.list = s.w
	default:
		s.divide(open)
	}
	return s
}

// Zoomed gives the open pane all there is, when on.
func (s Shape) Zoomed(on bool) Shape {
	if on {
		s.narrow, s.tall, s.list = true, false, s.w
		s.side, s.third, s.low, s.feed, s.under, s.stack = 0, 0, 0, 0, 0, 0
	}
	return s
}

// divide gives the list, the inspector and a third column their widths.
func (s *Shape) divide(open Pane) {
	rest := s.w
	if s.wide >= 160 {
		s.third = 34
		if s.wide >= 190 {
			s.third = 46
		}
		rest -= s.third
	}
	s.list = rest * 55 / 100
	if s.wide >= 190 { // room for deadlines
		s.list = rest * 58 / 100
	}
	s.side = rest - s.list
	if s.third == 0 && s.high >= 30 && open != PaneOwed && open != PaneDead {
		s.low = 6
	}
	if s.high >= 34 {
		s.feed = 8
	}
	if s.high >= 50 {
		s.feed = 14
	}
}

// boxed reports whether panes have borders.
func (s Shape) boxed() bool { return !s.narrow || s.tall }

// ListRows is how many runs are visible.
func (s Shape) ListRows() int {
	switch {
	case s.tall:
		return max(1, s.body-s.feed-s.low-s.stack-4)
	case s.boxed():
		return max(1, s.body-s.feed-s.low-4)
	}
	return max(1, s.body-s.under-2)
}

// ListWidth is how wide the list is inside.
func (s Shape) ListWidth() int {
	if s.boxed() {
		return max(0, s.list-2)
	}
	return s.list
}

// InspectorRows is how many lines of a tab are visible.
func (s Shape) InspectorRows() int {
	switch {
	case s.tall:
		return max(1, s.stack-2-headLines)
	case s.boxed():
		return max(1, s.body-s.feed-s.low-2-headLines)
	}
	return max(1, s.body-headLines)
}

// TypeRows is how many types are visible.
func (s Shape) TypeRows() int { return s.ListRows() }

// WholeRows is how many lines of a pane are visible that has the screen for
// itself.
func (s Shape) WholeRows() int {
	switch {
	case s.tall:
		return max(1, s.body-s.feed-s.low-s.stack-2)
	case s.boxed():
		return max(1, s.body-s.feed-s.low-2)
	}
	return max(1, s.body)
}

// FeedRows is how many notices are visible when the feed is open.
func (s Shape) FeedRows() int {
	if s.tall {
		return max(1, s.feed-2)
	}
	if s.boxed() {
		return max(1, s.body-2)
	}
	return max(1, s.body)
}

// Beside reports whether a run is shown beside or under the list in full.
func (s Shape) Beside() bool { return !s.glance && (s.tall || s.side > 0) }

// Teardowns reports whether owed teardowns and dead letters are on the screen
// beside what is open.
func (s Shape) Teardowns() bool { return s.low > 0 || s.third > 0 }

// Apart reports whether what needs a person stands beside the overview.
func (s Shape) Apart() bool { return s.tall || s.side > 0 }

// Over is how many lines there are for what lies over the panes.
func (s Shape) Over() int { return s.top + s.body - 2 }

// Small reports whether there is no room to work in.
func (s Shape) Small() bool { return s.small }
