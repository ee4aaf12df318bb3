//go:build unix

package tui

import (
	"testing"
	"time"
)

// TestSessionLendsTheTerminalToAnEditor: an editor gets the normal screen and its own
// keys, and the console goes on behind it, however it ended.
func TestSessionLendsTheTerminalToAnEditor(t *testing.T) {
	t.Setenv("WEFT_TUI_TEST_EDITOR", `ed() { echo "editor here"; stty -a | grep -o ' icanon'; read line; test "$line" = fail && exit 3; test "$line" = keep || echo "\"$line\"" > "$1"; }; ed`)
	s := newSession(t, "console")
	s.waits("reserveStock 2/3")
	s.send("N")
	s.waits("Start a workflow")
	for _, step := range []struct{ line, want string }{{"hello", `"hello"`}, {"keep", "the editor left it as it was"}, {"fail", "the text is kept as it was: the editor"}} {
		s.send("\x0f") // ctrl+o
		s.waits("editor here")
		s.waits(" icanon")
		s.send(step.line + "\r")
		s.waits(step.want)
		time.Sleep(50 * time.Millisecond)
	}
	s.send("\x13")
	s.waits("OK start")
	s.send("q")
	s.waits("left; ")
	s.ends(0)
}
