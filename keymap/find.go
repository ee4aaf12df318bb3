package keymap

import "slices"

// Map is the keys as an operator has them: those of the table, or with changes
// (see [Rebound]). The zero Map is the table as it is. A Map never changes, so
// it may be used by several goroutines.
type Map struct{ rows map[Place][]Binding }

func (m Map) own(p Place) []Binding {
	if m.rows == nil {
		return table[p]
	}
	return m.rows[p]
}

// At lists the keys that work in p, most likely first: its own, then those of
// Everywhere unless p stands alone.
func (m Map) At(p Place) []Binding {
	return slices.DeleteFunc(m.All(p), func(b Binding) bool { return len(b.Keys) == 0 })
}

// All is At with the actions that lost their keys: the palette and menus have them.
func (m Map) All(p Place) []Binding {
	all := slices.Clone(m.own(p))
	if !p.alone() {
		all = append(all, m.own(Everywhere)...)
	}
	return all
}

// Find is what key means in p; None when nothing.
func (m Map) Find(p Place, key string) Action {
	for _, b := range m.own(p) {
		if slices.Contains(b.Keys, key) {
			return b.Action
		}
	}
	if p.alone() {
		return None
	}
	return m.Find(Everywhere, key)
}

// Label is how the keys of a in p are shown; "" when it has none.
func (m Map) Label(p Place, a Action) string {
	for _, b := range m.At(p) {
		if b.Action == a {
			return b.Label
		}
	}
	return ""
}

// Key is one key of a in p, for a sentence that names it: usual while that is one
// of them, else the first. It is the word for the command line when it has none.
func (m Map) Key(p Place, a Action, usual string) string {
	for _, b := range m.At(p) {
		switch {
		case b.Action != a:
		case slices.Contains(b.Keys, usual):
			return usual
		default:
			return b.Keys[0]
		}
	}
	if p >= HelpPage { // no command reaches what lies over the panes
		return "(no key)"
	}
	return ":" + a.String()
}

// Own lists the actions of p alone whose keys can be changed, also those that
// have none.
func (m Map) Own(p Place) []Binding {
	return slices.DeleteFunc(slices.Clone(m.own(p)), func(b Binding) bool { return slices.Contains(steady, b.Action) })
}
