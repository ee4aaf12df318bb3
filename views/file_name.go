package views

import (
	"strings"

	"weft/keymap"
)

// WriteFile writes what was asked for into a file. Without Over a file that is
// there already is left alone.
type WriteFile struct {
	Path string
	Over bool
}

func (WriteFile) intent() {}

// FileName is the dialog that asks for the name of a file. It stays open, with
// what was typed, until the file is written.
type FileName struct {
	title, about string
	note         []string // what the reader should know of the content
	field        Field
	fail         string
	// there names a file that exists and what it is; only then can it be
	// replaced.
	there, what string
}

// NewFileName asks where to write what, with a name to begin with.
func NewFileName(title, about, name string, note ...string) FileName {
	return FileName{title: title, about: about, note: note, field: NewField(name, false)}
}

// Place implements [Modal].
func (FileName) Place() keymap.Place { return keymap.FileDialog }

// Failed shows why the file was not written.
func (v FileName) Failed(why string) FileName {
	v.fail, v.there = why, ""
	return v
}

// Exists says that the file is there already, and what it is.
func (v FileName) Exists(path, what string) FileName {
	v.fail, v.there, v.what = "", path, what
	return v
}

// Press applies one key or a paste.
func (v FileName) Press(p Press) (Modal, Intent) {
	path := strings.TrimSpace(v.field.Text())
	switch p.Action {
	case keymap.Back:
		return v, CloseModal{}
	case keymap.Submit, keymap.Overwrite:
		over := p.Action == keymap.Overwrite
		switch {
		case path == "":
			return v.Failed("name a file"), nil
		case over && v.there != path:
			return v, SayKey{"nothing to overwrite: ", keymap.FileDialog, keymap.Submit, "enter", " writes the file"}
		}
		return v, WriteFile{path, over}
	}
	if f, ok := v.field.Press(p); ok {
		v.field, v.fail = f, ""
		if strings.TrimSpace(f.Text()) != v.there {
			v.there = ""
		}
	}
	return v, nil
}

// Draw implements [Modal].
func (v FileName) Draw(look Look, w, h int) []string {
	bw := boxWidth(w)
	inner := bw - 4
	over := look.key(keymap.FileDialog, keymap.Overwrite, "ctrl+o")
	var lines []string
	add := func(tone Tone, text string) {
		for _, l := range wrap(look.clean(text), inner) {
			lines = append(lines, " "+look.paint(tone, l))
		}
	}
	add(Plain, v.about)
	for _, n := range v.note {
		add(Dim, n)
	}
	lines = append(lines, "", " file  "+v.field.Draw(look, inner-7, 1, true)[0], "")
	switch {
	case v.fail != "":
		add(Bad, v.fail)
	case v.there != "":
		add(Warn, "It exists already, "+v.what+". Another name, or "+over+" overwrites it.")
	default:
		lines = append(lines, "")
	}
	keys := look.paint(Strong, look.key(keymap.FileDialog, keymap.Submit, "enter")) + " write   " +
		look.paint(Strong, look.key(keymap.FileDialog, keymap.Back, "esc")) + " close"
	if v.there != "" {
		keys = look.paint(Strong, over) + " overwrite   " + keys
	}
	lines = append(lines[:min(len(lines), max(0, h-4))], "", " "+keys)
	return look.box(v.title, lines, bw, len(lines)+2, true)
}
