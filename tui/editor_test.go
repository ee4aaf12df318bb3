package tui

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"weft/flow"
)

// TestEditorGivesBackWhatItWrote: what the editor wrote is taken, what it did not is
// kept, and nothing is sent by it.
func TestEditorGivesBackWhatItWrote(t *testing.T) {
	tests := map[string]struct {
		after string
		err   error
		want  []string
	}{
		"a new text":    {`{"orderId": "ord_2"}`, nil, []string{`"ord_2"`, "taken from the editor; nothing is sent yet"}},
		"the same text": {"", nil, []string{`"ord_1001"`, "the editor left it as it was"}},
		"no JSON":       {"{\n  \"a\": ]\n}", nil, []string{`"a": _]`, "line 2, column 8"}},
		"an empty text": {" ", nil, []string{"is empty; write null for no value"}},
		"it failed":     {"lost", errors.New("the editor vi failed: exit status 1"), []string{`"ord_1001"`, "the text is kept as it was: the editor vi failed: exit status 1"}},
		"hostile text":  {`{"a":"` + evil + `"}`, nil, []string{`a_\x1b[2J`}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, populated(), 100, 30)
			r.keys("N")
			before := "{\n  \"orderId\": \"ord_1001\",\n  \"amountCents\": 4999,\n  \"ref\": 3544790567247868102\n}"
			if tc.after == "" {
				tc.after = before
			}
			r.send(editedMsg{before, tc.after, tc.err})
			r.shows(tc.want...)
			exact(t, name, r.frame(), 100, 30)
			if len(r.f.acts) > 0 {
				t.Errorf("it was sent: %v", r.deedsOf())
			}
		})
	}
	r := newRig(t, populated(), 100, 30)
	r.keys("N esc")
	r.send(editedMsg{"a", "b", nil})
	r.shows("the form is gone")
	r.keys("N ctrl+o")
	r.shows("no editor is named: set VISUAL or EDITOR")
}

// TestEditorsCtrlCIsItsOwn: the terminal sends it to the console too.
func TestEditorsCtrlCIsItsOwn(t *testing.T) {
	r := newRig(t, populated(), 100, 30)
	r.m.opts.Editor = "vi"
	r.stall = func(e effect) bool { _, exec := e.(terminalEffect); return exec }
	r.keys("N ctrl+o")
	if len(r.stalled) != 1 {
		t.Fatalf("%d effects, want the editor", len(r.stalled))
	}
	r.stall = nil
	r.send(signalMsg{os.Interrupt})
	r.send(editedMsg{"null", "null", nil})
	r.send(signalMsg{os.Interrupt})
	if r.m.leave.closing || r.done {
		t.Error("ctrl+c in the editor left the console")
	}
	r.pass(time.Second)
	r.send(signalMsg{syscall.SIGTERM})
	if !r.m.leave.closing {
		t.Error("a signal to end is not heard any more")
	}
}

// TestAfterTheEditorTheLeaseIsReadFirst: much may have happened since.
func TestAfterTheEditorTheLeaseIsReadFirst(t *testing.T) {
	r := newRig(t, populated(), 100, 30)
	r.keys("N")
	r.stall = func(e effect) bool { _, ok := e.(readInfo); return ok }
	r.send(editedMsg{"x", "null", nil})
	r.keys("ctrl+s")
	r.shows("the lease was not read yet")
	r.release()
	r.keys("ctrl+s")
	if len(r.f.acts) != 1 || string(r.f.acts[0].Deed.(flow.Start).Input) != "null" {
		t.Errorf("acts %v, want a start with null", r.deedsOf())
	}
}

// TestEditingRunsTheCommand: with options, on a file that is the text and that
// nobody else may read, which is gone afterwards.
func TestEditingRunsTheCommand(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell here")
	}
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	script := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		return "'" + path + "'"
	}
	tests := map[string]struct{ command, want, err string }{
		"it changes the file":    {script("an editor", `printf '{"n":2}\r\n' > "$1"`), `{"n":2}`, ""},
		"with an option":         {script("opts", `test "$1" = -w && printf '%s' "$1" > "$2"`) + " -w", "-w", ""},
		"it leaves it":           {"true", "null", ""},
		"it replaces the file":   {script("mv", `printf 3 > "$1.new"; mv "$1.new" "$1"`), "3", ""},
		"only its owner reads":   {script("mode", `ls -l "$1" | cut -c1-10 > "$1"`), "-rw-------", ""},
		"it fails":               {"false", "null", "the editor false failed: exit status 1"},
		"it is not there":        {"/nonexistent/editor", "null", "exit status 127"},
		"it removes the file":    {"rm", "null", "read what the editor wrote"},
		"it writes far too much": {script("big", `dd if=/dev/zero bs=1024 count=1025 2>/dev/null | tr '\\0' x > "$1"`), "null", "it is longer than"},
		"it writes no text":      {script("bin", `printf 'a\000b' > "$1"`), "null", "it is no text"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			e := &editing{command: tc.command, text: "null", out: &strings.Builder{}}
			err := e.Run()
			if e.text != tc.want || (tc.err == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Errorf("%q, %v; want %q, %q", e.text, err, tc.want, tc.err)
			}
		})
	}
	left, _ := filepath.Glob(filepath.Join(dir, "weft-*"))
	if len(left) > 0 {
		t.Errorf("files are left: %v", left)
	}
}
