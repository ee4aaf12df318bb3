package views

import "weft/keymap"

// roll is a cursor on lines that are numbered from the top, and the part of them
// that is visible.
type roll struct {
	index, top, height int
}

// sized tells how many of n lines are visible.
func (r roll) sized(h, n int) roll {
	r.height = max(1, h)
	return r.to(r.index, n)
}

// to puts the cursor on line i of n.
func (r roll) to(i, n int) roll {
	r.index = max(0, min(i, n-1))
	r.top = max(0, min(r.top, r.index), r.index-r.height+1)
	return r
}

// pushed is the roll after k lines came before the first one: a reader who is
// not at the top stays on the line he is at.
func (r roll) pushed(k int) roll {
	if r.index > 0 {
		r.index, r.top = r.index+k, r.top+k
	}
	return r
}

// press moves the cursor over n lines.
func (r roll) press(a keymap.Action, n int) roll {
	switch a {
	case keymap.Top:
		return r.to(0, n)
	case keymap.Bottom:
		return r.to(n, n)
	}
	by, _ := stride(a, r.height)
	return r.to(r.index+by, n)
}

// draw is what is visible of n lines on h lines of w cells; line gives one,
// painted, in the room beside the cursor. Without here there is no cursor, and the
// top is shown.
func (r roll) draw(look Look, w, h, n int, here bool, line func(i, w int) string) []string {
	top := r.top
	if !here {
		top = 0
	}
	var out []string
	for i := top; i < n && len(out) < h; i++ {
		text := line(i, w-2)
		if here && i == r.index {
			out = append(out, look.paint(Chosen, Fit("> "+unpainted(text), w)))
			continue
		}
		out = append(out, "  "+text)
	}
	return out
}
