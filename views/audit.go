package views

import (
	"fmt"
	"strings"

	"weft/flow"
	"weft/keymap"
)

// auditChunk is how many records are read at once.
const auditChunk = 200

// Audit is what operators did, newest first. It reads on when the cursor comes
// near the end of what it holds.
type Audit struct {
	rows   []flow.Audit
	next   string // the cursor behind the last one
	more   bool
	loaded bool
	fail   string
	roll
}

// Query is the question for the newest records, or for those behind the last.
func (v Audit) Query(below bool) flow.Query {
	q := flow.Query{Of: flow.ListAudit, Limit: auditChunk}
	if below {
		q.After = v.next
	}
	return q
}

// Wants reports whether records are lacking, and whether behind the last.
func (v Audit) Wants() (below, ok bool) {
	switch {
	case !v.loaded && v.fail == "":
		return false, true
	case v.more && v.index+2*v.height > len(v.rows):
		return true, true
	}
	return false, false
}

// Take puts an answer in. Newer records go on top; the cursor stays on its
// record, unless it is at the top.
func (v Audit) Take(below bool, page flow.Page) Audit {
	v.fail = ""
	last := page.Next
	if n := len(page.Cursors); n > 0 && last == "" {
		last = page.Cursors[n-1]
	}
	switch {
	case below:
		v.rows, v.next, v.more = append(append([]flow.Audit(nil), v.rows...), page.Audit...), last, page.More
	case !v.loaded || len(v.rows) == 0:
		v.rows, v.next, v.more, v.loaded = page.Audit, last, page.More, true
	default:
		n := 0
		for n < len(page.Audit) && page.Audit[n].Number > v.rows[0].Number {
			n++
		}
		if n == auditChunk { // a gap would be left
			v.rows, v.next, v.more, v.index = page.Audit, last, page.More, 0
			break
		}
		v.rows = append(append([]flow.Audit(nil), page.Audit[:n]...), v.rows...)
		v.roll = v.pushed(n)
	}
	v.roll = v.to(v.index, len(v.rows))
	return v
}

// Failed keeps what is shown and remembers why reading failed.
func (v Audit) Failed(err error) Audit {
	v.fail = err.Error()
	return v
}

// Sized tells how many lines there are for records, their head, and the one under
// the cursor in full.
func (v Audit) Sized(h int) Audit {
	v.roll = v.sized(h-1-recordLines(h), len(v.rows))
	return v
}

// recordLines is the room for one record in full, 0 where that is too little.
func recordLines(h int) int {
	if h < 14 {
		return 0
	}
	return 6
}

// record is the record under the cursor in full: lists cut what is long.
func (v Audit) record(look Look, w, h int) []string {
	if h == 0 || v.index >= len(v.rows) {
		return exactly(nil, w, h)
	}
	a := v.rows[v.index]
	head := fmt.Sprintf("-- record %d ", a.Number)
	out := []string{look.paint(Dim, head+strings.Repeat("-", max(0, w-width(head))))}
	for _, f := range [][2]string{
		{"who", a.Actor + " at " + a.At.String()}, {"what", strings.TrimSpace(a.Verb + " " + a.Target.String())},
		{"text", a.Text}, {"why", a.Why},
	} {
		for i, line := range wrap(look.clean(f[1]), max(1, w-8)) {
			if i > 0 {
				f[0] = ""
			}
			if f[1] != "" {
				out = append(out, look.paint(Dim, Fit(f[0], 8))+line)
			}
		}
	}
	return exactly(out, w, h)
}

// Empty reports whether there is no record.
func (v Audit) Empty() bool { return len(v.rows) == 0 }

// Press applies one key.
func (v Audit) Press(p Press) (Audit, Intent) {
	if p.Action == keymap.Open {
		if v.index >= len(v.rows) || v.rows[v.index].Target.ID == "" {
			return v, Say{"this record is of no run"}
		}
		return v, OpenRun{v.rows[v.index].Target}
	}
	v.roll = v.press(p.Action, len(v.rows))
	return v, nil
}

// Draw shows the audit.
func (v Audit) Draw(look Look, w, h int) []string {
	out := []string{look.paint(Dim, Fit("  "+auditRow("NUMBER", "AT", "WHO", "WHAT", "WORKFLOW", "TEXT AND WHY", w-2), w))}
	low := recordLines(h)
	out = append(out, v.draw(look, w, h-1-low, len(v.rows), true, func(i, w int) string { return auditLine(look, v.rows[i], w) })...)
	switch {
	case v.fail != "":
		out = append(out, "", "  "+look.paint(Bad, look.clean("cannot read the audit: "+v.fail)))
	case !v.loaded:
		out = append(out, "", "  "+look.reading())
	case len(v.rows) == 0:
		out = append(out, "", "  "+look.paint(Dim, "nobody has changed anything yet"))
	}
	return append(exactly(out, w, h-low), v.record(look, w, low)...)
}

func auditLine(look Look, a flow.Audit, w int) string {
	text := a.Text
	if a.Why != "" {
		text += "  why: " + a.Why
	}
	return auditRow(fmt.Sprint(a.Number), a.At.Time().Format("2006-01-02 15:04:05Z"), look.clean(a.Actor), look.clean(a.Verb),
		look.clean(string(a.Target.ID)), look.clean(text), w)
}

func auditRow(number, at, who, verb, id, text string, w int) string {
	if w < 90 {
		at = at[max(0, len(at)-9):]
		left := FitRight(number, 6) + " " + Fit(at, 9) + " " + Fit(who, 8) + " " + Fit(verb, 14) + " "
		if room := w - width(left); room < 18+1+12 { // cut to a few cells it says nothing and takes the id its tail
			return Fit(left+FitMiddle(id, min(room, 26)), w)
		}
		return Fit(left+FitMiddle(id, 18)+" "+text, w)
	}
	return Fit(FitRight(number, 8)+" "+Fit(at, 20)+" "+Fit(who, 12)+" "+Fit(verb, 14)+" "+FitMiddle(id, 26)+" "+text, w)
}
