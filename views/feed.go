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
	// since is when the console began to hear of what happens, 0 while it does not;
	// why says why not.
	since flow.Instant
	why   string
	roll  // counts from the newest; follows while it is 0
}

// Heard is the feed when it is told of all that happens from now on.
func (f Feed) Heard(now flow.Instant) Feed {
	f.since, f.why = now, ""
	return f
}

// Deaf is the feed when it is told of nothing, with the reason.
func (f Feed) Deaf(why string) Feed {
	f.since, f.why = 0, why
	return f
}

// Take adds notices, which come oldest first. A reader who moved away from the
// newest stays on the notice he is at.
func (f Feed) Take(ns []flow.Notice) Feed {
	before := len(f.notices)
	f.notices = slices.Clone(f.notices)
	for _, n := range ns {
		if i := f.similar(n); i >= 0 {
			f.notices[i].similar++
			f.notices[i].Ref, f.notices[i].Seq = n.Ref, n.Seq
			continue
		}
		f.notices = slices.Insert(f.notices, 0, entryOf{Notice: n, first: n.At})
	}
	f.roll = f.pushed(len(f.notices) - before)
	f.notices = f.notices[:min(len(f.notices), feedKeeps)]
	f.roll = f.to(f.index, len(f.notices))
	return f
}

// similar is the entry that n is counted in, -1 when there is none. Other notices
// may lie between; the entry stays where it is, so that nothing moves.
func (f Feed) similar(n flow.Notice) int {
	for i, e := range f.notices {
		switch {
		case e.takes(n):
			return i
		case e.Missed > 0, n.At.Sub(e.first) >= time.Second: // what is further down is older, or before a gap
			return -1
		}
	}
	return -1
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
	f.roll = f.sized(h, len(f.notices))
	return f
}

// Empty reports whether there is no notice.
func (f Feed) Empty() bool { return len(f.notices) == 0 }

// Press applies one key.
func (f Feed) Press(p Press) (Feed, Intent) {
	switch p.Action {
	case keymap.Follow:
		p.Action = keymap.Top
	case keymap.Open:
		if f.index >= len(f.notices) || f.notices[f.index].Ref.ID == "" {
			return f, Say{"this notice is of no run"}
		}
		return f, OpenRun{f.notices[f.index].Ref}
	}
	f.roll = f.press(p.Action, len(f.notices))
	return f, nil
}

// Draw shows the feed; cursor shows where the reader is.
func (f Feed) Draw(look Look, w, h int, cursor bool) []string {
	if len(f.notices) == 0 {
		return exactly([]string{"", "  " + look.paint(Dim, Fit(f.calm(look), w-2))}, w, h)
	}
	return exactly(f.draw(look, w, h, len(f.notices), cursor, func(i, w int) string {
		return noticeLine(look, f.notices[i], w)
	}), w, h)
}

// calm is what is said without a notice: nothing happened only where it would have
// been heard.
func (f Feed) calm(look Look) string {
	if f.since == 0 {
		return "unknown: " + look.clean(orElse(f.why, "not read yet"))
	}
	return "nothing happened since " + clock(f.since)
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
	tone := noticeTone(n.Notice)
	line := look.paint(Dim, clock(n.At)) + " " + look.paint(tone, Fit(look.clean(string(n.Kind)), 9)) + " " +
		FitMiddle(look.clean(string(n.Ref.ID)), min(24, w/4)) + " "
	if w >= 100 { // the id tells more than the type
		line += look.paint(Dim, Fit(look.clean(n.Type), 14)) + " "
	}
	text = look.clean(look.shortly(orElse(text, string(n.Step))))
	return Fit(line+look.paint(tone, text), w)
}

// noticeTone is how much a notice asks for attention: an attempt after which
// another one follows is no alarm.
func noticeTone(n flow.Notice) Tone {
	switch {
	case n.Kind == flow.NoticeDead:
		return Bad
	case n.Failed && (n.Kind == flow.NoticeAttempt || n.Kind == flow.NoticeTeardown):
		return Warn
	case n.Failed:
		return Bad
	}
	return Plain
}
