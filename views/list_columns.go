package views

import (
	"fmt"
	"slices"
	"strings"

	"weft/flow"
)

// Columns are the columns that were chosen, nil for the usual ones.
func (l List) Columns() []string { return l.chosen }

// WithColumns is the list with these columns, in this order; none for the usual
// ones. What a list must always show is added, what it does not know left out.
func (l List) WithColumns(names []string) List {
	all := catalogue(l.Pane, nil)
	var known []string
	for _, name := range names {
		if all.named(name).name != "" && !slices.Contains(known, name) {
			known = append(known, name)
		}
	}
	if len(known) > 0 {
		for i, c := range all {
			if c.fixed && !slices.Contains(known, c.name) {
				known = slices.Insert(known, min(i, len(known)), c.name)
			}
		}
	}
	l.chosen = known
	return l
}

// Shown are the names of the columns that are shown on w cells.
func (l List) Shown(w int) []string {
	var out []string
	for _, c := range columns(l.Pane, w, l.rows, l.chosen) {
		out = append(out, c.name)
	}
	return out
}

// NameColumns reads what is typed behind ":cols" on a list of w cells: names
// with commas, or names with + and - that change what is shown. "auto" is the
// usual ones.
func (l List) NameColumns(text string, w int) ([]string, error) {
	if text == "auto" {
		return nil, nil
	}
	all, names := catalogue(l.Pane, nil), []string(nil)
	if strings.ContainsAny(text[:1], "+-") {
		names = l.Shown(w)
	}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		name := strings.TrimLeft(word, "+-")
		c := all.named(name)
		switch {
		case c.name == "":
			return nil, fmt.Errorf("there is no column %q here: %s, or auto", name, strings.Join(all.names(), " "))
		case word[0] == '-' && c.fixed:
			return nil, fmt.Errorf("%s is always shown", name)
		case word[0] == '-':
			names = slices.DeleteFunc(names, func(n string) bool { return n == name })
		case !slices.Contains(names, name):
			names = append(names, name)
		}
	}
	return names, nil
}

func (all columnSet) names() []string {
	var out []string
	for _, c := range all {
		out = append(out, c.name)
	}
	return out
}

// Order is the order of the list, and whether it is turned round.
func (l List) Order() (flow.Sort, bool) { return l.sort, l.flip }

// WithOrder is the list in an order; ok is false when the pane has none of that
// name. It must be read anew.
func (l List) WithOrder(s flow.Sort, flip bool) (_ List, ok bool) {
	if !slices.Contains(l.sorts(), s) {
		return l, false
	}
	if l.sort == s && l.flip == flip {
		return l, true
	}
	l.sort, l.flip = s, flip
	return l.reordered(), true
}

// Orders are the names of the orders a list can have.
func (l List) Orders() []string {
	var out []string
	for _, s := range l.sorts() {
		out = append(out, string(s))
	}
	return out
}
