package views

// Sheet is a pane of lines that are only read, such as the lease and the problems.
type Sheet struct{ scroll }

// Press applies one key; rows of the n lines there are are visible.
func (v Sheet) Press(p Press, rows, n int) Sheet {
	return Sheet{v.press(p.Action, rows, n)}
}

// Draw shows the lines.
func (v Sheet) Draw(look Look, lines []string, w, h int) []string {
	return v.window(look, lines, w, h)
}
