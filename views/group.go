package views

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weft/flow"
	"weft/keymap"
)

// Narrow adds words to the filter of the list.
type Narrow struct{ Words string }

// MarkRuns marks runs of the list.
type MarkRuns struct {
	Refs []flow.Ref
	What string
}

func (Narrow) intent()   {}
func (MarkRuns) intent() {}

// Groups are the rows of a list, counted by what they have in common. A group is
// listed by enter, or marked where no filter can name it.
type Groups struct {
	by     string
	groups []group
	index  map[string]int
	// counted is how many rows were looked at; more: not all were.
	counted int
	more    bool
	at      int
}

type group struct {
	key  string
	refs []flow.Ref
}

// groupWords are the filter words that name a group.
var groupWords = map[string]string{"status": "status=", "type": "type=", "version": "version=", "tag": "tag="}

// NewGroups begins to count by status, type, version, tag, error, finalizer or
// state. Unknown is what the pane can be grouped by, when by is none of it.
func NewGroups(p Pane, by string) (_ Groups, unknown string) {
	known := []string{"status", "type", "version", "tag", "error"}
	if p == PaneOwed || p == PaneDead {
		known = []string{"type", "finalizer", "state", "error"}
	}
	if !slices.Contains(known, by) {
		return Groups{}, strings.Join(known, " ")
	}
	return Groups{by: by, index: map[string]int{}}, ""
}

// Add counts the rows of a page; more: others follow.
func (v *Groups) Add(page flow.Page) {
	v.more = page.More
	for _, r := range rowsOf(page) {
		v.counted++
		for _, key := range v.keys(r) {
			i, ok := v.index[key]
			if !ok {
				i = len(v.groups)
				v.index[key], v.groups = i, append(v.groups, group{key: key})
			}
			v.groups[i].refs = append(v.groups[i].refs, r.Run.Ref)
		}
	}
}

// keys are the groups of a row; a run with several tags is in several.
func (v *Groups) keys(r Row) []string {
	switch v.by {
	case "status":
		return []string{r.Run.Status.String()}
	case "type":
		return []string{r.Run.Type}
	case "version":
		return []string{r.Run.Version}
	case "tag":
		if len(r.Run.Tags) > 0 {
			return r.Run.Tags
		}
	case "finalizer":
		return []string{finalizerOf(r)}
	case "state":
		return []string{stateOf(Look{}, r)}
	case "error":
		return []string{errorOf(r)}
	}
	return []string{""}
}

func errorOf(r Row) string {
	switch {
	case r.Owed != nil:
		return r.Owed.LastError
	case r.Dead != nil:
		return r.Dead.LastError
	case r.Run.Failure != nil:
		return strings.TrimSpace(r.Run.Failure.Code + " " + r.Run.Failure.Message)
	}
	return ""
}

// Sorted puts the largest group first.
func (v Groups) Sorted() Groups {
	v.groups = slices.Clone(v.groups)
	slices.SortStableFunc(v.groups, func(a, b group) int {
		return cmp.Or(cmp.Compare(len(b.refs), len(a.refs)), cmp.Compare(a.key, b.key))
	})
	return v
}

// Place implements [Modal].
func (Groups) Place() keymap.Place { return keymap.GroupDialog }

// Press applies one key.
func (v Groups) Press(p Press) (Modal, Intent) {
	switch p.Action {
	case keymap.Back, keymap.Quit:
		return v, CloseModal{}
	case keymap.Top:
		v.at = 0
	case keymap.Bottom:
		v.at = len(v.groups)
	case keymap.Open, keymap.Mark:
		return v.chosen(p.Action)
	}
	n, _ := stride(p.Action, 10)
	v.at = max(0, min(v.at+n, len(v.groups)-1))
	return v, nil
}

func (v Groups) chosen(a keymap.Action) (Modal, Intent) {
	if v.at >= len(v.groups) {
		return v, Say{"there is no group"}
	}
	g := v.groups[v.at]
	word := groupWords[v.by]
	named := word != "" && g.key != "" && !strings.ContainsAny(g.key, " \t\n")
	if a == keymap.Open && named {
		return v, Narrow{word + g.key}
	}
	return v, MarkRuns{g.refs, v.by + " " + orElse(g.key, "none")}
}

// Draw implements [Modal].
func (v Groups) Draw(look Look, w, h int) []string {
	bw := boxWidth(w)
	inner := bw - 4
	rows := max(1, min(len(v.groups), h-6))
	top := max(0, min(v.at-rows/2, len(v.groups)-rows))
	most := 1
	for _, g := range v.groups {
		most = max(most, len(g.refs))
	}
	const bar = 16
	var lines []string
	for i := top; i < min(len(v.groups), top+rows); i++ {
		g := v.groups[i]
		n := strings.Repeat("#", max(1, len(g.refs)*bar/most))
		line := Fit(look.clean(orElse(g.key, "(none)")), inner-bar-12) + " " + FitRight(fmt.Sprint(len(g.refs)), 7) + "  " + Fit(n, bar)
		if i == v.at {
			lines = append(lines, " "+look.paint(Chosen, Fit("> "+line, inner)))
			continue
		}
		lines = append(lines, "   "+line)
	}
	if len(v.groups) == 0 {
		lines = append(lines, " "+look.paint(Dim, "the list has no rows"))
	}
	sum := plural(v.counted, "row")
	if v.more {
		sum = ">=" + sum + " (more were not looked at)"
	}
	open, closes := look.key(keymap.GroupDialog, keymap.Open, "enter"), look.key(keymap.GroupDialog, keymap.Back, "esc")+" closes"
	keys := open + " lists it   " + look.key(keymap.GroupDialog, keymap.Mark, "space") + " marks it   " + closes
	if groupWords[v.by] == "" {
		keys = open + " marks it   " + closes
	}
	lines = append(lines, "", look.paint(Dim, Beside("  "+sum, keys+" ", bw-2)))
	return look.box("Groups by "+v.by, lines, bw, len(lines)+2, true)
}
