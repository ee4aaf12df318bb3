package keymap

import (
	"maps"
	"slices"
)

// actionNames are what a configuration calls the actions.
var actionNames = map[Action]string{
	Up: "up", Down: "down", Top: "top", Bottom: "bottom", HalfUp: "half-page-up", HalfDown: "half-page-down", PageUp: "page-up",
	PageDown: "page-down", Left: "scroll-left", Right: "scroll-right", Open: "open", Back: "back", NextPane: "next-pane",
	PrevPane: "previous-pane", GoPane: "go-pane", GoLast: "last-pane", GoProblems: "go-problems", GoAudit: "go-audit",
	NextTab: "next-tab", PrevTab: "previous-tab", Filter: "filter", Freeze: "freeze", Refresh: "refresh", Repaint: "repaint",
	Mark: "mark", MarkAll: "mark-all", MarkRange: "mark-range", ClearMarks: "clear-marks", SortNext: "next-order",
	SortPrev: "previous-order", SortFlip: "flip-order", Zoom: "zoom", Unzoom: "unzoom", FindNext: "next-match",
	FindPrev: "previous-match", Wrap: "wrap", Unmask: "unmask", Raw: "raw", TimeMode: "times", Copy: "copy", CopyAs: "copy-json", Start: "start",
	Signal: "signal", Pause: "pause", Help: "help", Quit: "quit", Interrupt: "interrupt", Background: "background",
	Cancel: "cancel", Update: "update", AskQuery: "query", Retry: "retry", Discard: "discard", Again: "again", Purge: "purge", Relabel: "labels",
	ForceTimeout: "force-timeout", Diff: "diff", Export: "export", Columns: "columns", Follow: "follow", SaveFrame: "save-frame", Command: "command", Palette: "palette",
	Submit: "submit", NextField: "next-field", PrevField: "previous-field", Keep: "keep", Drain: "drain", Abandon: "abandon",
	Stay: "stay", Accept: "accept",
	CharLeft: "character-left", CharRight: "character-right", LineUp: "line-up", LineDown: "line-down", LineStart: "line-start",
	LineEnd: "line-end", Rubout: "delete-left", Delete: "delete-right", RubWord: "delete-word", RubLine: "delete-line",
	Enter: "new-line", Toggle: "toggle", MoveUp: "move-up", MoveDown: "move-down", Overwrite: "overwrite", Usual: "usual",
	Editor: "editor",
}

// String is the name of the action in a configuration.
func (a Action) String() string { return actionNames[a] }

// ActionNamed finds an action by its name in a configuration.
func ActionNamed(name string) (Action, bool) {
	for a, n := range actionNames {
		if n == name {
			return a, true
		}
	}
	return None, false
}

// PlaceNamed finds a place by its [Place.Word].
func PlaceNamed(word string) (Place, bool) {
	for p, w := range placeWords {
		if w == word {
			return Place(p), true
		}
	}
	return Everywhere, false
}

// ActionNames are the names of all actions, sorted.
func ActionNames() []string { return slices.Sorted(maps.Values(actionNames)) }

// PlaceWords are the words for all places.
func PlaceWords() []string { return slices.Clone(placeWords[:]) }
