package views

import (
	"fmt"
	"slices"
	"time"

	"weft/flow"
	"weft/keymap"
)

// feedKeeps is how many notices the feed remembers.
const feedKeeps = 500

// Feed is the latest notices, newest first.
type Feed struct {
	notices []entryOf
	// index counts from the newest; follows while it is 0.
	index, top int
	height     int
}

// Take adds notices, which come oldest first. A reader who moved away from the
// newest stays on the notice he is at.
func (f Feed) Take(ns []flow.Notice) Feed {
	before := len(f.notices)
	f.notices = slices.Clone(f.notices)
	for _, n := range ns {
		if len(f.notices) > 0 && f.notices[0].takes(n) {
			f.notices[0].similar++
			f.notices[0].Ref, f.notices[0].Seq = n.Ref, n.Seq
			continue
		}
		f.notices = slices.Insert(f.notices, 0, entryOf{Notice: n, first: n.At})
	}
	if more := len(f.notices) - before; f.index > 0 {
		f.index += more
		f.top += more
	}
	f.notices = f.notices[:min(len(f.notices), feedKeeps)]
	return f.to(f.index)
}

// entryOf is a notice with how many similar ones came within a second.
type entryOf struct {
	flow.Notice
	first   flow.Instant
	similar int
}

// takes reports whether n says the same as the entry, within a second of its
// first. Runs may differ; texts may not.
func (e entryOf) takes(n flow.Notice) bool {
	return e.Kind == n.Kind && e.Type == n.Type && e.Text == n.Text && e.Status == n.Status && e.Failed == n.Failed &&
		e.Missed+n.Missed == 0 && n.At.Sub(e.first) < time.Second
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
	case keymap.Top, keymap.Follow:
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

func noticeLine(look Look, n entryOf, w int) string {
	text := n.Text
	if n.Status.Valid() && text == "" {
		text = n.Status.String()
	}
	if n.Missed > 0 {
		text = fmt.Sprintf("(%d notices were missed before this) %s", n.Missed, text)
	}
	if n.similar > 0 {
		text = fmt.Sprintf("(%d similar in 1s) %s", n.similar+1, orElse(text, string(n.Step)))
	}
	id := FitMiddle(look.clean(string(n.Ref.ID)), min(24, w/4))
	return Fit(clock(n.At)+" "+Fit(look.clean(string(n.Kind)), 9)+" "+id+" "+Fit(look.clean(n.Type), min(16, w/6))+" "+
		look.clean(orElse(text, string(n.Step))), w)
}
