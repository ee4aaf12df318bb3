package keymap

// Place is where a key is pressed.
type Place uint8

const (
	// Everywhere holds the keys of all places that own no text.
	Everywhere Place = iota
	// Runs is a list of runs.
	Runs
	// Types is the list of workflow types.
	Types
	// Inspector is one run.
	Inspector
	// Feed is the list of notices.
	Feed
	// HelpPage is the list of keys itself.
	HelpPage
	// Small is a terminal with too little room.
	Small
	// Quitting is the question before leaving.
	Quitting
	// Draining is the wait for work in flight before leaving.
	Draining
	// Form is a form with text fields.
	Form
	// FilterLine is the line a filter is typed in.
	FilterLine
)

var placeNames = [...]string{
	"everywhere", "list of runs", "types", "inspector", "feed", "help", "small terminal",
	"leaving", "draining", "form", "filter",
}

func (p Place) String() string {
	if int(p) >= len(placeNames) {
		return "?"
	}
	return placeNames[p]
}

// OwnsText reports whether printable keys are text in p.
func (p Place) OwnsText() bool { return p == Form || p == FilterLine }

// alone reports whether p takes no keys from Everywhere: text, questions, and
// what is too small to work in.
func (p Place) alone() bool { return p >= Small || p == Everywhere }

// Places are all of them.
func Places() []Place {
	return []Place{Everywhere, Runs, Types, Inspector, Feed, HelpPage, Small, Quitting, Draining, Form, FilterLine}
}
