package views

import (
	"fmt"
	"slices"
	"strings"

	"weft/flow"
)

// column is one column of a list. Its name is what people choose it by.
type column struct {
	name, head string
	w          int
	id         bool // cut in the middle
	flex       bool // takes the room that is left
	fixed      bool // never gives way, and cannot be left out
	text       func(Look, Row) string
	tone       func(Look, Row) Tone
}

// columns are those that fit into w cells, chosen or usual.
func columns(p Pane, w int, rows []Row, chosen []string) []column {
	switch {
	case len(chosen) > 0:
		return chosenColumns(p, w, rows, chosen)
	case p == PaneOwed || p == PaneDead:
		return teardownColumns(p, w, rows)
	}
	return runColumns(p, w, rows)
}

// runColumns are the usual columns of runs. From right to left they give way:
// tags, deadline, updated, step; the id, the state and the age never. Ids and
// types get no more room than the rows need.
func runColumns(p Pane, w int, rows []Row) []column {
	all := catalogue(p, rows)
	id, kind, what, age := all.named("id"), all.named("type"), all.named(whatName(p)), all.named("age")
	what.w = 22
	longID := widest(rows, 0, func(r Row) string { return string(r.Run.ID) })
	room := w - 2 - (1 + id.w + age.w + 2)
	cols := []column{all.named("state"), id}
	if room >= kind.w+1 {
		cols, room = append(cols, kind), room-kind.w-1
	}
	at, cols := len(cols), append(cols, what)
	room -= what.w + 1
	cols = append(cols, age)
	for _, c := range all.more(p, w, rows) {
		if room < c.w+1 {
			break
		}
		cols, room = append(cols, c), room-c.w-1
	}
	if room < 0 { // no room for what a run waits for either
		cols[at].w += room
	} else {
		extra := min(room/3, max(0, longID-cols[1].w), 20)
		cols[1].w += extra
		cols[at].w += room - extra
	}
	if cols[at].w < 6 {
		cols[1].w += cols[at].w + 1
		cols = append(cols[:at], cols[at+1:]...)
	}
	return cols
}

// more are the columns that are shown where there is room. One that says
// nothing of any row is left out: what a run waits for needs the room.
func (all columnSet) more(p Pane, w int, rows []Row) []column {
	any := func(says func(flow.Run) bool) bool {
		return slices.ContainsFunc(rows, func(r Row) bool { return says(r.Run) })
	}
	var more []column
	switch p {
	case PaneTerminal:
		more = []column{all.named("ended"), all.named("took")}
	case PaneSuspended: // the reason needs the room
		if w < 106 {
			return nil
		}
	default:
		more = []column{all.named("updated")}
		if any(func(r flow.Run) bool { return r.Deadline != 0 }) {
			more = append(more, all.named("deadline"))
		}
	}
	if any(func(r flow.Run) bool { return len(r.Tags) > 0 }) {
		more = append(more, all.named("tags"))
	}
	return more
}

func heads(cols []column, w int) string {
	var b strings.Builder
	for _, c := range cols {
		b.WriteString(Fit(c.head, c.w) + " ")
	}
	return Fit(strings.TrimSuffix(b.String(), " "), w)
}

func letterOf(_ Look, r Row) string {
	if r.Gone {
		return "~"
	}
	return Letter(r.Run)
}

// whatName is what the most telling column of a pane is called.
func whatName(p Pane) string {
	switch p {
	case PaneSuspended:
		return "reason"
	case PaneTerminal:
		return "result"
	}
	return "step"
}

// whatOf is the most telling thing about a run: what was asked of it, why it left
// or stands, how it ended, what it waits for.
func whatOf(l Look, p Pane, r Row) string {
	run := r.Run
	switch {
	case r.Busy != "":
		return r.Busy
	case r.Gone:
		return leftBecause(p, run)
	case run.Held && !run.Status.Terminal():
		return "held: " + orElse(run.HeldBecause, "not registered here")
	case run.Status == flow.Suspended && p == PaneSuspended:
		return orElse(run.Reason, "no reason given")
	case run.Status == flow.Suspended:
		return "suspended: " + orElse(run.Reason, "no reason given")
	case run.Status.Terminal():
		return ending(run)
	case run.Status == flow.Pending:
		return "pending: not begun"
	}
	return progress(l, run)
}

// ending is how a run ended.
func ending(run flow.Run) string {
	switch {
	case run.Failure != nil:
		return run.Status.String() + ": " + run.Failure.Message
	case run.Reason != "":
		return run.Status.String() + ": " + run.Reason
	}
	return run.Status.String()
}

// progress is how far a run is: what it waits for, then what it says of itself.
// That the wait is for an activity goes without saying.
func progress(l Look, run flow.Run) string {
	parts := filled([]string{strings.TrimPrefix(awaits(l, run), "activity "), run.Summary})
	switch {
	case len(parts) == 0 && run.Step != "":
		return "at step " + string(run.Step)
	case len(parts) == 0:
		return "running"
	}
	return strings.Join(parts, ": ")
}

// awaits is what a run waits for. The instant a wait ends at is shown as the time
// that is left: it is shorter, and what people want to know.
func awaits(l Look, run flow.Run) string {
	if run.Due == 0 {
		return run.Waiting
	}
	due, left := run.Due.String(), orElse(l.left(run.Due), "0s")+" left"
	if run.Due.Time().Before(l.Now) {
		left = l.until(run.Due)
	}
	text := strings.ReplaceAll(run.Waiting, " until "+due, ", "+left)
	return strings.ReplaceAll(text, "at "+due, l.until(run.Due))
}

// whereabouts is the step a run is at, with what it waits for there.
func whereabouts(l Look, run flow.Run) string {
	step := ""
	if run.Step != "" {
		step = "step " + string(run.Step)
	}
	return orElse(strings.Join(filled([]string{step, awaits(l, run)}), ", "), "running")
}

func took(_ Look, r Row) string {
	if r.Run.ClosedAt == 0 {
		return "-"
	}
	return Took(r.Run.ClosedAt.Sub(r.Run.CreatedAt))
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// plural is "1 step", "3 steps".
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
