package views

import (
	"slices"

	"weft/flow"
)

// follow takes everything in, as nobody reads below the first row. Only the
// run under the cursor stays when it left, and the cursor stays on its run; once
// it would be pushed out of sight, the list scrolls with it and follows no more.
func (l List) follow(rows []Row, more bool) List {
	w := window{rows: rows}
	i := w.find(l.at)
	if old, ok := l.Row(); i < 0 && ok {
		old.Gone = true
		i = min(l.index, len(rows))
		rows = slices.Insert(rows, i, old)
	}
	for j := range rows {
		if k := l.find(rows[j].Run.Ref); k >= 0 {
			rows[j].Busy = l.rows[k].Busy
		}
	}
	l.rows, l.more, l.fresh = rows, more, 0
	return l.point(max(i, 0)).trimmed()
}

// ahead is how many screens of rows below the visible ones are worth reading
// again each time.
const ahead = 3

// trimmed lets go of rows far below what is visible. Each reading asks for what
// the window holds and some more, so without it the window would grow with each.
func (l List) trimmed() List {
	if n := l.top + (1+ahead)*l.height; len(l.rows) > n {
		l.rows, l.more = l.rows[:n:n], true
	}
	return l
}

// merge brings the rows of the window up to date without moving one: rows that
// left stay, rows that would come between or above are counted.
func (l List) merge(rows []Row, more bool) List {
	if len(l.rows) == 0 {
		return l.retake(rows, more, l.head)
	}
	at := make(map[flow.Ref]int, len(rows))
	for j, r := range rows {
		at[r.Run.Ref] = j
	}
	end := 0 // rows[end:] lie behind every row of the window that was read again
	l.rows = slices.Clone(l.rows)
	read := make([]bool, len(l.rows))
	for i := range l.rows {
		if j, ok := at[l.rows[i].Run.Ref]; ok {
			rows[j].Busy = l.rows[i].Busy
			l.rows[i] = rows[j]
			read[i], end = true, j+1
		}
	}
	if end == 0 {
		end = len(rows)
	}
	l.fresh = 0
	for _, r := range rows[:end] {
		if l.find(r.Run.Ref) < 0 {
			l.fresh++
		}
	}
	l.judge(read, more && end == len(rows))
	below := rows[end:]
	if n := max(0, l.top+(1+ahead)*l.height-len(l.rows)); len(below) > n {
		below, more = below[:n], true
	}
	l.rows, l.more = append(l.rows, below...), more
	return l.point(l.index)
}

// judge marks the rows that left. Where the answer was cut short, rows behind
// the last one it had are unknown and stay as they are.
func (l List) judge(read []bool, cut bool) {
	known := len(read)
	if cut {
		for known > 0 && !read[known-1] {
			known--
		}
	}
	for i := range read[:known] {
		l.rows[i].Gone = !read[i]
	}
}

// pruned lets go of rows that left and are out of sight.
func (l List) pruned() List {
	rows := make([]Row, 0, len(l.rows))
	top, index := l.top, l.index
	for i, r := range l.rows {
		seen := i >= l.top && i < l.top+l.height
		if !r.Gone || seen || i == l.index || l.marks[r.Run.Ref] {
			rows = append(rows, r)
			continue
		}
		if i < l.top {
			top--
		}
		if i < l.index {
			index--
		}
	}
	l.rows, l.top = rows, top
	return l.point(index)
}

// leave drops the row the cursor was on, if it is no longer in the list.
func (l List) leave(from int) List {
	if from == l.index || from >= len(l.rows) || !l.rows[from].Gone || l.marks[l.rows[from].Run.Ref] {
		return l
	}
	l.rows = slices.Delete(slices.Clone(l.rows), from, from+1)
	if from < l.index {
		l.top = max(0, l.top-1)
		l.index--
	}
	return l.point(l.index)
}
