package keymap

import "slices"

// At lists the keys that work in p, most likely first: its own, then those of
// Everywhere unless p stands alone.
func At(p Place) []Binding {
	own := slices.Clone(table[p])
	if p.alone() {
		return own
	}
	return append(own, table[Everywhere]...)
}

// Find is what key means in p; None when nothing.
func Find(p Place, key string) Action {
	for _, b := range table[p] {
		if slices.Contains(b.Keys, key) {
			return b.Action
		}
	}
	if p.alone() {
		return None
	}
	return Find(Everywhere, key)
}
