package keymap_test

import (
	"strings"
	"testing"

	"weft/keymap"
)

// promised are the keys operators may rely on, by the places they work in. A key
// that is not named for a place may mean anything there, or nothing.
var promised = []struct {
	in   []keymap.Place
	keys map[string]keymap.Action
}{
	{[]keymap.Place{keymap.Runs, keymap.Owed, keymap.Dead, keymap.Lease, keymap.Types, keymap.Inspector, keymap.Feed, keymap.Overview,
		keymap.Problems, keymap.Audit}, map[string]keymap.Action{
		"j": keymap.Down, "down": keymap.Down, "k": keymap.Up, "up": keymap.Up, "g": keymap.Top, "home": keymap.Top, "G": keymap.Bottom,
		"end": keymap.Bottom, "ctrl+d": keymap.HalfDown, "ctrl+u": keymap.HalfUp, "pgup": keymap.PageUp, "pgdown": keymap.PageDown,
		"ctrl+b": keymap.PageUp, "ctrl+f": keymap.PageDown, "h": keymap.Left, "left": keymap.Left, "l": keymap.Right, "right": keymap.Right,
		"esc": keymap.Back, "tab": keymap.NextPane, "shift+tab": keymap.PrevPane, "1": keymap.GoPane, "2": keymap.GoPane, "3": keymap.GoPane,
		"4": keymap.GoPane, "5": keymap.GoPane, "6": keymap.GoPane, "7": keymap.GoPane, "8": keymap.GoPane, "9": keymap.GoPane,
		"0": keymap.GoPane, ":": keymap.Command, "ctrl+p": keymap.Palette, "?": keymap.Help, "r": keymap.Refresh, "ctrl+r": keymap.Refresh,
		"z": keymap.Freeze, "+": keymap.Zoom, "_": keymap.Unzoom, "t": keymap.TimeMode, "-": keymap.GoLast, "!": keymap.GoProblems,
		"@": keymap.GoAudit, "ctrl+s": keymap.SaveFrame, "ctrl+l": keymap.Repaint, "ctrl+z": keymap.Background, "q": keymap.Quit,
		"ctrl+c": keymap.Interrupt, "backspace": keymap.None, "delete": keymap.None, "ctrl+k": keymap.None, "5 j": keymap.None}},
	{[]keymap.Place{keymap.Runs, keymap.Owed, keymap.Dead}, map[string]keymap.Action{
		"enter": keymap.Open, "/": keymap.Filter, "space": keymap.Mark, "v": keymap.MarkRange, "ctrl+space": keymap.MarkRange,
		"ctrl+a": keymap.MarkAll, `ctrl+\`: keymap.ClearMarks, "R": keymap.Retry, "c": keymap.Cancel, "p": keymap.Pause, "s": keymap.Signal,
		"N": keymap.Start, "D": keymap.Discard, "d": keymap.Diff, "e": keymap.Export, "F": keymap.Follow, "<": keymap.SortPrev,
		">": keymap.SortNext, "=": keymap.SortFlip, ",": keymap.Columns, "y": keymap.Copy}},
	{[]keymap.Place{keymap.Runs, keymap.Inspector}, map[string]keymap.Action{
		"u": keymap.Update, "Q": keymap.AskQuery, "Y": keymap.CopyAs, "X": keymap.ForceTimeout, "c": keymap.Cancel, "s": keymap.Signal,
		"p": keymap.Pause, "R": keymap.Retry, "y": keymap.Copy, "[": keymap.PrevTab, "]": keymap.NextTab}},
	{[]keymap.Place{keymap.Inspector}, map[string]keymap.Action{
		"/": keymap.Filter, "n": keymap.FindNext, "N": keymap.FindPrev, "w": keymap.Wrap, "V": keymap.Unmask}},
	{[]keymap.Place{keymap.Confirming, keymap.Asking}, map[string]keymap.Action{
		"y": keymap.Accept, "n": keymap.Stay, "esc": keymap.Stay, "enter": keymap.Stay, "space": keymap.None, "c": keymap.None, "R": keymap.None}},
	{[]keymap.Place{keymap.Quitting}, map[string]keymap.Action{
		"d": keymap.Drain, "a": keymap.Abandon, "esc": keymap.Stay, "enter": keymap.Stay, "q": keymap.None, "y": keymap.None}},
}

// TestKeysMeanWhatIsPromised: what people know from other consoles and from the
// tour, in every place it is promised for.
func TestKeysMeanWhatIsPromised(t *testing.T) {
	for _, p := range promised {
		for _, place := range p.in {
			for key, want := range p.keys {
				if got := (keymap.Map{}).Find(place, key); got != want {
					t.Errorf("%s: %s means %q, want %q", place, key, got, want)
				}
			}
		}
	}
}

// TestEveryKeyOfAPaneIsPromised: a key that is added or moved is a decision.
func TestEveryKeyOfAPaneIsPromised(t *testing.T) {
	also := "A P o T" // again, purge, raw, labels: ours alone
	for _, place := range []keymap.Place{keymap.Runs, keymap.Owed, keymap.Dead, keymap.Inspector} {
		for _, b := range (keymap.Map{}).At(place) {
			for _, key := range b.Keys {
				found := strings.Contains(also, key)
				for _, p := range promised {
					_, ok := p.keys[key]
					found = found || ok
				}
				if !found && key != "ctrl+@" && key != "shift+tab" {
					t.Errorf("%s: %s (%s) is promised nowhere", place, key, b.Does)
				}
			}
		}
	}
}
