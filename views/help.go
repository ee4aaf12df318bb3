package views

import (
	"fmt"
	"strings"

	"weft/keymap"
)

// Help lists every key of a place. Refused says why an action would be refused
// now.
type Help struct {
	Of      keymap.Place
	Keys    keymap.Map
	Refused map[keymap.Action]string
	scroll
	// find is what the lines must hold; typing: it is being written.
	find   Field
	typing bool
}

// helpRows is how many lines are visible on the smallest screen, under what they
// are filtered by.
const helpRows = 8

// Place implements [Modal].
func (v Help) Place() keymap.Place {
	if v.typing {
		return keymap.FilterLine
	}
	return keymap.HelpPage
}

// rules are what no key tells.
var rules = []string{
	"",
	"filter: free text is looked for in id, type and tags; in any case,",
	"        unless it has a capital letter. ~ a pattern, ! not:",
	"        ~^ord-(7|8)  !test  !~mail$   whole values, also where they are cut",
	"        type= version= tag= match whole words, id= the beginning,",
	"        status= one or more states, with commas; older=7d newer=90s",
	"        @amount>=100 compares an attribute: = != < <= > >=",
	"letters: P pending R running S suspended H held C completed",
	"         F failed X cancelled T timed-out ~ left the list",
	"signs: > the cursor, * marked, ! needs a person, .. is cut",
	"next: 4m07s until a teardown is tried, due now;",
	"      <4m27s it runs, and is lost if it has not ended",
	"      by then; OVER 4m it is lost since; - it is held",
}

// Press applies one key.
func (v Help) Press(p Press) (Modal, Intent) {
	if v.typing {
		return v.pressFind(p), nil
	}
	switch p.Action {
	case keymap.Back:
		if v.find.Text() == "" {
			return v, CloseModal{}
		}
		v.find, v.scroll = NewField("", false), scroll{}
	case keymap.Quit, keymap.Help:
		return v, CloseModal{}
	case keymap.Filter:
		v.typing, v.find = true, NewField(v.find.Text(), false)
	default:
		v.scroll = v.press(p.Action, helpRows, len(v.lines(Look{}, minWide-2)))
	}
	return v, nil
}

// pressFind writes what the lines must hold; they are narrowed meanwhile.
func (v Help) pressFind(p Press) Help {
	switch p.Action {
	case keymap.Keep:
		v.typing = false
	case keymap.Back:
		v.typing, v.find = false, NewField("", false)
	default:
		v.find, _ = v.find.Press(p)
	}
	v.scroll = scroll{}
	return v
}

// holds reports whether a text is among what is looked for, in any case.
func (v Help) holds(text string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(strings.TrimSpace(v.find.Text())))
}

// Settled implements [Scrolled].
func (v Help) Settled(look Look, w, h int) Modal {
	bw, rows := v.room(w, h)
	v.top = v.from(rows, len(v.lines(look, bw-2)))
	return v
}

// room is the width of the box and the lines in it that are seen at a time.
func (v Help) room(w, h int) (bw, rows int) {
	bw, rows = boxWidth(w), h-3
	if w >= 106 {
		bw = min(w-4, 100)
	}
	if v.finds() {
		rows--
	}
	return bw, max(1, rows)
}

// finds reports whether a line says what is looked for.
func (v Help) finds() bool { return v.typing || v.find.Text() != "" }

// Draw implements [Modal].
func (v Help) Draw(look Look, w, h int) []string {
	bw, rows := v.room(w, h)
	lines := v.lines(look, bw-2)
	var head []string
	if v.finds() {
		head = []string{Fit(" /"+v.find.Draw(look, bw-6, 1, v.typing)[0], bw-2)}
	}
	if len(lines) == 0 {
		lines = []string{Fit(" "+look.paint(Dim, "no key does that here; "+look.key(v.Of, keymap.Palette, "ctrl+p")+" finds what can be done"), bw-2)}
	}
	top := v.from(rows, len(lines))
	shown := lines[top:min(len(lines), top+rows)]
	last := fmt.Sprintf("%s   %s filters   %s closes", place(top+len(shown), len(lines)), look.key(keymap.HelpPage, keymap.Filter, "/"),
		look.key(keymap.HelpPage, keymap.Back, "esc"))
	body := append(append(head, exactly(shown, bw-2, len(shown))...), look.paint(Dim, FitRight(last, bw-2)))
	return look.box("Keys: "+v.Of.String(), body, bw, len(body)+2, true)
}

func (v Help) lines(look Look, w int) []string {
	var out []string
	for _, b := range v.Keys.At(v.Of) {
		text, tone, key := b.Does, Plain, Strong
		if why := v.Refused[b.Action]; why != "" {
			text, tone, key = b.Does+": "+look.clean(why), Dim, Dim
		}
		if !v.holds(b.Label + " " + text) {
			continue
		}
		label := look.paint(key, Fit(b.Label, 12))
		for _, line := range wrap(text, max(10, w-15)) {
			out = append(out, Fit(" "+label+" "+look.paint(tone, line), w))
			label = spaces(12)
		}
	}
	for _, r := range rules {
		if !v.holds(r) {
			continue
		}
		in := indent(r)
		for i, line := range wrap(r[in:], w-1-in) {
			if i == 0 {
				line = r[:in] + line
			} else {
				line = spaces(in) + line
			}
			out = append(out, Fit(" "+look.paint(Dim, line), w))
		}
	}
	return out
}

// indent is where the text of a rule begins, behind its name or under it.
func indent(rule string) int {
	if text := strings.TrimLeft(rule, " "); len(text) < len(rule) {
		return len(rule) - len(text)
	}
	name, _, named := strings.Cut(rule, ": ")
	if !named {
		return 0
	}
	return len(name) + 2
}
