package views

import "weft/keymap"

// Modal is what lies over the panes and takes all keys.
type Modal interface {
	Place() keymap.Place
	Press(Press) (Modal, Intent)
	// Draw gives the lines of a box that fits into w by h cells.
	Draw(look Look, w, h int) []string
}

// boxWidth is how wide a box may be on a screen of w cells.
func boxWidth(w int) int {
	if w < 60 {
		return w
	}
	return min(w-4, 72)
}
