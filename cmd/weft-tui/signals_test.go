package main

import (
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// TestSignalEndsAVerb: what was printed stays, the store is closed and the exit
// code names the signal.
func TestSignalEndsAVerb(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot send itself a signal there")
	}
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	f := orders()
	f.watched = func() {
		if err := self.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
	}
	got := invoke(t, f, "watch", "--jsonl")
	if got.code != 143 || f.closed != 1 || strings.Count(got.out, "\n") != len(f.notices) {
		t.Errorf("watch ended by SIGTERM: %v, closed %d times", got, f.closed)
	}
	if want := `{"code":"interrupted","message":"ended by signal: terminated"}` + "\n"; got.err != want {
		t.Errorf("standard error %q, want %q", got.err, want)
	}
}
