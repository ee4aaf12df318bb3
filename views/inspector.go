package views

import (
	"strings"

	"weft/flow"
	"weft/keymap"
)

// Tab is a side of a run.
type Tab uint8

const (
	TabOverview Tab = iota
	TabTimeline
	TabEvents
	TabPayloads
	TabSignals
	TabFamily
	tabCount
)

var tabNames = [...]string{"Overview", "Timeline", "Events", "Payloads", "Signals", "Family"}

// shortTabNames are words too: a cut one has to be guessed.
var shortTabNames = [...]string{"Over", "Time", "Events", "Data", "Signals", "Family"}

func (t Tab) String() string { return tabNames[t] }

// Part is what the tab needs to be read.
func (t Tab) Part() flow.Part {
	switch t {
	case TabOverview, TabTimeline:
		return flow.PartSteps
	case TabEvents:
		return flow.PartEvents
	case TabSignals:
		return flow.PartSignals
	case TabFamily:
		return flow.PartFamily
	}
	return flow.PartSummary
}

// docLine is a line that is written only when it is visible.
type docLine func(look Look, w int) string

// Inspector shows one run.
type Inspector struct {
	Ref flow.Ref
	Tab Tab

	run    flow.Run
	detail flow.Detail
	part   flow.Part
	known  bool
	fail   string

	// owed and dead are what the run left behind; sought reports that it was
	// looked for.
	owed   *flow.Teardown
	dead   *flow.Dead
	sought bool

	// kin is what is known of its id; links are the lines of the family that
	// lead to a run, pick the one the cursor is on.
	kin   Kin
	links []link
	pick  flow.Ref

	lines     []docLine
	top, left int
	height    int
	wrapped   bool
	raw       bool // payloads as they are stored
	find      string
	hit       int // the line of the match that was gone to, -1 for none
	tail      bool
}

// Show turns to another run, or stays on the same one.
func (v Inspector) Show(ref flow.Ref) Inspector {
	if ref == v.Ref {
		return v
	}
	return Inspector{Ref: ref, Tab: v.Tab, height: v.height, wrapped: v.wrapped, raw: v.raw}
}

// Preview gives what a list knows of the run until it is read.
func (v Inspector) Preview(r Row) Inspector {
	if r.Run.Ref != v.Ref {
		return v
	}
	if !v.known && r.Run.Status != 0 {
		v.run = r.Run
	}
	if r.Owed != nil || r.Dead != nil {
		return v.Owes(r.Owed, r.Dead)
	}
	return v
}

// Owes takes in what the run left behind: an owed teardown, a dead letter, or
// nothing.
func (v Inspector) Owes(t *flow.Teardown, d *flow.Dead) Inspector {
	v.owed, v.dead, v.sought = t, d, true
	return v.rebuilt()
}

// Owed is what the run left behind, as far as that is known.
func (v Inspector) Owed() (*flow.Teardown, *flow.Dead) { return v.owed, v.dead }

// Detail is the run as it was read; ok is false when it was not.
func (v Inspector) Detail() (d flow.Detail, ok bool) { return v.detail, v.known }

// Run is the run shown; ok is false when nothing is known of it.
func (v Inspector) Run() (r flow.Run, ok bool) { return v.run, v.run.ID != "" }

// Input is the input of the run, nil until it was read.
func (v Inspector) Input() flow.Payload { return v.detail.Input }

// Take puts an answer in. An answer to an address without a run id tells which
// run it is of.
func (v Inspector) Take(part flow.Part, d flow.Detail) Inspector {
	v.Ref = d.Run.Ref
	v.run, v.detail, v.part, v.known, v.fail = d.Run, d, part, true, ""
	return v.rebuilt()
}

// Failed keeps what is shown and remembers why reading failed.
func (v Inspector) Failed(err error) Inspector {
	v.fail = err.Error()
	return v
}

// Sized tells how many lines of a tab are visible.
func (v Inspector) Sized(h int) Inspector {
	v.height = max(1, h)
	last := 0
	switch n := len(v.lines); {
	case v.wrapped:
		last = max(0, n-1)
	case v.Tab == TabOverview: // values may take more rows than one
		if room := v.height - 2*valueRows; n > room {
			last = n - max(1, room)
		}
	case n > v.height: // the lowest line says how far that is
		last = n - max(1, v.height-1)
	}
	v.top = max(0, min(v.top, last))
	if v.tails() {
		v.top = last
	}
	return v
}

// tails reports whether the end of the text is kept visible.
func (v Inspector) tails() bool { return v.tail && (v.Tab == TabTimeline || v.Tab == TabEvents) }

// Tailing keeps the end of the text visible as it grows, until the reader
// scrolls.
func (v Inspector) Tailing(on bool) Inspector {
	v.tail = on
	return v.Sized(v.height)
}

// rebuilt lists the lines of the tab anew.
func (v Inspector) rebuilt() Inspector {
	if !v.known && v.Tab == TabOverview {
		v.lines = v.teardownLines()
		return v.Sized(v.height)
	}
	if !v.known || (v.part != v.Tab.Part() && v.Tab != TabPayloads) {
		v.lines = nil
		return v
	}
	switch v.Tab {
	case TabOverview:
		v.lines = v.overviewLines()
	case TabTimeline:
		v.lines = barLines(v.detail)
	case TabEvents:
		v.lines = eventLines(v.detail)
	case TabPayloads:
		v.lines = payloadLines(v.detail, v.raw)
	case TabSignals:
		v.lines = signalLines(v.detail)
	case TabFamily:
		v.lines, v.links = v.familyLines()
	}
	return v.Sized(v.height)
}

// Press applies one key.
func (v Inspector) Press(p Press) (Inspector, Intent) {
	if p.Action != keymap.Wrap && p.Action != keymap.NextTab && p.Action != keymap.PrevTab {
		v.tail = false
	}
	if v.Tab == TabFamily {
		if next, in, ok := v.pressFamily(p); ok {
			return next, in
		}
	}
	switch p.Action {
	case keymap.NextTab:
		return v.turn(1), nil
	case keymap.PrevTab:
		return v.turn(int(tabCount) - 1), nil
	case keymap.Left:
		v.left = max(0, v.left-8)
	case keymap.Right:
		v.left = min(4000, v.left+8)
	case keymap.Wrap:
		v.wrapped, v.left = !v.wrapped, 0
	case keymap.Raw:
		v.raw = !v.raw
		return v.rebuilt(), nil
	case keymap.FindNext:
		return v.seek(1)
	case keymap.FindPrev:
		return v.seek(-1)
	case keymap.Top:
		v.top, v.left = 0, 0
	case keymap.Bottom:
		v.top = len(v.lines)
	default:
		n, _ := stride(p.Action, v.height)
		v.top += n
	}
	return v.Sized(v.height), nil
}

// turn goes n tabs on.
func (v Inspector) turn(n int) Inspector {
	v.Tab = (v.Tab + Tab(n)) % tabCount
	v.top, v.left, v.hit = 0, 0, -1
	return v.rebuilt()
}

// headLines is how many lines stand above a tab.
const headLines = 4

// Draw shows the run.
func (v Inspector) Draw(look Look, w, h int) []string {
	if v.Ref.ID == "" {
		return exactly([]string{"", "  " + look.paint(Dim, "no run selected")}, w, h)
	}
	out := v.head(look, w)
	body := v.body(look, w, max(0, h-len(out)))
	return exactly(append(out, body...), w, h)
}

// head names the run in full, what it is, and the tabs.
func (v Inspector) head(look Look, w int) []string {
	out := []string{look.paint(Strong, FitMiddle(look.clean(string(v.Ref.ID)), w))}
	if r, ok := v.Run(); ok {
		out = append(out, look.paint(toneOf(r), Letter(r)+" "+strings.ToUpper(Word(r)))+" "+
			look.clean(kindOf(r))+look.paint(Dim, "  started "+clock(r.StartedAt)))
	} else {
		out = append(out, look.reading())
	}
	return append(out, v.tabs(look, w), v.findLine(look, w))
}

// body is the visible part of the tab.
func (v Inspector) body(look Look, w, h int) []string {
	var out []string
	if v.fail != "" {
		for _, line := range wrap(look.clean("cannot read the run: "+v.fail), w) {
			out = append(out, look.paint(Bad, line))
		}
	}
	switch {
	case v.lines == nil && v.fail == "":
		return append(out, look.reading())
	case len(v.lines) > h:
		h--
	}
	for i := v.from(look, w, h-len(out)); i < len(v.lines) && len(out) < h; i++ {
		out = append(out, v.line(look, i, w)...)
	}
	out = out[:min(len(out), h)]
	if len(v.lines) > h && h > 0 {
		last := min(v.top+h, len(v.lines))
		out = append(out, look.paint(Dim, FitRight(place(last, len(v.lines)), w)))
	}
	return out
}
