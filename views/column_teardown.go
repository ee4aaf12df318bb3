package views

import (
	"fmt"

	"weft/flow"
)

// teardownColumns are the usual columns of owed teardowns or dead letters that
// fit into w cells. The id, the attempts and the time never give way; the error
// takes what is left.
func teardownColumns(p Pane, w int, rows []Row) []column {
	all := catalogue(p, rows)
	id, kind, name, try, why := all.named("id"), all.named("type"), all.named("finalizer"), all.named("try"), all.named("error")
	id.w = min(id.w, max(10, min(24, w-16)))
	when := all.named("age")
	if p == PaneOwed {
		when = all.named("next")
	}
	room := w - 2 - (id.w + 1 + try.w + 1 + when.w)
	fits := func(c column) bool {
		if room < c.w+1 {
			return false
		}
		room -= c.w + 1
		return true
	}
	var kinds, states []column
	if p == PaneOwed && room >= 8 && fits(all.named("state")) {
		states = []column{all.named("state")}
	}
	if room >= name.w+14 && fits(name) {
		kinds = append(kinds, name)
	}
	var ages []column
	if p == PaneOwed && room >= 20 && fits(all.named("age")) {
		ages = []column{all.named("age")}
	}
	if room >= kind.w+24 && fits(kind) {
		kinds = append([]column{kind}, kinds...)
	}
	cols := append([]column{id}, kinds...)
	cols = append(append(append(cols, states...), try, when), ages...)
	if room >= 9 {
		why.w = room - 1
		if why.w < width(why.head) {
			why.head = "ERROR"
		}
		cols = append(cols, why)
	}
	return cols
}

func finalizerOf(r Row) string {
	switch {
	case r.Owed != nil:
		return withPlace(r.Owed.Finalizer, r.Owed.Piece, r.Owed.Pieces)
	case r.Dead != nil:
		return withPlace(r.Dead.Finalizer, r.Dead.Piece, r.Dead.Pieces)
	}
	return ""
}

// withPlace is a finalizer, or a compensation with its place among the pieces of
// the teardown.
func withPlace(name string, piece, pieces int) string {
	name = orElse(name, "unknown")
	if pieces == 0 {
		return name
	}
	return fmt.Sprintf("%d of %d %s", piece, pieces, name)
}

// tries are the attempts that were used, of those there are.
func tries(r Row) string {
	n := 0
	switch {
	case r.Owed != nil:
		n = r.Owed.Attempts
	case r.Dead != nil:
		n = r.Dead.Attempts
	}
	return fmt.Sprintf("%d/%d", n, flow.MaxTeardownAttempts)
}

// States of a teardown, as [flow.Teardown] names them.
const (
	owedState    = "owed"
	runningState = "running"
	staleState   = "stale"
	heldState    = "held"
)

// TeardownState is the state of a teardown at now: an attempt that ran past its
// horizon since it was read is stale.
func TeardownState(t flow.Teardown, now flow.Instant) string {
	if t.State == runningState && t.StaleAt != 0 && now >= t.StaleAt {
		return staleState
	}
	return t.State
}

func stateOf(l Look, r Row) string {
	if r.Owed == nil {
		return "dead"
	}
	return TeardownState(*r.Owed, flow.InstantOf(l.Now))
}

func stateTone(l Look, r Row) Tone {
	switch stateOf(l, r) {
	case runningState:
		return Calm
	case owedState, heldState:
		return Warn
	}
	return Bad
}

// nextOf is when something happens to an owed teardown next.
func nextOf(l Look, r Row) string {
	t := *r.Owed
	switch stateOf(l, r) {
	case staleState:
		return "OVER " + coarse(l.Now.Sub(t.StaleAt.Time()))
	case runningState:
		return "<" + orElse(l.left(t.StaleAt), "1s")
	case owedState:
		return orElse(l.left(t.NextAt), "due")
	}
	return "-"
}

// whyOf is why the latest attempt failed, or what is going on with the row.
func whyOf(p Pane, r Row) string {
	switch {
	case r.Busy != "":
		return r.Busy
	case r.Gone:
		return leftBecause(p, r.Run)
	case r.Owed != nil:
		return orElse(r.Owed.LastError, "-")
	}
	return orElse(r.Dead.LastError, "-")
}

func whyTone(_ Look, r Row) Tone {
	if r.Busy != "" {
		return Plain
	}
	return Dim
}
