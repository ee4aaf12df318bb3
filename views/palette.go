package views

import (
	"cmp"
	"slices"
	"strings"

	"weft/keymap"
)

// Choice is one thing the palette offers. Off says why it would be refused.
type Choice struct {
	Text, Key, Off string
	Do             Intent
}

// Palette offers everything that can be done here, narrowed by what is typed.
type Palette struct {
	title string
	all   []Choice
	found []Choice
	field Field
	index int
}

// NewPalette offers choices.
func NewPalette(choices []Choice) Palette {
	return Palette{title: "Palette", all: choices, found: choices, field: NewField("", false)}
}

// NewMenu offers what can be done to one run.
func NewMenu(id string, choices []Choice) Palette {
	v := NewPalette(choices)
	v.title = "Actions on " + id
	return v
}

// visible is how many choices are shown on h lines, and which is the first.
func (v Palette) visible(h int) (rows, top int) {
	rows = max(1, min(14, h-8))
	return rows, max(0, v.index-rows+1)
}

// At puts the cursor on the choice that is drawn on a line of the box when that
// has h lines to fit into; ok is false where there is none.
func (v Palette) At(row, h int) (_ Palette, ok bool) {
	rows, top := v.visible(h)
	i := top + row - 3 // the border, the field, an empty line
	if row < 3 || row >= 3+rows || i >= len(v.found) {
		return v, false
	}
	v.index = i
	return v, true
}

// Place implements [Modal].
func (Palette) Place() keymap.Place { return keymap.Choosing }

// Press applies one key or a paste.
func (v Palette) Press(p Press) (Modal, Intent) {
	switch p.Action {
	case keymap.Back:
		return v, CloseModal{}
	case keymap.Submit:
		if v.index >= len(v.found) {
			return v, Say{"nothing is chosen"}
		}
		return v, v.found[v.index].Do
	case keymap.LineUp:
		v.index = max(0, v.index-1)
	case keymap.LineDown:
		v.index = max(0, min(v.index+1, len(v.found)-1))
	default:
		v.field, _ = v.field.Press(p)
		v.found, v.index = narrowed(v.all, v.field.Text()), 0
	}
	return v, nil
}

// narrowed are the choices that hold the letters of text in order; those that
// hold it as it is come first, and of those the ones it begins.
func narrowed(all []Choice, text string) []Choice {
	text = strings.ToLower(strings.TrimSpace(text))
	var out []Choice
	rank := map[string]int{}
	for _, c := range all {
		at := strings.Index(strings.ToLower(c.Text), text)
		if at < 0 {
			if !inOrder(strings.ToLower(c.Text), text) {
				continue
			}
			at = 1 << 16
		}
		rank[c.Text] = at
		out = append(out, c)
	}
	if text != "" {
		slices.SortStableFunc(out, func(a, b Choice) int { return cmp.Compare(rank[a.Text], rank[b.Text]) })
	}
	return out
}

func inOrder(s, letters string) bool {
	for _, r := range letters {
		i := strings.IndexRune(s, r)
		if i < 0 {
			return false
		}
		s = s[i+len(string(r)):]
	}
	return true
}

// refused says at length why what is chosen would be refused.
func (v Palette) refused(look Look, w int) []string {
	out := []string{"", ""}
	if v.index < len(v.found) && v.found[v.index].Off != "" {
		for i, line := range wrap(look.clean("refused: "+v.found[v.index].Off), w) {
			if i < len(out) {
				out[i] = "  " + look.paint(Warn, line)
			}
		}
	}
	return append(out, "")
}

// Draw implements [Modal].
func (v Palette) Draw(look Look, w, h int) []string {
	bw := boxWidth(w)
	inner := bw - 4
	rows, top := v.visible(h)
	lines := []string{" > " + v.field.Draw(look, inner-2, 1, true)[0], ""}
	for i := top; i < top+rows; i++ {
		if i >= len(v.found) {
			lines = append(lines, "")
			continue
		}
		c := v.found[i]
		text, right := look.clean(c.Text), c.Key
		if c.Off != "" {
			text, right = text+": "+look.clean(c.Off), ""
		}
		line := Beside(text, right, inner)
		switch {
		case i == v.index:
			line = look.paint(Chosen, Fit("> "+line, inner+2))
		case c.Off != "":
			line = "  " + look.paint(Dim, line)
		default:
			line = "  " + line
		}
		lines = append(lines, line)
	}
	lines = append(lines, v.refused(look, inner)...)
	keys := "   " + look.key(keymap.Choosing, keymap.Submit, "enter") + " does it   " + look.key(keymap.Choosing, keymap.Back, "esc") + " closes"
	lines = append(lines, look.paint(Dim, FitRight(place(min(v.index+1, len(v.found)), len(v.found))+keys, inner+1)))
	return look.box(look.clean(v.title), lines, bw, len(lines)+2, true)
}
