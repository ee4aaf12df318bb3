package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// TestPlainIsForScreenReaders: one pane, ASCII alone, no colours, and the terminal's
// cursor on the chosen row, whatever the theme and the width.
func TestPlainIsForScreenReaders(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 60}, {70, 50}} {
		for _, keys := range []string{"", "j j", "3", "4 j", "5 j j", "6", "9 j", "8", "@", "!", "1 j", "0"} {
			r := newRig(t, owing(), size[0], size[1])
			r.send(settingsMsg{set: Settings{Theme: "light", Plain: true}})
			r.play(keys)
			r.pass(5 * time.Second)
			v := r.m.View()
			exact(t, keys, v.Content, size[0], size[1])
			if strings.Contains(v.Content, "\x1b") || strings.Contains(v.Content, "+-") || strings.Contains(v.Content, "|") && !strings.Contains(v.Content, " | ") {
				t.Errorf("%v %s: colours or boxes\n%s", size, keys, v.Content)
			}
			chosen := -1
			for y, l := range strings.Split(v.Content, "\n") {
				if strings.HasPrefix(l, ">") {
					chosen = y
				}
			}
			if at := v.Cursor; chosen >= 0 && (at == nil || at.Y != chosen) || chosen < 0 && at != nil {
				t.Errorf("%v %s: the cursor is at %+v, the chosen row at %d\n%s", size, keys, v.Cursor, chosen, v.Content)
			}
		}
	}
	r := newRig(t, owing(), 80, 24)
	if r.m.View().Cursor != nil {
		t.Error("there is a cursor for those who see the selection")
	}
	r.send(settingsMsg{set: Settings{Plain: true}})
	r.keys("?")
	r.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	if r.m.View().Cursor != nil {
		t.Error("the cursor is on a row under the help")
	}
}
