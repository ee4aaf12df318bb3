package keymap

import "slices"

// Binding is one row of the table.
type Binding struct {
	Action Action
	// Keys are the names of the keys as the terminal library spells them.
	Keys []string
	// Label is how the keys are shown, Short what they do in one word for a
	// footer ("" keeps it out of footers), Does a sentence for the help.
	Label, Short, Does string
}

func bind(a Action, label, short, does string, keys ...string) Binding {
	return Binding{Action: a, Keys: keys, Label: label, Short: short, Does: does}
}

// motion is shared by every place with something to scroll.
func motion() []Binding {
	return []Binding{
		bind(Up, "k up", "", "one line up", "k", "up"),
		bind(Down, "j down", "", "one line down", "j", "down"),
		bind(Top, "g home", "", "to the top; takes in what is new", "g", "home"),
		bind(Bottom, "G end", "", "to the bottom", "G", "end"),
		bind(HalfUp, "ctrl+u", "", "half a page up", "ctrl+u"),
		bind(HalfDown, "ctrl+d", "", "half a page down; deletes nothing", "ctrl+d"),
		bind(PageUp, "pgup ctrl+b", "", "a page up", "pgup", "ctrl+b"),
		bind(PageDown, "pgdn ctrl+f", "", "a page down", "pgdown", "ctrl+f"),
		bind(Left, "h left", "", "scroll to the left", "h", "left"),
		bind(Right, "l right", "", "scroll to the right", "l", "right"),
	}
}

// reading is shared by what is only read over the panes.
func reading() []Binding {
	return slices.Concat([]Binding{
		bind(Back, "esc q", "close", "close", "esc", "q"),
		bind(Down, "j down", "scroll", "one line down", "j", "down"),
		bind(Up, "k up", "", "one line up", "k", "up"),
	}, motion()[2:], []Binding{
		leaving(),
	}, anywhere())
}

// anywhere are the keys about the terminal itself, which mean the same whatever is
// open.
func anywhere() []Binding {
	return []Binding{
		bind(Repaint, "ctrl+l", "", "draw the whole screen again", "ctrl+l"),
		bind(Background, "ctrl+z", "", "stop the console and the engine in it; fg goes on", "ctrl+z"),
	}
}

// acts are what can be done to the run a place shows, or to those marked.
func acts() []Binding {
	return []Binding{
		bind(Cancel, "c", "cancel", "cancel the run; its teardown becomes owed", "c"),
		bind(Pause, "p", "suspend", "suspend a running run, or resume a suspended one", "p"),
		bind(Signal, "s", "signal", "send a signal to the run", "s"),
		bind(Retry, "R", "retry", "retry an owed teardown now, or redrive a dead letter", "R"),
		bind(Start, "N", "start", "start a workflow; on an ended run with its type and input", "N"),
		bind(Again, "A", "again", "start an ended run again under its id, which removes the old run", "A"),
		bind(Copy, "y", "copy id", "copy the full workflow id", "y"),
		bind(CopyAs, "Y", "", "copy the run as JSON, with secrets masked unless they are shown", "Y"),
		bind(Purge, "P", "", "remove an ended run and all that is recorded of it", "P"),
		bind(Relabel, "T", "", "change tags and attributes of the run; also when it has ended", "T"),
		bind(Discard, "D", "", "discard a dead letter for good", "D"),
		bind(Update, "u", "", "send an update to the run", "u"),
		bind(AskQuery, "Q", "", "query the run", "Q"),
		bind(ForceTimeout, "X", "", "time the run out by force", "X"),
		bind(Follow, "F", "", "follow the run wherever it goes, with its text scrolled to the end", "F"),
		bind(Diff, "d", "", "compare two marked runs, or the marked one with this one", "d"),
		bind(Export, "e", "", "export the run or the marked runs to a file, with secrets masked unless they are shown", "e"),
	}
}

// opening are the keys of every list of runs, most likely first.
func opening() []Binding {
	return []Binding{
		bind(Open, "enter", "open", "open the run in the inspector", "enter"),
	}
}

// choosing are the keys that choose runs in a list.
func choosing() []Binding {
	return []Binding{
		bind(Mark, "space", "mark", "mark the run: acts are then done to all marked runs", "space"),
		bind(Filter, "/", "filter", "filter: free text, ~pattern, !not, type= id= status= version= tag= older= newer=", "/"),
		bind(MarkRange, "v ctrl+space", "", "mark from the run marked last to this one", "v", "ctrl+space", "ctrl+@"),
		bind(MarkAll, "ctrl+a", "", "mark all that the filter chooses", "ctrl+a"),
		bind(ClearMarks, `ctrl+\`, "", "clear all marks", `ctrl+\`),
	}
}

// shaping are the keys for how a list is shown.
func shaping() []Binding {
	return []Binding{
		bind(SortNext, ">", "", "next order: created, ended, id", ">"),
		bind(SortPrev, "<", "", "previous order", "<"),
		bind(SortFlip, "=", "", "turn the order round", "="),
		bind(Columns, ",", "columns", "choose the columns and their order", ","),
	}
}

// teardownActs are what can be done to an owed teardown or a dead letter.
func teardownActs() []Binding {
	return []Binding{
		bind(Retry, "R", "retry", "retry the teardown now, or redrive the dead letter", "R"),
		bind(Copy, "y", "copy id", "copy the full workflow id", "y"),
		bind(Cancel, "c", "", "cancel the run", "c"),
		bind(Pause, "p", "", "suspend or resume the run", "p"),
		bind(Signal, "s", "", "send a signal to the run", "s"),
		bind(Start, "N", "", "start a workflow", "N"),
		bind(Again, "A", "", "start the ended run again under its id", "A"),
		bind(Purge, "P", "", "remove the ended run", "P"),
		bind(Relabel, "T", "", "change tags and attributes of the run", "T"),
		bind(Follow, "F", "", "follow the run wherever it goes, with its text scrolled to the end", "F"),
		bind(Diff, "d", "", "compare two marked runs, or the marked one with this one", "d"),
		bind(Export, "e", "", "export the run or the marked runs to a file, with secrets masked unless they are shown", "e"),
	}
}

// table is every key, most likely first: footers show them in this order.
var table = map[Place][]Binding{
	Everywhere: {
		bind(Help, "?", "help", "all keys of this place", "?"),
		bind(NextPane, "tab", "pane", "next pane", "tab"),
		bind(PrevPane, "shift+tab", "", "previous pane", "shift+tab"),
		bind(GoPane, "1-9 0", "", "go to a pane: 1 overview, 2 running, 3 suspended, 4 terminal, 5 owed, 6 dead, 7 lease, 8 feed, 9 types, 0 inspector",
			"1", "2", "3", "4", "5", "6", "7", "8", "9", "0"),
		bind(GoLast, "-", "", "the pane before", "-"),
		bind(GoProblems, "!", "", "standing problems", "!"),
		bind(GoAudit, "@", "", "what operators did", "@"),
		bind(TimeMode, "t", "", "times in lists as ages, in UTC or local", "t"),
		bind(Zoom, "+", "", "give the pane the whole screen", "+"),
		bind(Unzoom, "_", "", "show all panes again", "_"),
		bind(Freeze, "z", "freeze", "freeze what is shown, or let it go on", "z"),
		bind(Refresh, "r ctrl+r", "", "read again; changes nothing", "r", "ctrl+r"),
		bind(Repaint, "ctrl+l", "", "draw the whole screen again", "ctrl+l"),
		bind(SaveFrame, "ctrl+s", "", "write what is on the screen to a file, as text and with colours", "ctrl+s"),
		bind(Back, "esc", "back", "one step back; never quits", "esc"),
		bind(Command, ":", "", "command line", ":"),
		bind(Palette, "ctrl+p", "", "palette of actions", "ctrl+p"),
		bind(Quit, "q", "quit", "back one level, and quit from the root", "q"),
		bind(Interrupt, "ctrl+c", "", "leave; twice abandons, three times within 2s exits at once", "ctrl+c"),
		bind(Background, "ctrl+z", "", "stop the console and the engine in it; fg goes on", "ctrl+z"),
	},
	Runs: slices.Concat(opening(), acts()[:3], choosing(), acts()[3:], shaping(), []Binding{
		bind(PrevTab, "[", "", "previous part of the pane", "["),
		bind(NextTab, "]", "", "next part of the pane", "]"),
	}, motion()),
	Owed: slices.Concat(opening(), teardownActs()[:1], choosing(), teardownActs()[1:], shaping(), []Binding{
		bind(Discard, "D", "", "discard a dead letter for good", "D"),
	}, motion()),
	Dead: slices.Concat(opening(), teardownActs()[:1], []Binding{
		bind(Discard, "D", "discard", "discard the dead letter for good", "D"),
	}, choosing(), teardownActs()[1:], shaping(), motion()),
	Lease: motion(),
	Types: append([]Binding{
		bind(Open, "enter", "list runs", "list the running runs of the type", "enter"),
		bind(Start, "N", "start", "start a workflow of the type", "N"),
	}, motion()...),
	Inspector: slices.Concat([]Binding{
		bind(NextTab, "]", "next tab", "next tab", "]"),
		bind(PrevTab, "[", "", "previous tab", "["),
		bind(Filter, "/", "search", "search in the text; lower case finds any case", "/"),
		bind(FindNext, "n", "", "next match", "n"),
		bind(FindPrev, "N", "", "previous match; starts a workflow while nothing is searched for", "N"),
		bind(Wrap, "w", "wrap", "wrap long lines, or cut them", "w"),
		bind(Raw, "o", "", "payloads as they are stored, or laid out", "o"),
		bind(Open, "enter", "", "open the relative under the cursor, in the tab Family", "enter"),
		bind(Unmask, "V", "", "show secrets in this view, or mask them", "V"),
	}, slices.DeleteFunc(acts(), func(b Binding) bool { return b.Action == Start }), motion()),
	Feed: append([]Binding{
		bind(Open, "enter", "open", "open the run of the notice", "enter"),
		bind(Follow, "F", "", "follow the newest again", "F"),
	}, motion()...),
	Overview: append([]Binding{bind(Open, "enter", "go there", "go to what the line is about", "enter")}, motion()...),
	Problems: motion(),
	Audit:    append([]Binding{bind(Open, "enter", "open", "open the run of the record", "enter")}, motion()...),
	HelpPage: append(reading(),
		bind(Help, "?", "", "close", "?"),
		bind(Filter, "/", "filter", "only what holds a text", "/")),
	DiffPage: append(reading(), bind(Diff, "d", "", "close", "d")),
	Outcome:  append(reading(), bind(Stay, "enter", "", "close", "enter")),
	Small: append([]Binding{
		bind(Quit, "q", "quit", "quit", "q"),
		bind(Help, "?", "help", "help needs more room", "?"),
		leaving(),
	}, anywhere()...),
	Quitting: append([]Binding{
		bind(Drain, "d", "drain", "wait for what is in flight, then leave", "d"),
		bind(Abandon, "a", "abandon", "leave now; work resumes on the next start", "a"),
		bind(Stay, "esc enter n", "stay", "stay", "esc", "enter", "n"),
		bind(Interrupt, "ctrl+c", "", "abandon", "ctrl+c"),
	}, anywhere()...),
	Asking: append([]Binding{
		bind(Accept, "y", "do it", "do it", "y"),
		bind(Stay, "n esc enter", "leave it", "leave it", "n", "esc", "enter"),
		leaving(),
	}, anywhere()...),
	Confirming: append([]Binding{
		bind(Accept, "y", "do it", "do it", "y"),
		bind(Stay, "n esc enter", "keep it", "keep it as it is", "n", "esc", "enter"),
		bind(NextField, "tab", "reason", "write a reason", "tab", "shift+tab"),
		bind(Up, "up", "", "scroll up", "up"),
		bind(Down, "down", "", "scroll down", "down"),
		leaving(),
	}, anywhere()...),
	ColumnDialog: append([]Binding{
		bind(Toggle, "space x", "show or not", "show the column, or leave it out", "space", "x"),
		bind(MoveUp, "< K", "left", "move the column to the left", "<", "K", "shift+up"),
		bind(MoveDown, "> J", "right", "move the column to the right", ">", "J", "shift+down"),
		bind(Usual, "a", "usual", "back to the usual columns, which follow the width", "a"),
		bind(Stay, "enter q ,", "keep", "keep them and close", "enter", "q", ","),
		bind(Back, "esc", "as before", "back to how it was", "esc"),
		leaving(),
	}, slices.Concat(motion()[:4], anywhere())...),
	GroupDialog: append([]Binding{
		bind(Open, "enter", "list it", "list the group, or mark it where no filter can name it", "enter"),
		bind(Mark, "space", "mark it", "mark the runs of the group", "space"),
		bind(Back, "esc q", "close", "close", "esc", "q"),
		leaving(),
	}, slices.Concat(motion()[:8], anywhere())...),
	Reason: append([]Binding{
		bind(NextField, "tab enter", "done", "back to the question", "tab", "shift+tab", "enter"),
		bind(Back, "esc", "done", "back to the question", "esc"),
		bind(LineUp, "up", "earlier reasons", "an earlier reason", "up"),
		bind(LineDown, "down", "", "a later reason", "down"),
		leaving(),
	}, editing()...),
	Phrase: append([]Binding{
		bind(Submit, "enter", "do it", "do it, once the words are right", "enter"),
		bind(Back, "esc", "keep", "keep it as it is", "esc"),
		bind(NextField, "tab", "reason", "write a reason", "tab", "shift+tab"),
		bind(LineUp, "up", "", "scroll up", "up"),
		bind(LineDown, "down", "", "scroll down", "down"),
		leaving(),
	}, editing()...),
	FileDialog: append([]Binding{
		bind(Submit, "enter", "write", "write the file, unless it exists", "enter"),
		bind(Overwrite, "ctrl+o", "", "overwrite the file, once it is said that it exists", "ctrl+o"),
		closing(),
		leaving(),
	}, editing()...),
	Choosing: append([]Binding{
		bind(Submit, "enter", "do it", "do what is chosen", "enter"),
		bind(LineUp, "up", "", "the one above", "up", "ctrl+p"),
		bind(LineDown, "down", "choose", "the one below", "down", "tab", "ctrl+n"),
		closing(),
		leaving(),
	}, editing()...),
	CommandLine: append([]Binding{
		bind(Submit, "enter", "do it", "do what is typed", "enter"),
		bind(NextField, "tab", "complete", "complete the word", "tab"),
		bind(LineUp, "up", "earlier", "an earlier command", "up"),
		bind(LineDown, "down", "", "a later command", "down"),
		closing(),
		leaving(),
	}, editing()...),
	Draining: append([]Binding{
		bind(Abandon, "a", "abandon", "stop waiting and leave", "a"),
		bind(Interrupt, "ctrl+c", "", "abandon", "ctrl+c"),
	}, anywhere()...),
	Form: append([]Binding{
		bind(Submit, "ctrl+s", "send", "send the form", "ctrl+s", "alt+enter"),
		bind(NextField, "tab", "next field", "next field", "tab"),
		bind(PrevField, "shift+tab", "", "previous field", "shift+tab"),
		bind(Back, "esc", "close", "close the form; asks when text would be lost", "esc"),
		bind(Editor, "ctrl+o", "editor", "write the JSON in the editor that VISUAL or EDITOR names", "ctrl+o"),
		bind(Enter, "enter", "", "new line in JSON, else next field or the button", "enter"),
		bind(LineUp, "up", "", "line up, or previous choice", "up"),
		bind(LineDown, "down", "", "line down, or next choice", "down"),
		leaving(),
	}, editing()...),
	FilterLine: append([]Binding{
		bind(Keep, "enter", "keep", "keep the filter", "enter"),
		bind(Back, "esc", "restore", "back to the filter before", "esc"),
		leaving(),
	}, editing()...),
}

// leaving is shared by all that lies over the panes.
func leaving() Binding { return bind(Interrupt, "ctrl+c", "", "leave", "ctrl+c") }

// closing is shared by what esc simply closes.
func closing() Binding { return bind(Back, "esc", "close", "close", "esc") }

// editing is shared by all text fields.
func editing() []Binding {
	return append([]Binding{
		bind(CharLeft, "left", "", "one character left", "left", "ctrl+b"),
		bind(CharRight, "right", "", "one character right", "right", "ctrl+f"),
		bind(LineStart, "home", "", "start of the line", "home", "ctrl+a"),
		bind(LineEnd, "end", "", "end of the line", "end", "ctrl+e"),
		bind(Rubout, "backspace", "", "delete to the left", "backspace", "ctrl+h"),
		bind(Delete, "delete", "", "delete under the cursor", "delete"),
		bind(RubWord, "ctrl+w", "", "delete the word to the left", "ctrl+w"),
		bind(RubLine, "ctrl+u", "", "delete to the start of the line", "ctrl+u"),
	}, anywhere()...)
}
