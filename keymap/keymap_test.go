package keymap_test

import (
	"testing"

	"weft/keymap"
)

func TestNoKeyTwiceInAPlace(t *testing.T) {
	for _, p := range keymap.Places() {
		seen := map[string]string{}
		for _, b := range (keymap.Map{}).At(p) {
			for _, k := range b.Keys {
				if other, twice := seen[k]; twice {
					t.Errorf("%s: %q means both %q and %q", p, k, other, b.Does)
				}
				seen[k] = b.Does
			}
		}
	}
}

func TestHelpEverywhere(t *testing.T) {
	for _, p := range keymap.Places() {
		if len((keymap.Map{}).At(p)) == 0 {
			t.Errorf("%s has no keys", p)
		}
		for _, b := range (keymap.Map{}).At(p) {
			if b.Label == "" || b.Does == "" || len(b.Keys) == 0 || b.Action == keymap.None {
				t.Errorf("%s: %+v lacks keys, a label, an action or a description", p, b)
			}
		}
	}
}

func TestCtrlCWorksEverywhere(t *testing.T) {
	for _, p := range keymap.Places() {
		if got := (keymap.Map{}).Find(p, "ctrl+c"); got != keymap.Interrupt {
			t.Errorf("%s: ctrl+c is action %d", p, got)
		}
	}
}

// TestTheTerminalIsAskedForEverywhere: a screen that something wrote over can be
// drawn again, and the shell can be gone to, whatever is open.
func TestTheTerminalIsAskedForEverywhere(t *testing.T) {
	for _, p := range keymap.Places() {
		if got := (keymap.Map{}).Find(p, "ctrl+l"); got != keymap.Repaint {
			t.Errorf("%s: ctrl+l is %s", p, got)
		}
		if got := (keymap.Map{}).Find(p, "ctrl+z"); got != keymap.Background {
			t.Errorf("%s: ctrl+z is %s", p, got)
		}
	}
}

func TestLettersAreTextWhereTextIsOwned(t *testing.T) {
	for _, p := range keymap.Places() {
		if !p.OwnsText() {
			continue
		}
		for _, b := range (keymap.Map{}).At(p) {
			for _, k := range b.Keys {
				if len([]rune(k)) == 1 {
					t.Errorf("%s: the letter %q is taken for %q", p, k, b.Does)
				}
			}
		}
	}
}

func TestDeletingKeysNeverActOnRuns(t *testing.T) {
	for _, p := range []keymap.Place{keymap.Runs, keymap.Inspector, keymap.Types, keymap.Feed} {
		for _, k := range []string{"backspace", "delete", "ctrl+k"} {
			if got := (keymap.Map{}).Find(p, k); got != keymap.None {
				t.Errorf("%s: %s is action %d, want none", p, k, got)
			}
		}
		if got := (keymap.Map{}).Find(p, "ctrl+d"); got != keymap.HalfDown {
			t.Errorf("%s: ctrl+d is action %d, want half a page down", p, got)
		}
	}
}

func TestFind(t *testing.T) {
	tests := map[string]struct {
		place keymap.Place
		key   string
		want  keymap.Action
	}{
		"a key of the place itself":                 {keymap.Runs, "s", keymap.Signal},
		"a key of everywhere":                       {keymap.Runs, "?", keymap.Help},
		"a form does not inherit letters":           {keymap.Form, "q", keymap.None},
		"enter keeps things in the quit question":   {keymap.Quitting, "enter", keymap.Stay},
		"y accepts nothing in the quit question":    {keymap.Quitting, "y", keymap.None},
		"space marks":                               {keymap.Runs, "space", keymap.Mark},
		"a small terminal only leaves and explains": {keymap.Small, "N", keymap.None},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := (keymap.Map{}).Find(tc.place, tc.key); got != tc.want {
				t.Errorf("Find(%s, %q) = %d, want %d", tc.place, tc.key, got, tc.want)
			}
		})
	}
}

func TestEveryActionAndPlaceHasAName(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range keymap.Places() {
		if got, ok := keymap.PlaceNamed(p.Word()); !ok || got != p || seen[p.Word()] {
			t.Errorf("%s: %q names %v", p, p.Word(), got)
		}
		seen[p.Word()] = true
	}
	for _, name := range keymap.ActionNames() { // one table has both in a configuration
		if seen[name] {
			t.Errorf("%q names two things", name)
		}
		seen[name] = true
	}
	for _, p := range keymap.Places() {
		twice := map[keymap.Action]bool{}
		for _, b := range (keymap.Map{}).At(p) {
			if got, ok := keymap.ActionNamed(b.Action.String()); !ok || got != b.Action || twice[b.Action] {
				t.Errorf("%s: the action of %q is called %q, or is there twice", p, b.Does, b.Action)
			}
			twice[b.Action] = true
		}
	}
}

func TestSpell(t *testing.T) {
	for written, want := range map[string]string{"x": "x", "X": "X", "Ctrl+X": "ctrl+x", "shift+Tab": "shift+tab", "alt+ctrl+a": "ctrl+alt+a",
		"PageUp": "pgup", "F12": "f12", "+": "+", "ctrl++": "ctrl++", " ": "space", "ü": "ü", "escape": "esc", `ctrl+\`: `ctrl+\`} {
		if got, err := keymap.Spell(written); got != want || err != nil {
			t.Errorf("%q is %q, %v, want %q", written, got, err, want)
		}
	}
	for _, written := range []string{"", "shift+a", "f0", "f21", "foo", "ctrl+", "ctrl+foo", "\x1b", "ab", "meta+x"} {
		if got, err := keymap.Spell(written); err == nil {
			t.Errorf("%q is %q, want an error", written, got)
		}
	}
}

// TestTableIsSpelledAsTerminalsDo: the table's own keys pass the check for those
// of operators.
func TestTableIsSpelledAsTerminalsDo(t *testing.T) {
	for _, p := range keymap.Places() {
		for _, b := range (keymap.Map{}).At(p) {
			for _, k := range b.Keys {
				if got, err := keymap.Spell(k); got != k || err != nil {
					t.Errorf("%s: %q is spelled %q, %v", p, k, got, err)
				}
			}
		}
	}
}
