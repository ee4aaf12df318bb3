package views

import (
	"slices"

	"weft/flow"
)

// window is the part of a list that is held: rows in order, between two ends.
type window struct {
	rows []Row
	// head is the cursor the first row lies behind; "" is the start of the
	// list. more: rows lie behind the last one.
	head string
	more bool
	// fresh counts rows that belong into the window and are kept out while it
	// is held.
	fresh          int
	total, atLeast int64
	scanned        int64
	whole          int64 // without the filter, 0 when that is not known
	loaded         bool
}

// Part is what to read of a list.
type Part uint8

const (
	// Again reads the window again.
	Again Part = iota
	// Anew reads from the start of the list and takes everything in.
	Anew
	// Retake reads the window again and takes everything in.
	Retake
	// Below and Above read on at the ends of the window.
	Below
	Above
	// Last reads the end of the list.
	Last
)

// screens is how many screens of rows a window holds at most.
const screens = 6

// of is the list in the store.
func (l List) of() flow.List {
	switch l.Pane {
	case PaneOwed:
		return flow.ListTeardowns
	case PaneDead:
		return flow.ListDead
	}
	return flow.ListRuns
}

// Query is the question for a part.
func (l List) Query(p Part) flow.Query {
	q := flow.Query{Of: l.of(), Filter: l.filter, Sort: l.sort}
	chunk := max(2*l.height, 20)
	switch p {
	case Again, Retake:
		q.After, q.Limit = l.head, len(l.rows)+chunk
	case Anew:
		q.Limit = 2 * chunk
	case Below:
		q.Limit = chunk
		if n := len(l.rows); n > 0 {
			q.After = l.rows[n-1].cursor
		}
	case Above:
		q.Backward, q.Limit = true, chunk+1
		if len(l.rows) > 0 {
			q.After = l.rows[0].cursor
		}
	case Last:
		q.Backward, q.Limit = true, 2*chunk+1
	}
	q.Limit = min(q.Limit, flow.MaxLimit)
	q.Backward = q.Backward != l.flip
	return q
}

// Wants is the part the list lacks for what is visible; ok is false when it
// lacks none.
func (l List) Wants() (p Part, ok bool) {
	switch {
	case !l.loaded:
		return Anew, true
	case l.head != "" && l.top < l.height:
		return Above, true
	case l.more && l.top+2*l.height > len(l.rows):
		return Below, true
	}
	return 0, false
}

// Failed keeps what is shown and remembers why reading failed.
func (l List) Failed(err error) List {
	l.failure = err.Error()
	return l
}

// Take puts an answer into the window.
func (l List) Take(p Part, page flow.Page) List {
	rows := rowsOf(page)
	l.failure = ""
	l.total, l.atLeast, l.scanned, l.whole = page.Total, page.AtLeast, page.Scanned, l.countAll(page.Counts)
	switch {
	case p == Below:
		return l.below(rows, page.More)
	case p == Above:
		return l.above(rows, page.More)
	case p == Last:
		return l.last(rows, page.More)
	case p == Retake:
		return l.retake(rows, page.More, l.head)
	case p == Anew || !l.loaded:
		return l.retake(rows, page.More, "")
	case l.following():
		return l.follow(rows, page.More)
	}
	return l.merge(rows, page.More).pruned()
}

// countAll is how many rows the list has without a filter, 0 when that is not
// known.
func (l List) countAll(c flow.Counts) (n int64) {
	switch {
	case l.Pane == PaneOwed:
		return c.Owed
	case l.Pane == PaneDead:
		return c.Dead
	case l.base.Held != nil:
		return 0
	}
	for _, s := range l.base.Statuses {
		n += c.Of(s)
	}
	return n
}

func rowsOf(page flow.Page) []Row {
	rows := make([]Row, 0, len(page.Runs)+len(page.Teardowns)+len(page.Dead))
	for _, r := range page.Runs {
		rows = append(rows, Row{Run: r})
	}
	for i := range page.Teardowns {
		t := &page.Teardowns[i]
		rows = append(rows, Row{Run: flow.Run{Ref: t.Ref, Type: t.Type}, Owed: t})
	}
	for i := range page.Dead {
		d := &page.Dead[i]
		rows = append(rows, Row{Run: flow.Run{Ref: d.Ref, Type: d.Type}, Dead: d})
	}
	for i, c := range page.Cursors {
		if i < len(rows) {
			rows[i].cursor = c
		}
	}
	return rows
}

func (w window) find(ref flow.Ref) int {
	return slices.IndexFunc(w.rows, func(r Row) bool { return r.Run.Ref == ref })
}

// retake replaces the window. The cursor stays on its run if that is there.
func (l List) retake(rows []Row, more bool, head string) List {
	was := l.index
	l.rows, l.more, l.head, l.fresh, l.loaded = rows, more, head, 0, true
	if i := l.find(l.aim); i >= 0 {
		l.aim, l.touched = flow.Ref{}, i > 0
		return l.point(i)
	}
	l.aim = flow.Ref{}
	if i := l.find(l.at); i >= 0 {
		return l.point(i)
	}
	return l.point(min(was, max(0, len(rows)-1)))
}

// last replaces the window by the end of the list, which was read backwards.
func (l List) last(rows []Row, more bool) List {
	slices.Reverse(rows)
	l.head = ""
	if more && len(rows) > 1 {
		l.head, rows = rows[0].cursor, rows[1:]
	}
	l.rows, l.more, l.loaded = rows, false, true
	l.top = len(rows)
	return l.point(len(rows) - 1)
}

// below adds rows behind the window and lets go of those far above.
func (l List) below(rows []Row, more bool) List {
	l.rows = slices.Concat(l.rows, unseen(l.window, rows))
	l.more = more
	if over := min(len(l.rows)-screens*l.height, l.top-2*l.height); over > 0 {
		l.head = l.rows[over-1].cursor
		l.rows = slices.Clone(l.rows[over:])
		l.top -= over
		l.index -= over
	}
	return l.point(l.index)
}

// above adds rows before the window, which were read backwards, and lets go of
// those far below.
func (l List) above(rows []Row, more bool) List {
	slices.Reverse(rows)
	l.head = ""
	if more && len(rows) > 1 {
		l.head, rows = rows[0].cursor, rows[1:]
	}
	rows = unseen(l.window, rows)
	l.rows = slices.Concat(rows, l.rows)
	l.top += len(rows)
	l.index += len(rows)
	if keep := max(screens*l.height, l.top+2*l.height); len(l.rows) > keep {
		l.rows, l.more = slices.Clone(l.rows[:keep]), true
	}
	return l.point(l.index)
}

// unseen are the rows that are not in the window.
func unseen(w window, rows []Row) []Row {
	return slices.DeleteFunc(rows, func(r Row) bool { return w.find(r.Run.Ref) >= 0 })
}
