package views

import (
	"slices"
	"strings"
	"unicode"

	"weft/keymap"
)

// Field is editable text of one line or several. It holds what was typed or
// pasted as it is; only its drawing is cleaned.
type Field struct {
	// Lines is true for text with line ends, as JSON has.
	Lines    bool
	text     [][]rune
	row, col int
}

// NewField is a field that holds text, with the cursor at its end, or at its
// start when it has lines.
func NewField(text string, lines bool) Field {
	f := Field{Lines: lines}
	f.text = [][]rune{nil}
	f = f.insert(text)
	if lines {
		f.row, f.col = 0, 0
	}
	return f
}

// Text is what the field holds.
func (f Field) Text() string {
	lines := make([]string, len(f.text))
	for i, l := range f.text {
		lines[i] = string(l)
	}
	return strings.Join(lines, "\n")
}

// Press applies a key or a paste; ok is false when the key means nothing here.
func (f Field) Press(p Press) (_ Field, ok bool) {
	if len(f.text) == 0 {
		f.text = [][]rune{nil}
	}
	switch p.Action {
	case keymap.CharLeft, keymap.CharRight, keymap.LineStart, keymap.LineEnd:
		return f.move(p.Action), true
	case keymap.LineUp, keymap.LineDown:
		return f.jump(p.Action)
	case keymap.Rubout, keymap.Delete, keymap.RubWord, keymap.RubLine:
		return f.rub(p.Action), true
	case keymap.Enter:
		if !f.Lines {
			return f, false
		}
		return f.insert("\n"), true
	case keymap.None:
		if p.Text != "" {
			return f.insert(p.Text), true
		}
	}
	return f, false
}

// insert writes s at the cursor. A field of one line takes line ends as spaces.
func (f Field) insert(s string) Field {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	if !f.Lines {
		s = strings.ReplaceAll(s, "\n", " ")
	}
	line := f.text[f.row]
	before, after := slices.Clone(line[:f.col]), slices.Clone(line[f.col:])
	parts := strings.Split(s, "\n")
	fresh := make([][]rune, len(parts))
	for i, p := range parts {
		fresh[i] = []rune(p)
	}
	last := len(fresh) - 1
	fresh[0] = append(before, fresh[0]...)
	col := len(fresh[last])
	fresh[last] = append(fresh[last], after...)
	f.text = slices.Concat(f.text[:f.row], fresh, f.text[f.row+1:])
	f.row, f.col = f.row+last, col
	return f
}

func (f Field) move(a keymap.Action) Field {
	switch {
	case a == keymap.LineStart:
		f.col = 0
	case a == keymap.LineEnd:
		f.col = len(f.text[f.row])
	case a == keymap.CharLeft && f.col > 0:
		f.col--
	case a == keymap.CharLeft && f.row > 0:
		f.row--
		f.col = len(f.text[f.row])
	case a == keymap.CharRight && f.col < len(f.text[f.row]):
		f.col++
	case a == keymap.CharRight && f.row < len(f.text)-1:
		f.row, f.col = f.row+1, 0
	}
	return f
}

// jump goes a line up or down; at the edge it is not taken, so that a form can
// use it.
func (f Field) jump(a keymap.Action) (Field, bool) {
	row := f.row - 1
	if a == keymap.LineDown {
		row = f.row + 1
	}
	if row < 0 || row >= len(f.text) {
		return f, false
	}
	f.row = row
	f.col = min(f.col, len(f.text[row]))
	return f, true
}

func (f Field) rub(a keymap.Action) Field {
	line := f.text[f.row]
	switch {
	case a == keymap.RubLine:
		return f.cut(f.row, 0, f.row, f.col)
	case a == keymap.RubWord:
		start := f.col
		for start > 0 && unicode.IsSpace(line[start-1]) {
			start--
		}
		for start > 0 && !unicode.IsSpace(line[start-1]) {
			start--
		}
		return f.cut(f.row, start, f.row, f.col)
	case a == keymap.Delete && f.col < len(line):
		return f.cut(f.row, f.col, f.row, f.col+1)
	case a == keymap.Delete && f.row < len(f.text)-1:
		return f.cut(f.row, f.col, f.row+1, 0)
	case a == keymap.Rubout && f.col > 0:
		return f.cut(f.row, f.col-1, f.row, f.col)
	case a == keymap.Rubout && f.row > 0:
		return f.cut(f.row-1, len(f.text[f.row-1]), f.row, 0)
	}
	return f
}

// cut removes the text between two places and puts the cursor there.
func (f Field) cut(row, col, toRow, toCol int) Field {
	joined := slices.Concat(f.text[row][:col], f.text[toRow][toCol:])
	f.text = slices.Concat(f.text[:row], [][]rune{joined}, f.text[toRow+1:])
	f.row, f.col = row, col
	return f
}

// At puts the cursor at a line and column counted from 1, as errors do.
func (f Field) At(line, column int) Field {
	f.row = min(max(line-1, 0), len(f.text)-1)
	f.col = min(max(column-1, 0), len(f.text[f.row]))
	return f
}

// Draw shows the field on h lines of w cells, scrolled to its cursor; focused
// shows where it is.
func (f Field) Draw(look Look, w, h int, focused bool) []string {
	if len(f.text) == 0 {
		f.text = [][]rune{nil}
	}
	top := max(0, min(f.row-h+1, len(f.text)-h))
	if !focused {
		top = 0
	}
	var out []string
	for i := top; i < len(f.text) && len(out) < h; i++ {
		if focused && i == f.row {
			out = append(out, f.cursorLine(look, w))
			continue
		}
		out = append(out, Fit(look.clean(string(f.text[i])), w))
	}
	return exactly(out, w, h)
}

// cursorLine is the line of the cursor, scrolled sideways to it.
func (f Field) cursorLine(look Look, w int) string {
	line := f.text[f.row]
	left, under, right := look.clean(string(line[:f.col])), " ", ""
	if f.col < len(line) {
		under = look.clean(string(line[f.col]))
		right = look.clean(string(line[f.col+1:]))
	}
	if under == "" {
		under = " "
	}
	if over := width(left) + width(under) - w; over > 0 {
		left = Shift(left, over)
	}
	mark := look.paint(Chosen, under)
	if mark == under { // no colours at all: show the place with a letter
		mark = "_"
		if f.col < len(line) {
			mark = "_" + under
		}
	}
	return Fit(left+mark+right, w)
}
