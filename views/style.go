package views

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// toneNames are what a configuration calls the tones.
var toneNames = map[string]Tone{"plain": Plain, "dim": Dim, "strong": Strong, "good": Good, "calm": Calm, "warn": Warn, "bad": Bad,
	"accent": Accent, "chosen": Chosen, "banner": Banner}

// ToneNames are the names of the tones, sorted.
func ToneNames() []string { return slices.Sorted(maps.Keys(toneNames)) }

var (
	colours    = []string{"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"}
	attributes = map[string]string{"bold": "1", "dim": "2", "italic": "3", "underline": "4", "reverse": "7"}
)

// Style is how a piece of text is painted: the parameters of an SGR sequence.
// The zero Style paints nothing.
type Style string

// ParseStyle reads a style from words: bold, dim, italic, underline, reverse and
// one of the sixteen colours, like "bold bright-red".
func ParseStyle(text string) (Style, error) {
	var codes []string
	for _, word := range strings.Fields(strings.ToLower(text)) {
		code, ok := attributes[word]
		if !ok {
			code, ok = colourCode(word)
		}
		if !ok {
			return "", fmt.Errorf("%q is neither one of %s nor a colour: %s, or bright- before one of these",
				word, strings.Join(slices.Sorted(maps.Keys(attributes)), " "), strings.Join(colours, " "))
		}
		codes = append(codes, code)
	}
	return Style(strings.Join(codes, ";")), nil
}

func colourCode(word string) (string, bool) {
	base := 30
	name, bright := strings.CutPrefix(word, "bright-")
	if bright {
		base = 90
	}
	i := slices.Index(colours, name)
	return strconv.Itoa(base + i), i >= 0
}

// WithStyle is the theme with another style for a tone, by the tone's name; ok is
// false when there is no such tone. The selection and banners stay reversed,
// whatever their style: they must be seen without colours too.
func (t Theme) WithStyle(tone string, s Style) (_ Theme, ok bool) {
	n, ok := toneNames[tone]
	if !ok {
		return t, false
	}
	if (n == Chosen || n == Banner) && !slices.Contains(strings.Split(string(s), ";"), "7") {
		s = Style(strings.Trim("7;"+string(s), ";"))
	}
	t.sgr[n] = string(s)
	return t, true
}

// Named is the theme under another name.
func (t Theme) Named(name string) Theme {
	t.name = name
	return t
}

// Name is what the theme is called.
func (t Theme) Name() string { return t.name }

// Badge marks a store so that it cannot be taken for another.
type Badge struct {
	// Text stands in the first line and in the title of the window; "" is no
	// badge.
	Text string
	// Style is how it is painted, always reversed; a theme without colours only
	// reverses.
	Style Style
}

// paint draws the badge.
func (l Look) badge(b Badge) string {
	text := l.clean(b.Text)
	if l.Theme.sgr[Chosen] == "" {
		return "[" + text + "]"
	}
	codes := "7"
	if l.Theme.sgr[Calm] != "" && b.Style != "" {
		codes += ";" + string(b.Style)
	}
	return "\x1b[" + codes + "m " + text + " \x1b[m"
}
