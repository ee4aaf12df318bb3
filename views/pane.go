package views

import (
	"fmt"
	"strings"

	"weft/flow"
)

// Pane is a place to look at, by the digit that opens it.
type Pane uint8

const (
	PaneInspector Pane = 0
	PaneOverview  Pane = 1
	PaneRunning   Pane = 2
	PaneSuspended Pane = 3
	PaneTerminal  Pane = 4
	PaneOwed      Pane = 5
	PaneDead      Pane = 6
	PaneLease     Pane = 7
	PaneFeed      Pane = 8
	PaneTypes     Pane = 9
	// Two more have letters instead of digits.
	PaneProblems Pane = 10
	PaneAudit    Pane = 11
)

var paneNames = [...]string{"Inspector", "Overview", "Running", "Suspended", "Terminal",
	"Owed teardowns", "Dead letters", "Lease", "Feed", "Types", "Problems", "Audit"}

func (p Pane) String() string { return paneNames[p] }

// panesByWord are the names people type: weft-tui print running.
var panesByWord = map[string]Pane{
	"inspector": PaneInspector, "running": PaneRunning, "runs": PaneRunning, "suspended": PaneSuspended,
	"terminal": PaneTerminal, "feed": PaneFeed, "types": PaneTypes,
	"overview": PaneOverview, "owed": PaneOwed, "dead": PaneDead, "lease": PaneLease,
	"problems": PaneProblems, "audit": PaneAudit,
}

// PaneNamed finds a pane by its digit or its word.
func PaneNamed(s string) (Pane, error) {
	if len(s) == 1 && s[0] >= '0' && s[0] <= '9' {
		return Pane(s[0] - '0'), nil
	}
	if p, ok := panesByWord[s]; ok {
		return p, nil
	}
	return 0, fmt.Errorf("there is no pane %q: %s, or a digit", s, PaneWords())
}

// PaneWords are the words [PaneNamed] knows, in the order of the panes.
func PaneWords() string {
	all := []Pane{PaneOverview, PaneRunning, PaneSuspended, PaneTerminal, PaneOwed, PaneDead, PaneLease, PaneFeed, PaneTypes,
		PaneInspector, PaneProblems, PaneAudit}
	words := make([]string, len(all))
	for i, p := range all {
		words[i] = p.Word()
	}
	return strings.Join(words, ", ")
}

// Word is the word [PaneNamed] knows the pane by.
func (p Pane) Word() string {
	return [...]string{"inspector", "overview", "running", "suspended", "terminal", "owed", "dead", "lease", "feed", "types",
		"problems", "audit"}[p]
}

// Title is the name of a pane with the key that opens it.
func (p Pane) Title() string {
	switch p {
	case PaneProblems:
		return "! Problems"
	case PaneAudit:
		return "@ Audit"
	}
	return fmt.Sprintf("%d %s", p, p)
}

// Whole reports whether the pane takes the screen for itself.
func (p Pane) Whole() bool {
	return p == PaneOverview || p == PaneLease || p == PaneFeed || p == PaneProblems || p == PaneAudit
}

// Glance reports whether the pane tells of everything, beside what needs a person.
func (p Pane) Glance() bool { return p == PaneOverview || p == PaneLease || p == PaneProblems }

// Lists reports whether the pane is a list of runs, teardowns or dead letters.
func (p Pane) Lists() bool { return p >= PaneRunning && p <= PaneDead }

// Side reports whether the pane stays beside the inspector.
func (p Pane) Side() bool { return p.Lists() || p == PaneTypes }

// tab is a pane in the line of panes; mark sets it apart when it is open.
// A count that is not known is a question mark: without a number a tab says 0.
func (p Pane) tab(open bool, c flow.Counts, known bool) (text string, tone Tone) {
	count := func(n int64) string {
		switch {
		case !known:
			return " ?"
		case n == 0:
			return ""
		}
		return " " + Count(n)
	}
	switch p {
	case PaneOverview:
		text = "1 Over"
	case PaneRunning:
		text = "2 Run" + count(c.Running+c.Pending)
	case PaneSuspended:
		text = "3 Susp" + count(c.Suspended)
	case PaneTerminal:
		text = "4 Term" + count(c.Terminal())
	case PaneOwed:
		text, tone = alarmed("5 Owed", c.Owed, known, Warn)
	case PaneDead:
		text, tone = alarmed("6 Dead", c.Dead, known, Bad)
	case PaneLease:
		text = "7 Lease"
	case PaneFeed:
		text = "8 Feed"
	case PaneTypes:
		text = "9 Types"
	case PaneInspector:
		text = "0 Insp"
	}
	if open {
		return "[" + text + "]", Strong
	}
	return text, tone
}

// alarmed is a tab with a number that should be 0.
func alarmed(name string, n int64, known bool, t Tone) (string, Tone) {
	switch {
	case !known:
		return name + " ?", Plain
	case n == 0:
		return name, Plain
	}
	return name + " " + Count(n) + "!", t
}

// Next is the pane n steps on among those that can be opened.
func (p Pane) Next(n int) Pane {
	all := []Pane{PaneOverview, PaneRunning, PaneSuspended, PaneTerminal, PaneOwed, PaneDead, PaneLease, PaneFeed, PaneTypes, PaneInspector}
	for i, q := range all {
		if q == p {
			return all[(i+n+len(all))%len(all)]
		}
	}
	return PaneRunning
}

// Absent says why a pane cannot be opened; every pane can.
func (p Pane) Absent() string { return "" }
