package views

import (
	"slices"
	"strings"
)

// tabOrder is the order of the panes in their line. Where it is tight the last
// ones are left out.
var tabOrder = []Pane{1, 2, 3, 4, 5, 6, 7, 8, 9, 0}

// panes is the line of panes. Where it is tight the gaps give way first, then the
// last panes that are not open, then the names of those without a number, whose
// digits stay.
func (h Header) panes(look Look, w int, open Pane) string {
	gap, tabs := h.tabsOn(look, w, open)
	var parts []string
	for _, t := range tabs {
		parts = append(parts, t.text)
	}
	return Fit(strings.Join(parts, gap), w)
}

// paneAt is the pane whose name is at a cell of the line of panes.
func (h Header) paneAt(look Look, w int, open Pane, x int) (Pane, bool) {
	gap, tabs := h.tabsOn(look, w, open)
	from := 0
	for _, t := range tabs {
		if x >= from && x < from+width(t.text) {
			return t.pane, true
		}
		from += width(t.text) + len(gap)
	}
	return 0, false
}

type paneTab struct {
	pane Pane
	text string
}

// tabsOn are the tabs as they fit on w cells, and what is between them.
func (h Header) tabsOn(look Look, w int, open Pane) (gap string, tabs []paneTab) {
	for _, form := range []struct {
		gap  string
		name int
		all  []Pane
	}{{"  ", 40, tabOrder}, {" ", 40, tabOrder}, {" ", 40, tabOrder[:9]}, {" ", 40, tabOrder[:8]},
		{" ", 1, tabOrder}, {" ", 1, tabOrder[:8]}, {" ", 1, tabOrder[:6]}} {
		gap, tabs = form.gap, h.tabs(look, open, form.all, form.name)
		n := -len(gap)
		for _, t := range tabs {
			n += width(t.text) + len(gap)
		}
		if n <= w {
			break
		}
	}
	return gap, tabs
}

// tabs are the panes; those that have no number get a name of at most so many
// cells.
func (h Header) tabs(look Look, open Pane, of []Pane, name int) (tabs []paneTab) {
	for _, p := range tabOrder {
		if p != open && !slices.Contains(of, p) {
			continue
		}
		text, tone := p.tab(p == open, h.Info.Counts, h.Known)
		if p.Lists() || p == open {
			name := look.paint(tone, text)
			if p != open && tone == Plain { // its digit is the key, not a count
				name = look.paint(Dim, text[:1]) + text[1:]
			}
			tabs = append(tabs, paneTab{p, name})
			continue
		}
		text = text[:min(len(text), name)]
		tabs = append(tabs, paneTab{p, look.paint(Dim, text[:1]) + text[1:]})
	}
	return tabs
}
