package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"weft/views"
)

// TestNeedsUseTheRoomThereIs: texts of what needs a person are whole where there are
// lines for them, have one line each where not, and each line leads to their pane.
func TestNeedsUseTheRoomThereIs(t *testing.T) {
	ends := []string{"402 account closed", "cannot be read", "in pane 5 it can be taken over now", "start a build that has their types", "run the build that has it", "2 runs until somebody resumes"}
	for size, whole := range map[[2]int]bool{{200, 60}: true, {160, 60}: true, {80, 40}: true, {80, 24}: false, {106, 30}: false, {58, 16}: false} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			r := newRig(t, owing(), size[0], size[1])
			r.keys("1")
			exact(t, "needs", r.frame(), size[0], size[1])
			text := needed(r.frame())
			for _, end := range ends {
				if whole && !strings.Contains(text, end) {
					t.Errorf("no %q in\n%s", end, r.frame())
				}
			}
			if whole && strings.Contains(text, "..") {
				t.Errorf("a text is cut\n%s", r.frame())
			}
			if !r.m.shape().Apart() {
				r.keys("G")
				r.shows("> suspended")
			}
		})
	}
}

// TestEachLineOfANeedIsClicked: a text on three lines is one thing, wherever it
// stands, and leads to its pane.
func TestEachLineOfANeedIsClicked(t *testing.T) {
	for name, at := range map[string]struct {
		w, h int
		keys string
	}{"under the facts": {80, 40, "1"}, "beside them": {120, 40, "1"}, "beside the lease": {120, 40, "7"}, "in three columns": {200, 60, "1"}, "below them": {84, 60, "1"}} {
		t.Run(name, func(t *testing.T) {
			for what, pane := range map[string]views.Pane{"402 account closed": views.PaneDead, "an attempt of a teardown": views.PaneProblems, "gone: it": views.PaneProblems,
				"until somebody resumes": views.PaneSuspended} {
				r := newRig(t, owing(), at.w, at.h)
				r.keys(at.keys)
				x, y := r.needSpot(what)
				r.send(click(x, y))
				if r.m.open != views.PaneOverview {
					t.Errorf("a click on %q leads to %s", what, r.m.open)
				}
				r.send(click(x, y))
				if r.m.open != pane {
					t.Errorf("two clicks on %q lead to %s, want %s", what, r.m.open, pane)
				}
			}
		})
	}
}

// needSpot is where a text stands below the head of what needs a person.
func (r *rig) needSpot(text string) (x, y int) {
	r.t.Helper()
	left := -1
	for y, line := range strings.Split(r.frame(), "\n") {
		if i := strings.Index(strings.ToLower(line), "- needs a person -"); i >= 0 {
			left = max(0, i-1)
			continue
		}
		if left < 0 || len(line) < left {
			continue
		}
		if i := strings.Index(line[left:], text); i >= 0 {
			return left + i, y
		}
	}
	r.t.Fatalf("no %q in\n%s", text, r.frame())
	return 0, 0
}

// needed is what stands in the box or under the head of what needs a person,
// without the lines it stands on.
func needed(frame string) string {
	lines := strings.Split(frame, "\n")
	from := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(strings.ToLower(l), "- needs a person -") })
	if from < 0 {
		return ""
	}
	left := max(0, strings.Index(lines[from], "+- Needs"))
	var out []string
	for _, line := range lines[from+1:] {
		line = line[min(left, len(line)):]
		if strings.HasPrefix(line, "+-") {
			break
		}
		line, _, _ = strings.Cut(strings.TrimPrefix(line, "|"), "|")
		out = append(out, strings.Fields(line)...)
	}
	return strings.Join(out, " ")
}
