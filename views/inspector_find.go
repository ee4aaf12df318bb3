package views

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"weft/keymap"
)

// wideLine is how wide a line is drawn that is wrapped or searched.
const wideLine = 4000

// Find is what is searched for; "" when nothing is.
func (v Inspector) Find() string { return v.find }

// Search looks for text from the visible part on. Lower case finds any case.
func (v Inspector) Search(text string) Inspector {
	v.find, v.hit = text, -1
	if text == "" {
		return v
	}
	v.hit = v.top - 1
	found, _ := v.seek(1)
	return found
}

// seek goes to the next match in a direction, round the end.
func (v Inspector) seek(step int) (Inspector, Intent) {
	n := len(v.lines)
	if v.find == "" {
		return v, SayKey{"nothing is searched for: ", keymap.Inspector, keymap.Filter, "/", " begins a search"}
	}
	for k := 1; k <= n; k++ {
		i := ((v.hit+step*k)%n + n) % n
		if v.matches(i) {
			v.hit = i
			if i < v.top || i >= v.top+v.height-1 {
				v.top = max(0, i-v.height/3)
			}
			return v.Sized(v.height), nil
		}
	}
	v.hit = -1
	return v, Say{"no match for " + v.find}
}

func (v Inspector) matches(i int) bool {
	text := v.bare(i)
	if strings.IndexFunc(v.find, unicode.IsUpper) < 0 {
		text = strings.ToLower(text)
	}
	return strings.Contains(text, v.find)
}

// bare is a line without colours and padding.
func (v Inspector) bare(i int) string { return strings.TrimRight(v.lines[i](Look{}, wideLine), " ") }

// findLine says what is searched for, and where in how many matches.
func (v Inspector) findLine(look Look, w int) string {
	switch {
	case v.find == "" && v.tails():
		return look.paint(Dim, FitRight("FOLLOWS", w))
	case v.find == "":
		return ""
	}
	n, at := 0, 0
	for i := range v.lines {
		if v.matches(i) {
			n++
			if v.find != "" && i == v.hit {
				at = n
			}
		}
	}
	return Beside("/"+look.clean(v.find), look.paint(Dim, fmt.Sprintf("match %d of %d", at, n)), w)
}

// from is the line the visible part begins with. At the end of wrapped text
// that is the first one from which all is visible.
func (v Inspector) from(look Look, w, h int) int {
	if !v.tails() || !v.wrapped {
		return v.top
	}
	i, n := len(v.lines), 0
	for i > 0 {
		if n += len(v.line(look, i-1, w)); n > h {
			break
		}
		i--
	}
	return i
}

// line is a line of the tab on the screen: one, or several when lines are
// wrapped. Matches are marked.
func (v Inspector) line(look Look, i, w int) []string {
	if v.wrapped {
		wide := strings.TrimRight(ansi.Strip(v.lines[i](look, wideLine)), " ")
		out := wrap(wide, w)
		for k := range out {
			out[k] = Fit(out[k], w)
			if v.find != "" && i == v.hit {
				out[k] = look.paint(Chosen, out[k])
			}
		}
		return out
	}
	out := strings.Split(v.lines[i](look, w+v.left), "\n")
	for k, line := range out {
		line = Fit(Shift(line, v.left), w)
		switch {
		case i == v.pickLine():
			line = look.paint(Chosen, ansi.Strip(">"+strings.TrimPrefix(line, " ")))
		case v.find == "":
		case i == v.hit:
			line = look.paint(Chosen, ansi.Strip(line))
		case v.matches(i):
			line = look.paint(Accent, ansi.Strip(line))
		}
		out[k] = line
	}
	return out
}
