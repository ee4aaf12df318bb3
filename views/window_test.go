package views

import (
	"fmt"
	"testing"

	"weft/flow"
)

// TestWindowDoesNotGrowByBeingReadAgain: at the top and below it, what is asked
// for each time is bounded by the screen, however often and however much there is.
func TestWindowDoesNotGrowByBeingReadAgain(t *testing.T) {
	const stored = 5000
	for name, down := range map[string]int{"following at the top": 0, "in the middle": 40} {
		t.Run(name, func(t *testing.T) {
			l := NewList(PaneRunning, "Running", flow.Filter{}, flow.ByCreated, "").Sized(20)
			answer := func(p Part) {
				q := l.Query(p)
				from := 0
				_, _ = fmt.Sscan(q.After, &from)
				page := flow.Page{Total: stored, More: true}
				for i := from; i < min(from+q.Limit, stored); i++ {
					id := flow.WorkflowID(fmt.Sprintf("w-%04d", i))
					page.Runs = append(page.Runs, flow.Run{Ref: flow.Ref{ID: id, Run: flow.RunID(id)}, Status: flow.Running})
					page.Cursors = append(page.Cursors, fmt.Sprint(i+1))
				}
				l = l.Take(p, page)
			}
			settle := func() {
				for p, ok := l.Wants(); ok; p, ok = l.Wants() {
					answer(p)
				}
			}
			settle()
			for range down {
				l = l.step(1)
				settle()
			}
			at := l.at
			for range 50 {
				answer(Again)
				settle()
			}
			if n := l.Query(Again).Limit; n > 8*20 {
				t.Errorf("%d rows are asked for, the screen has 20", n)
			}
			if l.at != at {
				t.Errorf("the cursor went from %s to %s", at, l.at)
			}
		})
	}
}
