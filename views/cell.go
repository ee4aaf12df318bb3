package views

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// width counts the cells of s, escape sequences excluded.
func width(s string) int {
	if n, ok := plainWidth(s); ok {
		return n
	}
	return ansi.StringWidth(s)
}

// plainWidth counts the cells of printable ASCII, painted or not, which nearly
// every text is; ok is false for any other.
func plainWidth(s string) (n int, ok bool) {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= ' ' && c <= '~':
			n++
		case c == '\x1b' && i+1 < len(s) && s[i+1] == '[':
			paint := strings.IndexByte(s[i:], 'm')
			if paint < 0 || strings.Trim(s[i+2:i+paint], "0123456789;:") != "" {
				return 0, false
			}
			i += paint
		default:
			return 0, false
		}
	}
	return n, true
}

// unpainted is s without its colours.
func unpainted(s string) string { return ansi.Strip(s) }

// spaces are n spaces, none when n is negative.
func spaces(n int) string { return strings.Repeat(" ", max(0, n)) }

// Fit pads or cuts s to w cells; a cut text ends in "..". s may be painted.
func Fit(s string, w int) string {
	if w <= 0 {
		return ""
	}
	n := width(s)
	if n > w {
		tail := ".."
		if w < 4 {
			tail = ""
		}
		s = ansi.Truncate(s, w, tail)
		n = width(s)
	}
	return s + spaces(w-n)
}

// FitRight is Fit with the text at the right edge.
func FitRight(s string, w int) string {
	if n := width(s); n < w {
		return spaces(w-n) + s
	}
	return Fit(s, w)
}

// FitMiddle cuts s in the middle, so that the tail stays: ids often differ
// there. s must not be painted.
func FitMiddle(s string, w int) string {
	if width(s) <= w || w < 8 {
		return Fit(s, w)
	}
	tail := min(6, (w-2)/2)
	n := width(s)
	return Fit(ansi.Truncate(s, w-2-tail, "")+".."+ansi.TruncateLeft(s, n-tail, ""), w)
}

// Beside puts left and right on one line of w cells; the left one is cut first
// when both do not fit, down to half of the line.
func Beside(left, right string, w int) string {
	r := width(right)
	if r == 0 {
		return Fit(left, w)
	}
	if r > w/2 && width(left)+1+r > w {
		room := max(w/2, w-width(left)-1)
		right, r = Fit(right, room), room
	}
	if r >= w {
		return Fit(right, w)
	}
	return Fit(left, w-r-1) + " " + right
}

// Shift drops the first n cells of s, for horizontal scrolling.
func Shift(s string, n int) string {
	if n <= 0 {
		return s
	}
	return ansi.TruncateLeft(s, n, "")
}

// exactly makes lines h lines of w cells, whatever they were.
func exactly(lines []string, w, h int) []string {
	out := make([]string, max(0, h))
	for i := range out {
		if i < len(lines) {
			out[i] = Fit(lines[i], w)
		} else {
			out[i] = spaces(w)
		}
	}
	return out
}

// wrap cuts plain text into lines of at most w cells. An instant is not cut at
// its hyphens.
func wrap(s string, w int) []string {
	if w <= 0 {
		return nil
	}
	if strings.Contains(s, unbroken) {
		return strings.Split(ansi.Wrap(s, w, ""), "\n")
	}
	s = instants.ReplaceAllStringFunc(s, func(i string) string { return strings.ReplaceAll(i, "-", unbroken) })
	return strings.Split(strings.ReplaceAll(ansi.Wrap(s, w, ""), unbroken, "-"), "\n")
}

// unbroken stands for a hyphen that no line ends at.
const unbroken = "\ue000"
