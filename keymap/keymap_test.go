package keymap_test

import (
	"testing"

	"weft/keymap"
)

func TestNoKeyTwiceInAPlace(t *testing.T) {
	for _, p := range keymap.Places() {
		seen := map[string]string{}
		for _, b := range keymap.At(p) {
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
		if len(keymap.At(p)) == 0 {
			t.Errorf("%s has no keys", p)
		}
		for _, b := range keymap.At(p) {
			if b.Label == "" || b.Does == "" || len(b.Keys) == 0 || b.Action == keymap.None {
				t.Errorf("%s: %+v lacks keys, a label, an action or a description", p, b)
			}
		}
	}
}

func TestCtrlCWorksEverywhere(t *testing.T) {
	for _, p := range keymap.Places() {
		if got := keymap.Find(p, "ctrl+c"); got != keymap.Interrupt {
			t.Errorf("%s: ctrl+c is action %d", p, got)
		}
	}
}

func TestLettersAreTextWhereTextIsOwned(t *testing.T) {
	for _, p := range keymap.Places() {
		if !p.OwnsText() {
			continue
		}
		for _, b := range keymap.At(p) {
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
			if got := keymap.Find(p, k); got != keymap.None {
				t.Errorf("%s: %s is action %d, want none", p, k, got)
			}
		}
		if got := keymap.Find(p, "ctrl+d"); got != keymap.HalfDown {
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
			if got := keymap.Find(tc.place, tc.key); got != tc.want {
				t.Errorf("Find(%s, %q) = %d, want %d", tc.place, tc.key, got, tc.want)
			}
		})
	}
}
