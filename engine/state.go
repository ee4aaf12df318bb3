package engine

import (
	"strconv"

	"weft/flow"
)

// weighState judges what code records for its finalizer. Recording it is no step
// and leaves no event, but whether it was refused must be the same in every life,
// or the code would go another way than its journal: so a refusal is a step, and
// what is not recorded as one was let through.
func (c *Context) weighState(finalizer string, p flow.Payload) error {
	l, b := c.life, c.branch
	l.mu.Lock()
	b.states++
	decided := l.retraces() || l.trial != nil
	refused := decided && l.refusedBefore(b, finalizer, p)
	l.mu.Unlock()
	if decided && !refused {
		return nil
	}
	var problem error // of a refusal that is recorded, the event tells
	if !refused {
		problem = l.eng.weigh(p, cargo{ref: l.ref, typ: l.def.name, kind: "finalizer state", name: finalizer})
		if problem == nil {
			return nil
		}
	}
	refusal, err := outcomeOf[flow.LimitError](c.perform(&op{kind: flow.StepMemo, name: refusalOf(finalizer),
		digest: b.stateDigest(p), compute: func() (flow.Payload, *flow.Failure) { return mustJSON(problem), nil }}))
	if err != nil {
		return err
	}
	return &refusal
}

func refusalOf(finalizer string) string { return "refused state of " + finalizer }

// stateDigest tells the state apart from the others that a branch has given.
func (b *branch) stateDigest(p flow.Payload) flow.Digest {
	return flow.DigestOf(p, []byte(strconv.Itoa(b.states)))
}

// refusedBefore reports whether the next step of a branch was recorded as the
// refusal of this state. mu is held.
func (l *life) refusedBefore(b *branch, finalizer string, p flow.Payload) bool {
	next := flow.StepPath(b.prefix + strconv.Itoa(b.steps+1))
	for i := min(l.next, len(l.journal)); i < len(l.journal); i++ {
		if ev := &l.journal[i]; ev.Kind == flow.EventStep && ev.Step == next {
			return ev.StepKind == flow.StepMemo && ev.Name == refusalOf(finalizer) && ev.Digest == b.stateDigest(p)
		}
	}
	return false
}
