package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"weft/config"
	"weft/keymap"
	"weft/views"
)

func parse(t *testing.T, text string) config.File {
	t.Helper()
	f, err := config.Parse("c.toml", []byte(text))
	if err != nil {
		t.Fatalf("parse %q: %v", text, err)
	}
	return f
}

// TestEveryKeyIsTaken writes each key the documentation names.
func TestEveryKeyIsTaken(t *testing.T) {
	f := parse(t, `
theme = "mine"
ascii = true
mouse = false
times = "local"
pane = "owed"
secrets = ["iban", "a.b"]
[confirm]
retry_teardown = false
[alarm]
owed_after = "90m"
[store.orders]
label = "TEST"
[store."/srv/orders"]
label = "PROD"
color = "bold bright-red"
[themes.mine]
base = "light"
bad = "underline magenta"
chosen = "blue"
[keys]
cancel = "Ctrl+X"
[keys.runs]
signal = ["S", "f5"]
`)
	s := f.Settings("/srv/orders")
	if s.Theme != "mine" || !s.ASCII || !s.NoMouse || s.Times != views.Local || f.Pane != "owed" || !s.RetryAtOnce || s.OwedLong != 90*time.Minute {
		t.Errorf("%+v, pane %q", s, f.Pane)
	}
	if s.Badge != (views.Badge{Text: "PROD", Style: "1;91"}) {
		t.Errorf("badge %+v", s.Badge)
	}
	if b := f.Settings("/elsewhere/orders").Badge; b.Text != "TEST" {
		t.Errorf("a store elsewhere with the name has the badge %+v", b)
	}
	if b := f.Settings("/srv/other").Badge; b.Text != "" {
		t.Errorf("another store has the badge %+v", b)
	}
	theme, err := s.ThemeNamed(s.Theme)
	if err != nil || theme.Paint(views.Bad, "x") != "\x1b[4;35mx\x1b[m" || theme.Paint(views.Chosen, "x") != "\x1b[7;34mx\x1b[m" {
		t.Errorf("theme %q %q: %v", theme.Paint(views.Bad, "x"), theme.Paint(views.Chosen, "x"), err)
	}
	light, _ := views.ThemeNamed("light")
	if theme.Paint(views.Warn, "x") != light.Paint(views.Warn, "x") {
		t.Error("what the theme does not say is not from its base")
	}
	for key, want := range map[string]keymap.Action{"ctrl+x": keymap.Cancel, "c": keymap.None, "S": keymap.Signal, "f5": keymap.Signal, "s": keymap.None} {
		if got := s.Keys.Find(keymap.Runs, key); got != want {
			t.Errorf("runs: %s is %q, want %q", key, got, want)
		}
	}
	if s.Keys.Find(keymap.Inspector, "s") != keymap.Signal || s.Keys.Find(keymap.Inspector, "ctrl+x") != keymap.Cancel {
		t.Error("a change for one place reached another, or one for all did not")
	}
	look := views.Look{Secrets: views.NewSecrets(s.Secrets)}
	if got := look.Masked(`{"IBAN": "DE1", "a.b": 2, "axb": 3, "password": "x"}`); got != `{"IBAN": "***", "a.b": "***", "axb": 3, "password": "***"}` {
		t.Errorf("masked: %s", got)
	}
}

func TestFaultsNameTheirLine(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"unknown key":           {"ascii = true\nthem = \"dark\"", "c.toml:2: them: there is no such key: did you mean theme?"},
		"unknown key, far":      {"frobnicate = 1", "c.toml:1: frobnicate: there is no such key: it may be alarm, ascii"},
		"unknown in a table":    {"[confirm]\n\nretry_teardwon = true", "c.toml:3: confirm.retry_teardwon: there is no such key: did you mean retry_teardown?"},
		"unknown in a store":    {"[store.\"/srv/a.b\"]\nlabel = \"x\"\ncolour = \"red\"", "c.toml:3: store./srv/a.b.colour: there is no such key: did you mean color?"},
		"unknown, dotted":       {"confirm.retry = true", "c.toml:1: confirm.retry: there is no such key"},
		"unknown, inline":       {"\nalarm = {\n owed_after = \"1h\", owed_befor = 2 }", "c.toml:3: alarm.owed_befor: there is no such key"},
		"syntax":                {"theme = \"dark\"\nascii = yes", "c.toml:2:9:"},
		"twice":                 {"ascii = true\nascii = false", "c.toml:2:"},
		"table twice":           {"[alarm]\n[keys]\n[alarm]", "c.toml:3:"},
		"wrong kind":            {"\nascii = \"true\"", "c.toml:2: ascii: must be true or false, is a string"},
		"table for a value":     {"[theme]", "c.toml:1: theme: must be a string, is a table"},
		"value for a table":     {"alarm = 3", "c.toml:1: alarm: must be a table, is a number"},
		"no theme":              {"ascii = true\ntheme = \"drak\"", `c.toml:2: theme: there is no theme "drak"`},
		"no pane":               {"pane = \"nowhere\"", `c.toml:1: pane: there is no pane "nowhere"`},
		"no time":               {"[alarm]\nowed_after = \"1 hour\"", `c.toml:2: alarm.owed_after: "1 hour" is no time like 90m`},
		"negative time":         {"[alarm]\nowed_after = \"-1h\"", "must be more than 0"},
		"no colour":             {"[store.x]\nlabel=\"A\"\ncolor = \"rot\"", `c.toml:3: store.x.color: "rot" is neither`},
		"label too long":        {"[store.x]\nlabel = \"" + strings.Repeat("x", 17) + "\"", "c.toml:2: store.x.label: has more than 16 characters"},
		"no tone":               {"[themes.x]\nbda = \"red\"", "c.toml:2: themes.x.bda: there is no such key: did you mean bad?"},
		"theme of a known name": {"[themes.dark]\nbad = \"red\"", "c.toml:1: themes.dark: there is a theme dark already"},
		"no base":               {"[themes.x]\nbase = \"y\"", `c.toml:2: themes.x.base: "y" is none of dark`},
		"no action":             {"[keys]\ncancle = \"x\"", "c.toml:2: keys.cancle: there is no such key: did you mean cancel?"},
		"no place":              {"[keys.run]\ncancel = \"x\"", "c.toml:1: keys.run: there is no such key: did you mean runs?"},
		"action not there":      {"[keys.lease]\ncancel = \"x\"", "c.toml:2: keys.lease.cancel: lease has no action cancel"},
		"no key":                {"[keys]\ncancel = \"hyper+x\"", `there is no key "hyper+x"`},
		"not a key":             {"[keys]\ncancel = 3", "c.toml:2: keys.cancel: must be a key or an array of keys, is a number"},
		"collision":             {"[keys]\nfreeze = \"f9\"\n[keys.runs]\ncancel = \"s\"", "c.toml:4: keys.runs.cancel: in the place runs s would mean both cancel and signal: give one of them another key"},
		"collision of changes":  {"[keys.runs]\ncancel = \"f7\"\nsignal = \"f7\"", "c.toml:3: keys.runs.signal: in the place runs f7 would mean both cancel and signal"},
		"collision with all":    {"[keys.runs]\ncancel = \"z\"", "z would mean both cancel and freeze"},
		"taken from all":        {"[keys.everywhere]\nfreeze = \"c\"", "c.toml:2: keys.everywhere.freeze: in the place runs c would mean both cancel and freeze"},
		"ctrl+c":                {"[keys]\ncancel = \"ctrl+c\"", "ctrl+c leaves, everywhere"},
		"the way out":           {"[keys]\ninterrupt = \"f1\"", "the keys of interrupt cannot be changed"},
		"no way back":           {"[keys]\nback = []", "back needs a key"},
		"a letter in a form":    {"[keys.form]\nsubmit = \"s\"", "s is text in the form"},
		"accepting by habit":    {"[keys.confirmation]\naccept = \"enter\"", "enter never accepts"},
		"abandoning by habit":   {"[keys.leaving]\nabandon = \"esc\"", "esc never accepts"},
		"draining by habit":     {"[keys.leaving]\nstay = \"n\"\ndrain = \"enter\"", "enter never accepts"},
		"answering as asking":   {"theme = \"dark\"\n[keys.confirmation]\naccept = \"c\"", "c.toml:3: keys.confirmation.accept: c would both ask, as cancel, and answer, as accept in the place confirmation"},
		"asking as answering":   {"[keys]\npurge = \"y\"\ncopy = \"f5\"", "c.toml:2: keys.purge: y would both ask, as purge, and answer"},
		"leaving by one key":    {"[keys.leaving]\nabandon = \"q\"", "q would both ask, as quit, and answer, as abandon"},
		"a deleting key":        {"[keys.runs]\ncancel = \"delete\"", "delete is for text only"},
		"a date":                {"theme = 2026-01-01", "must be a string, is a date or time"},
		"bytes":                 {"theme = \"\xff\"", "c.toml:1:"},
		"nesting":               {"x = " + strings.Repeat("[\n", 20000), "more than 1000 brackets are open"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := config.Parse("c.toml", []byte(tc.text))
			var bad *config.FileError
			if !errors.As(err, &bad) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%q gives\n%v, want\n%s", tc.text, err, tc.want)
			}
		})
	}
}

func TestAllFaultsAreTold(t *testing.T) {
	_, err := config.Parse("c.toml", []byte("them = 1\nascii = 2\n[keys.runs]\ncancel = \"s\"\npurge = \"nokey\""))
	var bad *config.FileError
	if !errors.As(err, &bad) || len(bad.Faults) != 4 {
		t.Fatalf("%v", err)
	}
	for i, line := range []int{1, 2, 4, 5} {
		if bad.Faults[i].Line != line {
			t.Errorf("fault %d is in line %d, want %d: %v", i, bad.Faults[i].Line, line, err)
		}
	}
}

// TestKeysMayBeSwapped: what two keys mean may be exchanged, and an action may
// lose its key.
func TestKeysMayBeSwapped(t *testing.T) {
	s := parse(t, "[keys]\ncancel = \"s\"\nsignal = \"c\"\npurge = []").Settings("x")
	if s.Keys.Find(keymap.Runs, "s") != keymap.Cancel || s.Keys.Find(keymap.Inspector, "c") != keymap.Signal || s.Keys.Find(keymap.Runs, "P") != keymap.None {
		t.Error("the keys are not swapped")
	}
	if got := s.Keys.Label(keymap.Runs, keymap.Cancel); got != "s" {
		t.Errorf("cancel is shown as %q", got)
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	f, err := config.Load(filepath.Join(dir, "none.toml"))
	if err != nil || f.Exists {
		t.Errorf("no file: %+v, %v", f, err)
	}
	if _, err := config.Load(dir); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a directory: %v", err)
	}
	path := filepath.Join(dir, "c.toml")
	if err := os.WriteFile(path, []byte("\ufefftheme = \"light\"\r\nascii = true\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if f, err = config.Load(path); err != nil || !f.Exists || f.Settings("x").Theme != "light" {
		t.Errorf("a file made on Windows: %+v, %v", f, err)
	}
	if err := os.WriteFile(path, []byte("# "+strings.Repeat("x", 64<<10)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err = config.Load(path); err == nil || !strings.Contains(err.Error(), "more than 65536 bytes") {
		t.Errorf("a large file: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("theme = \"dark\"\n[keys.runs]\ncancel = [\"x\"]\n"))
	f.Add([]byte("a.b = {c = [1, 2], d.e = \"x\"}\n[[t]]\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := config.Parse("c", data)
		var bad *config.FileError
		switch {
		case err != nil && (!errors.As(err, &bad) || len(bad.Faults) == 0):
			t.Errorf("%v is no fault of a file", err)
		case err == nil:
			s := file.Settings("/x")
			if s.Keys.Find(keymap.Runs, "ctrl+c") != keymap.Interrupt {
				t.Error("ctrl+c does not leave")
			}
		}
	})
}
