package views

import (
	"fmt"
	"strings"

	"weft/flow"
)

// leastBar is the least room for a bar.
const leastBar = 10

// barSides are the room for the path and the name before a bar, and for how the
// step ended behind it.
func barSides(w int) (name, result int) {
	if w < 70 {
		return 15, 17
	}
	return 22, 20
}

// barLines are the steps as bars on one axis. Where there is no room for bars
// they are told in words.
func barLines(d flow.Detail) []docLine {
	if len(d.Steps) == 0 {
		return []docLine{fixed(Dim, "no steps yet")}
	}
	from, to := d.Run.StartedAt, d.Run.ClosedAt
	if from == 0 {
		from = d.Run.CreatedAt
	}
	if to == 0 {
		to = max(d.At, d.Run.UpdatedAt)
	}
	for _, s := range d.Steps {
		from = min(from, orLater(s.StartedAt, from))
		to = max(to, s.EndedAt, s.StartedAt)
	}
	a := axisOf(d.Steps, from, to)
	lines := []docLine{rulerLine(a)}
	for _, s := range d.Steps {
		lines = append(lines, barLine(a, s))
		if s.Error != nil {
			lines = append(lines, indented(errorTone(s), s.Error.Message))
		}
	}
	return append(lines, fixed(Plain, ""), legendLine)
}

// legendLine says what the signs of the bars are, where there are bars.
func legendLine(look Look, w int) string {
	if barRoom(min(w, wideLine/2)) == 0 {
		return spaces(w)
	}
	legend := "# work  . wait  ~ now  x failed try  ! too late"
	if len(legend) > w {
		legend = "# work  . wait  ~ now  x failed  ! late"
	}
	return look.paint(Dim, Fit(legend, w))
}

// errorTone is the tone of a step's latest error: one after which it is tried again
// is no alarm.
func errorTone(s flow.Step) Tone {
	if s.State == flow.StepRetrying {
		return Warn
	}
	return Bad
}

// indented is a text below a step; it goes on below itself.
func indented(tone Tone, text string) docLine {
	return func(look Look, w int) string {
		rows := wrap(look.clean(text), max(1, w-4))
		if len(rows) > valueRows {
			rows = append(rows[:valueRows-1], strings.Join(rows[valueRows-1:], " "))
		}
		for i, row := range rows {
			rows[i] = look.paint(tone, Fit("    "+row, w))
		}
		return strings.Join(rows, "\n")
	}
}

func orLater(i, other flow.Instant) flow.Instant {
	if i == 0 {
		return other
	}
	return i
}

// barRoom is how wide bars are on w cells, 0 when there is no room for any.
func barRoom(w int) int {
	name, result := barSides(w)
	room := w - name - result - 2
	if room < leastBar {
		return 0
	}
	return min(room, 120)
}

// pathCell is the path of a step: in full where it is short, else its end, which
// tells the steps of a branch apart.
func pathCell(look Look, p flow.StepPath) string {
	s := look.clean(string(p))
	if n := len(s); n > 6 {
		s = ".." + s[n-4:]
	}
	return Fit(s, max(3, len(s))) + " "
}

// rulerLine is the axis itself.
func rulerLine(a axis) docLine {
	return func(look Look, w int) string {
		room := barRoom(min(w, wideLine/2))
		whole := a.at[len(a.at)-1].Sub(a.at[0])
		if room == 0 {
			return look.paint(Dim, Fit("in all "+Took(whole), w))
		}
		note := Took(whole)
		if a.folded > 0 {
			note += ", : idle"
		}
		name, _ := barSides(w)
		return look.paint(Dim, Fit(Fit("0s", name)+" "+string(a.ruler(room))+" "+note, w))
	}
}

func barLine(a axis, s flow.Step) docLine {
	words := stepLine(s)
	return func(look Look, w int) string {
		room := barRoom(min(w, wideLine/2))
		if room == 0 {
			return words(look, w)
		}
		side, _ := barSides(w)
		name := Fit(pathCell(look, s.Path)+look.clean(orElse(s.Name, s.Kind.String())), side)
		return Fit(name+" "+look.paint(stepTones[s.State], a.bar(s, room))+" "+barEnd(look, s), w)
	}
}

// bar draws one step: # is work, . waiting, ~ what goes on now, x an attempt
// that failed, ! a limit that passed.
func (a axis) bar(s flow.Step, w int) string {
	begin, end := span(s, a.at[len(a.at)-1])
	x, y := a.cell(begin, w), a.cell(end, w)
	y = max(y, x+1)
	if y == w-1 && end == a.at[len(a.at)-1] {
		y = w
	}
	fill := byte('.')
	if s.Kind == flow.StepActivity || s.Kind == flow.StepMemo {
		fill = '#'
	}
	if s.State == flow.StepOpen || s.State == flow.StepRetrying {
		if fill == '#' {
			fill = '~'
		}
	}
	line := []byte(strings.Repeat(" ", x) + strings.Repeat(string(fill), y-x) + strings.Repeat(" ", max(0, w-y)))
	if ruled := a.ruler(w); fill == '.' {
		for i := x + 1; i < y-1; i++ {
			if ruled[i] == ':' {
				line[i] = ':'
			}
		}
	}
	failed := s.Attempt - 1
	if s.Kind == flow.StepActivity {
		for i := 1; i <= min(failed, y-x-1); i++ { // spread: when each one failed is not recorded
			line[min(x+(y-x)*i/(failed+1), y-2)] = 'x' // the last cell says how the step ended
		}
	}
	switch s.State {
	case flow.StepFailed:
		line[y-1] = 'x'
	case flow.StepTimedOut:
		line[y-1] = '!'
	}
	return string(line)
}

// barEnd is how a step ended, or what it waits for.
func barEnd(look Look, s flow.Step) string {
	took := "-"
	switch {
	case s.EndedAt != 0 && s.StartedAt != 0:
		took = Took(s.EndedAt.Sub(s.StartedAt))
	case s.StartedAt != 0:
		took = look.since(s.StartedAt)
	}
	try := ""
	switch {
	case s.Kind != flow.StepActivity || s.Attempt == 0:
	case s.MaxAttempts > 0:
		try = fmt.Sprintf(" %d/%d", s.Attempt, s.MaxAttempts)
	case s.Attempt > 1:
		try = fmt.Sprintf(" x%d", s.Attempt)
	}
	word := map[flow.StepState]string{flow.StepDone: "ok", flow.StepFailed: "FAILED", flow.StepRetrying: "RETRY", flow.StepTimedOut: "TIMED OUT",
		flow.StepOpen: "open"}[s.State]
	if s.Due != 0 && s.EndedAt == 0 {
		took = look.until(s.Due)
	}
	return Fit(took, 6) + " " + look.paint(stepTones[s.State], word+try)
}
