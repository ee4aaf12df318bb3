package tui

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"weft/flow"
	"weft/views"
)

// TestStatusIsToldTwice is rule 40: at every width a row tells its status by its
// letter and by its colour, and without colours by its letter and a word. The row
// under the cursor is told by a sign and reversed.
func TestStatusIsToldTwice(t *testing.T) {
	f := newFake()
	for i, s := range flow.Statuses() {
		f.add(fmt.Sprintf("run-%d-%s", i, s), "order-process", s, time.Duration(i)*time.Second)
	}
	held := f.add("run-held", "old-import", flow.Running, time.Minute)
	held.Held, held.HeldBecause = true, "type old-import is not registered here"
	for _, w := range []int{58, 64, 70, 84, 85, 105, 106, 120, 159, 160, 200} {
		for _, theme := range views.ThemeNames() {
			for keys, pane := range map[string]string{"2": "Run", "3": "Susp", "3 ]": "Held", "4": "none"} {
				r := newRig(t, f, w, 24)
				r.m.theme, _ = views.ThemeNamed(theme)
				r.keys(keys)
				r.pass(time.Second)
				for _, ref := range r.m.list().Refs() {
					row, _ := r.m.list().Find(ref)
					if bad := told(r, row, pane, theme); bad != "" {
						t.Errorf("%d wide, %s, %s: %s\n%s", w, theme, ref.ID, bad, r.frame())
					}
				}
			}
		}
	}
}

var statusLetters = map[flow.Status]string{flow.Pending: "P", flow.Running: "R", flow.Suspended: "S", flow.Completed: "C", flow.Failed: "F",
	flow.Cancelled: "X", flow.TimedOut: "T"}

// told says what is wrong with how a row tells its status; "" when nothing is.
func told(r *rig, row views.Row, pane, theme string) string {
	letter, word := statusLetters[row.Run.Status], row.Run.Status.String()
	if row.Run.Held {
		letter, word = "H", "held"
	}
	cell := regexp.MustCompile(`([> ] )(\x1b\[[0-9;]+m)?` + letter + `(\x1b\[m)? ` + string(row.Run.ID)[:5])
	var line string
	var at []string
	for _, l := range strings.Split(r.frame(), "\n") {
		if at = cell.FindStringSubmatch(l); at != nil {
			line = l
			break
		}
	}
	colours := theme != "mono" && theme != "plain"
	named := strings.Contains(ansi.Strip(line), word) || pane == "Run" && strings.Contains(r.frame(), "Run")
	switch {
	case line == "":
		return "its letter is nowhere"
	case r.cursor() == row.Run.Ref && (at[1] != "> " || theme != "plain" && !regexp.MustCompile(`\x1b\[(1;)?7m> `).MatchString(line)):
		return "the selection is not told by a sign and reversed"
	case r.cursor() == row.Run.Ref && !named && !strings.Contains(r.frame(), pane):
		return "neither word nor colour is beside the letter of the selection"
	case r.cursor() != row.Run.Ref && colours && at[2] == "":
		return "the letter has no colour"
	case r.cursor() != row.Run.Ref && !colours && !named && !strings.Contains(r.frame(), pane):
		return "no word is beside the letter"
	}
	return ""
}
