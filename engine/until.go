package engine

import (
	"time"

	"weft/flow"
)

// conditions is what a life knows of the conditions that its branches wait for.
// Guarded by life.mu.
//
// A condition is a function of the code's state, and that changes only when a
// branch moves; so it is looked at, in the branch that waits, after each move
// of another, and before anything else is delivered. Replay looks at the same
// places: that a condition held needs no event. While a handler that is through
// has its reply still to be recorded nothing is looked at, so that code which
// ends when the condition holds does not take the reply with it.
type conditions struct {
	untils   int    // operations that wait for a condition
	replying int    // operations that record a reply
	round    uint64 // counts the moves of branches
	// met are waits whose condition held, as far as their rows may be stored.
	met map[flow.StepPath]struct{}
}

// count counts an operation that is begun, or over.
func (c *conditions) count(o *op, n int) {
	if o.holds != nil {
		c.untils += n
	}
	if o.reply != nil {
		c.replying += n
	}
}

// WaitUntil waits until cond holds. The code looks at once, then whenever
// another branch or a handler has moved: cond is a cheap look at the code's own
// variables, without operations, clock or chance.
func (c *Context) WaitUntil(cond func() bool) error {
	_, err := c.until(op{kind: flow.StepUntil}, cond)
	return err
}

// WaitUntilFor is WaitUntil with a time limit, which counts from the moment the
// step is first reached, over restarts; false when it passed. A condition that
// holds by then wins. A crash within Options.Grace of that moment begins the limit
// again.
func (c *Context) WaitUntilFor(limit time.Duration, cond func() bool) (bool, error) {
	return c.until(op{kind: flow.StepUntil, limited: true, limit: max(limit, 0),
		digest: flow.DigestOf([]byte(limit.String()))}, cond)
}

func (c *Context) until(o op, cond func() bool) (bool, error) {
	l, b := c.life, c.branch
	l.mu.Lock()
	if f := l.block(b, &o); f != nil {
		return false, f
	}
	o.step = b.nextStep()
	b.busy = true // the condition may not begin operations
	l.mu.Unlock()
	if l.looks(b, cond) {
		return true, nil
	}
	o.holds = cond
	ev := c.perform(&o)
	if ev.Failure != nil {
		return false, ev.Failure
	}
	return !ev.TimedOut, nil
}

// looks evaluates a condition for a branch that has the baton.
func (l *life) looks(b *branch, cond func() bool) bool {
	defer func() {
		l.mu.Lock()
		b.busy = false
		l.mu.Unlock()
	}()
	return cond()
}

// checkNext lets the next branch look at its condition, if something has moved
// since it did. mu is held, advancing is the caller's and given back.
func (l *life) checkNext() bool {
	if l.replying > 0 {
		return false
	}
	for _, o := range l.ops {
		if o.holds != nil && o.round != l.round {
			o.round = l.round
			l.current, l.advancing = o.branch, false
			o.branch.wake <- wakeCheck
			return true
		}
	}
	return false
}

// checked looks at the condition that a branch waits for and reports whether the
// branch goes on. It goes on, too, when the condition panics or exits: that
// happens at the place of the wait.
func (l *life) checked(b *branch, o *op) (met bool) {
	returned := false
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if returned && !met {
			l.handOver()
			return
		}
		l.takeOp(b)
		l.meet(o)
		b.busy = false
		l.round++
	}()
	met = o.holds()
	returned = true
	return met
}

// meet notes that a wait is over without an event: its rows go with the next
// commit. An earlier life may have stored rows that this one reads only when it
// goes live.
func (l *life) meet(o *op) {
	switch {
	case o.stored != nil:
		l.dropLater(o.step, *o.stored)
	case !l.live:
		if l.met == nil {
			l.met = map[flow.StepPath]struct{}{}
		}
		l.met[o.step] = struct{}{}
	}
}

// hopeless reports that the run waits for nothing but conditions, which nothing
// can make true: no update can come. mu is held.
func (l *life) hopeless() bool {
	for _, o := range l.ops {
		if o.holds == nil || o.due != 0 {
			return false
		}
	}
	return len(l.def.updates) == 0
}
