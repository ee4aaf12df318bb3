package views

import (
	"weft/flow"
	"weft/keymap"
)

// Reply shows what a run answered to an update or a query.
type Reply struct {
	title, about string
	lines        []string
	scroll
}

// NewReply shows a payload under a title; about is a line above it.
func NewReply(title, about string, p flow.Payload) Reply {
	return Reply{title: title, about: about, lines: Pretty(p)}
}

// Place implements [Modal].
func (Reply) Place() keymap.Place { return keymap.Outcome }

// Press applies one key.
func (v Reply) Press(p Press) (Modal, Intent) {
	if closes(p.Action) {
		return v, CloseModal{}
	}
	v.scroll = v.press(p.Action, 10, len(v.lines))
	return v, nil
}

// Settled implements [Scrolled].
func (v Reply) Settled(_ Look, _, h int) Modal {
	v.top = v.from(v.rows(h), len(v.lines))
	return v
}

func (v Reply) rows(h int) int { return max(1, min(len(v.lines), h-6)) }

// Draw implements [Modal].
func (v Reply) Draw(look Look, w, h int) []string {
	bw, rows := boxWidth(w), v.rows(h)
	top := v.from(rows, len(v.lines))
	lines := []string{" " + look.paint(Dim, FitMiddle(look.clean(v.about), bw-4)), ""}
	for _, l := range v.lines[top : top+min(rows, len(v.lines))] {
		lines = append(lines, " "+Fit(look.clean(l), bw-4))
	}
	last := look.paint(Dim, FitRight(place(min(top+rows, len(v.lines)), len(v.lines))+"   "+look.key(keymap.Outcome, keymap.Back, "esc")+" closes", bw-3))
	lines = append(lines, last)
	return look.box(v.title, lines, bw, len(lines)+2, true)
}
