//go:build unix

package tui

import (
	"os"
	"strings"
	"testing"
	"time"
)

// harmless fails unless a file is there, has the texts, and drives no terminal that
// shows it.
func (s *session) harmless(path string, texts ...string) {
	s.t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, text := range texts {
		if !strings.Contains(string(data), text) {
			s.t.Errorf("%s lacks %q", path, text)
		}
	}
	for i, line := range strings.Split(string(data), "\n") {
		if bad := controls(line); bad != "" {
			s.t.Errorf("%s: line %d has %s: %q", path, i+1, bad, line)
		}
	}
}

// TestSessionShowsHostileTextHarmlessly is case F017 on a terminal: whatever a store
// holds, only what the console itself says reaches it. The title and the clipboard
// stay the console's, and what libraries wrote goes into a file that may be shown.
func TestSessionShowsHostileTextHarmlessly(t *testing.T) {
	s := newSession(t, "hostile")
	s.waits("pid ")
	s.sees("[2 Run")
	for _, keys := range []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "!", "@", "2", "\r", "]", "]", "]", "]", "]", "2", "y", "s", "\x1b", "c", "n", "?", "\x1b", "q"} {
		s.send(keys)
		time.Sleep(150 * time.Millisecond)
	}
	s.waits("left; ")
	s.ends(0)
	raw := s.raw()
	for _, bad := range []string{"\x1b[2J\x1b]0;owned", "owned\x07", "\x1b]52;c;b3duZWQ=", "\x1b]8;;http", "\x1bPq", "\u009b", "\u202e", "\u2028", "\xff"} {
		if strings.Contains(raw, bad) {
			t.Errorf("%q reached the terminal", bad)
		}
	}
	_, rest, ok := strings.Cut(raw, "error messages were written to ")
	if !ok {
		t.Fatalf("no file of errors is named: %q", raw[max(0, len(raw)-300):])
	}
	path, _, _ := strings.Cut(rest, "\r")
	s.harmless(path, `a\x1b[2J`)
}
