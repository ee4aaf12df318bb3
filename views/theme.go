package views

import "weft/flow"

// Tone is what a piece of text means to the eye. It repeats what letters and
// words say already; nothing is told by colour alone.
type Tone uint8

const (
	Plain Tone = iota
	Dim
	Strong
	Good
	Calm
	Warn
	Bad
	Accent
	Chosen // the selected row: always reverse
	Banner // a standing alarm: always reverse
	toneCount
)

// Theme paints. The zero Theme writes no escape sequence at all.
type Theme struct {
	name string
	sgr  [toneCount]string
}

// Only the sixteen colours that every terminal and palette defines are used,
// and no background but for the selection and banners.
var themes = []Theme{
	{"dark", [toneCount]string{Dim: "90", Strong: "1", Good: "32", Calm: "36", Warn: "33", Bad: "1;31",
		Accent: "1;36", Chosen: "7", Banner: "1;7;31"}},
	{"light", [toneCount]string{Dim: "90", Strong: "1", Good: "32", Calm: "34", Warn: "35", Bad: "1;31",
		Accent: "1;34", Chosen: "7", Banner: "1;7;31"}},
	{"contrast", [toneCount]string{Dim: "37", Strong: "1;97", Good: "1;92", Calm: "1;96", Warn: "1;93", Bad: "1;4;91",
		Accent: "1;96", Chosen: "1;7", Banner: "1;7;91"}},
	// Blue and yellow are told apart where red and green are not.
	{"blind", [toneCount]string{Dim: "90", Strong: "1", Good: "94", Calm: "36", Warn: "93", Bad: "1;4;33",
		Accent: "1;94", Chosen: "7", Banner: "1;7;33"}},
	{"mono", [toneCount]string{Dim: "2", Strong: "1", Warn: "1", Bad: "1;4", Accent: "1", Chosen: "7", Banner: "1;7"}},
	{"plain", [toneCount]string{}},
}

// ThemeNamed is the theme called name; "" means dark.
func ThemeNamed(name string) (Theme, bool) {
	if name == "" {
		return themes[0], true
	}
	for _, t := range themes {
		if t.name == name {
			return t, true
		}
	}
	return themes[0], false
}

// ThemeNames are the names [ThemeNamed] knows.
func ThemeNames() []string {
	names := make([]string, len(themes))
	for i, t := range themes {
		names[i] = t.name
	}
	return names
}

// Paint gives s the tone t.
func (t Theme) Paint(tone Tone, s string) string {
	if s == "" || t.sgr[tone] == "" {
		return s
	}
	return "\x1b[" + t.sgr[tone] + "m" + s + "\x1b[m"
}

// letters are the one-letter names of statuses, by [flow.Status].
const letters = "?PRSCFXT"

// Letter is the one-letter name of a run's state; H is a held run.
func Letter(r flow.Run) string {
	switch {
	case r.Held && !r.Status.Terminal():
		return "H"
	case r.Status.Valid():
		return letters[r.Status : r.Status+1]
	}
	return "?"
}

// Word is the word that goes with [Letter].
func Word(r flow.Run) string {
	if r.Held && !r.Status.Terminal() {
		return "held"
	}
	return r.Status.String()
}

// statusTones gives each status its tone.
var statusTones = map[flow.Status]Tone{
	flow.Pending: Dim, flow.Running: Calm, flow.Suspended: Warn, flow.Completed: Good,
	flow.Failed: Bad, flow.Cancelled: Dim, flow.TimedOut: Warn,
}

// toneOf is the tone of a run's state.
func toneOf(r flow.Run) Tone {
	if r.Held && !r.Status.Terminal() {
		return Warn
	}
	return statusTones[r.Status]
}
