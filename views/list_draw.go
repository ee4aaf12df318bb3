package views

import (
	"fmt"
	"strings"

	"weft/flow"
	"weft/keymap"
)

// Draw shows the list: the line of the filter, the heads of the columns, rows.
func (l List) Draw(look Look, w, h int, badge string) []string {
	cols := columns(l.Pane, w, l.rows, l.chosen)
	out := []string{
		look.paint(Plain, l.filterLine(look, w, badge)),
		look.paint(Dim, Fit("  "+Shift(heads(cols, w-2), l.left), w)),
	}
	for i := l.top; i < len(l.rows) && len(out) < h; i++ {
		out = append(out, l.row(look, cols, i, w))
	}
	if len(l.rows) == 0 && h > 2 {
		out = append(out, l.nothing(look, w)...)
	}
	return exactly(out, w, h)
}

// filterLine repeats the filter and says how much is shown of how much.
func (l List) filterLine(look Look, w int, badge string) string {
	left := "/" + look.clean(l.text)
	if l.text == "" {
		left = look.paint(Dim, orElse(l.Parts, "all "+strings.ToLower(l.Name)))
	}
	if l.problem != "" {
		left = look.paint(Warn, look.clean(l.problem))
	}
	parts := []string{l.howMany(), l.order(), badge}
	switch fresh := fmt.Sprintf("+%d", l.fresh); {
	case l.fresh > 0 && badge == "HELD":
		parts[2] = badge + " " + fresh
	case l.fresh > 0:
		parts = append(parts, fresh+" new")
	}
	return Beside(left, strings.Join(filled(parts), " | "), w)
}

// filled are the texts that are not empty.
func filled(texts []string) []string {
	var out []string
	for _, s := range texts {
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}

// amount is the number of rows the filter chooses; what was not counted to the
// end says so.
func (l List) amount() string {
	switch {
	case !l.loaded:
		return ""
	case l.total < 0:
		return fmt.Sprintf(">=%d, scanned %d", l.atLeast, l.scanned)
	case l.text != "" && l.whole > 0:
		return fmt.Sprintf("%d of %d", l.total, l.whole)
	}
	return fmt.Sprint(l.total)
}

// howMany is the number of rows with what they are.
func (l List) howMany() string {
	if !l.loaded || l.total < 0 || l.text != "" && l.whole > 0 {
		return l.amount()
	}
	what := "run"
	switch l.Pane {
	case PaneOwed:
		what = "teardown"
	case PaneDead:
		what = "dead letter"
	}
	return plural(int(l.total), what)
}

// nothing says why there are no rows.
func (l List) nothing(look Look, w int) []string {
	text, tone := "", Dim
	switch {
	case l.failure != "":
		text, tone = "cannot read the list: "+l.failure, Bad
	case !l.loaded:
		return []string{"", "  " + Fit(look.reading(), w-4)}
	case l.text != "":
		text = "no matches for /" + l.text + "   " + look.key(keymap.Runs, keymap.Back, "esc") + " clears the filter"
	default:
		text = l.Empty
	}
	lines := wrap(look.clean(text), w-4)
	if more := look.clean(l.More); more != "" && l.failure == "" && l.text == "" {
		if whole := text + "   " + more; len(lines) == 1 && width(whole) <= w-4 {
			lines = []string{look.clean(whole)}
		} else { // a key stays with its words
			lines = append(lines, more)
		}
	}
	out := []string{""}
	for _, line := range lines {
		out = append(out, "  "+look.paint(tone, line))
	}
	return out
}

// row draws row i.
func (l List) row(look Look, cols []column, i, w int) string {
	r := l.rows[i]
	cells := Shift(cellsOf(look, cols, r, i != l.index && !r.Gone), l.left)
	switch {
	case i == l.index:
		return look.paint(Chosen, Fit(l.edge(r, true)+cells, w))
	case r.Gone:
		return look.paint(Dim, Fit(l.edge(r, false)+cells, w))
	}
	return Fit(l.edge(r, false)+cells, w)
}

// cellsOf is a row without its edge; toned gives its cells their colours.
func cellsOf(look Look, cols []column, r Row, toned bool) string {
	var b strings.Builder
	for _, c := range cols {
		text := c.text(look, r)
		if c.id {
			text = FitMiddle(text, c.w)
		}
		text = Fit(text, c.w)
		if c.tone != nil && toned {
			text = look.paint(c.tone(look, r), text)
		}
		b.WriteString(text + " ")
	}
	return strings.TrimSuffix(b.String(), " ")
}

// DrawShort shows the first rows where there is room for a few only, without a
// cursor.
func (l List) DrawShort(look Look, w, h int) []string {
	switch {
	case h < 2:
		return exactly(nil, w, h)
	case len(l.rows) == 0:
		return exactly(l.nothing(look, w)[1:], w, h)
	}
	cols := columns(l.Pane, w, l.rows, l.chosen)
	out := []string{look.paint(Dim, Fit("  "+heads(cols, w-2), w))}
	for _, r := range l.rows {
		if !r.Gone { // nobody's cursor rests on it here
			out = append(out, l.edge(r, false)+cellsOf(look, cols, r, true))
		}
	}
	return exactly(out, w, h)
}

// edge is what stands before a row: the cursor, a mark.
func (l List) edge(r Row, here bool) string {
	marked := l.isMarked(r)
	switch {
	case here && marked:
		return ">*"
	case here:
		return "> "
	case marked:
		return "* "
	}
	return "  "
}

// leftBecause says why a row is no longer in its list.
func leftBecause(pane Pane, r flow.Run) string {
	ended, waits := r.Status.Terminal(), r.Status == flow.Suspended
	switch {
	case pane == PaneOwed:
		return "(no longer owed)"
	case pane == PaneDead:
		return "(redriven or discarded)"
	case ended && pane != PaneTerminal, waits && pane != PaneSuspended:
		return "(just " + r.Status.String() + ")"
	case r.Status == flow.Running && pane == PaneSuspended:
		return "(goes on)"
	}
	return "(left the list)"
}
