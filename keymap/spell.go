package keymap

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// keyNames are the keys that have a name, as the terminal library spells them.
var keyNames = []string{"enter", "tab", "esc", "space", "backspace", "delete", "insert", "up", "down", "left", "right",
	"home", "end", "pgup", "pgdown"}

// otherNames are what people write instead.
var otherNames = map[string]string{"escape": "esc", "return": "enter", "pageup": "pgup", "pagedown": "pgdown", "pgdn": "pgdown", "del": "delete",
	"ins": "insert", " ": "space"}

// modifiers in the order they are spelled in.
var modifiers = []string{"ctrl", "alt", "shift", "super"}

// Spell is the name of a key as the terminal reports it, from what a person
// wrote: "Ctrl+X" is "ctrl+x", "PageUp" is "pgup". A letter alone is that letter
// in its case.
func Spell(written string) (string, error) {
	rest, mods := written, map[string]bool{}
	for utf8.RuneCountInString(rest) > 1 {
		mod, after, cut := strings.Cut(rest, "+")
		mod = strings.ToLower(strings.TrimSpace(mod))
		if !cut || after == "" || !slices.Contains(modifiers, mod) {
			break
		}
		mods[mod], rest = true, after
	}
	name, ok := keyNamed(rest)
	if !ok {
		return "", fmt.Errorf("there is no key %q: a single character, f1 to f20, or one of %s, with ctrl+, alt+, shift+ or super+ before it",
			written, strings.Join(keyNames, " "))
	}
	single := utf8.RuneCountInString(name) == 1
	switch {
	case single && mods["shift"] && len(mods) == 1:
		return "", fmt.Errorf("write %q as the character it gives, like %s", written, strings.ToUpper(name))
	case single && len(mods) > 0:
		name = strings.ToLower(name)
	}
	out := ""
	for _, m := range modifiers {
		if mods[m] {
			out += m + "+"
		}
	}
	return out + name, nil
}

func keyNamed(s string) (string, bool) {
	if r, n := utf8.DecodeRuneInString(s); n == len(s) && n > 0 && r != ' ' {
		return s, unicode.IsPrint(r)
	}
	s = strings.ToLower(s)
	if name, ok := otherNames[s]; ok {
		return name, true
	}
	if n, err := strconv.Atoi(strings.TrimPrefix(s, "f")); s != "" && s[0] == 'f' && err == nil && n >= 1 && n <= 20 {
		return s, true
	}
	return s, slices.Contains(keyNames, s)
}

// printable reports a key that types something.
func printable(key string) bool { return utf8.RuneCountInString(key) == 1 || key == "space" }
