package tui

import (
	"fmt"
	"strings"
	"testing"
)

// TestEveryPaneTellsItsConditionAtEverySize: the frames of two sizes are kept as
// files, and for all sizes each pane tells what it is in: never as if all were well.
func TestEveryPaneTellsItsConditionAtEverySize(t *testing.T) {
	wants := map[string][]string{
		"few":     {"HELD", "owed 5!", "dead 2!", "RW"},
		"empty":   {"HELD", "owed 0", "dead 0"},
		"loading": {"unknown", "owed ?", "dead ?"},
		"failed":  {"LOST", "unknown", "owed ?", "corrupted"},
		"wide":    {"HELD", "owed 6!", "dead 6!"},
		"deposed": {"DEPOSED", "con-2222"},
	}
	lacks := map[string][]string{"loading": {"HELD", "LIVE", "owed 0", "nothing runs", "nothing is owed", "nothing happened"}, "failed": {"HELD", "LIVE", "owed 0", "nothing runs"},
		"deposed": {"acts are possible", "lease HELD"}}
	for _, size := range [][2]int{{58, 16}, {80, 24}, {106, 30}, {120, 40}, {200, 60}} {
		for _, p := range panes {
			for _, c := range conditions {
				name := fmt.Sprintf("%s-%s-%dx%d", p.name, c.name, size[0], size[1])
				t.Run(name, func(t *testing.T) {
					r := openPane(t, p.keys, c.fake(), c.stall, size[0], size[1])
					exact(t, name, r.frame(), size[0], size[1])
					r.shows(wants[c.name]...)
					for _, s := range lacks[c.name] {
						if strings.Contains(r.frame(), s) {
							t.Errorf("the frame has %q:\n%s", s, r.frame())
						}
					}
				})
			}
		}
	}
}
