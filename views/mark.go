package views

import (
	"cmp"
	"maps"
	"slices"

	"weft/flow"
)

// mark turns the mark of the row under the cursor on or off. After all were
// marked it begins anew: one mark set apart from all others cannot be shown.
func (l List) mark() List {
	row, ok := l.Row()
	if !ok {
		return l
	}
	if l.all {
		return l.Unmarked()
	}
	l.marks = maps.Clone(l.marks)
	if l.marks == nil {
		l.marks = map[flow.Ref]bool{}
	}
	if l.marks[row.Run.Ref] {
		delete(l.marks, row.Run.Ref)
	} else {
		l.marks[row.Run.Ref], l.latest = true, row.Run.Ref
	}
	return l
}

// markRange marks everything from the run marked last to the cursor; without
// one it marks the row.
func (l List) markRange() List {
	from := l.find(l.latest)
	if l.all || from < 0 || !l.marks[l.latest] {
		return l.mark()
	}
	l.marks = maps.Clone(l.marks)
	for i := min(from, l.index); i <= max(from, l.index) && i < len(l.rows); i++ {
		if !l.rows[i].Gone {
			l.marks[l.rows[i].Run.Ref] = true
		}
	}
	l.latest = l.at
	return l
}

// Unmarked forgets all marks.
func (l List) Unmarked() List {
	l.marks, l.all, l.latest = nil, false, flow.Ref{}
	return l
}

// MarkedAll marks everything that the filter chooses.
func (l List) MarkedAll() List {
	l.marks, l.all = nil, true
	return l
}

// MarkedOnly marks these runs and no others.
func (l List) MarkedOnly(refs []flow.Ref) List {
	l.marks, l.all, l.latest = map[flow.Ref]bool{}, false, flow.Ref{}
	for _, ref := range refs {
		l.marks[ref] = true
	}
	return l
}

// isMarked reports whether an act would be done to r.
func (l List) isMarked(r Row) bool { return l.marks[r.Run.Ref] || l.all && !r.Gone }

// Choice is what an act on the marks is about: some runs, those that are not
// seen first, or all that a filter chooses. ok is false when nothing is marked.
func (l List) Choice() (only []flow.Ref, by flow.Filter, ok bool) {
	if l.all {
		return nil, l.filter, true
	}
	for ref := range l.marks {
		only = append(only, ref)
	}
	slices.SortFunc(only, func(a, b flow.Ref) int {
		i, j := l.find(a), l.find(b)
		return cmp.Or(cmp.Compare(i, j), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Run, b.Run))
	})
	return only, flow.Filter{}, len(only) > 0
}

// Oldest is since when the oldest teardown of a list is owed, 0 when not all
// are in the window; lost reports an attempt that was lost.
func (l List) Oldest(now flow.Instant) (since flow.Instant, lost bool) {
	for _, r := range l.rows {
		if r.Owed == nil || r.Gone {
			continue
		}
		lost = lost || TeardownState(*r.Owed, now) == staleState
		if since == 0 || r.Owed.OwedAt < since {
			since = r.Owed.OwedAt
		}
	}
	if !l.loaded || l.more || l.head != "" || l.text != "" {
		since = 0
	}
	return since, lost
}

// Hidden are how many of refs are not in the window.
func (l List) Hidden(refs []flow.Ref) int {
	n := 0
	for _, ref := range refs {
		if l.find(ref) < 0 {
			n++
		}
	}
	return n
}

// Refs are the addresses of the rows that were read.
func (l List) Refs() []flow.Ref {
	refs := make([]flow.Ref, len(l.rows))
	for i, r := range l.rows {
		refs[i] = r.Run.Ref
	}
	return refs
}
