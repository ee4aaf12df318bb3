package views

import (
	"weft/flow"
	"weft/keymap"
)

// Press applies one key.
func (l List) Press(p Press) (List, Intent) {
	switch p.Action {
	case keymap.Mark:
		return l.mark().step(1), nil
	case keymap.MarkRange:
		return l.markRange(), nil
	case keymap.ClearMarks:
		return l.Unmarked(), nil
	case keymap.Left:
		l.left = max(0, l.left-8)
		return l, nil
	case keymap.Right:
		l.left = min(400, l.left+8)
		return l, nil
	case keymap.Open:
		row, ok := l.Row()
		if !ok {
			return l, Say{"no row selected"}
		}
		return l, OpenRun{row.Run.Ref}
	case keymap.Top:
		return l.home(), nil
	}
	if n, ok := stride(p.Action, l.height); ok {
		return l.step(n), nil
	}
	return l, nil
}

// stride is how many lines an action moves on a screen of h lines.
func stride(a keymap.Action, h int) (int, bool) {
	switch a {
	case keymap.Up:
		return -1, true
	case keymap.Down:
		return 1, true
	case keymap.HalfUp:
		return -max(1, h/2), true
	case keymap.HalfDown:
		return max(1, h/2), true
	case keymap.PageUp:
		return -max(1, h-1), true
	case keymap.PageDown:
		return max(1, h-1), true
	}
	return 0, false
}

// step moves the cursor by n rows.
func (l List) step(n int) List {
	from := l.index
	l = l.point(l.index + n).leave(from)
	l.touched = l.index > 0
	return l
}

// home goes to the first row and lets the list follow again; the loop reads
// the list anew, which takes in what is new.
func (l List) home() List {
	l.touched, l.top, l.left = false, 0, 0
	l.loaded = false
	l.at = flow.Ref{}
	l.index = 0
	if len(l.rows) > 0 {
		l.at = l.rows[0].Run.Ref
	}
	return l
}
