package tui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"weft/views"
)

// TestSelectionFillsItsColumn: the row under the cursor is marked to the edge of its
// column, however short its text is.
func TestSelectionFillsItsColumn(t *testing.T) {
	for _, keys := range []string{"1 j", "2", "3", "4", "5", "6", "8", "9", "@", "j j j j enter ["} {
		for _, size := range [][2]int{{80, 24}, {120, 40}} {
			t.Run(fmt.Sprint(keys, size), func(t *testing.T) {
				r := openPane(t, keys, lively(), false, size[0], size[1])
				r.m.theme, _ = views.ThemeNamed("dark")
				found := false
				for _, line := range strings.Split(r.frame(), "\n") {
					_, marked, ok := strings.Cut(line, "\x1b[7m>")
					if !ok {
						continue
					}
					found = true
					row, after, _ := strings.Cut(marked, "\x1b[m")
					if behind := ansi.Strip(after); behind != "" && !strings.HasPrefix(behind, "|") {
						t.Errorf("behind the row %q these cells are not marked: %q", row, behind)
					}
				}
				if !found {
					t.Errorf("no row is marked\n%s", r.frame())
				}
			})
		}
	}
}
