package tui

import (
	"fmt"
	"maps"
	"slices"

	"weft/keymap"
	"weft/views"
)

// palettePanes are the panes the palette leads to.
var palettePanes = []views.Pane{views.PaneOverview, views.PaneRunning, views.PaneSuspended, views.PaneTerminal, views.PaneOwed,
	views.PaneDead, views.PaneLease, views.PaneFeed, views.PaneTypes, views.PaneInspector, views.PaneProblems, views.PaneAudit}

// choices are what the palette offers here: what the keys of the place do, the
// panes, types to start, saved filters, and the runs of the list.
func (m *model) choices() []views.Choice {
	var out []views.Choice
	for _, b := range m.set.Keys.All(m.paneplace()) {
		if b.Action > keymap.Right && b.Action != keymap.Palette && b.Action != keymap.GoPane {
			out = append(out, views.Choice{Text: b.Does, Key: b.Label, Off: m.refusal(b.Action), Do: views.Invoke{Action: b.Action}})
		}
	}
	for _, p := range palettePanes {
		out = append(out, views.Choice{Text: "go to " + p.Title(), Do: views.GoTo{Pane: p}})
	}
	for _, t := range m.types.All() {
		if t.Registered {
			out = append(out, views.Choice{Text: "start " + t.Name, Off: m.refusal(keymap.Start), Do: views.RunCommand{Text: "start " + t.Name}})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m.saved)) {
		out = append(out, views.Choice{Text: fmt.Sprintf("load filter %s: /%s", name, m.saved[name]), Do: views.RunCommand{Text: "load " + name}})
	}
	for _, ref := range m.list().Refs() {
		out = append(out, views.Choice{Text: "open " + string(ref.ID), Do: views.OpenRun{Ref: ref}})
	}
	return out
}
