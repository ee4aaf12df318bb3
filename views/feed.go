package views

import (
	"fmt"

	"weft/flow"
	"weft/keymap"
)

// feedKeeps is how many notices the feed remembers.
const feedKeeps = 500

// Feed is the latest notices, newest first.
type Feed struct {
	notices []flow.Notice
	// index counts from the newest; follows while it is 0.
	index, top int
	height     int
}

// Take adds notices, which come oldest first. A reader who moved away from the
// newest stays on the notice he is at.
func (f Feed) Take(ns []flow.Notice) Feed {
	fresh := make([]flow.Notice, 0, len(ns)+len(f.notices))
	for i := len(ns) - 1; i >= 0; i-- {
		fresh = append(fresh, ns[i])
	}
	f.notices = append(fresh, f.notices...)
	if f.index > 0 {
		f.index += len(ns)
		f.top += len(ns)
	}
	f.notices = f.notices[:min(len(f.notices), feedKeeps)]
	return f.to(f.index)
}

// Sized tells how many notices are visible.
func (f Feed) Sized(h int) Feed {
	f.height = max(1, h)
	return f.to(f.index)
}

func (f Feed) to(i int) Feed {
	f.index = max(0, min(i, len(f.notices)-1))
	f.top = max(0, min(f.top, f.index), f.index-f.height+1)
	return f
}

// Press applies one key.
func (f Feed) Press(p Press) (Feed, Intent) {
	switch p.Action {
	case keymap.Top:
		return f.to(0), nil
	case keymap.Bottom:
		return f.to(len(f.notices)), nil
	case keymap.Open:
		if f.index >= len(f.notices) || f.notices[f.index].Ref.ID == "" {
			return f, Say{"this notice is of no run"}
		}
		return f, OpenRun{f.notices[f.index].Ref}
	}
	n, _ := stride(p.Action, f.height)
	return f.to(f.index + n), nil
}

// Draw shows the feed; cursor shows where the reader is.
func (f Feed) Draw(look Look, w, h int, cursor bool) []string {
	if len(f.notices) == 0 {
		return exactly([]string{"", "  " + look.paint(Dim, "nothing happened since the console was opened")}, w, h)
	}
	top := 0
	if cursor {
		top = f.top
	}
	var out []string
	for i := top; i < len(f.notices) && len(out) < h; i++ {
		line := noticeLine(look, f.notices[i], w-2)
		switch {
		case cursor && i == f.index:
			line = look.paint(Chosen, Fit("> "+line, w))
		case f.notices[i].Failed:
			line = "  " + look.paint(Bad, line)
		default:
			line = "  " + line
		}
		out = append(out, line)
	}
	return exactly(out, w, h)
}

func noticeLine(look Look, n flow.Notice, w int) string {
	text := n.Text
	if n.Status.Valid() && text == "" {
		text = n.Status.String()
	}
	if n.Missed > 0 {
		text = fmt.Sprintf("(%d notices were missed before this) %s", n.Missed, text)
	}
	id := FitMiddle(look.clean(string(n.Ref.ID)), min(24, w/4))
	return Fit(clock(n.At)+" "+Fit(look.clean(string(n.Kind)), 9)+" "+id+" "+Fit(look.clean(n.Type), min(16, w/6))+" "+
		look.clean(orElse(text, string(n.Step))), w)
}
