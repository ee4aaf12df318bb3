package views

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Clean makes stored text safe and honest to show on one line. All text that
// was not written by the console itself passes through it:
//
//   - control characters, line ends, text direction and other invisible
//     characters become visible escapes, bytes that are not UTF-8 become \xNN;
//   - a tab becomes four spaces;
//   - the joiners that make terminals disagree about widths (VS15, VS16, ZWJ)
//     are removed, and any other character whose width they count differently
//     becomes an escape.
//
// Clean of a cleaned text is the text itself.
func Clean(s string) string {
	if harmless(s) {
		return s
	}
	return agreeing(visible(s))
}

// CleanASCII is Clean for terminals that show ASCII only.
func CleanASCII(s string) string {
	s = Clean(s)
	if harmless(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if r < utf8.RuneSelf {
			b.WriteRune(r)
		} else {
			b.WriteString(escaped(r))
		}
	}
	return b.String()
}

// harmless reports printable ASCII, which is nearly everything.
func harmless(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// visible replaces what cannot be seen.
func visible(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\t':
			b.WriteString("    ")
		case r == '\u200d', r >= '\ufe00' && r <= '\ufe0f':
		case hidden(r):
			b.WriteString(escaped(r))
		default:
			b.WriteRune(r)
		}
		i += n
	}
	return b.String()
}

// hidden reports characters that show nothing, or something else than they are.
func hidden(r rune) bool {
	switch r {
	case '\u115f', '\u1160', '\u3164', '\uffa0', '\u2800': // fillers that look like spaces
		return true
	}
	return !unicode.IsGraphic(r) && !unicode.Is(unicode.Co, r)
}

func escaped(r rune) string {
	switch {
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r < utf8.RuneSelf:
		return fmt.Sprintf(`\x%02x`, r)
	case r <= 0xffff:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}

// agreeing replaces what terminals give different widths.
func agreeing(s string) string {
	var b strings.Builder
	for s != "" {
		cluster, _ := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
		s = s[len(cluster):]
		if certain(cluster) {
			b.WriteString(cluster)
			continue
		}
		spellOut(&b, cluster)
	}
	return b.String()
}

// certain reports that a cluster has one width everywhere, and does not join
// what stands before or behind it.
func certain(cluster string) bool {
	if len(cluster) == 1 {
		return true
	}
	w := ansi.StringWidth(cluster)
	if w == 0 || w != ansi.StringWidthWc(cluster) {
		return false
	}
	before, _ := ansi.FirstGraphemeCluster(" "+cluster, ansi.GraphemeWidth)
	behind, _ := ansi.FirstGraphemeCluster(cluster+" ", ansi.GraphemeWidth)
	return before == " " && behind == cluster
}

// spellOut writes a cluster rune by rune: a first one that is certain stays,
// what would join it is escaped.
func spellOut(b *strings.Builder, cluster string) {
	for i, r := range cluster {
		one := string(r)
		if i == 0 && certain(one) {
			b.WriteString(one)
			continue
		}
		b.WriteString(escaped(r))
	}
}
