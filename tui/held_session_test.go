//go:build unix

package tui

import (
	"testing"
	"time"
)

// TestSessionTellsAHeldKeyFromANewOne: terminals that tell repeats and releases, as
// the console asks them to.
func TestSessionTellsAHeldKeyFromANewOne(t *testing.T) {
	s := newSession(t, "owing")
	s.waits("reserveStock 2/3")
	const y = "\x1b[121;1"
	s.send("jjjc")
	s.waits("cancel it")
	time.Sleep(armsAfter + 50*time.Millisecond)
	s.send(y + ":2u" + y + ":3u" + y + ":2u\x1b[99;1:3u") // y held, let go, held, and c let go
	time.Sleep(100 * time.Millisecond)
	s.sees("cancel it")
	s.send(y + ":1u")
	s.sees("OK cancel ord-7f3a9c1e")
	s.send("q")
	s.waits("left; ")
	s.ends(0)
}
