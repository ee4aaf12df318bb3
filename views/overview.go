package views

import (
	"fmt"
	"slices"
	"strings"

	"weft/flow"
	"weft/keymap"
)

// Overview is everything at a glance; each line leads to its pane.
type Overview struct {
	Rate  Rate
	index int
}

// fact is a line of the overview.
type fact struct {
	name, value, note string
	tone              Tone
	to                Pane
	// bar is a number that is drawn as well, -1 for none.
	bar int64
}

// facts are in three groups: runs, clean-ups, and what they run on.
const (
	runFacts     = 7
	cleanupFacts = 2
)

// Press applies one key; the needs come after the facts.
func (v Overview) Press(p Press, h Header, needs []Need) (Overview, Intent) {
	facts := v.facts(Look{}, h, List{}, 40)
	all := len(facts) + len(needs)
	switch p.Action {
	case keymap.Open:
		if i := min(v.index, all-1); i >= len(facts) {
			return v, GoTo{needs[i-len(facts)].to}
		}
		return v, GoTo{facts[v.index].to}
	case keymap.Top:
		v.index = 0
	case keymap.Bottom:
		v.index = all - 1
	default:
		n, _ := stride(p.Action, all)
		v.index += n
	}
	v.index = max(0, min(v.index, all-1))
	return v, nil
}

func (v Overview) facts(look Look, h Header, owed List, w int) []fact {
	c, i := h.Info.Counts, h.Info
	count := func(name string, n int64, note string, t Tone, to Pane) fact {
		s := fmt.Sprint(n)
		switch {
		case !h.Known:
			s, t, note = "?", Dim, ""
		case n == 0:
			t = Dim
		}
		return fact{name, s, note, t, to, -1}
	}
	runs := []fact{
		count("running", c.Running, "", Calm, PaneRunning),
		count("pending", c.Pending, "begin later", Plain, PaneRunning),
		count("suspended", c.Suspended, "wait to be resumed", Warn, PaneSuspended),
		count("completed", c.Completed, "", Good, PaneTerminal),
		count("failed", c.Failed, "", Bad, PaneTerminal),
		count("cancelled", c.Cancelled, "", Plain, PaneTerminal),
		count("timed out", c.TimedOut, "", Warn, PaneTerminal),
	}
	for i, n := range []int64{c.Running, c.Pending, c.Suspended, c.Completed, c.Failed, c.Cancelled, c.TimedOut} {
		runs[i].bar = n
	}
	standing, problems := h.problems(), ""
	if h.Known {
		problems = "none"
	}
	if n := len(standing); n > 0 {
		problems = standing[n-1].Text
	}
	lease, tone := leaseWord(i.Lease.State)
	term, store := strings.Join(filled([]string{"epoch " + epochOf(i.Lease), leftOf(look.left(i.Lease.ExpiresAt))}), ", "), storeNote(look, i)
	troubles := count("problems", int64(len(standing)), problems, Warn, PaneProblems)
	changes := fmt.Sprintf("%d/s", v.Rate.Last())
	if !h.Known {
		term, store, troubles.note = "", "", problems
		if len(v.Rate.samples) == 0 {
			changes = "?"
		}
	}
	return append(runs,
		count("owed", c.Owed, owedNote(look, h, owed), h.owedTone(look), PaneOwed),
		count("dead", c.Dead, "clean-ups that were given up", Bad, PaneDead),
		fact{"lease", lease, term, tone, PaneLease, -1},
		count("in memory", int64(i.Live), plural(i.Attempts, "attempt")+" and "+plural(i.Finalizers, "teardown")+" under way", Plain, PaneRunning),
		fact{"changes", changes, v.Rate.Line(max(10, w-24)), Plain, PaneFeed, -1},
		fact{"store", orElse(i.Health, "?"), store, healthTone(i.Health), PaneProblems, -1},
		troubles,
		fact{"audit", "", "what operators did", Plain, PaneAudit, -1},
	)
}

func leftOf(left string) string {
	if left == "" {
		return ""
	}
	return left + " left"
}

// owedNote is how long the oldest teardown is owed, and when the next attempt at
// one begins.
func owedNote(look Look, h Header, owed List) string {
	if h.Info.Counts.Owed == 0 {
		return "all clean-ups are done"
	}
	next := flow.Instant(0)
	for _, r := range owed.rows {
		if r.Owed != nil && stateOf(look, r) == owedState && (next == 0 || r.Owed.NextAt < next) {
			next = r.Owed.NextAt
		}
	}
	note := strings.Trim(h.oldest(look), " ()")
	if next != 0 {
		left := "now"
		if s := look.left(next); s != "" {
			left = "in " + s
		}
		note = strings.Join(filled([]string{note, "next attempt " + left}), ", ")
	}
	return note
}

func storeNote(look Look, i flow.Info) string {
	size, free := Size(i.SizeBytes), Size(i.FreeBytes)+" free"
	if i.SizeBytes == 0 && i.FreeBytes == 0 { // not measured: a store on disk is never empty
		size, free = "", ""
	}
	return strings.Join(filled([]string{i.Trouble, size, free, look.sync(i)}), ", ")
}

func healthTone(health string) Tone {
	if health == "healthy" {
		return Good
	}
	return Warn
}

// Lines of the overview that lead nowhere: a gap, the head of the needs.
const (
	noLine   = -1
	headLine = -2
)

// lines are what stands on h lines, by number: facts, then needs, unless those
// stand beside. Groups are set apart where there is room, named where there is
// more, and a need has as many lines as its text asks for where there is most.
func (v Overview) lines(look Look, facts int, needs []Need, w, h int) []int {
	group := func(from, n int) (out []int) {
		for i := range n {
			out = append(out, from+i)
		}
		return out
	}
	groups := [][]int{group(0, runFacts), group(runFacts, cleanupFacts), group(runFacts+cleanupFacts, facts-runFacts-cleanupFacts)}
	gaps := 2
	if len(needs) > 0 {
		gaps += 2 + len(needs)
	}
	var out []int
	for i, g := range groups {
		if i > 0 && facts+gaps <= h {
			out = append(out, noLine)
		}
		out = append(out, g...)
	}
	if len(needs) == 0 {
		return out
	}
	if facts+gaps <= h {
		out = append(out, noLine)
	}
	out = append(out, headLine)
	for i, rows := range look.spread(needs, w-2, h-len(out)) {
		out = append(out, slices.Repeat([]int{facts + i}, rows)...)
	}
	return out
}

// barWide is the room for the number of runs as a bar.
const barWide = 12

// Draw shows the overview; beside: the needs are drawn for themselves.
func (v Overview) Draw(look Look, head Header, owed List, needs []Need, w, h int, beside bool) []string {
	facts := v.facts(look, head, owed, w)
	below := needs
	if beside {
		below = nil
	}
	lines := v.lines(look, len(facts), below, w, h)
	most := int64(1)
	for _, f := range facts {
		most = max(most, f.bar)
	}
	at := max(0, slices.Index(lines, min(v.index, len(facts)+len(needs)-1)))
	top := max(0, min(at-h+1, len(lines)-h))
	var out []string
	for i, n := range lines[top:] {
		switch {
		case n == noLine, n == headLine && len(out) == h-1: // a head of nothing
			out = append(out, "")
		case n == headLine:
			out = append(out, look.paint(Dim, "-- needs a person "+strings.Repeat("-", max(0, w-18))))
		case n >= len(facts):
			first, rows := linesOf(lines, n)
			out = append(out, look.chosenLine(look.needLine(needs[n-len(facts)], top+i-first, rows, w-2), w, n == v.index))
		default:
			out = append(out, look.chosenLine(look.factLine(facts[n], most, w-2), w, n == v.index))
		}
	}
	return exactly(out, w, h)
}

// linesOf is where the lines with one number begin, and how many they are.
func linesOf(lines []int, n int) (first, rows int) {
	first = slices.Index(lines, n)
	for rows = 1; first+rows < len(lines) && lines[first+rows] == n; {
		rows++
	}
	return first, rows
}

// DrawNeeds shows what needs a person, for itself.
func (v Overview) DrawNeeds(look Look, head Header, needs []Need, w, h int) []string {
	if len(needs) == 0 {
		return exactly([]string{"  " + look.calm(head)}, w, h)
	}
	at := v.index - factCount()
	top := v.needsFrom(needs, h, true)
	var out []string
	for i, rows := range look.spread(needs, w-2, h) {
		for part := range rows {
			out = append(out, look.chosenLine(look.needLine(needs[i], part, rows, w-2), w, i == at))
		}
	}
	return exactly(out[top:], w, h)
}

// needsFrom is the first line of the needs that is shown where they have h for
// themselves; here: the cursor is among them or the facts.
func (v Overview) needsFrom(needs []Need, h int, here bool) int {
	if !here {
		return 0
	}
	return max(0, min(v.index-factCount()-h+1, len(needs)-h))
}

// factCount is how many facts there are, whatever they say.
func factCount() int { return len(Overview{}.facts(Look{}, Header{}, List{}, 40)) }

// PointNeed puts the cursor on one of what needs a person.
func (v Overview) PointNeed(i int) Overview {
	v.index = factCount() + i
	return v
}

// chosenLine is a painted line with the cursor, or with room for it.
func (l Look) chosenLine(line string, w int, here bool) string {
	if here {
		return l.paint(Chosen, Fit("> "+unpainted(line), w))
	}
	return "  " + line
}

func (l Look) factLine(f fact, most int64, w int) string {
	line := l.paint(f.tone, Fit(f.name, 11)+FitRight(l.clean(f.value), 9)) + "  "
	if f.bar >= 0 && w >= 60 {
		n := int((f.bar*barWide + most - 1) / most)
		line += l.paint(f.tone, Fit(strings.Repeat("#", n), barWide)) + "  "
	}
	return Fit(line+l.paint(Dim, l.clean(f.note)), w)
}

// PointAt puts the cursor on what is on a visible line; ok is false when nothing
// is.
func (v Overview) PointAt(look Look, row int, needs []Need, w, h int, beside bool) (_ Overview, ok bool) {
	facts := factCount()
	all := len(needs)
	if beside {
		needs = nil
	}
	lines := v.lines(look, facts, needs, w, h)
	at := max(0, slices.Index(lines, min(v.index, facts+all-1)))
	row += max(0, min(at-h+1, len(lines)-h))
	if row < 0 || row >= len(lines) || lines[row] < 0 {
		return v, false
	}
	v.index = lines[row]
	return v, true
}
