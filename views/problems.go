package views

// Problems are the standing conditions at length.
type Problems struct {
	scroll
	height int
}

// Sized tells how many lines are visible.
func (v Problems) Sized(h int) Problems {
	v.height = max(1, h)
	return v
}

// Press applies one key; n is how many lines there are.
func (v Problems) Press(p Press, n int) (Problems, Intent) {
	v.scroll = v.press(p.Action, v.height, n)
	return v, nil
}

// Draw shows the problems.
func (v Problems) Draw(look Look, lines []string, w, h int) []string {
	return v.window(look, lines, w, h)
}
