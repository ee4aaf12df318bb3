package list

import "weft/flow"

// window takes the entries of one page out of a walk.
type window struct {
	order order
	limit int
	// first: the page begins at the start of the list, so what it counts is
	// the list.
	first bool
	meter *meter
	rows  []entry
	// found counts matches, on the page and behind it; total is -1 until it is
	// known.
	found, total int64
	more         bool
	next         position
}

func newWindow(q flow.Query, o order, m *meter) *window {
	limit := q.Limit
	if limit <= 0 {
		limit = flow.DefaultLimit
	}
	limit = min(limit, flow.MaxLimit)
	return &window{order: o, limit: limit, rows: make([]entry, 0, min(limit, 128)), first: q.After == "", meter: m, total: -1}
}

// fill walks source until the page is full and nothing more is to be counted,
// or the budget is spent.
func (w *window) fill(source entries, match func(*entry) (bool, error)) error {
	for e, err := range source {
		if err != nil {
			return err
		}
		enough := !w.meter.look()
		ok, err := match(&e)
		if err != nil {
			return err
		}
		if ok && w.take(e) {
			return nil
		}
		if enough {
			w.stop(e.at)
			return nil
		}
	}
	if w.total < 0 && w.first {
		w.total = w.found
	}
	return nil
}

// take adds a match and reports whether the walk may end.
func (w *window) take(e entry) bool {
	w.found++
	if len(w.rows) < w.limit {
		w.rows = append(w.rows, e)
		return false
	}
	if !w.more {
		w.more, w.next = true, w.rows[len(w.rows)-1].at
		w.meter.tighten()
	}
	return w.total >= 0 || !w.first
}

// stop ends the walk at a place behind which nothing was looked at.
func (w *window) stop(at position) {
	if !w.more {
		w.more, w.next = true, at
	}
}

// page is the page without its rows.
func (w *window) page() flow.Page {
	p := flow.Page{More: w.more, Total: w.total, AtLeast: w.found, Scanned: w.meter.scanned}
	if w.total >= 0 {
		p.AtLeast = w.total
	}
	if w.more {
		p.Next = w.order.cursor(w.next)
	}
	p.Cursors = make([]string, 0, len(w.rows))
	for i := range w.rows {
		p.Cursors = append(p.Cursors, w.order.cursor(w.rows[i].at))
	}
	return p
}
