//go:build unix

package tui

import (
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
)

// TestSessionIgnoresAPasteStorm: what is pasted is no key, however much there is
// of it, and whatever it looks like; a text field takes it as text.
func TestSessionIgnoresAPasteStorm(t *testing.T) {
	s := newSession(t, "console")
	s.waits("reserveStock 2/3")
	keys := strings.Repeat("3p\r y qcy\r", 10_000) // as keys they would panic, leave and cancel
	s.send("\x1b[200~" + keys + "\x1b[201~")
	s.waits("pasted text is ignored here")
	s.sees("reserveStock 2/3")
	s.send("/")
	time.Sleep(100 * time.Millisecond)
	s.send("\x1b[200~pasted\x1b[201~")
	s.waits("pasted")
	s.send("\x1b")
	s.waits("suspend") // the hints are back: an escape alone, not the beginning of a sequence
	s.sees("reserveStock 2/3")
	s.send("q")
	s.waits("left; ")
	s.ends(0)
}

// TestSessionSurvivesAResizeStorm: sixty sizes in a row, too small ones among
// them, and the last one is drawn whole.
func TestSessionSurvivesAResizeStorm(t *testing.T) {
	s := newSession(t, "console")
	s.waits("reserveStock 2/3")
	for i := range 60 {
		size := pty.Winsize{Rows: uint16(1 + i*37%70), Cols: uint16(1 + i*53%220)}
		if err := pty.Setsize(s.pty, &size); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Millisecond)
	}
	if err := pty.Setsize(s.pty, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	s.sees("reserveStock 2/3")
	s.sees("[2 Run ")
	s.send("q")
	s.waits("left; ")
	s.ends(0)
}

// TestSessionTellsThatItWasDeposed: the lease is stolen while the console is on
// the screen. The banner stays, nothing is done any more, and the program ends
// with an error.
func TestSessionTellsThatItWasDeposed(t *testing.T) {
	s := newSession(t, "stolen")
	s.waits("reserveStock 2/3")
	s.sees("DEPOSED at epoch 41, now 42 held by con-thief")
	s.send("3p")
	s.sees("lease lost at epoch 41, now 42 held by con-thief")
	s.sees("DEPOSED")
	s.send("q")
	s.waits("error: ")
	s.ends(1)
}
