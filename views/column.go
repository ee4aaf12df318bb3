package views

import (
	"fmt"
	"slices"
	"strings"

	"weft/flow"
)

// column is one column of a list of runs.
type column struct {
	head string
	w    int
	id   bool // cut in the middle
	text func(Look, Row) string
	tone func(Look, Row) Tone
}

// columns are those that fit into w cells. From right to left they give way:
// tags, deadline, updated, step; the id, the state and the age never. Ids and
// types get no more room than the rows need.
func columns(p Pane, w int, rows []Row) []column {
	if p == PaneOwed || p == PaneDead {
		return teardownColumns(p, w, rows)
	}
	state := column{head: "S", w: 1, text: letterOf, tone: func(_ Look, r Row) Tone { return toneOf(r.Run) }}
	id := column{head: "ID", w: 20, id: true, text: func(l Look, r Row) string { return l.clean(string(r.Run.ID)) }}
	kind := column{head: "TYPE", w: 14, text: func(l Look, r Row) string { return l.clean(r.Run.Type) }}
	what := column{head: whatHead(p), w: 22, text: func(l Look, r Row) string { return l.clean(what(l, p, r)) }}
	age := column{head: "AGE", w: 6, text: func(l Look, r Row) string { return l.when(r.Run.CreatedAt) }}
	longID, longType := 0, 0
	for _, r := range rows {
		longID, longType = max(longID, width(string(r.Run.ID))), max(longType, width(r.Run.Type))
	}
	id.w, kind.w = min(id.w, max(longID, 8)), min(kind.w, max(longType, 4))
	room := w - 2 - (1 + id.w + age.w + 3)
	cols := []column{state, id}
	if room >= kind.w+1 {
		cols, room = append(cols, kind), room-kind.w-1
	}
	at, cols := len(cols), append(cols, what)
	room -= what.w + 1
	cols = append(cols, age)
	for _, c := range moreColumns(p, w, rows) {
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

// moreColumns are the columns that are shown where there is room. One that says
// nothing of any row is left out: what a run waits for needs the room.
func moreColumns(p Pane, w int, rows []Row) []column {
	updated := column{head: "UPD", w: 6, text: func(l Look, r Row) string { return l.when(r.Run.UpdatedAt) }}
	deadline := column{head: "DEADLINE", w: 8, text: func(l Look, r Row) string { return l.until(r.Run.Deadline) }}
	tags := column{head: "TAGS", w: 12, text: func(l Look, r Row) string { return l.clean(strings.Join(r.Run.Tags, ",")) }}
	ended := column{head: "ENDED", w: 6, text: func(l Look, r Row) string { return l.when(r.Run.ClosedAt) }}
	any := func(says func(flow.Run) bool) bool {
		return slices.ContainsFunc(rows, func(r Row) bool { return says(r.Run) })
	}
	var more []column
	switch p {
	case PaneTerminal:
		more = []column{ended, {head: "TOOK", w: 8, text: took}}
	case PaneSuspended: // the reason needs the room
		if w < 106 {
			return nil
		}
	default:
		more = []column{updated}
		if any(func(r flow.Run) bool { return r.Deadline != 0 }) {
			more = append(more, deadline)
		}
	}
	if any(func(r flow.Run) bool { return len(r.Tags) > 0 }) {
		more = append(more, tags)
	}
	return more
}

func heads(cols []column, w int) string {
	var b strings.Builder
	for _, c := range cols {
		b.WriteString(Fit(c.head, c.w) + " ")
	}
	return Fit(b.String(), w)
}

func letterOf(_ Look, r Row) string {
	if r.Gone {
		return "~"
	}
	return Letter(r.Run)
}

func whatHead(p Pane) string {
	switch p {
	case PaneSuspended:
		return "REASON"
	case PaneTerminal:
		return "RESULT"
	}
	return "STEP"
}

// what is the most telling thing about a run: what was asked of it, why it left
// or stands, how it ended, what it waits for.
func what(l Look, p Pane, r Row) string {
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

// progress is how far a run is. The instant a wait ends at is shown as the time
// that is left: it is shorter, and what people want to know.
func progress(l Look, run flow.Run) string {
	if due := run.Due.String(); run.Due != 0 {
		left := strings.TrimPrefix(l.until(run.Due), "in ") + " left"
		if run.Due.Time().Before(l.Now) {
			left = l.until(run.Due)
		}
		run.Waiting = strings.ReplaceAll(run.Waiting, " until "+due, ", "+left)
		run.Waiting = strings.ReplaceAll(run.Waiting, "at "+due, l.until(run.Due))
	}
	var parts []string
	if run.Step != "" && run.Waiting+run.Summary == "" {
		return "at step " + string(run.Step)
	}
	if run.Step != "" {
		parts = append(parts, string(run.Step))
	}
	if run.Waiting != "" {
		parts = append(parts, run.Waiting)
	}
	if run.Summary != "" {
		parts = append(parts, run.Summary)
	}
	if len(parts) == 0 {
		return "running"
	}
	return strings.Join(parts, " ")
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
