package views

import (
	"fmt"
	"slices"
	"strings"

	"weft/flow"
)

// mostNeeds is how many rows of one list are named one by one.
const mostNeeds = 4

// Need is something a person should look at, and the pane where that is done.
type Need struct {
	what, text string
	tone       Tone
	to         Pane
}

// Needs are what a person should look at, the worst first: what is dead, what is
// owed and does not come right by itself, what stands in the way, what waits for
// somebody. Owed and dead are the lists as far as they were read.
func Needs(look Look, h Header, owed, dead List) []Need {
	if !h.Known {
		return nil
	}
	c := h.Info.Counts
	all := several(PaneDead, "dead", Bad, c.Dead, "clean-ups that were given up", deadNeeds(dead))
	stuck, lost := stuckNeeds(look, owed)
	if !lost && h.OwedLost {
		stuck = append(stuck, Need{"owed", "an attempt was lost", Bad, PaneOwed})
	}
	all = append(all, several(PaneOwed, "owed", Warn, int64(len(stuck)), "", stuck)...)
	if d := look.OwedTooLong(h.OwedSince); d > 0 {
		all = append(all, Need{"owed", "the oldest clean-up is owed for " + Age(d), Bad, PaneOwed})
	}
	if s := h.Info.Lease.State; s != flow.LeaseHeld {
		word, tone := leaseWord(s)
		all = append(all, Need{"lease", word + ifAny(": ", leaseMeans[s]), tone, PaneLease})
	}
	for _, p := range slices.Backward(h.problems()) {
		all = append(all, Need{"problem", p.Text + ifAny(": ", p.Advice), Warn, PaneProblems})
	}
	if c.Suspended > 0 {
		all = append(all, Need{"suspended", plural(int(c.Suspended), "run") + " until somebody resumes", Warn, PaneSuspended})
	}
	return all
}

// several are the first of the needs of one list, with how many there are more; one
// line of numbers while they were not read.
func several(to Pane, what string, tone Tone, n int64, told string, read []Need) []Need {
	switch {
	case n == 0:
		return nil
	case len(read) == 0:
		return []Need{{what, fmt.Sprintf("%d %s", n, told), tone, to}}
	case n > mostNeeds:
		read = append(slices.Clone(read[:min(len(read), mostNeeds-1)]), Need{what, fmt.Sprintf("%d more", n-mostNeeds+1), tone, to})
	}
	return read
}

func deadNeeds(l List) (out []Need) {
	for _, r := range l.rows {
		if r.Dead != nil && !r.Gone && len(out) < mostNeeds {
			out = append(out, Need{"dead", string(r.Run.ID) + ": " + orElse(r.Dead.LastError, finalizerOf(r)+" was given up"), Bad, PaneDead})
		}
	}
	return out
}

// stuckNeeds are the owed teardowns that time alone does not mend; lost: an
// attempt of one was lost.
func stuckNeeds(look Look, l List) (out []Need, lost bool) {
	for _, r := range l.rows {
		if r.Owed == nil || r.Gone {
			continue
		}
		text, tone := "", Warn
		switch stateOf(look, r) {
		case staleState:
			text, tone, lost = "lost attempt of "+finalizerOf(r), Bad, true
		case heldState:
			text = finalizerOf(r) + " not in this build"
		default:
			continue
		}
		out = append(out, Need{"owed", string(r.Run.ID) + ": " + text, tone, PaneOwed})
	}
	return out, lost
}

// needText is where the text of a need begins.
const needText = 11

// spread is how many of rows lines each need has: one, and what its text asks for
// where that is left, a second one for all before a third one for any.
func (l Look) spread(needs []Need, w, rows int) []int {
	out, asks := make([]int, len(needs)), make([]int, len(needs))
	for i, n := range needs {
		out[i], asks[i] = 1, len(wrap(l.clean(n.text), w-needText))
	}
	rows -= len(needs)
	for more := true; more; {
		more = false
		for i := range needs {
			if rows > 0 && out[i] < asks[i] {
				out[i], rows, more = out[i]+1, rows-1, true
			}
		}
	}
	return out
}

// needLine is a line of a need that has some; the last one is cut when those are
// too few.
func (l Look) needLine(n Need, part, of, w int) string {
	text, name := l.clean(n.text), ""
	if part == 0 {
		name = n.what
	}
	if lines := wrap(text, w-needText); of > 1 && part < len(lines) {
		text = lines[part]
		if part == of-1 {
			text = strings.Join(lines[part:], " ")
		}
	}
	return Fit(l.paint(n.tone, Fit(name, needText))+text, w)
}

// calm is what is said where nothing needs a person.
func (l Look) calm(h Header) string {
	if !h.Known {
		return l.paint(Dim, "unknown: not read yet")
	}
	return l.paint(Good, "nothing")
}
