package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"weft/flow"
	"weft/views"
)

// boxes are where the titles of panes stand in a frame.
func boxes(frame string) map[views.Pane][2]int {
	titles := map[views.Pane]string{views.PaneRunning: "2 Running", views.PaneInspector: "0 Inspector", views.PaneOwed: "5 Owed teardowns",
		views.PaneDead: "6 Dead letters", views.PaneFeed: "8 Feed", views.PaneLease: "7 Lease", views.PaneProblems: "! Problems"}
	found := map[views.Pane][2]int{}
	for y, line := range strings.Split(frame, "\n") {
		for p, title := range titles {
			for _, edge := range []string{"+- ", "+= "} {
				if x := strings.Index(line, edge+title); x >= 0 {
					found[p] = [2]int{x, y}
				}
			}
		}
	}
	return found
}

// TestAClickOpensThePaneThatIsThere: in every shape with borders, on the title and
// on the line under it.
func TestAClickOpensThePaneThatIsThere(t *testing.T) {
	sizes := map[string]struct {
		w, h  int
		panes int
	}{"two columns": {120, 40, 5}, "three columns": {200, 60, 7}, "portrait": {80, 50, 5}}
	for name, size := range sizes {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, crowd(40), size.w, size.h)
			r.f.mu.Lock()
			r.f.info.Problems = []flow.Problem{{Text: "the disk is nearly full", Count: 1}}
			r.f.mu.Unlock()
			r.pass(2 * time.Second)
			all := boxes(r.frame())
			if len(all) != size.panes {
				t.Fatalf("%d panes are on the screen: %v\n%s", len(all), all, r.frame())
			}
			for p, at := range all {
				for dy := range 2 {
					r.keys("2")
					r.pass(time.Second)
					r.send(click(at[0]+3, at[1]+dy))
					if r.m.open != p {
						t.Errorf("a click at %d,%d leads to %s, want %s", at[0]+3, at[1]+dy, r.m.open, p)
					}
				}
			}
		})
	}
}

// TestAClickOnARowChoosesItInEveryShape names the row by what stands on it.
func TestAClickOnARowChoosesItInEveryShape(t *testing.T) {
	for _, size := range [][2]int{{60, 20}, {80, 24}, {80, 50}, {120, 40}, {200, 60}} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			r := newRig(t, crowd(40), size[0], size[1])
			for y, line := range strings.Split(r.frame(), "\n") {
				if x := strings.Index(line, "ord-00037"); x >= 0 {
					r.send(click(x, y))
					break
				}
			}
			if got := r.cursor().ID; got != "ord-00037" {
				t.Errorf("the cursor is on %s\n%s", got, r.frame())
			}
		})
	}
}
