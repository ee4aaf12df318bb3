package tui

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"weft/flow"
	"weft/views"
)

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// write answers the open dialog with a path and waits past its guard.
func (r *rig) write(path string) {
	r.t.Helper()
	r.keys("ctrl+u")
	r.types(path)
	r.pass(time.Second)
	r.keys("enter")
}

func TestExportOfARun(t *testing.T) {
	f := owing()
	f.inputs[f.ref(ordRow)] = flow.Payload("{\"password\":\"hunter2\",\"text\":\"\u009b31m\u202eevil\",\"ref\":3544790567247868102}")
	r := newRig(t, f, 80, 24)
	path := filepath.Join(t.TempDir(), "run.json")
	r.play("j j j wait e")
	r.shows("Export", ordRow+".json", "Secrets are masked")
	r.write(path)
	r.shows("OK wrote " + path[:20])
	text := read(t, path)
	var got exported
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if string(got.Run.ID) != ordRow || len(got.Events) != 2 || len(got.Steps) == 0 {
		t.Errorf("exported %s with %d events, %d steps", got.Run.ID, len(got.Events), len(got.Steps))
	}
	for _, part := range []string{`"password": "***"`, `\u009b31m\u202eevil`, "3544790567247868102", `"at": "2026-03-01T12:04:`} {
		if !strings.Contains(text, part) {
			t.Errorf("the file lacks %s:\n%s", part, text)
		}
	}
	if info, _ := os.Stat(path); info.Mode().Perm()&0o077 != 0 {
		t.Errorf("others may read the file: %v", info.Mode())
	}
	r.play("enter V e")
	r.shows("Secrets are written as they are")
	r.write(path + "2")
	if text := read(t, path+"2"); !strings.Contains(text, "hunter2") {
		t.Errorf("what is shown is masked in the file:\n%s", text)
	}
}

func TestExportNeverOverwritesUnasked(t *testing.T) {
	r := newRig(t, owing(), 80, 24)
	path := filepath.Join(t.TempDir(), "mine.json")
	if err := os.WriteFile(path, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.keys("e")
	r.keys("ctrl+u")
	r.types(path)
	r.pass(time.Second)
	r.keys("ctrl+o")
	r.shows("nothing to overwrite")
	r.keys("enter")
	r.shows("It exists already, 8 B", "ctrl+o overwrite ")
	r.keys("ctrl+o enter enter")
	if got := read(t, path); got != "precious" {
		t.Fatalf("overwritten by keys pressed before the question was there: %s", got)
	}
	r.pass(time.Second)
	r.keys("ctrl+o")
	if got := read(t, path); !strings.Contains(got, `"run"`) {
		t.Errorf("not overwritten: %s", got)
	}
	if n, _ := filepath.Glob(filepath.Dir(path) + "/.weft-*"); len(n) > 0 {
		t.Errorf("left behind: %v", n)
	}
	r.play(": 'export " + path + "' enter")
	r.shows("nothing was written: ")
}

func TestExportThatFails(t *testing.T) {
	r := newRig(t, owing(), 120, 40)
	dir := t.TempDir()
	r.keys("e")
	r.write(filepath.Join(dir, "no", "where.json"))
	r.shows("where.json: no such", "Export")
	r.write(dir)
	r.shows("a directory")
	r.pass(time.Second)
	r.keys("ctrl+o")
	r.shows("is no ordinary file")
	r.write(" ")
	r.shows("name a file")
	r.keys("esc")
	r.lacks("name a file")
	r = newRig(t, newFake(), 80, 24)
	r.keys("e")
	r.shows("no run selected")
}

func TestExportOfMarks(t *testing.T) {
	r := newRig(t, owing(), 80, 24)
	path := filepath.Join(t.TempDir(), "runs.jsonl")
	r.keys("space space e")
	r.shows("2 marked runs", "weft-2-runs.jsonl")
	r.write(path)
	lines := strings.Split(strings.TrimSpace(read(t, path)), "\n")
	if len(lines) != 2 {
		t.Fatalf("%d lines", len(lines))
	}
	for _, l := range lines {
		if !json.Valid([]byte(l)) {
			t.Errorf("no JSON: %s", l)
		}
	}
	r.keys("ctrl+a e")
	r.shows("everything is marked")
}

func TestFrameIsSaved(t *testing.T) {
	r := newRig(t, owing(), 80, 24)
	r.m.opts.theme, _ = views.ThemeNamed("dark")
	frame := r.frame()
	path := filepath.Join(t.TempDir(), "shot")
	r.keys("ctrl+s")
	r.shows("Save the frame", "weft-running-20260301-120432")
	r.write(path)
	if got := read(t, path+".ansi"); got != frame+"\n" {
		t.Errorf("with colours:\n%s\nwant\n%s", got, frame)
	}
	plain := read(t, path+".txt")
	exact(t, "saved", strings.TrimSuffix(plain, "\n"), 80, 24)
	if strings.Contains(plain, "\x1b") {
		t.Error("the plain text has escape sequences")
	}
}
