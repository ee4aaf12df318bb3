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

// TestEachLineOfANeedIsClicked: a text that has three lines is one thing.
func TestEachLineOfANeedIsClicked(t *testing.T) {
	r := newRig(t, owing(), 80, 40)
	r.keys("1")
	for y, line := range strings.Split(r.frame(), "\n") {
		if !strings.Contains(line, "gone: it is taken over by itself") {
			continue
		}
		r.send(click(20, y))
		r.shows("> problem    an attempt of a teardown")
		r.keys("enter")
		if r.m.open != views.PaneProblems {
			t.Errorf("it leads to %s", r.m.open)
		}
		return
	}
	t.Fatalf("the text is not on the screen\n%s", r.frame())
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
