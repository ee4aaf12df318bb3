package views

import (
	"cmp"
	"fmt"
	"slices"

	"weft/flow"
	"weft/keymap"
)

// Outcome lists what became of each run of a bulk act: what went wrong first.
type Outcome struct {
	title   string
	results []flow.BulkResult
	scroll
}

// NewOutcome shows the results of an act.
func NewOutcome(title string, results []flow.BulkResult) Outcome {
	rank := map[flow.BulkOutcome]int{flow.BulkFailed: 0, flow.BulkSkipped: 1, flow.BulkDone: 2}
	results = slices.Clone(results)
	slices.SortStableFunc(results, func(a, b flow.BulkResult) int { return cmp.Compare(rank[a.Outcome], rank[b.Outcome]) })
	return Outcome{title: title, results: results}
}

// Place implements [Modal].
func (Outcome) Place() keymap.Place { return keymap.Outcome }

// Press applies one key.
func (v Outcome) Press(p Press) (Modal, Intent) {
	if closes(p.Action) {
		return v, CloseModal{}
	}
	v.scroll = v.press(p.Action, 10, len(v.results))
	return v, nil
}

var outcomeTones = map[flow.BulkOutcome]Tone{flow.BulkDone: Good, flow.BulkSkipped: Warn, flow.BulkFailed: Bad}

// Settled implements [Scrolled].
func (v Outcome) Settled(_ Look, _, h int) Modal {
	v.top = v.from(v.rows(h), len(v.results))
	return v
}

func (v Outcome) rows(h int) int { return max(1, min(len(v.results), h-5)) }

// Draw implements [Modal].
func (v Outcome) Draw(look Look, w, h int) []string {
	bw := boxWidth(w)
	if w >= 106 {
		bw = min(w-4, 100)
	}
	rows := v.rows(h)
	top := v.from(rows, len(v.results))
	var lines []string
	for _, r := range v.results[top : top+min(rows, len(v.results))] {
		text := r.Text
		if r.Audit != 0 {
			text = fmt.Sprintf("audit %d  %s", r.Audit, r.Text)
		}
		lines = append(lines, " "+look.paint(outcomeTones[r.Outcome], Fit(look.clean(string(r.Outcome)), 8))+
			FitMiddle(look.clean(string(r.Ref.ID)), min(30, bw/3))+"  "+look.clean(text))
	}
	last := look.paint(Dim, FitRight(place(top+len(lines), len(v.results))+"   "+look.key(keymap.Outcome, keymap.Back, "esc")+" closes", bw-3))
	lines = append(lines, "", last)
	return look.box(v.title, lines, bw, len(lines)+2, true)
}
