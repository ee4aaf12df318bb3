package views

import (
	"time"

	"weft/flow"
	"weft/keymap"
)

// Look is how a frame is drawn: colours, the instant, and what the terminal
// can show.
type Look struct {
	Theme Theme
	// Now is the one instant all ages of the frame come from.
	Now time.Time
	// ASCII shows stored text as ASCII only.
	ASCII bool
	// Unmask shows the values of secret keys in payloads.
	Unmask bool
	// Secrets says which values are masked.
	Secrets Secrets
	// OwedLong is how long a teardown may be owed before it is an alarm; zero
	// means an hour.
	OwedLong time.Duration
	// Frozen: nothing is read.
	Frozen bool
	// Shut: nothing can be changed here, so sentences offer no act.
	Shut bool
	// Keys are the keys the operator has.
	Keys keymap.Map
	// At is the place of the open pane.
	At keymap.Place
	// Times shows instants in lists as ages, or by a clock.
	Times Times
}

// Times is how lists show instants.
type Times uint8

const (
	Relative Times = iota
	UTC
	Local
	timesCount
)

// Next is the next way.
func (t Times) Next() Times { return (t + 1) % timesCount }

func (t Times) String() string { return [...]string{"ages", "UTC", "local time"}[t] }

// when is an instant in at most six cells.
func (l Look) when(i flow.Instant) string {
	if i == 0 || l.Times == Relative {
		return l.since(i)
	}
	t, now := i.Time(), l.Now.UTC()
	if l.Times == Local {
		t, now = t.Local(), l.Now.Local()
	}
	if t.YearDay() == now.YearDay() && t.Year() == now.Year() {
		return t.Format("15:04")
	}
	return t.Format("Jan 02")
}

// clock is the time of the frame, with its zone.
func (l Look) clock() string {
	if l.Times == Local {
		return l.Now.Local().Format("15:04:05 MST")
	}
	return clock(flow.InstantOf(l.Now))
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

// key is a key of a in p as a sentence names it; see [keymap.Map.Key].
func (l Look) key(p keymap.Place, a keymap.Action, usual string) string {
	return l.Keys.Key(p, a, usual)
}

// offers says at the end of a sentence what a key of an act would do, where acts
// are possible.
func (l Look) offers(a keymap.Action, usual, does string) string {
	if l.Shut {
		return ""
	}
	return "; " + l.key(l.At, a, usual) + " " + does
}

// reading says that something is not there yet, or why it does not come.
func (l Look) reading() string {
	if l.Frozen {
		return l.paint(Warn, "not read while frozen; "+l.key(l.At, keymap.Freeze, "z")+" lets it go on")
	}
	return l.paint(Dim, "reading ..")
}

// paint gives s a tone.
func (l Look) paint(t Tone, s string) string { return l.Theme.Paint(t, s) }
