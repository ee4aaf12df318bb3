package tui

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"weft/keymap"
)

// otherKeys gives every action another key, the same in all places.
func otherKeys(t *testing.T) keymap.Map {
	t.Helper()
	var changes []keymap.Change
	mods := []string{"alt+", "ctrl+", "super+", "shift+", ""}
	for i, name := range keymap.ActionNames() {
		a, _ := keymap.ActionNamed(name)
		if a != keymap.Interrupt && a != keymap.GoPane {
			changes = append(changes, keymap.Change{Everyplace: true, Action: a, Keys: []string{mods[i/20] + "f" + strconv.Itoa(1+i%20)}})
		}
	}
	m, bad := keymap.Rebound(changes)
	if len(bad) > 0 {
		t.Fatal(bad[0])
	}
	return m
}

// pressBy presses what the keys of the table mean where they are pressed, by the
// keys of m.
func (r *rig) pressBy(m keymap.Map, names string) {
	r.t.Helper()
	for _, name := range strings.Fields(names) {
		k := pressOf(name)
		a := (keymap.Map{}).Find(r.m.place(), k.String())
		other := m.Key(r.m.place(), a, "")
		if mod, f, ok := cutF(other); ok {
			k = tea.KeyPressMsg{Code: tea.KeyF1 + rune(f-1), Mod: mod}
			if k.String() != other {
				r.t.Fatalf("%s is pressed as %s", other, k)
			}
		}
		r.send(k)
	}
}

func cutF(key string) (mod tea.KeyMod, n int, ok bool) {
	name, f, ok := strings.Cut("+"+key, "+f")
	n, err := strconv.Atoi(f)
	return map[string]tea.KeyMod{"+alt": tea.ModAlt, "+ctrl": tea.ModCtrl, "+super": tea.ModSuper, "+shift": tea.ModShift}[name], n, ok && err == nil
}

// ordinary are keys that are words or signs of a frame as well.
var ordinary = []string{"up", "down", "left", "right", "home", "end", "delete", "backspace", "a", ">", "<", "+", "-", "_", "!", "[", "]"}

// hinted finds keys of the table with a word behind them, as in "esc closes".
var hinted = func() *regexp.Regexp {
	seen := map[string]bool{}
	for _, p := range keymap.Places() {
		for _, b := range (keymap.Map{}).Own(p) {
			for _, k := range b.Keys {
				if !slices.Contains(ordinary, k) {
					seen[regexp.QuoteMeta(k)] = true
				}
			}
		}
	}
	keys := slices.Sorted(maps.Keys(seen))
	return regexp.MustCompile(`(?m)(?:^|[ ;:(/])(?:` + strings.Join(keys, "|") + `) ([a-z]{2,})(?:[ .;,]|$)`)
}()

// staleHints finds keys of the table that a frame still names.
func staleHints(frame string) (found []string) {
	for _, m := range hinted.FindAllStringSubmatch(frame, -1) {
		if !slices.Contains([]string{"running", "suspended", "held", "completed", "failed", "cancelled", "pending"}, m[1]) {
			found = append(found, strings.TrimSpace(m[0]))
		}
	}
	return found
}

// TestHintsNameTheKeysThereAre: after every action was given another key, no frame
// and no message names one of the table.
func TestHintsNameTheKeysThereAre(t *testing.T) {
	other := otherKeys(t)
	more := []string{"space s", "space j space u", "X", "n", ">", "d", "A", "u", "Q", "/ z z z enter", "z /", "N x esc", "space c tab", "v d", ": g r o u p space t y p e enter",
		": g r o u p space e r r o r enter", "ctrl+p z z", "c tab", "r", "p"}
	for _, p := range panes {
		overs := []string{"", "?", "N", "ctrl+p", "> ="}
		if slices.Contains([]string{"running", "owed", "dead", "inspector"}, p.name) {
			overs = slices.Concat(overlays, more)
		}
		for _, over := range overs {
			t.Run(p.name+" "+over, func(t *testing.T) {
				r := newRig(t, owing(), 120, 34)
				if p.name == "feed" {
					r = newRig(t, newFake(), 120, 34)
				}
				r.m.set.Keys = other
				r.f.info.Attempts = 1 // so that leaving asks
				r.pressBy(other, p.keys)
				r.pass(pollEvery)
				r.pressBy(other, over)
				if stale := staleHints(r.frame()); len(stale) > 0 {
					t.Errorf("%q\n%s", stale, r.frame())
				}
			})
		}
	}
}

// TestSignsNameTheKeysThereAre: the same for what a frame has for other reasons too.
func TestSignsNameTheKeysThereAre(t *testing.T) {
	other := otherKeys(t)
	r := newRig(t, newFake(), 120, 34)
	r.m.set.Keys = other
	r.keys("3")
	r.shows("nothing is suspended   " + other.Key(keymap.Runs, keymap.NextTab, "") + " held runs")
	r.pressBy(other, "]")
	r.shows("registered here", other.Key(keymap.Runs, keymap.PrevTab, "")+" suspended runs", other.Key(keymap.Runs, keymap.NextTab, "")+" other part")
	r.keys("5")
	r.pressBy(other, ">")
	r.shows("by id; " + other.Key(keymap.Owed, keymap.SortFlip, "") + " turns it round")
	r = newRig(t, owing(), 120, 34)
	r.m.set.Keys = other
	r.pressBy(other, "5 R")
	r.shows("now?  " + other.Key(keymap.Asking, keymap.Accept, "") + " / " + other.Key(keymap.Asking, keymap.Stay, ""))
}

// TestStaleHintsAreFound: the search of the test above sees what it is for.
func TestStaleHintsAreFound(t *testing.T) {
	for _, text := range []string{"3 of 9   esc closes", "nothing runs   N starts a workflow", `it: ctrl+\ clears the marks`, "due; R makes it now",
		"by id; = turns it round", "for: / begins a search", "tab next field", "[ n keep it ]"} {
		if len(staleHints(text)) != 1 {
			t.Errorf("%q: %q", text, staleHints(text))
		}
	}
	if found := staleHints("> R ord-1 running alt+f3 closes"); found != nil {
		t.Errorf("%q", found)
	}
}
