package views

import (
	"fmt"
	"strings"

	"weft/keymap"
)

// labelWidth is the room for the names of entries.
const labelWidth = 9

// Draw implements [Modal]. The last line, with the button, is always there;
// the JSON gets what is left.
func (f Form) Draw(look Look, w, h int) []string {
	bw := boxWidth(w)
	inner := bw - 4
	var lines []string
	if f.about != "" {
		lines = append(lines, " "+look.paint(Dim, FitMiddle(look.clean(f.about), inner)))
	}
	end := f.ending(look, inner)
	fixed := len(lines) + len(end)
	for _, e := range f.entries {
		if e.kind != jsonEntry {
			fixed++
		}
	}
	room := max(1, h-2-fixed)
	for _, e := range f.entries {
		if e.kind == jsonEntry {
			room = min(room, max(5, len(e.field.text)+1))
		}
	}
	for i, e := range f.entries {
		for _, l := range e.draw(look, inner, room, i == f.focus) {
			lines = append(lines, " "+l)
		}
	}
	lines = append(lines, end...)
	if over := len(lines) - (h - 2); over > 0 { // keep the button
		lines = append(lines[:max(0, h-2-1)], lines[len(lines)-1])
	}
	return look.box(f.title, lines, bw, len(lines)+2, true)
}

// ending is the message and the line with the button.
func (f Form) ending(look Look, w int) []string {
	out := []string{""}
	text, tone := f.fail, Bad
	switch {
	case f.leaving:
		text, tone = look.key(keymap.Form, keymap.Back, "esc")+" again closes the form and loses what was typed", Warn
	case f.busy:
		text, tone = "sending ..", Plain
	}
	if text != "" {
		wrapped := wrap(look.clean(text), w)
		for _, l := range wrapped[:min(3, len(wrapped))] {
			out = append(out, " "+look.paint(tone, l))
		}
		out = append(out, "")
	}
	button := "[ send ]"
	if f.focus == len(f.entries) {
		button = look.paint(Chosen, ">"+button)
	}
	keys := look.key(keymap.Form, keymap.NextField, "tab") + " next field   " + look.key(keymap.Form, keymap.Back, "esc") + " close"
	return append(out, " "+Beside(look.paint(Strong, look.key(keymap.Form, keymap.Submit, "ctrl+s"))+" "+button, keys, w))
}

// draw is the entry on one line, or on room lines for JSON.
func (e entry) draw(look Look, w, room int, focus bool) []string {
	tone := Dim
	if focus {
		tone = Strong
	}
	label := look.paint(tone, Fit(e.label, labelWidth))
	fw := w - labelWidth
	switch e.kind {
	case choiceEntry:
		return []string{label + e.drawChoice(look, fw, focus)}
	case tickEntry:
		box := "[ ] "
		if e.on {
			box = "[x] "
		}
		if focus {
			box = look.paint(Chosen, box)
		}
		return []string{label + Fit(box+look.paint(Dim, e.note), fw)}
	case lineEntry:
		note := look.clean(e.note)
		nw := min(width(note), fw/2)
		return []string{label + "[" + e.field.Draw(look, fw-nw-3, 1, focus)[0] + "] " + look.paint(Dim, Fit(note, nw))}
	}
	out := e.field.Draw(look, fw-1, room, focus)
	edge := look.paint(tone, "|")
	for i := range out {
		if i == 0 {
			out[i] = label + edge + out[i]
		} else {
			out[i] = spaces(labelWidth) + edge + out[i]
		}
	}
	return out
}

func (e entry) drawChoice(look Look, w int, focus bool) string {
	if len(e.choices) == 0 {
		return Fit(look.paint(Warn, e.note), w)
	}
	name := look.clean(e.text())
	if focus {
		name = look.paint(Chosen, "< "+name+" >")
	} else {
		name = "  " + name
	}
	return Beside(name, look.paint(Dim, strings.TrimSpace(fmt.Sprintf("%d of %d", e.choice+1, len(e.choices)))), w)
}
