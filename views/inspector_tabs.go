package views

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"weft/flow"
)

func place(last, of int) string { return fmt.Sprintf("%d/%d", last, of) }

// fixed is a line of stored or own text in one tone.
func fixed(tone Tone, text string) docLine {
	return func(look Look, w int) string { return look.paint(tone, Fit(look.clean(text), w)) }
}

// cut is a line "name  value" of one row.
func cut(name string, tone Tone, value func(Look) string) docLine {
	return func(look Look, w int) string {
		return look.paint(Dim, Fit(name, 10)) + look.paint(tone, Fit(look.clean(value(look)), w-10))
	}
}

// valueRows is how many rows a value takes at most.
const valueRows = 3

// named is a line "name  value". A value that is longer than the line goes on
// below it.
func named(name string, tone Tone, value func(Look) string) docLine {
	return func(look Look, w int) string {
		rows := wrap(look.clean(value(look)), max(1, w-10))
		if n := len(rows); n > valueRows {
			rows = append(rows[:valueRows-1], strings.Join(rows[valueRows-1:], " "))
		}
		label := name
		for i, row := range rows {
			rows[i] = look.paint(Dim, Fit(label, 10)) + look.paint(tone, Fit(row, w-10))
			label = ""
		}
		return strings.Join(rows, "\n")
	}
}

func (v Inspector) overviewLines() []docLine {
	d := v.detail
	lines := slices.Concat(standing(d.Run), v.teardownLines(), times(d.Run), belongings(d))
	if len(d.Steps) > 0 {
		lines = append(lines, fixed(Plain, ""))
		lines = append(lines, timelineLines(d)...)
	}
	return lines
}

// standing says why the run does not go on, or how it ended.
func standing(r flow.Run) []docLine {
	var lines []docLine
	switch {
	case r.Held && !r.Status.Terminal():
		lines = append(lines, named("held", Warn, func(Look) string { return orElse(r.HeldBecause, "not registered here") }))
	case r.Status == flow.Suspended:
		lines = append(lines, named("suspended", Warn, func(Look) string { return orElse(r.Reason, "no reason given") }))
	case r.Status.Terminal() && r.Reason != "":
		lines = append(lines, named("reason", Plain, func(Look) string { return r.Reason }))
	case !r.Status.Terminal():
		lines = append(lines, named("at", Plain, func(l Look) string { return whereabouts(l, r) }))
		if r.Summary != "" {
			lines = append(lines, named("says", Plain, func(Look) string { return r.Summary }))
		}
	}
	return append(lines, failureLines(r.Failure)...)
}

// failureLines spell out a failure and what led to it.
func failureLines(f *flow.Failure) []docLine {
	var lines []docLine
	for name := "failure"; f != nil; name, f = "  cause", f.Cause {
		text := string(f.Category) + " " + f.Code + ": " + f.Message
		lines = append(lines, named(name, Bad, func(Look) string { return text }))
		for _, line := range strings.Split(strings.TrimRight(f.Stack, "\n"), "\n") {
			if line != "" {
				lines = append(lines, fixed(Dim, "    "+line))
			}
		}
	}
	return lines
}

func times(r flow.Run) []docLine {
	lines := []docLine{
		named("run", Plain, func(Look) string { return string(r.Run) }),
		named("created", Plain, func(l Look) string { return r.CreatedAt.String() + "  " + l.since(r.CreatedAt) + " ago" }),
	}
	if r.ClosedAt != 0 {
		return append(lines, named("ended", Plain, func(l Look) string {
			return r.ClosedAt.String() + "  " + l.since(r.ClosedAt) + " ago, took " + Took(r.ClosedAt.Sub(r.CreatedAt))
		}))
	}
	lines = append(lines, named("updated", Plain, func(l Look) string { return l.since(r.UpdatedAt) + " ago" }))
	if r.Deadline != 0 {
		lines = append(lines, named("deadline", Plain, func(l Look) string { return l.ahead(r.Deadline) + "  " + r.Deadline.String() }))
	}
	if r.StartAt != 0 {
		return append(lines, named("starts", Plain, func(l Look) string { return l.ahead(r.StartAt) + "  " + r.StartAt.String() }))
	}
	if r.Due != 0 {
		lines = append(lines, named("due", Plain, func(l Look) string { return l.ahead(r.Due) + "  " + r.Due.String() }))
	}
	return lines
}

func belongings(d flow.Detail) []docLine {
	r := d.Run
	var lines []docLine
	if len(r.Tags) > 0 {
		lines = append(lines, named("tags", Plain, func(Look) string { return strings.Join(r.Tags, ", ") }))
	}
	for _, k := range slices.Sorted(maps.Keys(r.Attributes)) {
		lines = append(lines, named("attribute", Plain, func(Look) string { return k + " = " + r.Attributes[k] }))
	}
	if r.Parent != nil {
		lines = append(lines, named("parent", Plain, func(Look) string { return string(r.Parent.ID) }))
	}
	signals := "unknown"
	if r.Signals >= 0 {
		signals = fmt.Sprint(r.Signals)
	}
	lines = append(lines,
		cut("input", Plain, func(l Look) string { return Size(int64(len(d.Input))) + "  " + l.mask(Brief(d.Input)) }),
		named("journal", Plain, func(Look) string {
			return plural(int(r.Events), "event") + ", " + Size(d.Bytes) + ", signals waiting: " + signals
		}))
	if d.Output != nil {
		lines = append(lines, cut("result", Good, func(l Look) string { return l.mask(Brief(d.Output)) }))
	}
	return lines
}

var stepTones = map[flow.StepState]Tone{
	flow.StepOpen: Calm, flow.StepRetrying: Warn, flow.StepDone: Good, flow.StepFailed: Bad, flow.StepTimedOut: Warn,
	flow.StepOutside: Calm,
}

func timelineLines(d flow.Detail) []docLine {
	if len(d.Steps) == 0 {
		return []docLine{fixed(Dim, "no steps yet")}
	}
	var lines []docLine
	for _, s := range d.Steps {
		lines = append(lines, stepLine(s))
		if s.State == flow.StepOutside {
			lines = append(lines, fixed(Calm, "      waiting for completion from outside"))
		}
		if s.Error != nil {
			lines = append(lines, fixed(errorTone(s), "      "+s.Error.Message))
		}
	}
	return lines
}

func stepLine(s flow.Step) docLine {
	return func(look Look, w int) string {
		state := Fit(look.clean(string(s.State)), 9)
		name := look.clean(orElse(s.Name, s.Kind.String()))
		head := Fit(look.clean(string(s.Path)), 5) + " " + Fit(name, max(10, min(24, w-40))) + " "
		return Fit(head+look.paint(stepTones[s.State], state)+" "+stepTime(look, s), w)
	}
}

// stepTime is how long a step took or has been open, and its attempts.
func stepTime(look Look, s flow.Step) string {
	t := ""
	switch {
	case s.EndedAt != 0 && s.StartedAt != 0:
		t = Took(s.EndedAt.Sub(s.StartedAt))
	case s.StartedAt != 0:
		t = look.since(s.StartedAt)
	}
	if s.Kind == flow.StepActivity && s.Attempt > 0 {
		t += fmt.Sprintf("  try %d", s.Attempt)
		if s.MaxAttempts > 0 {
			t += fmt.Sprintf("/%d", s.MaxAttempts)
		}
	}
	if s.Due != 0 && s.EndedAt == 0 {
		t += "  due " + look.ahead(s.Due)
	}
	return t
}

func eventLines(d flow.Detail) []docLine {
	if len(d.Events) == 0 {
		return []docLine{fixed(Dim, "no events yet")}
	}
	lines := make([]docLine, len(d.Events))
	for i, e := range d.Events {
		lines[i] = func(look Look, w int) string {
			tone := Plain
			if e.Failure != nil {
				tone = Bad
			}
			head := look.paint(Dim, fmt.Sprintf("%5d %s ", e.Seq, e.At.Time().Format("15:04:05.000")))
			return Fit(head+look.paint(tone, Fit(look.clean(look.mask(eventText(e))), w-19)), w)
		}
	}
	return lines
}

// eventText is an event in words.
func eventText(e flow.Event) string {
	parts := []string{e.Kind.String()}
	if e.Kind == flow.EventStep {
		parts = []string{string(e.Step), e.StepKind.String(), e.Name}
		if e.Attempt > 1 {
			parts = append(parts, fmt.Sprintf("try %d", e.Attempt))
		}
	}
	if e.Status.Valid() {
		parts = append(parts, e.Status.String())
	}
	switch {
	case e.Failure != nil:
		parts = append(parts, "failed: "+e.Failure.Message)
	case e.TimedOut:
		parts = append(parts, "timed out")
	case e.Output != nil:
		parts = append(parts, Brief(e.Output))
	}
	if e.Left != "" {
		parts = append(parts, "left undone: "+e.Left)
	}
	return strings.Join(filled(append(parts, e.Reason)), " ")
}

func payloadLines(d flow.Detail, raw bool) []docLine {
	lines := payload("input", d.Input, raw)
	lines = append(lines, fixed(Plain, ""))
	return append(lines, payload("result", d.Output, raw)...)
}

func payload(name string, p flow.Payload, raw bool) []docLine {
	if p == nil {
		return []docLine{fixed(Dim, name+"  none")}
	}
	text, how := Pretty(p), ""
	if raw {
		text, how = strings.Split(string(p), "\n"), "  as it is stored"
	}
	lines := []docLine{fixed(Dim, name+"  "+Size(int64(len(p)))+how)}
	for _, line := range text {
		lines = append(lines, jsonLine(line))
	}
	return lines
}

// jsonLine is a line of a payload, with its secrets masked.
func jsonLine(text string) docLine {
	return func(look Look, w int) string { return Fit(look.clean(look.mask(text)), w) }
}

func signalLines(d flow.Detail) []docLine {
	if len(d.Signals) == 0 {
		return []docLine{fixed(Dim, "no signal waits to be taken")}
	}
	var lines []docLine
	for _, s := range d.Signals {
		lines = append(lines, func(look Look, w int) string {
			return Fit(look.paint(Strong, look.clean(s.Name))+"  "+look.since(s.At)+" ago  "+look.paint(Dim, look.clean(s.ID)), w)
		})
		for _, text := range Pretty(s.Payload) {
			lines = append(lines, jsonLine("  "+text))
		}
	}
	return lines
}
