package tui

import (
	"fmt"
	"slices"

	"weft/keymap"
	"weft/views"
)

// ownWords are the actions that have a word of their own, which says it better.
var ownWords = map[keymap.Action]string{
	keymap.Start: "start", keymap.Signal: "signal", keymap.Cancel: "cancel", keymap.Pause: "suspend", keymap.Retry: "retry",
	keymap.Discard: "discard", keymap.Again: "again", keymap.Purge: "purge", keymap.Export: "export", keymap.Diff: "diff",
	keymap.Follow: "follow", keymap.SaveFrame: "frame", keymap.Columns: "cols", keymap.SortNext: "sort", keymap.SortFlip: "sort",
	keymap.SortPrev: "sort", keymap.TimeMode: "time", keymap.GoAudit: "audit", keymap.GoProblems: "problems", keymap.Quit: "q",
}

// keyWords gives every action of a pane a word: its name in a configuration, which
// sentences name where it has no key. What moves the cursor needs none.
func keyWords() map[string]word {
	out := map[string]word{}
	for _, p := range keymap.Places() {
		if p.OwnsText() || p >= keymap.HelpPage {
			continue
		}
		for _, b := range (keymap.Map{}).At(p) {
			a := b.Action
			if ownWords[a] == a.String() || motions(a) {
				continue
			}
			out[a.String()] = word{does: b.Does, do: func(m *model, rest string) { m.commandKey(a, rest) }}
		}
	}
	return out
}

// commandKey does what a key does in the open pane, if there is one for it.
func (m *model) commandKey(a keymap.Action, rest string) {
	place := m.paneplace()
	here := slices.ContainsFunc((keymap.Map{}).At(place), func(b keymap.Binding) bool { return b.Action == a })
	switch {
	case !here:
		m.say(views.Warn, fmt.Sprintf(":%s means nothing here (%s)", a, place))
	case rest != "":
		m.say(views.Warn, fmt.Sprintf(":%s takes nothing, not %s", a, rest))
	default:
		m.invoke(views.Press{Action: a})
	}
}

// motions reports what is about keys, the cursor or the terminal alone.
func motions(a keymap.Action) bool {
	switch a {
	case keymap.Interrupt, keymap.Background, keymap.GoPane, keymap.Command, keymap.Repaint, keymap.None:
		return true
	}
	return a <= keymap.Right
}
