package views

import (
	"cmp"
	"slices"
	"time"

	"weft/flow"
)

// axis maps the time of a run to places between 0 and 1. Where nothing but
// waiting goes on for long, time is folded, so that the work stays readable.
type axis struct {
	at    []flow.Instant // the instants at which something begins or ends
	sum   []float64      // how much lies before each of them
	folds []bool         // whether the time behind it is folded
	// folded is how much time is left out.
	folded time.Duration
}

// foldAbove is the part of all work that idle time may take before it is folded.
const foldAbove = 6

// axisOf is the axis of steps that were read at an instant. Only work keeps its
// length; when there is none nothing is folded.
func axisOf(steps []flow.Step, from, to flow.Instant) axis {
	type edge struct {
		at   flow.Instant
		busy int
	}
	edges := []edge{{from, 0}, {to, 0}}
	for _, s := range steps {
		begin, end := span(s, to)
		n := 0
		if s.Kind == flow.StepActivity || s.Kind == flow.StepMemo {
			n = 1
		}
		edges = append(edges, edge{begin, n}, edge{end, -n})
	}
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Compare(a.at, b.at) })
	var a axis
	var busy []bool
	open := 0
	for _, e := range edges {
		open += e.busy
		if n := len(a.at); n > 0 && a.at[n-1] == e.at {
			busy[n-1] = open > 0
			continue
		}
		a.at, busy = append(a.at, e.at), append(busy, open > 0)
	}
	a.lay(busy)
	return a
}

// lay gives each piece of time its length.
func (a *axis) lay(busy []bool) {
	work := 0.0
	for i := range a.at[1:] {
		if busy[i] {
			work += float64(a.at[i+1] - a.at[i])
		}
	}
	most := work / foldAbove
	a.sum, a.folds = make([]float64, len(a.at)), make([]bool, len(a.at))
	for i := range a.at[1:] {
		length := float64(a.at[i+1] - a.at[i])
		if !busy[i] && work > 0 && length > most {
			a.folds[i] = true
			a.folded += time.Duration(length-most) * time.Millisecond
			length = most
		}
		a.sum[i+1] = a.sum[i] + length
	}
}

// span is when a step began and when it ended, or until when it is known open.
func span(s flow.Step, now flow.Instant) (begin, end flow.Instant) {
	begin, end = s.StartedAt, s.EndedAt
	if end == 0 {
		end = max(now, begin)
	}
	if begin == 0 || begin > end {
		begin = end
	}
	return begin, end
}

// cell is the place of an instant on w cells.
func (a axis) cell(t flow.Instant, w int) int {
	total := a.sum[len(a.sum)-1]
	if total == 0 || w <= 1 {
		return 0
	}
	i, found := slices.BinarySearch(a.at, t)
	at := 0.0
	switch {
	case i == len(a.at):
		at = total
	case found || i == 0:
		at = a.sum[i]
	default:
		part := float64(t-a.at[i-1]) / float64(a.at[i]-a.at[i-1])
		at = a.sum[i-1] + part*(a.sum[i]-a.sum[i-1])
	}
	return min(int(at/total*float64(w)), w-1)
}

// ruler is w cells of which those that stand for folded time are ":".
func (a axis) ruler(w int) []byte {
	out := make([]byte, w)
	for i := range out {
		out[i] = '-'
	}
	for i, fold := range a.folds {
		if fold {
			for x := a.cell(a.at[i], w); x <= a.cell(a.at[i+1], w); x++ {
				out[x] = ':'
			}
		}
	}
	return out
}
