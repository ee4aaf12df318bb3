package views

import (
	"fmt"
	"strings"

	"weft/keymap"
)

// rateKeeps is how many seconds of the rate are remembered.
const rateKeeps = 60

// Rate is how many notices came in each of the last seconds.
type Rate struct {
	samples []int
}

// Add takes in the number of one more second.
func (r Rate) Add(n int) Rate {
	r.samples = append(append([]int(nil), r.samples...), n)
	r.samples = r.samples[max(0, len(r.samples)-rateKeeps):]
	return r
}

// levels are the heights of a sparkline in ASCII.
const levels = "_.:-=+*#"

// Line is the rate as a sparkline of at most w cells, the newest at the right.
func (r Rate) Line(w int) string {
	s := r.samples[max(0, len(r.samples)-w):]
	most := 1
	for _, n := range s {
		most = max(most, n)
	}
	var b strings.Builder
	for _, n := range s {
		i := n * (len(levels) - 1) / most
		if n > 0 {
			i = max(i, 1)
		}
		b.WriteByte(levels[i])
	}
	return b.String()
}

// Last is the newest number.
func (r Rate) Last() int {
	if len(r.samples) == 0 {
		return 0
	}
	return r.samples[len(r.samples)-1]
}

// Overview is everything at a glance; each line leads to its pane.
type Overview struct {
	Rate  Rate
	index int
}

// cell is a line of the overview.
type cell struct {
	name, value, note string
	tone              Tone
	to                Pane
}

// Press applies one key.
func (v Overview) Press(p Press, h Header) (Overview, Intent) {
	cells := v.cells(Look{}, h, 40)
	switch p.Action {
	case keymap.Open:
		return v, GoTo{cells[min(v.index, len(cells)-1)].to}
	case keymap.Top:
		v.index = 0
	case keymap.Bottom:
		v.index = len(cells) - 1
	default:
		n, _ := stride(p.Action, len(cells))
		v.index += n
	}
	v.index = max(0, min(v.index, len(cells)-1))
	return v, nil
}

func (v Overview) cells(look Look, h Header, w int) []cell {
	c, i := h.Info.Counts, h.Info
	count := func(name string, n int64, note string, t Tone, to Pane) cell {
		s := fmt.Sprint(n)
		switch {
		case !h.Known:
			s, t = "?", Dim
		case n == 0:
			t = Dim
		}
		return cell{name, s, note, t, to}
	}
	lease, tone := leaseWord(i.Lease.State)
	owed := "all clean-ups are done"
	if c.Owed > 0 {
		owed = strings.Trim(h.oldest(look), " ()")
	}
	problems, standing := "none", h.problems()
	if n := len(standing); n > 0 {
		problems = standing[n-1].Text
	}
	return []cell{
		count("running", c.Running, plural(i.Live, "run")+" in memory, "+plural(i.Attempts, "attempt")+" under way", Calm, PaneRunning),
		count("pending", c.Pending, "begin later", Plain, PaneRunning),
		count("suspended", c.Suspended, "wait for somebody to resume them", Warn, PaneSuspended),
		count("completed", c.Completed, "", Good, PaneTerminal),
		count("failed", c.Failed, "", Bad, PaneTerminal),
		count("cancelled", c.Cancelled, "", Plain, PaneTerminal),
		count("timed out", c.TimedOut, "", Warn, PaneTerminal),
		count("owed", c.Owed, owed, h.owedTone(look), PaneOwed),
		count("dead", c.Dead, "clean-ups that were given up", Bad, PaneDead),
		{"lease", lease, ifAny("", look.left(i.Lease.ExpiresAt)) + ifAny(" ", leftWord(look.left(i.Lease.ExpiresAt))), tone, PaneLease},
		count("problems", int64(len(standing)), problems, Warn, PaneProblems),
		{"changes", fmt.Sprintf("%d/s", v.Rate.Last()), v.Rate.Line(max(10, w-30)), Plain, PaneFeed},
		{"store", orElse(i.Health, "?"), Size(i.SizeBytes) + ", " + Size(i.FreeBytes) + " free  " + look.sync(i), healthTone(i.Health), PaneProblems},
		{"audit", "@", "what operators did", Plain, PaneAudit},
	}
}

func healthTone(health string) Tone {
	if health == "healthy" {
		return Good
	}
	return Warn
}

// Draw shows the overview.
func (v Overview) Draw(look Look, head Header, w, h int) []string {
	var out []string
	cells := v.cells(look, head, w)
	top := max(0, min(v.index-h+1, len(cells)-h))
	for i, c := range cells {
		if i < top {
			continue
		}
		line := Fit(c.name, 11) + FitRight(look.clean(c.value), 9) + "  "
		note := look.clean(c.note)
		switch {
		case i == v.index:
			line = look.paint(Chosen, Fit("> "+line+note, w))
		default:
			line = "  " + look.paint(c.tone, line) + look.paint(Dim, note)
		}
		out = append(out, line)
	}
	return exactly(out, w, h)
}

// Problems are the standing conditions at length.
type Problems struct {
	top, height int
}

// Sized tells how many lines are visible.
func (v Problems) Sized(h int) Problems {
	v.height = max(1, h)
	return v
}

// Press applies one key.
func (v Problems) Press(p Press) (Problems, Intent) {
	n, _ := stride(p.Action, v.height)
	switch p.Action {
	case keymap.Top:
		v.top = 0
	case keymap.Bottom:
		v.top = 1 << 16
	}
	v.top = max(0, v.top+n)
	return v, nil
}

// Draw shows the problems.
func (v Problems) Draw(lines []string, w, h int) []string {
	top := max(0, min(v.top, len(lines)-h))
	return exactly(lines[top:], w, h)
}
