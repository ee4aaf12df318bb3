package views

import (
	"slices"
	"strings"

	"weft/keymap"
)

// SetColumns gives the list its columns by name, none for the usual ones. Close
// ends the dialog they are chosen in.
type SetColumns struct {
	Names []string
	Close bool
}

func (SetColumns) intent() {}

// Columns is the dialog in which the columns of a list are chosen. The list
// behind it shows each choice at once; esc goes back to how it was.
type Columns struct {
	items  []columnItem
	before []string // what was chosen when the dialog opened
	index  int
	h      int // how many are visible, as far as that is known
}

type columnItem struct {
	name, head string
	on, fixed  bool
}

// NewColumns asks for the columns of a list that is drawn w cells wide.
func NewColumns(l List, w int) Columns {
	return Columns{items: l.items(l.Shown(w)), before: l.chosen, h: 12}
}

// items are all columns of the pane, those that are shown first and in their
// order.
func (l List) items(shown []string) []columnItem {
	all := catalogue(l.Pane, nil)
	var items []columnItem
	for _, name := range shown {
		c := all.named(name)
		items = append(items, columnItem{name, c.head, true, c.fixed})
	}
	for _, c := range all {
		if !slices.Contains(shown, c.name) {
			items = append(items, columnItem{c.name, c.head, c.fixed, c.fixed})
		}
	}
	return items
}

// Place implements [Modal].
func (Columns) Place() keymap.Place { return keymap.ColumnDialog }

// Press applies one key.
func (v Columns) Press(p Press) (Modal, Intent) {
	v.items = slices.Clone(v.items)
	switch p.Action {
	case keymap.Back:
		return v, SetColumns{v.before, true}
	case keymap.Stay:
		return v, CloseModal{}
	case keymap.Usual:
		return v, SetColumns{nil, true}
	case keymap.Toggle:
		return v.toggled()
	case keymap.MoveUp:
		return v.moved(-1)
	case keymap.MoveDown:
		return v.moved(1)
	case keymap.Top:
		v.index = 0
	case keymap.Bottom:
		v.index = len(v.items) - 1
	}
	n, _ := stride(p.Action, v.h)
	v.index = max(0, min(v.index+n, len(v.items)-1))
	return v, nil
}

func (v Columns) toggled() (Modal, Intent) {
	item := &v.items[v.index]
	if item.fixed {
		return v, Say{strings.ToLower(item.name) + " is always shown"}
	}
	item.on = !item.on
	return v, SetColumns{Names: v.names()}
}

// moved moves the column n places.
func (v Columns) moved(n int) (Modal, Intent) {
	to := v.index + n
	if to < 0 || to >= len(v.items) {
		return v, nil
	}
	v.items[v.index], v.items[to] = v.items[to], v.items[v.index]
	v.index = to
	return v, SetColumns{Names: v.names()}
}

func (v Columns) names() []string {
	var out []string
	for _, i := range v.items {
		if i.on {
			out = append(out, i.name)
		}
	}
	return out
}

// Draw implements [Modal].
func (v Columns) Draw(look Look, w, h int) []string {
	bw := min(w-2, 46)
	rows := max(1, min(len(v.items), h-5))
	top := max(0, min(v.index-rows/2, len(v.items)-rows))
	var lines []string
	for i := top; i < top+rows; i++ {
		item := v.items[i]
		box, note := "[ ]", ""
		switch {
		case item.fixed:
			box, note = "[=]", "always"
		case item.on:
			box = "[x]"
		}
		line := Beside(box+" "+Fit(item.name, 12)+item.head, note, bw-6)
		switch {
		case i == v.index:
			line = look.paint(Chosen, Fit("> "+line, bw-4))
		case !item.on:
			line = "  " + look.paint(Dim, line)
		default:
			line = "  " + line
		}
		lines = append(lines, " "+line)
	}
	lines = append(lines, "", look.paint(Dim, FitRight(place(v.index+1, len(v.items))+"  what does not fit is left out ", bw-2)))
	return look.box("Columns", lines, bw, len(lines)+2, true)
}
