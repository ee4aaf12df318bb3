package views

import (
	"errors"
	"slices"
	"strings"

	"weft/flow"
	"weft/keymap"
)

// entryKind is how an entry is filled in.
type entryKind uint8

const (
	lineEntry   entryKind = iota // a line of text; choices are suggestions
	choiceEntry                  // one of choices
	jsonEntry                    // lines of text, JSON but for labels
	tickEntry                    // yes or no
)

// entry is one field of a form.
type entry struct {
	label   string
	note    string
	kind    entryKind
	field   Field
	choices []string
	choice  int
	on      bool
}

// text is what the entry holds.
func (e entry) text() string {
	if e.kind == choiceEntry {
		if e.choice < len(e.choices) {
			return e.choices[e.choice]
		}
		return ""
	}
	return e.field.Text()
}

// Form is a form that ends in a deed. It stays open with all its text until
// the deed is done.
type Form struct {
	title   string
	about   string
	entries []entry
	focus   int // len(entries) is the button
	busy    bool
	fail    string
	leaving bool // esc was pressed while there is text to lose
	dirty   bool
	given   string // what the JSON was filled with

	// deed builds what is sent; changed is told which entry changed.
	// query, when set, builds a question instead.
	deed    func(Form) (flow.Deed, error)
	deeds   func(Form) ([]flow.Deed, error) // instead of deed, for more than one
	query   func(Form) (flow.Ask, error)
	changed func(Form, int) Form
}

// Place implements [Modal].
func (Form) Place() keymap.Place { return keymap.Form }

// Dirty reports whether closing would lose something typed.
func (f Form) Dirty() bool { return f.dirty }

// Failed shows why the deed was refused. Nothing typed is lost; the cursor goes
// where the input is wrong.
func (f Form) Failed(err error) Form {
	f.busy, f.fail = false, err.Error()
	var at *flow.InputError
	if errors.As(err, &at) && at.Line > 0 {
		for i, e := range f.entries {
			if e.kind == jsonEntry {
				f.entries = slices.Clone(f.entries)
				f.entries[i].field = e.field.At(at.Line, at.Column)
				f.focus = i
			}
		}
	}
	return f
}

// Press applies one key or a paste.
func (f Form) Press(p Press) (Modal, Intent) {
	switch {
	case f.busy && p.Action == keymap.Back:
		return f, CloseModal{}
	case f.busy:
		return f, SayKey{"sending .. ", keymap.Form, keymap.Back, "esc", " closes the form, the result will be shown here"}
	}
	leaving := f.leaving
	f.leaving = false
	switch {
	case p.Action == keymap.Submit, p.Action == keymap.Enter && f.focus == len(f.entries):
		return f.send()
	case p.Action == keymap.Editor:
		return f, f.editing()
	case p.Action == keymap.NextField:
		return f.onto(1), nil
	case p.Action == keymap.PrevField:
		return f.onto(-1), nil
	case p.Action == keymap.Back:
		if f.dirty && !leaving {
			f.leaving = true
			return f, nil
		}
		return f, CloseModal{}
	case f.focus == len(f.entries):
		return f.onButton(p), nil
	}
	return f.edit(p), nil
}

// onto moves the focus by n fields, round the button.
func (f Form) onto(n int) Form {
	all := len(f.entries) + 1
	f.focus = (f.focus + n + all) % all
	return f
}

func (f Form) onButton(p Press) Form {
	if p.Action == keymap.LineUp {
		return f.onto(-1)
	}
	return f
}

// send checks what was typed and asks for the deed.
func (f Form) send() (Modal, Intent) {
	if f.query != nil {
		q, err := f.query(f)
		if err != nil {
			return f.Failed(err), nil
		}
		f.busy, f.fail = true, ""
		return f, AskRun{q}
	}
	if f.deeds != nil {
		all, err := f.deeds(f)
		if err != nil {
			return f.Failed(err), nil
		}
		f.busy, f.fail = true, ""
		if len(all) == 1 {
			return f, Perform{Deed: all[0]}
		}
		return f, Perform{Deed: all[0], Each: all}
	}
	d, err := f.deed(f)
	if err != nil {
		return f.Failed(err), nil
	}
	f.busy, f.fail = true, ""
	return f, Perform{Deed: d}
}

// edit gives a key to the entry in focus.
func (f Form) edit(p Press) Form {
	f.entries = slices.Clone(f.entries)
	e := &f.entries[f.focus]
	before := e.text()
	switch {
	case e.kind == choiceEntry:
		e.pick(p)
	case e.kind == tickEntry:
		if p.Text == " " || p.Action == keymap.Enter {
			e.on = !e.on
		}
	case e.kind == lineEntry && len(e.choices) > 0 && (p.Action == keymap.LineUp || p.Action == keymap.LineDown):
		e.suggest(p)
	default:
		field, ok := e.field.Press(p)
		e.field = field
		if !ok {
			return f.pass(p)
		}
	}
	if e.text() == before {
		if e.kind == choiceEntry && p.Action == keymap.Enter {
			return f.onto(1)
		}
		return f
	}
	f.dirty = f.dirty || e.kind != choiceEntry
	f.fail = ""
	if f.changed != nil {
		f = f.changed(f, f.focus)
	}
	return f
}

// pass is for keys the field has no use for: they move on.
func (f Form) pass(p Press) Form {
	switch p.Action {
	case keymap.Enter, keymap.LineDown:
		return f.onto(1)
	case keymap.LineUp:
		return f.onto(-1)
	}
	return f
}

// pick changes a choice: by arrows, or to the next that begins with a letter.
func (e *entry) pick(p Press) {
	n := len(e.choices)
	if n == 0 {
		return
	}
	switch p.Action {
	case keymap.LineUp, keymap.CharLeft:
		e.choice = (e.choice + n - 1) % n
	case keymap.LineDown, keymap.CharRight:
		e.choice = (e.choice + 1) % n
	case keymap.None:
		for i := 1; i <= n && p.Text != ""; i++ {
			if j := (e.choice + i) % n; strings.HasPrefix(e.choices[j], p.Text) {
				e.choice = j
				return
			}
		}
	}
}

// suggest puts the next suggestion into the line.
func (e *entry) suggest(p Press) {
	n := len(e.choices)
	i := slices.Index(e.choices, e.field.Text())
	switch {
	case i < 0:
		i = 0
	case p.Action == keymap.LineUp:
		i = (i + n - 1) % n
	default:
		i = (i + 1) % n
	}
	e.field = NewField(e.choices[i], false)
}
