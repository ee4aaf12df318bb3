//go:build unix

package main

import (
	"strings"
	"testing"
)

// TestConsoleRemembersItsStore: columns, order, a kept filter and the pane are
// there when the console is started again.
func TestConsoleRemembersItsStore(t *testing.T) {
	dir := t.TempDir()
	s := onScreen(t, dir, "demo")
	s.waitFor("keep-april-logs")
	if strings.Contains(s.screen(), "PARENT") {
		t.Fatal("the column is shown already")
	}
	s.command("cols id,parent,age", "PARENT")
	s.command("filter april", "/april")
	s.command("save logs", "kept")
	s.press("q", "a")
	s.endsWith(exitOK)

	s = onScreen(t, dir)
	s.waitFor("PARENT")
	s.command("load logs", "/april")
	s.press("q", "a")
	s.endsWith(exitOK)
}

// command types a command and waits for what comes of it.
func (s *session) command(line, want string) {
	s.t.Helper()
	if _, err := s.pty.WriteString(":" + line + "\r"); err != nil {
		s.t.Fatal(err)
	}
	s.waitFor(want)
}
