package views

import "time"

// Look is how a frame is drawn: colours, the instant, and what the terminal
// can show.
type Look struct {
	Theme Theme
	// Now is the one instant all ages of the frame come from.
	Now time.Time
	// ASCII shows stored text as ASCII only.
	ASCII bool
}

// longest is how much of one text a frame looks at. More is never visible, and
// a stored text may be megabytes long.
const longest = 16 << 10

// clean is [Clean], as far as the terminal can show it.
func (l Look) clean(s string) string {
	if len(s) > longest {
		s = s[:longest] + ".."
	}
	if l.ASCII {
		return CleanASCII(s)
	}
	return Clean(s)
}

// paint gives s a tone.
func (l Look) paint(t Tone, s string) string { return l.Theme.Paint(t, s) }
