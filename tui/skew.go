package tui

import (
	"fmt"
	"time"

	"weft/flow"
	"weft/views"
)

const (
	// skewFrom is how far a writer's clock may be ahead before that is a
	// problem: a page is a moment old, and so is the time of the frame.
	skewFrom = 2 * time.Second
	// skewFor is how long it is one after it was seen last.
	skewFor = time.Minute
	// skewTrouble is the problem that clocks differ.
	skewTrouble = "clocks"
)

// compareClocks looks for runs that were written in our future: their ages would
// be negative, which is shown as 0s.
func (m *model) compareClocks(runs []flow.Run) {
	now := m.instant()
	var most time.Duration
	for _, r := range runs {
		most = max(most, max(r.CreatedAt, r.UpdatedAt, r.ClosedAt).Sub(now))
	}
	switch was, stands := m.faults[skewTrouble]; {
	case most >= skewFrom:
		m.raise(skewTrouble, flow.Problem{Text: "clock differs from the writer's by " + views.Age(most),
			Advice: fmt.Sprintf("ages are wrong by that much, and what has just happened shows 0s: compare the clocks of the machines (ours is %s)", now)})
	case stands && now.Sub(was.Last) > skewFor:
		m.clear(skewTrouble)
	}
}
