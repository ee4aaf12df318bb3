package engine

import (
	"fmt"
	"time"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// answers are the outcomes of attempts that were told from outside and that the
// run has not taken, by step.
type answers map[flow.StepPath]row.Answer

// loadAnswers reads the answers to the steps that are registered. One that
// cannot be read makes it fail: the run cannot go on without it.
func loadAnswers(r store.Reader, ref flow.Ref, waits map[flow.StepPath]row.Wait) (answers, error) {
	var all answers
	for step, w := range waits {
		if w.Later == nil || w.Later.Token == "" {
			continue
		}
		raw, err := r.Get(row.AnswerKey(ref, step))
		if err != nil {
			return nil, err
		}
		if raw == nil {
			continue
		}
		a, err := row.DecodeAnswer(raw)
		if err != nil {
			return nil, fmt.Errorf("step %s: %w", step, err)
		}
		if all == nil {
			all = answers{}
		}
		all[step] = a
	}
	return all, nil
}

// answerTo is what was told of the attempt that an operation is at, or nil. An
// answer to an earlier attempt is none.
func (l *life) answerTo(o *op) *row.Answer {
	if o.later == nil {
		return nil
	}
	a, ok := l.answers[o.step]
	if !ok || a.Token != o.later.Token {
		return nil
	}
	return &a
}

// handed reports whether an operation waits for an outcome from outside.
func (o *op) handed() bool { return o.later != nil && o.later.Handed }

// fail notes that the attempt an operation is at has failed and another one
// follows. An answer to the old one may be there still, which a Later without a
// token remembers.
func (o *op) fail(f *flow.Failure, now time.Time) {
	o.due = max(flow.InstantAfter(now.Add(o.activity.retry.wait(o.attempt))), 1)
	o.running, o.lastError = nil, f
	o.attempt++
	if o.later != nil {
		o.later = &row.Later{}
	}
}

// leave is how an attempt ends whose function returned [ErrLater].
func (a *attempt) leave() {
	a.mu.Lock()
	minted := a.minted
	a.mu.Unlock()
	if !minted {
		a.finish(nil, systemFailure(CodeLater, "activity %s returned ErrLater, but asked for no token with CompleteLater", a.op.name))
		return
	}
	a.handIn(nil, nil, true)
}

// settleHanded makes durable that an attempt's function has ended and must not
// run again. mu is held.
func (l *life) settleHanded(c outcome) {
	c.op.hand(c.attempt, l.eng.now())
	if l.keep(c.op) {
		l.arm(c.op)
		l.unrest()
	}
}

// handLate is settleHanded for a suspended run.
func (l *life) handLate(c outcome) {
	c.op.hand(c.attempt, l.eng.now())
	l.keepAlways(c.op)
}

// hand leaves the attempt to somebody outside, with the limits it has left.
func (o *op) hand(a *attempt, now time.Time) {
	t := o.activity
	next := row.Later{Token: o.later.Token, Handed: true}
	if !a.began.IsZero() {
		next.End = flow.InstantAfter(a.began.Add(t.timeout))
	}
	if t.scheduleToClose > 0 {
		next.End = earlier(next.End, o.startedAt.Add(t.scheduleToClose))
	}
	if t.heartbeat > 0 {
		next.Beat, next.BeatAt = max(t.heartbeat.Milliseconds(), 1), flow.InstantOf(now)
	}
	o.running, o.later, o.due = nil, &next, next.Due()
}

// earlier is the earlier of two instants of which zero is never.
func earlier(a, b flow.Instant) flow.Instant {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// overdue takes in that an operation's time is up, once: of a run that was woken
// before a timer in memory tells and the timer row it was parked with. An outcome
// that was told in time comes first, however late the run hears of it.
func (l *life) overdue(o *op) {
	if l.inboxHas(o) {
		return
	}
	c := outcome{op: o}
	if o.handed() {
		if l.answerTo(o) != nil {
			return
		}
		c.failure = o.expired()
		c.retry = o.activity.again(c.failure, o.attempt, o.startedAt, l.eng.now())
	}
	l.inbox = append(l.inbox, c)
}

// expired is the failure of an attempt that nobody told the outcome of in time.
func (o *op) expired() *flow.Failure {
	all := o.activity.scheduleToClose
	switch {
	case all > 0 && o.startedAt.Add(all) <= o.due:
		return timeoutFailure(CodeScheduleToClose,
			fmt.Sprintf("activity %s: not completed from outside within %v of its first attempt", o.name, all))
	case o.due == o.later.End:
		return timeoutFailure(CodeTimeout,
			fmt.Sprintf("activity %s: attempt %d was not completed from outside by %s", o.name, o.attempt, o.due))
	}
	return timeoutFailure(CodeHeartbeat,
		fmt.Sprintf("activity %s: attempt %d got no heartbeat from outside since %s", o.name, o.attempt, o.later.BeatAt))
}

// matchAnswers lets the operations go on whose outcome was told.
func (l *life) matchAnswers() {
	if len(l.answers) == 0 {
		return
	}
	for _, o := range l.ops {
		a := l.answerTo(o)
		if a == nil || !o.dispatched || l.inboxHas(o) {
			continue
		}
		c := outcome{op: o, output: a.Output, failure: a.Failure}
		c.retry = a.Failure != nil && o.activity.again(a.Failure, o.attempt, o.startedAt, l.eng.now())
		l.inbox = append(l.inbox, c)
	}
}
