package engine

import (
	"sync"

	"weft/flow"
)

// problems are the standing conditions an operator should know. A condition
// that occurs again is counted, not listed again.
type problems struct {
	mu   sync.Mutex
	list []flow.Problem
}

// maxProblems bounds the list; the oldest goes.
const maxProblems = 100

// problem records a condition for which there is no caller, and logs it.
func (e *Engine) problem(text, advice string) { e.problemTimes(1, text, advice) }

// problemTimes is problem for what occurred n times.
func (e *Engine) problemTimes(n int, text, advice string) {
	now := flow.InstantOf(e.now())
	if e.problems.add(flow.Problem{Since: now, Last: now, Count: n, Text: text, Advice: advice}) {
		e.log.Error(text, "advice", advice)
		e.tell(flow.Notice{Kind: flow.NoticeProblem, Text: text, Failed: true})
	}
}

// add reports whether the condition is new.
func (p *problems) add(n flow.Problem) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.list {
		if p.list[i].Text == n.Text {
			p.list[i].Last = n.Last
			p.list[i].Count += n.Count
			return false
		}
	}
	if len(p.list) == maxProblems {
		p.list = p.list[1:]
	}
	p.list = append(p.list, n)
	return true
}

func (p *problems) all() []flow.Problem {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]flow.Problem{}, p.list...)
}
