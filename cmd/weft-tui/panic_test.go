//go:build unix

package main

import (
	"strings"
	"testing"
)

// TestPanicsBesideTheConsole: one in a workflow or an activity fails the run, and
// the console goes on. One in a goroutine of its own ends the process, as in any
// program of Go: the terminal is given back, and the next start goes on.
func TestPanicsBesideTheConsole(t *testing.T) {
	for _, where := range []string{"workflow", "activity"} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			s := programOnScreen(t, dir, "panicking", where)
			s.until("the failed run", func() bool { return strings.Contains(s.screen(), "bad-1") }, func() { _, _ = s.pty.WriteString("4") })
			s.press("q", "a")
			s.endsWith(exitOK)
			if shown := headless(t, dir, "show", "bad-1"); !strings.Contains(shown, "boom in a") {
				t.Errorf("the run does not tell of the panic:\n%s", shown)
			}
		})
	}
	t.Run("goroutine", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		s := programOnScreen(t, dir, "panicking", "goroutine")
		s.waitFor("bad-1")
		s.endsWith(2)
		s.waitFor("panic: boom in a goroutine")
		s.waitFor("the terminal was restored")
		if list := headless(t, dir, "ls"); !strings.Contains(list, "bad-1") {
			t.Errorf("ls after the death:\n%s", list)
		}
	})
}
