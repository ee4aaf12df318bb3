package views

import (
	"strings"

	"weft/flow"
)

// kindOf is the type of a run with its version, which is told apart from other
// numbers.
func kindOf(r flow.Run) string {
	version := r.Version
	if version != "" && version[0] >= '0' && version[0] <= '9' {
		version = "v" + version
	}
	return strings.TrimSpace(r.Type + " " + version)
}

// tabs is the line of tabs. Where it is tight the gaps give way, then the names
// of those that are not open.
func (v Inspector) tabs(look Look, w int) string {
	gap, names := v.tabNames(w)
	names[v.Tab] = look.paint(Strong, names[v.Tab])
	return Fit(strings.Join(names, gap), w)
}

// tabNames are the tabs as they fit on w cells, and what is between them.
func (v Inspector) tabNames(w int) (gap string, names []string) {
	for _, form := range []struct {
		pad, gap string
		of       [tabCount]string
		name     int
	}{{" ", "", tabNames, 20}, {"", " ", tabNames, 20}, {"", " ", shortTabNames, 20}, {"", " ", tabNames, 3}} {
		names, gap = nil, form.gap
		for t := range tabCount {
			if t == v.Tab {
				names = append(names, "["+t.String()+"]")
				continue
			}
			name := form.of[t]
			names = append(names, form.pad+name[:min(len(name), form.name)]+form.pad)
		}
		if len(strings.Join(names, gap)) <= w {
			break
		}
	}
	return gap, names
}

// TabAt is the tab whose name is at a cell of a line of w cells.
func (v Inspector) TabAt(x, w int) (Tab, bool) {
	gap, names := v.tabNames(w)
	from := 0
	for t, name := range names {
		if x >= from && x < from+len(name) {
			return Tab(t), true
		}
		from += len(name) + len(gap)
	}
	return 0, false
}

// Turned is the inspector at a tab.
func (v Inspector) Turned(to Tab) Inspector { return v.turn(int(to) + int(tabCount) - int(v.Tab)) }
