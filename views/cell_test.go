package views

import (
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"
)

// TestWidthOfPaintedTextIsTheLibrarys: the short way counts what the long one does.
func TestWidthOfPaintedTextIsTheLibrarys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := []string{"a", " ~", "\x1b[1m", "\x1b[38;5;12m", "\x1b[38:2::1:2:3m", "\x1b[m", "\x1b[0", "\x1b", "\x1b[2J", "\x1b[?25lm",
			"\x1b]8;;m", "é", "世", "\x00", "[", "m"}
		s := ""
		for _, p := range rapid.SliceOf(rapid.SampledFrom(parts)).Draw(t, "parts") {
			s += p
		}
		if got, want := width(s), ansi.StringWidth(s); got != want {
			t.Errorf("width of %q is %d, want %d", s, got, want)
		}
	})
}

func BenchmarkWidthOfPaintedText(b *testing.B) {
	s := "\x1b[38;5;12m+- 2 Running ------------------\x1b[m some more of the line \x1b[7m> R ord-7f3a9c1e..1b2c\x1b[m"
	for b.Loop() {
		width(s)
	}
}
