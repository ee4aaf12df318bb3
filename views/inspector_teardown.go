package views

import (
	"fmt"
	"slices"
	"strings"

	"weft/flow"
	"weft/keymap"
)

// teardownLines tell what a cancel would owe, or what the end of the run left
// behind.
func (v Inspector) teardownLines() []docLine {
	switch {
	case v.dead != nil:
		return deadLines(*v.dead)
	case v.owed != nil:
		return owedLines(*v.owed)
	case !v.known:
		return nil
	case !v.run.Status.Terminal() && len(v.detail.Compensations) > 0:
		return []docLine{named("teardown", Plain, func(Look) string { return "a cancel would owe " + wouldOwe(v.detail) })}
	case !v.run.Status.Terminal() && v.detail.Finalizer != "":
		d := v.detail
		return []docLine{named("teardown", Plain, func(Look) string {
			return "a cancel would owe " + d.Finalizer + ", state " + Size(int64(len(d.FinalizerState)))
		})}
	case v.run.Status.Terminal() && v.sought:
		return []docLine{named("teardown", Dim, func(Look) string { return "nothing is owed" })}
	}
	return nil
}

// wouldOwe names the pieces of a teardown in the order they would be driven.
func wouldOwe(d flow.Detail) string {
	all := slices.Clone(d.Compensations)
	if d.Finalizer != "" {
		all = append(all, d.Finalizer)
	}
	return plural(len(all), "piece") + ": " + strings.Join(all, ", ")
}

func owedLines(t flow.Teardown) []docLine {
	lines := []docLine{func(look Look, w int) string {
		row := Row{Owed: &t}
		state := orElse(stateOf(look, row), "owed")
		return look.paint(Dim, Fit("teardown", 10)) + look.paint(stateTone(look, row),
			Fit(look.clean(withPlace(t.Finalizer, t.Piece, t.Pieces)+"  "+state+"  "+attemptOf(t, state)), w-10))
	}}
	if t.OwedAt != 0 {
		lines = append(lines, named("  owed", Plain, func(l Look) string { return "for " + l.since(t.OwedAt) + ", since " + t.OwedAt.String() }))
	}
	lines = append(lines, named("  next", Plain, func(l Look) string { return nextSentence(l, t) }))
	if t.ClaimedAt != 0 {
		lines = append(lines, named("  claim", Plain, func(l Look) string {
			return "taken " + clock(t.ClaimedAt) + ", " + l.since(t.ClaimedAt) + " ago; stale at " + clock(t.StaleAt)
		}))
	}
	if t.LastError != "" {
		lines = append(lines, wrapped("  error", Bad, t.LastError)...)
	}
	return lines
}

// attemptOf is the attempt under way, or how many were used.
func attemptOf(t flow.Teardown, state string) string {
	if state == runningState {
		return fmt.Sprintf("attempt %d/%d", t.Attempts+1, flow.MaxTeardownAttempts)
	}
	return fmt.Sprintf("attempts %d/%d", t.Attempts, flow.MaxTeardownAttempts)
}

// nextSentence says what happens to a teardown next, so that waiting is a
// decision.
func nextSentence(l Look, t flow.Teardown) string {
	switch TeardownState(t, flow.InstantOf(l.Now)) {
	case heldState:
		return "held: finalizer of type " + t.Type + " is not registered here"
	case runningState:
		return "ends by itself, or goes stale in " + orElse(l.left(t.StaleAt), "0s")
	case staleState:
		return "its maker is gone since " + l.since(t.StaleAt) + l.offers(keymap.Retry, "R", "takes it over")
	case owedState:
		if left := l.left(t.NextAt); left != "" {
			return "attempt in " + left + l.offers(keymap.Retry, "R", "makes it now")
		}
		return "due: begins as soon as there is room"
	}
	return "the claim cannot be read"
}

func deadLines(d flow.Dead) []docLine {
	lines := []docLine{
		named("teardown", Bad, func(Look) string {
			return withPlace(d.Finalizer, d.Piece, d.Pieces) + "  given up after " + plural(d.Attempts, "attempt")
		}),
		named("  since", Plain, func(l Look) string { return d.DeadLetteredAt.String() + "  " + l.since(d.DeadLetteredAt) + " ago" }),
	}
	lines = append(lines, wrapped("  error", Bad, orElse(d.LastError, "none recorded"))...)
	if len(d.Input) == 0 {
		return append(lines, named("  input", Warn, func(Look) string { return "none recorded: it cannot be redriven" }))
	}
	return append(lines, cut("  input", Plain, func(l Look) string { return Size(int64(len(d.Input))) + "  " + l.mask(Brief(d.Input)) }))
}

// errorLines is how many lines a long error takes at most.
const errorLines = 4

// wrapped is a value on up to [errorLines] lines; the last one is cut when that
// is too little.
func wrapped(name string, tone Tone, value string) []docLine {
	n := min(errorLines, 1+len(value)/48)
	lines := make([]docLine, n)
	for i := range lines {
		lines[i] = func(look Look, w int) string {
			label, text := "", ""
			parts := wrap(look.clean(value), max(10, w-10))
			switch {
			case i == n-1 && i < len(parts):
				text = strings.Join(parts[i:], " ")
			case i < len(parts):
				text = parts[i]
			}
			if i == 0 {
				label = name
			}
			return look.paint(Dim, Fit(label, 10)) + look.paint(tone, Fit(text, w-10))
		}
	}
	return lines
}
