package engine

import (
	"cmp"
	"slices"

	"weft/flow"
)

// orderInbox puts what has happened to waits into the order in which it
// happened. A life that comes to memory finds everything at once, timers that
// passed, signals, ends of children, outcomes from outside; whoever would have
// won a race if the process had not been down wins it now. Outcomes that have no
// such instant, those of attempts for one, keep their places. mu is held.
func (l *life) orderInbox() {
	var places []int
	for i := range l.inbox {
		if l.since(l.inbox[i]) != 0 {
			places = append(places, i)
		}
	}
	if len(places) < 2 {
		return
	}
	found := make([]outcome, len(places))
	for i, at := range places {
		found[i] = l.inbox[at]
	}
	slices.SortStableFunc(found, func(a, b outcome) int { return cmp.Compare(l.since(a), l.since(b)) })
	for i, at := range places {
		l.inbox[at] = found[i]
	}
}

// since is the instant from which a wait was over; 0 for everything else.
func (l *life) since(c outcome) flow.Instant {
	o := c.op
	switch o.kind {
	case flow.StepSleep, flow.StepUntil:
		return o.due
	case flow.StepSignal:
		if s := l.signals.first(o.name); s != nil && (o.due == 0 || s.At <= o.due) {
			return s.At
		}
		return o.due
	case flow.StepWait:
		return l.children[o.awaits].At
	case flow.StepActivity:
		if a := l.answerTo(o); a != nil {
			return a.At
		}
		if o.handed() {
			return o.due
		}
	}
	return 0
}
