package views

import (
	"fmt"
	"slices"
	"strings"

	"weft/flow"
	"weft/keymap"
)

// Diff shows where two runs differ. What is equal is folded.
type Diff struct {
	a, b      flow.Detail
	lines     []diffLine
	top, left int
	differ    int // how many lines do
}

// diffLine is a line both have, or one of them.
type diffLine struct {
	side byte // ' ', '-', '+', or '=' for a heading
	text string
}

// NewDiff compares two runs that were read with their steps.
func NewDiff(a, b flow.Detail) Diff {
	v := Diff{a: a, b: b}
	for _, part := range []struct {
		name string
		of   func(flow.Detail) []string
	}{{"run", factsOf}, {"input", func(d flow.Detail) []string { return Pretty(d.Input) }}, {"steps", stepsOf},
		{"result", func(d flow.Detail) []string { return Pretty(d.Output) }}} {
		lines := compared(part.of(a), part.of(b))
		n := 0
		for _, l := range lines {
			if l.side != ' ' {
				n++
			}
		}
		v.differ += n
		head := part.name + ": equal"
		if n > 0 {
			head = part.name + ": " + plural(n, "line") + " apart"
		}
		v.lines = append(v.lines, diffLine{'=', head})
		v.lines = append(v.lines, folded(lines)...)
	}
	return v
}

// factsOf are the facts of a run that two of them can share.
func factsOf(d flow.Detail) []string {
	r := d.Run
	took := "-"
	if r.ClosedAt != 0 {
		took = Took(r.ClosedAt.Sub(r.CreatedAt))
	}
	facts := []string{"type      " + r.Type + " " + r.Version, "status    " + Word(r), "took      " + took,
		"tags      " + orElse(strings.Join(r.Tags, ", "), "none"), fmt.Sprintf("events    %d", r.Events),
		"reason    " + orElse(r.Reason, "none"), "waits for " + orElse(r.Waiting, "nothing")}
	for f, name := r.Failure, "failure   "; f != nil; f, name = f.Cause, "  cause   " {
		facts = append(facts, name+string(f.Category)+" "+f.Code+": "+f.Message)
	}
	return facts
}

// stepsOf are the steps without their times, which always differ.
func stepsOf(d flow.Detail) []string {
	var out []string
	for _, s := range d.Steps {
		line := Fit(string(s.Path), 6) + " " + s.Kind.String() + " " + s.Name + "  " + string(s.State)
		if s.Attempt > 1 {
			line += fmt.Sprintf("  attempt %d", s.Attempt)
		}
		if s.Error != nil {
			line += "  " + s.Error.Message
		}
		if s.Output != nil {
			line += "  " + Brief(s.Output)
		}
		out = append(out, line)
	}
	return out
}

// comparedMost bounds how many lines of a text are compared line against line.
const comparedMost = 1500

// compared are the lines of two texts: the longest that both have in order, and
// what is in one only. Long texts are compared at the same places only.
func compared(a, b []string) []diffLine {
	var out []diffLine
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		out, a, b = append(out, diffLine{' ', a[0]}), a[1:], b[1:]
	}
	var tail []diffLine
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		tail = append(tail, diffLine{' ', a[len(a)-1]})
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	slices.Reverse(tail)
	if len(a) > comparedMost || len(b) > comparedMost {
		return slices.Concat(out, places(a, b), tail)
	}
	return slices.Concat(out, shared(a, b), tail)
}

// shared walks the table of how many lines both have behind each place.
func shared(a, b []string) []diffLine {
	behind := make([][]uint16, len(a)+1)
	for i := range behind {
		behind[i] = make([]uint16, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			behind[i][j] = max(behind[i+1][j], behind[i][j+1])
			if a[i] == b[j] {
				behind[i][j] = behind[i+1][j+1] + 1
			}
		}
	}
	var out []diffLine
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			out, i, j = append(out, diffLine{' ', a[i]}), i+1, j+1
		case j == len(b) || i < len(a) && behind[i+1][j] >= behind[i][j+1]:
			out, i = append(out, diffLine{'-', a[i]}), i+1
		default:
			out, j = append(out, diffLine{'+', b[j]}), j+1
		}
	}
	return out
}

func places(a, b []string) []diffLine {
	var out []diffLine
	for i := range max(len(a), len(b)) {
		switch {
		case i < len(a) && i < len(b) && a[i] == b[i]:
			out = append(out, diffLine{' ', a[i]})
			continue
		case i < len(a):
			out = append(out, diffLine{'-', a[i]})
		}
		if i < len(b) {
			out = append(out, diffLine{'+', b[i]})
		}
	}
	return out
}

// context is how many equal lines stay around a difference.
const context = 2

// folded leaves out equal lines that are far from any difference.
func folded(lines []diffLine) []diffLine {
	near := func(i int) bool {
		for k := max(0, i-context); k <= min(len(lines)-1, i+context); k++ {
			if lines[k].side != ' ' {
				return true
			}
		}
		return false
	}
	var out []diffLine
	for i := 0; i < len(lines); {
		n := i
		for n < len(lines) && !near(n) {
			n++
		}
		switch {
		case n-i > 1:
			out = append(out, diffLine{' ', "... " + plural(n-i, "equal line")})
			i = n
		default:
			out = append(out, lines[i])
			i++
		}
	}
	return out
}

// Place implements [Modal].
func (Diff) Place() keymap.Place { return keymap.DiffPage }

// Press applies one key.
func (v Diff) Press(p Press) (Modal, Intent) {
	switch p.Action {
	case keymap.Back, keymap.Quit, keymap.Diff:
		return v, CloseModal{}
	case keymap.Top:
		v.top, v.left = 0, 0
	case keymap.Bottom:
		v.top = len(v.lines)
	case keymap.Left:
		v.left = max(0, v.left-8)
	case keymap.Right:
		v.left = min(4000, v.left+8)
	}
	n, _ := stride(p.Action, 10)
	v.top = max(0, min(v.top+n, len(v.lines)-1))
	return v, nil
}

var diffTones = map[byte]Tone{'=': Strong, ' ': Dim, '-': Bad, '+': Good}

// Draw implements [Modal].
func (v Diff) Draw(look Look, w, h int) []string {
	bw := min(w, max(boxWidth(w), min(w-4, 160)))
	inner := bw - 4
	name := func(side string, r flow.Run) string {
		return " " + side + " " + FitMiddle(look.clean(string(r.ID)), max(8, inner-16)) + "  " + Letter(r) + " " + Word(r)
	}
	lines := []string{look.paint(Bad, name("-", v.a.Run)), look.paint(Good, name("+", v.b.Run)), ""}
	rows := max(1, min(len(v.lines), h-7))
	top := max(0, min(v.top, len(v.lines)-rows))
	for _, l := range v.lines[top:min(len(v.lines), top+rows)] {
		text := l.text
		if l.side != '=' {
			text = string(l.side) + " " + look.mask(text)
		}
		lines = append(lines, " "+look.paint(diffTones[l.side], Fit(Shift(look.clean(text), v.left), inner)))
	}
	sum := plural(v.differ, "line") + " apart"
	if v.differ == 0 {
		sum = "no difference"
	}
	lines = append(lines, "", look.paint(Dim, FitRight(sum+"   "+place(top+rows, len(v.lines))+"   "+look.key(keymap.DiffPage, keymap.Back, "esc")+" closes ", bw-2)))
	return look.box("Compare two runs", lines, bw, len(lines)+2, true)
}
