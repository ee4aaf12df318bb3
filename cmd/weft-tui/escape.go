package main

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// drives reports whether a terminal may take r for more than a character:
// control characters, line separators and text directions.
func drives(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || unicode.Is(unicode.Bidi_Control, r)
}

// escapeJSON makes JSON safe for a terminal without changing what it says: such
// characters occur only within its strings, where they may be written as
// escapes. The newline that ends a value stays.
func escapeJSON(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r != '\n' && drives(r), r == utf8.RuneError:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
