package views

import "weft/keymap"

// Modal is what lies over the panes and takes all keys.
type Modal interface {
	Place() keymap.Place
	Press(Press) (Modal, Intent)
	// Draw gives the lines of a box that fits into w by h cells.
	Draw(look Look, w, h int) []string
}

// Scrolled is a modal that holds more than its box, and learns how large that is.
type Scrolled interface {
	Modal
	// Settled is the modal scrolled no further than its end, in w by h cells. A key
	// that goes back then shows at once.
	Settled(look Look, w, h int) Modal
}

// boxWidth is how wide a box may be on a screen of w cells.
func boxWidth(w int) int {
	if w < 60 {
		return w
	}
	return min(w-4, 72)
}
