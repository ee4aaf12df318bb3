package views

import (
	"slices"
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

// TestInstantsAreNotBroken: a line ends before an instant, not in its date; other
// hyphens are a place to go on at, and no character is lost.
func TestInstantsAreNotBroken(t *testing.T) {
	for text, want := range map[string][]string{
		"for 6s, since 2026-03-01T12:04:28.000Z":         {"for 6s, since", "2026-03-01T12:04:28.000Z"},
		"parent shp-00a1f9c3-77d0-4c1a-8f3e-5b2a":        {"parent shp-00a1f9c3-77d0-4c1a-", "8f3e-5b2a"},
		"odd \ue000 since this 2026-03-01T12:04:28.000Z": {"odd \ue000 since this 2026-03-", "01T12:04:28.000Z"},
	} {
		if got := wrap(text, 30); !slices.Equal(got, want) {
			t.Errorf("%q is wrapped to %q, want %q", text, got, want)
		}
	}
}

func BenchmarkWidthOfPaintedText(b *testing.B) {
	s := "\x1b[38;5;12m+- 2 Running ------------------\x1b[m some more of the line \x1b[7m> R ord-7f3a9c1e..1b2c\x1b[m"
	for b.Loop() {
		width(s)
	}
}
