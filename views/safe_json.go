package views

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Drives reports whether a terminal may take r for more than a character:
// control characters, line separators and text directions.
func Drives(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || unicode.Is(unicode.Bidi_Control, r)
}

// SafeJSON makes JSON safe for a terminal without changing what it says: such
// characters occur only within its strings, where they may be written as
// escapes. Line ends between values stay.
func SafeJSON(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r != '\n' && Drives(r), r == utf8.RuneError:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
