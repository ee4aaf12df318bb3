package views

import (
	"slices"

	"weft/flow"
)

// sorts are the orders a pane can be read in, its usual one first.
func (l List) sorts() []flow.Sort {
	switch l.Pane {
	case PaneOwed, PaneDead:
		return []flow.Sort{flow.ByID}
	case PaneTerminal:
		return []flow.Sort{flow.ByClosed, flow.ByCreated, flow.ByID}
	}
	return []flow.Sort{flow.ByCreated, flow.ByID}
}

// SortBy goes n orders on; ok is false when there is only one. The list must be
// read anew.
func (l List) SortBy(n int) (_ List, ok bool) {
	all := l.sorts()
	if len(all) < 2 {
		return l, false
	}
	i := max(0, slices.Index(all, l.sort))
	l.sort = all[(i+n+len(all))%len(all)]
	return l.reordered(), true
}

// Flipped is the list in the order turned round. It must be read anew.
func (l List) Flipped() List {
	l.flip = !l.flip
	return l.reordered()
}

// reordered is the list before it was read; the cursor stays on its run.
func (l List) reordered() List {
	l.rows, l.loaded, l.more, l.head, l.top, l.index = nil, false, false, "", 0, 0
	l.touched = false
	return l
}

// Usual reports whether the list is in its usual order.
func (l List) Usual() bool { return l.sort == l.usual && !l.flip }

// order tells the order in a word, "" when it is the usual one.
func (l List) order() string {
	if l.Usual() {
		return ""
	}
	arrow := " v"
	if l.flip {
		arrow = " ^"
	}
	return "by " + string(l.sort) + arrow
}
