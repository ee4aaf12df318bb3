package views

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// box draws lines in a border of w by h cells. The border of the focused box
// is doubled and bright.
func (l Look) box(title string, lines []string, w, h int, focus bool) []string {
	if w < 4 || h < 2 {
		return exactly(nil, w, h)
	}
	edge, tone := "-", Dim
	if focus {
		edge, tone = "=", Plain
	}
	side := l.paint(tone, "|")
	name := ""
	if title != "" {
		name = edge + " " + strings.TrimRight(Fit(title, min(width(title), w-6)), " ") + " "
	}
	rule := l.paint(tone, "+"+edge) + l.paint(boldIf(focus, tone), strings.TrimPrefix(name, edge)) +
		l.paint(tone, strings.Repeat(edge, max(0, w-3-width(strings.TrimPrefix(name, edge))))+"+")
	out := []string{Fit(rule, w)}
	for _, line := range exactly(lines, w-2, h-2) {
		out = append(out, side+line+side)
	}
	return append(out, l.paint(tone, "+"+strings.Repeat(edge, w-2)+"+"))
}

func boldIf(yes bool, t Tone) Tone {
	if yes {
		return Strong
	}
	return t
}

// over lays a box on the middle of base. What is around it and below the first
// top lines steps back: it has no keys now.
func (l Look) over(base, box []string, w, top int) []string {
	if len(box) == 0 {
		return base
	}
	out := append([]string(nil), base...)
	for i := top; i < len(out); i++ {
		out[i] = l.paint(Dim, ansi.Strip(out[i]))
	}
	bw := width(box[0])
	x, y := max(0, (w-bw)/2), max(0, (len(base)-len(box))/2)
	for i, line := range box {
		if y+i >= len(out) {
			break
		}
		under := ansi.Strip(out[y+i])
		left := l.paint(Dim, Fit(ansi.Cut(under, 0, x), x))
		right := l.paint(Dim, FitRight(ansi.Cut(under, x+bw, w), w-x-bw))
		out[y+i] = left + line + right
	}
	return out
}

// joined puts blocks of lines of the same height beside each other.
func joined(blocks ...[]string) []string {
	out := append([]string(nil), blocks[0]...)
	for _, b := range blocks[1:] {
		for i := range out {
			out[i] += b[i]
		}
	}
	return out
}
