package views

import (
	"fmt"

	"weft/keymap"
)

// Draw implements [Modal]. The lines with the fields and the keys are always
// there; a long text scrolls above them.
func (c Confirm) Draw(look Look, w, h int) []string {
	bw := boxWidth(w)
	inner := bw - 4
	end := c.ending(look, inner)
	text := c.lines(look, inner)
	room := max(1, min(h, max(h-2, 12))-2-len(end))
	if len(text) > room {
		top := max(0, min(c.top, len(text)-room+1))
		last := top + room - 1
		text = append(append([]string(nil), text[top:last]...), look.paint(Dim, FitRight(look.scrolls(c.Place())+" "+place(last, len(text)), inner)))
	}
	var lines []string
	for _, l := range append(text, end...) {
		lines = append(lines, " "+l)
	}
	if over := len(lines) - (h - 2); over > 0 { // keep the keys
		lines = lines[over:]
	}
	return look.box(c.title, lines, bw, len(lines)+2, true)
}

// lines are what it is about and what happens.
func (c Confirm) lines(look Look, w int) []string {
	var out []string
	for i, s := range c.about {
		s = look.clean(s)
		if i > 0 {
			out = append(out, wrap(s, w)...)
			continue
		}
		for _, l := range wrap(s, w) {
			out = append(out, look.paint(Strong, l))
		}
	}
	if c.changed {
		out = append(out, look.paint(Warn, "This has changed while the question was open: look again."))
	}
	out = append(out, "")
	for _, s := range c.text {
		out = append(out, wrap(look.clean(s), w)...)
	}
	if c.off != "" {
		for _, l := range wrap(look.clean("Not possible: "+c.off), w) {
			out = append(out, look.paint(Bad, l))
		}
	}
	return out
}

// ending are the fields and the keys.
func (c Confirm) ending(look Look, w int) []string {
	field := func(name string, f Field, focus bool) string {
		tone := Dim
		if focus {
			tone = Strong
		}
		return look.paint(tone, Fit(name, 7)) + "[" + f.Draw(look, w-9, 1, focus)[0] + "]"
	}
	out := []string{""}
	if c.phrase != "" {
		out = append(out, look.paint(Dim, Fit("type", 7))+look.paint(Strong, c.phrase), field(">", c.typed, !c.onReason))
	}
	return append(out, field("reason", c.reason, c.onReason), "", c.buttons(look, w))
}

func (c Confirm) buttons(look Look, w int) string {
	at := c.Place()
	reason := "   " + look.key(at, keymap.NextField, "tab") + " reason"
	keep := "[ " + look.key(at, keymap.Stay, "n") + " keep it ]" + reason
	yes := look.paint(Strong, look.key(at, keymap.Accept, "y")) + " " + c.verb
	if c.phrase != "" {
		keep = look.key(at, keymap.Back, "esc") + " keep" + reason
	}
	switch {
	case c.onReason:
		return Beside(look.paint(Dim, look.key(at, keymap.NextField, "enter")+" back to the question"),
			fmt.Sprintf("%s %d earlier", look.key(at, keymap.LineUp, "up"), len(c.past)), w)
	case c.phrase != "" && c.matches():
		yes = look.paint(Strong, look.key(at, keymap.Submit, "enter")) + " " + c.verb
	case c.phrase != "":
		yes = look.paint(Dim, look.key(at, keymap.Submit, "enter")+" (off: text does not match yet)")
	}
	if c.off != "" {
		yes = look.paint(Dim, "(off)")
	}
	return Beside(yes, keep, w)
}

// scrolls names the keys that scroll the text of a dialog; where text is owned the
// arrows are those of lines.
func (l Look) scrolls(at keymap.Place) string {
	up, down := keymap.Up, keymap.Down
	if at.OwnsText() {
		up, down = keymap.LineUp, keymap.LineDown
	}
	return l.key(at, up, "up") + "/" + l.key(at, down, "down")
}
