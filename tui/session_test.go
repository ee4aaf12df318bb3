//go:build unix

package tui

import (
	"strings"
	"testing"
	"time"
)

// TestSessionEndsAndMendsRuns is what an operator does in a bad hour, on a
// terminal: every question is answered after it could be read.
func TestSessionEndsAndMendsRuns(t *testing.T) {
	s := newSession(t, "owing")
	s.waits("reserveStock 2/3")
	answer := func(open, asks, yes, result string) {
		t.Helper()
		s.send(open)
		s.waits(asks)
		time.Sleep(armsAfter + 50*time.Millisecond)
		s.send(yes)
		s.sees(result)
	}
	answer("jjjc\tduplicate, y?\r", "duplicate, y?", "y", "OK cancel ord-7f3a9c1e")
	s.send("3")
	s.sees("operator: looking")
	s.send("p")
	s.sees("OK resume ord-5d4f2a")
	s.send("5")
	s.sees("releaseHold")
	answer("R", "retry destroySandbox for box-19f0aa02", "y", "OK retry-teardown box-19f0aa02")
	s.send("6")
	s.sees("402 account closed")
	answer("R", "Redrive 1 dead letter", "y", "OK redrive box-00ff12ab")
	answer("jD", "Discard 1 dead letter", "discard 1\r", "OK discard box-0a1b22c9")
	s.send("q")
	s.waits("left; ")
	s.ends(0)
}

func TestSessionCancelsManyWhileOneFinishes(t *testing.T) {
	s := newSession(t, "crowd")
	s.waits("ord-00039")
	s.send(strings.Repeat(" ", 12) + "c")
	s.waits("cancel 12")
	time.Sleep(2500 * time.Millisecond) // one of them ends meanwhile
	s.send("cancel 12\r")
	s.waits("cancel: 11 done, 1 skipped, 0 failed")
	s.waits("skipped ord-00035")
	s.send("\r")
	s.sees("audits 118 to 128")
	s.send("q")
	s.waits("left; ")
	s.ends(0)
}
