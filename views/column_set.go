package views

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"weft/flow"
)

// columnSet is every column a pane can show, in the order they are offered.
type columnSet []column

// named is the column called name; the zero column when there is none.
func (all columnSet) named(name string) column {
	i := slices.IndexFunc(all, func(c column) bool { return c.name == name })
	if i < 0 {
		return column{}
	}
	return all[i]
}

// widest is the width of the longest text, at least so much.
func widest(rows []Row, least int, text func(Row) string) int {
	for _, r := range rows {
		least = max(least, width(text(r)))
	}
	return least
}

// catalogue is every column of a pane.
func catalogue(p Pane, rows []Row) columnSet {
	switch p {
	case PaneOwed, PaneDead:
		return teardownCatalogue(p, rows)
	}
	return runCatalogue(p, rows)
}

func runCatalogue(p Pane, rows []Row) columnSet {
	text := func(of func(flow.Run) string) func(Look, Row) string {
		return func(l Look, r Row) string { return l.clean(orElse(of(r.Run), "-")) }
	}
	when := func(of func(flow.Run) flow.Instant) func(Look, Row) string {
		return func(l Look, r Row) string { return l.when(of(r.Run)) }
	}
	id := widest(rows, 8, func(r Row) string { return string(r.Run.ID) })
	kind := widest(rows, 4, func(r Row) string { return r.Run.Type })
	tags := widest(rows, 4, func(r Row) string { return tagsOf(r.Run) })
	what := whatName(p)
	set := columnSet{
		{name: "state", head: "S", w: 1, fixed: true, text: letterOf, tone: func(_ Look, r Row) Tone { return toneOf(r.Run) }},
		{name: "id", head: "ID", w: min(20, id), id: true, fixed: true, text: func(l Look, r Row) string { return l.clean(string(r.Run.ID)) }},
		{name: "type", head: "TYPE", w: min(14, kind), text: text(func(r flow.Run) string { return r.Type })},
		{name: "version", head: "VERSION", w: 8, text: text(func(r flow.Run) string { return r.Version })},
		{name: what, head: strings.ToUpper(what), w: 6, flex: true, text: func(l Look, r Row) string { return l.clean(whatOf(l, p, r)) }},
		{name: "age", head: "AGE", w: 6, fixed: true, text: when(func(r flow.Run) flow.Instant { return r.CreatedAt })},
		{name: "updated", head: "UPD", w: 6, text: when(func(r flow.Run) flow.Instant { return r.UpdatedAt })},
		{name: "started", head: "BEGAN", w: 6, text: when(func(r flow.Run) flow.Instant { return r.StartedAt })},
		{name: "ended", head: "ENDED", w: 6, text: when(func(r flow.Run) flow.Instant { return r.ClosedAt })},
		{name: "took", head: "TOOK", w: 8, text: took},
		{name: "deadline", head: "DEADLINE", w: 8, text: func(l Look, r Row) string { return l.until(r.Run.Deadline) }},
		{name: "due", head: "DUE", w: 8, text: func(l Look, r Row) string { return l.until(r.Run.Due) }},
		{name: "tags", head: "TAGS", w: min(12, tags), text: text(tagsOf)},
		{name: "events", head: "EVENTS", w: 6, text: func(_ Look, r Row) string { return Count(int64(r.Run.Events)) }},
		{name: "signals", head: "SIGNALS", w: 7, text: signalCount},
		{name: "parent", head: "PARENT", w: 16, id: true, text: text(parentOf)},
		{name: "run", head: "RUN", w: 26, text: text(func(r flow.Run) string { return string(r.Run) })},
	}
	for _, name := range attributesOf(rows) {
		value := func(r flow.Run) string { return r.Attributes[name] }
		set = append(set, column{name: "@" + name, head: strings.ToUpper(name), text: text(value),
			w: min(20, widest(rows, width(name), func(r Row) string { return value(r.Run) }))})
	}
	return set
}

// attributesOf are the attributes that any of the runs has.
func attributesOf(rows []Row) []string {
	names := map[string]bool{}
	for _, r := range rows {
		for name := range r.Run.Attributes {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

func tagsOf(r flow.Run) string { return strings.Join(r.Tags, ",") }

func parentOf(r flow.Run) string {
	if r.Parent == nil {
		return ""
	}
	return string(r.Parent.ID)
}

// signalCount is how many signals wait; a list does not always read that.
func signalCount(_ Look, r Row) string {
	if r.Run.Signals < 0 {
		return "?"
	}
	return fmt.Sprint(r.Run.Signals)
}

func teardownCatalogue(p Pane, rows []Row) columnSet {
	id := widest(rows, 8, func(r Row) string { return string(r.Run.ID) })
	kind := widest(rows, 4, func(r Row) string { return r.Run.Type })
	name := widest(rows, 9, finalizerOf)
	all := columnSet{
		{name: "id", head: "ID", w: min(24, id), id: true, fixed: true, text: func(l Look, r Row) string { return l.clean(string(r.Run.ID)) }},
		{name: "type", head: "TYPE", w: min(14, kind), text: func(l Look, r Row) string { return l.clean(r.Run.Type) }},
		{name: "finalizer", head: "FINALIZER", w: min(16, name), text: func(l Look, r Row) string { return l.clean(finalizerOf(r)) }},
		{name: "state", head: "STATE", w: 7, text: func(l Look, r Row) string { return l.clean(stateOf(l, r)) }, tone: stateTone},
		{name: "try", head: "TRY", w: 3, fixed: true, text: func(_ Look, r Row) string { return tries(r) }},
		{name: "next", head: "NEXT", w: 7, fixed: true, text: nextOf, tone: stateTone},
		{name: "age", head: "AGE", w: 6, text: func(l Look, r Row) string { return l.since(r.Owed.OwedAt) }},
		{name: "error", head: "LAST ERROR", w: 8, flex: true, text: func(l Look, r Row) string { return l.clean(whyOf(p, r)) }, tone: whyTone},
		{name: "run", head: "RUN", w: 26, text: func(l Look, r Row) string { return l.clean(string(r.Run.Run)) }},
	}
	if p == PaneOwed {
		return all
	}
	age := column{name: "age", head: "AGE", w: 6, fixed: true, text: func(l Look, r Row) string { return l.since(r.Dead.DeadLetteredAt) }}
	size := column{name: "input", head: "INPUT", w: 8, text: func(_ Look, r Row) string { return Size(int64(len(r.Dead.Input))) }}
	return slices.Concat(all[:3], columnSet{all.named("try"), age, all.named("error"), size, all.named("run")})
}

// chosenColumns are the columns somebody chose, in that order. From right to
// left those give way that do not fit; one of them takes the room that is left.
func chosenColumns(p Pane, w int, rows []Row, chosen []string) []column {
	all := catalogue(p, rows)
	var cols []column
	for _, name := range chosen {
		if c := all.named(name); c.text != nil {
			cols = append(cols, c)
		}
	}
	room := func() int {
		left := w - 1
		for _, c := range cols {
			left -= c.w + 1
		}
		return left
	}
	for i := len(cols) - 1; i >= 0 && room() < 0; i-- {
		if !cols[i].fixed {
			cols = slices.Delete(cols, i, i+1)
		}
	}
	left := room()
	wide := slices.IndexFunc(cols, func(c column) bool { return c.flex })
	id := slices.IndexFunc(cols, func(c column) bool { return c.name == "id" })
	if id >= 0 {
		full := widest(rows, 0, func(r Row) string { return string(r.Run.ID) })
		extra := max(0, min(left, full-cols[id].w))
		if wide >= 0 {
			extra = min(extra, left/3)
		}
		if left < 0 {
			extra = max(left, 8-cols[id].w)
		}
		cols[id].w += extra
		left -= extra
	}
	if wide >= 0 && left > 0 {
		cols[wide].w += left
	}
	return cols
}
