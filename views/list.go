package views

import (
	"slices"

	"weft/flow"
)

// Row is a run in a list.
type Row struct {
	// Run is the run; in a list of teardowns or dead letters only its address
	// and its type are known.
	Run flow.Run
	// Owed and Dead are what such a list shows, nil elsewhere.
	Owed   *flow.Teardown
	Dead   *flow.Dead
	cursor string // to page on behind it
	// Gone: the run is no longer in the list. It stays, dimmed, until the
	// cursor leaves it.
	Gone bool
	// Busy says what was asked of the run and is not answered yet.
	Busy string
}

// List is a window on a list of runs.
//
// Invariant: at is the address of rows[index], or zero when there is no row.
type List struct {
	Pane Pane
	// Name is shown in titles when the pane has several parts, Parts names them
	// all; Empty is what to say when nothing is there, More a key that is then of
	// use.
	Name, Parts, Empty, More string
	base                     flow.Filter
	sort, usual              flow.Sort
	flip                     bool // the order is turned round
	// chosen are the columns by name, nil for the usual ones.
	chosen []string

	text   string // the filter as typed
	filter flow.Filter
	problem,
	failure string // of the filter, of the last read

	window
	at     flow.Ref
	aim    flow.Ref // to put the cursor on with the next answer
	index  int
	top    int
	height int
	left   int
	marks  map[flow.Ref]bool
	// latest is the run marked last, where a range begins.
	latest flow.Ref
	// all: every run the filter chooses is marked, also those not read.
	all bool

	// touched: the operator moved the cursor off the first row, so nothing
	// follows any more. held: a mark, a dialog or a text field is open.
	touched, held bool
}

// NewList is an empty list of the runs that base chooses.
func NewList(p Pane, name string, base flow.Filter, sort flow.Sort, empty string) List {
	return List{Pane: p, Name: name, Empty: empty, base: base, filter: base, sort: sort, usual: sort, height: 10}
}

// Total is how many runs the filter chooses, -1 when that is not known.
func (l List) Total() int64 {
	if !l.loaded {
		return -1
	}
	return l.total
}

// Read reports whether the last read brought rows, or that there are none.
func (l List) Read() bool { return l.loaded && l.failure == "" }

// AtLeast is how many runs the filter chooses at least.
func (l List) AtLeast() int64 { return max(l.total, l.atLeast) }

// Row is the row under the cursor; ok is false when there is none.
func (l List) Row() (Row, bool) {
	if l.index < 0 || l.index >= len(l.rows) {
		return Row{}, false
	}
	return l.rows[l.index], true
}

// Filter is the text of the filter in force.
func (l List) Filter() string { return l.text }

// Marked are how many marked runs are in the window, and how many more are
// marked. With all that the filter chooses marked, none counts as hidden.
func (l List) Marked() (shown, hidden int) {
	if l.all {
		return int(max(l.total, l.atLeast)), 0
	}
	for _, r := range l.rows {
		if l.marks[r.Run.Ref] {
			shown++
		}
	}
	return shown, len(l.marks) - shown
}

// Sized tells the list how many rows are visible.
func (l List) Sized(h int) List {
	l.height = max(1, h)
	return l.scrolled()
}

// Seek puts the cursor on a run, or on the run of an id, if it was read; else it
// stays.
func (l List) Seek(ref flow.Ref) List {
	i := slices.IndexFunc(l.rows, func(r Row) bool {
		return r.Run.Ref == ref || ref.Run == "" && r.Run.ID == ref.ID
	})
	if i < 0 || i == l.index {
		return l
	}
	return l.step(i - l.index)
}

// Aimed puts the cursor on a run when the list is read anew, if it is there.
func (l List) Aimed(ref flow.Ref) List {
	l.aim = ref
	return l
}

// Hold stops the list from following while something is open over it.
func (l List) Hold(on bool) List {
	l.held = on
	return l
}

// following reports whether new rows are taken in by themselves.
func (l List) following() bool {
	return l.top == 0 && l.head == "" && !l.touched && !l.held && !l.all && len(l.marks) == 0
}

// Refilter sets the filter. A text that cannot be read keeps the last good
// one; ok is false then. Ages in it are counted from now.
func (l List) Refilter(text string, now flow.Instant) (_ List, ok bool) {
	f, err := ParseFilter(text, now)
	if err == nil {
		err = l.Pane.takes(f)
	}
	if err == nil {
		f, err = within(l.base, f)
	}
	if err != nil {
		l.problem = err.Error()
		return l, false
	}
	l.problem, l.text, l.filter = "", text, f
	l.loaded, l.all = false, false
	l.head, l.top = "", 0
	return l, true
}

// Note takes in what a notice says of a run, so that a row that left can say
// why.
func (l List) Note(ref flow.Ref, s flow.Status) List {
	i := l.find(ref)
	if i < 0 || !s.Valid() || l.rows[i].Run.Status == 0 {
		return l
	}
	l.rows = slices.Clone(l.rows)
	l.rows[i].Run.Status = s
	return l
}

// Learn takes in a run that was read for itself.
func (l List) Learn(r flow.Run) List {
	i := l.find(r.Ref)
	if i < 0 || l.rows[i].Run.Status == 0 {
		return l
	}
	l.rows = slices.Clone(l.rows)
	l.rows[i].Run = r
	return l
}

// Find is the row of a run, as far as it was read.
func (l List) Find(ref flow.Ref) (Row, bool) {
	i := l.find(ref)
	if i < 0 {
		return Row{}, false
	}
	return l.rows[i], true
}

// Mind shows on a row what was asked of its run; "" clears it.
func (l List) Mind(ref flow.Ref, what string) List {
	i := l.find(ref)
	if i < 0 {
		return l
	}
	l.rows = slices.Clone(l.rows)
	l.rows[i].Busy = what
	return l
}

// point puts the cursor on row i, or nowhere when there are no rows.
func (l List) point(i int) List {
	l.index = min(max(i, 0), len(l.rows)-1)
	l.at = flow.Ref{}
	if l.index >= 0 {
		l.at = l.rows[l.index].Run.Ref
	} else {
		l.index = 0
	}
	return l.scrolled()
}

// scrolled moves the visible part so that the cursor is in it.
func (l List) scrolled() List {
	l.top = min(l.top, l.index)
	l.top = max(l.top, l.index-l.height+1, 0)
	return l
}

// Settled shows the filter in force again, where one that cannot be read was typed.
func (l List) Settled() List {
	l.problem = ""
	return l
}

// Problem says what is wrong with the filter typed last; "" when nothing is.
func (l List) Problem() string { return l.problem }

// Held is how many rows are kept in memory.
func (l List) Held() int { return len(l.rows) }
