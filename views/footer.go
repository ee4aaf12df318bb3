package views

import (
	"fmt"
	"strings"

	"weft/keymap"
)

// Status is the line of results. A result stays until a key comes later than
// four seconds after it.
type Status struct {
	Text string
	Tone Tone
}

// line is the status line with the marks at its right.
func (s Status) line(look Look, w int, l List) string {
	right := ""
	switch shown, hidden := l.Marked(); {
	case l.all:
		right = "all " + l.amount() + " marked"
	case shown+hidden > 0:
		right = fmt.Sprintf("%d marked, %d hidden", shown+hidden, hidden)
	}
	return Beside(look.paint(s.Tone, look.clean(s.Text)), right, w)
}

// Footer lists as many keys of a place as fit, most likely first, never half a
// word. Words replaces what a key is called, for those that depend on the run;
// an empty word leaves the key out.
func Footer(look Look, w int, p keymap.Place, words map[keymap.Action]string) string {
	var hints []string
	help := ""
	for _, b := range look.Keys.At(p) {
		word := b.Short
		if other, ok := words[b.Action]; ok {
			word = other
		}
		if word == "" {
			continue
		}
		hint := look.paint(Strong, b.Label) + " " + word
		if b.Action == keymap.Help {
			help = hint
			continue
		}
		hints = append(hints, hint)
	}
	room := w
	if help != "" {
		room -= width(help) + 2
	}
	line := ""
	for _, h := range hints {
		if width(line)+width(h)+2 > room {
			break
		}
		line += h + "  "
	}
	return Fit(strings.TrimRight(line+help, " "), w)
}
