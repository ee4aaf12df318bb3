package keymap

// Place is where a key is pressed.
type Place uint8

const (
	// Everywhere holds the keys of all places that own no text.
	Everywhere Place = iota
	// Runs is a list of runs.
	Runs
	// Owed is the list of owed teardowns.
	Owed
	// Dead is the list of dead letters.
	Dead
	// Lease is the lease with its past.
	Lease
	// Types is the list of workflow types.
	Types
	// Inspector is one run.
	Inspector
	// Feed is the list of notices.
	Feed
	// Overview is everything at a glance.
	Overview
	// Problems are the standing conditions.
	Problems
	// Audit is what operators did.
	Audit
	// HelpPage is the list of keys itself.
	HelpPage
	// DiffPage compares two runs.
	DiffPage
	// Outcome is what became of each run of a bulk act.
	Outcome
	// Small is a terminal with too little room.
	Small
	// Quitting is the question before leaving.
	Quitting
	// Draining is the wait for work in flight before leaving.
	Draining
	// Asking is a question in the footer.
	Asking
	// Confirming is a dialog before an act that cannot be undone.
	Confirming
	// ColumnDialog chooses the columns of a list.
	ColumnDialog
	// GroupDialog lists the groups of a list.
	GroupDialog
	// Reason is the field for the reason in such a dialog.
	Reason
	// Phrase is the field for the words that confirm an act on many runs.
	Phrase
	// FileDialog asks for the name of a file.
	FileDialog
	// Choosing is the palette: what is typed narrows what can be chosen.
	Choosing
	// CommandLine is the line a command is typed in.
	CommandLine
	// Form is a form with text fields.
	Form
	// FilterLine is the line a filter is typed in.
	FilterLine
	placeCount
)

var placeNames = [...]string{
	"everywhere", "list of runs", "owed teardowns", "dead letters", "lease", "types", "inspector", "feed", "overview", "problems", "audit",
	"help", "comparison",
	"results", "small terminal", "leaving", "draining", "question", "confirmation", "columns", "groups", "reason", "confirmation by words", "name of a file",
	"palette", "command line", "form", "filter",
}

func (p Place) String() string {
	if int(p) >= len(placeNames) {
		return "?"
	}
	return placeNames[p]
}

// placeWords are what a configuration calls the places.
var placeWords = [placeCount]string{
	Everywhere: "everywhere", Runs: "runs", Owed: "owed", Dead: "dead", Lease: "lease", Types: "types", Inspector: "inspector",
	Feed: "feed", Overview: "overview", Problems: "problems", Audit: "audit", HelpPage: "help-page", DiffPage: "comparison",
	Outcome: "results", Small: "small-terminal", Quitting: "leaving", Draining: "draining", Asking: "question",
	Confirming: "confirmation", ColumnDialog: "column-dialog", GroupDialog: "groups", Reason: "reason", Phrase: "phrase", FileDialog: "file-name",
	Choosing: "chooser", CommandLine: "command-line", Form: "form", FilterLine: "filter-line",
}

// Word is the name of the place in a configuration.
func (p Place) Word() string {
	if int(p) >= len(placeWords) {
		return "?"
	}
	return placeWords[p]
}

// OwnsText reports whether printable keys are text in p.
func (p Place) OwnsText() bool { return p >= Reason }

// Leaves reports whether p is about leaving, which is possible however small
// the terminal is.
func (p Place) Leaves() bool { return p == Quitting || p == Draining }

// Reads reports whether p only shows something over the panes.
func (p Place) Reads() bool { return p == HelpPage || p == DiffPage || p == Outcome }

// alone reports whether p takes no keys from Everywhere: text, questions, and
// what is too small to work in.
func (p Place) alone() bool { return p >= Small || p == Everywhere || p.Reads() }

// Places are all of them.
func Places() []Place {
	all := make([]Place, placeCount)
	for i := range all {
		all[i] = Place(i)
	}
	return all
}
