package keymap_test

import (
	"flag"
	"fmt"
	"html"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"weft/keymap"
)

var update = flag.Bool("update", false, "write the keys into the tour anew")

const guide = "../docs/console.md"

// listed are the keys of p as a table for the tour, without those for scrolling.
func listed(p keymap.Place) string {
	scrolling := []keymap.Action{keymap.Up, keymap.Down, keymap.Top, keymap.Bottom, keymap.HalfUp, keymap.HalfDown, keymap.PageUp,
		keymap.PageDown, keymap.Left, keymap.Right}
	rows := (keymap.Map{}).Own(p)
	if p == keymap.Everywhere {
		rows = (keymap.Map{}).At(p)
	}
	var b strings.Builder
	b.WriteString("| key | does |\n|---|---|\n")
	for _, r := range rows {
		if !slices.Contains(scrolling, r.Action) {
			fmt.Fprintf(&b, "| `%s` | %s |\n", strings.ReplaceAll(r.Label, "|", `\|`), strings.ReplaceAll(r.Does, "|", `\|`))
		}
	}
	return b.String()
}

// TestTourListsTheKeys compares the lists in the tour with the table. With
// -update it writes them.
func TestTourListsTheKeys(t *testing.T) {
	data, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	marked := regexp.MustCompile(`<!-- keys: (\S+) -->\n(\|.*\n)*`)
	seen := 0
	out := marked.ReplaceAllStringFunc(text, func(got string) string {
		seen++
		word := marked.FindStringSubmatch(got)[1]
		p, ok := keymap.PlaceNamed(word)
		if !ok {
			t.Errorf("%s: there is no place %q", guide, word)
			return got
		}
		want := fmt.Sprintf("<!-- keys: %s -->\n%s", word, listed(p))
		if got != want && !*update {
			t.Errorf("%s: the keys of %s are\n%s\nthe tour has\n%s\ngo test ./keymap -update writes them", guide, word, want, got)
		}
		return want
	})
	if seen < 4 {
		t.Errorf("%s: %d lists of keys, want those of everywhere, runs, inspector and confirmation", guide, seen)
	}
	if *update && !t.Failed() {
		if err := os.WriteFile(guide, []byte(out), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTourNamesKeysThatAre: every key in the text of the tour and of the README
// means something somewhere.
func TestTourNamesKeysThatAre(t *testing.T) {
	known := map[string]bool{}
	for _, p := range keymap.Places() {
		for _, b := range (keymap.Map{}).At(p) {
			for _, k := range b.Keys {
				known[k] = true
			}
		}
	}
	for _, name := range []string{guide, "../README.md"} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		found := regexp.MustCompile(`<kbd>(.+?)</kbd>`).FindAllStringSubmatch(string(data), -1)
		if len(found) == 0 {
			t.Errorf("%s: no key is named, the test reads it wrongly", name)
		}
		for _, m := range found {
			if key := html.UnescapeString(m[1]); !known[key] {
				t.Errorf("%s: nothing answers to the key %q", name, key)
			}
		}
	}
}

// TestTourSaysWhatKeysDo: the keys by which the tour says what to do.
func TestTourSaysWhatKeysDo(t *testing.T) {
	for key, want := range map[string]keymap.Action{"s": keymap.Signal, "N": keymap.Start, "u": keymap.Update, "Q": keymap.AskQuery,
		"p": keymap.Pause, "R": keymap.Retry, "c": keymap.Cancel, "P": keymap.Purge, "D": keymap.Discard, "A": keymap.Again,
		"/": keymap.Filter, "space": keymap.Mark, "v": keymap.MarkRange, "ctrl+a": keymap.MarkAll, `ctrl+\`: keymap.ClearMarks,
		"z": keymap.Freeze, "+": keymap.Zoom, "!": keymap.GoProblems, "@": keymap.GoAudit, "ctrl+s": keymap.SaveFrame,
		"e": keymap.Export, "y": keymap.Copy, "ctrl+p": keymap.Palette, ",": keymap.Columns, "=": keymap.SortFlip, "?": keymap.Help} {
		if got := (keymap.Map{}).Find(keymap.Runs, key); got != want {
			t.Errorf("%s means %s in a list, the tour says %s", key, got, want)
		}
	}
}
