package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"weft/flow"
)

// errRunLeft cancels attempts whose run leaves memory; such an end is no
// outcome.
var errRunLeft = errors.New("the run has left memory")

// errLostRace cancels the attempts of branches that lost a race.
var errLostRace = errors.New("another branch decided the race")

// attempt is one try of an activity. It ends once: by its function, by a
// timeout, or by being called off. Whatever its function does after that is
// dropped.
type attempt struct {
	life    *life
	op      *op
	number  int
	firstAt flow.Instant
	earlier flow.Payload // details the attempt before left

	// call is its place among the calls under way; guarded by calls.mu.
	call struct{ next, prev *attempt }

	mu sync.Mutex
	cancellation
	over    bool
	slot    bool         // it holds one of the slots
	details flow.Payload // newest heartbeat
	beatAt  time.Time    // when details were last committed
	timers  []*time.Timer
	pulse   *time.Timer
	minted  bool      // a token was given out
	began   time.Time // when Timeout began; zero when there is none
}

func (a *attempt) info() Info {
	return Info{Ref: a.life.ref, Step: a.op.step, Attempt: a.number, FirstAt: a.firstAt.Time(),
		Key: string(a.life.ref.ID) + "/" + string(a.life.ref.Run) + "/" + string(a.op.step)}
}

// tryAttempt begins the next attempt, or arms the back-off before it.
//
// Invariant: an attempt begins at the block point only, so whatever takes the
// run out of memory has it called off, or waits for its outcome. mu is held,
// advancing is the caller's.
func (l *life) tryAttempt(o *op) {
	o.dispatched = true // whatever else asked for it during the last commit
	if left := o.due.Time().Sub(l.eng.now()); o.due != 0 && left > 0 {
		o.timer = time.AfterFunc(left, func() { l.passed(o) })
		return
	}
	if l.eng.isClosing() {
		return // the next tenure makes it
	}
	if !l.eng.mayStart() { // the lease is in doubt: begin when it is confirmed
		time.AfterFunc(time.Second, func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			if l.leaving == stay && o.running == nil && l.find(o.step) == o {
				l.redispatch(o)
			}
		})
		return
	}
	o.due = 0
	o.attempt = max(o.attempt, 1)
	a := &attempt{life: l, op: o, number: o.attempt, firstAt: o.startedAt, earlier: o.details}
	o.running = a
	l.attempts = append(l.attempts, a)
	l.unrest()
	l.eng.wg.Add(1)
	go a.run()
}

// run takes a slot and runs the function in it. The slot is given back when the
// function returns or the attempt is over, or some time after the run has left
// (watchStuck), so that a function that ignores its context cannot use up the
// slots.
func (a *attempt) run() {
	e := a.life.eng
	defer e.wg.Done()
	defer a.end()
	if !a.boundAll() {
		return
	}
	if !a.takeSlot() {
		a.finish(nil, &flow.Failure{Category: flow.Cancellation, Message: errRunLeft.Error()})
		return
	}
	if !a.boundThis() {
		return // it was over before it began
	}
	e.calls.add(a)
	defer e.calls.remove(a)
	a.try()
}

// end gives back what the attempt holds. What the function derived from its
// context ends with it.
func (a *attempt) end() {
	a.freeSlot()
	a.cancel(context.Canceled)
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, t := range a.timers {
		t.Stop()
	}
}

// freeSlot gives the slot back unless that was done.
func (a *attempt) freeSlot() {
	a.mu.Lock()
	held := a.slot
	a.slot = false
	a.mu.Unlock()
	if held {
		a.life.eng.attempts.Add(-1)
		<-a.life.eng.slots
	}
}

// takeSlot waits for a slot; false when the attempt is called off before it has
// begun. An engine that closes begins none.
func (a *attempt) takeSlot() bool {
	e := a.life.eng
	select {
	case e.slots <- struct{}{}:
	default: // only now, because asking for Done costs a channel
		select {
		case e.slots <- struct{}{}:
		case <-a.Done():
			return false
		}
	}
	a.mu.Lock()
	a.slot = true
	a.mu.Unlock()
	e.attempts.Add(1)
	for a.Err() == nil && !e.isClosing() {
		if e.mayStart() {
			return true
		}
		select { // the lease is in doubt: begin when it is confirmed
		case <-a.Done():
		case <-e.closing:
		case <-time.After(time.Second):
		}
	}
	a.freeSlot()
	<-a.Done()
	return false
}

// try runs the function and hands in how it ended, whichever way that is. It
// does so in a deferred call, because a goroutine that Goexit ends returns from
// nothing.
func (a *attempt) try() {
	var out flow.Payload
	var failure *flow.Failure
	returned, later := false, false
	defer func() {
		r := recover()
		switch {
		case r != nil:
			out, failure, later = nil, panicFailure(r), false
		case !returned:
			failure = &flow.Failure{Code: string(CodeExit), Category: flow.Application,
				Message: fmt.Sprintf("activity %s ended its goroutine with runtime.Goexit", a.op.name)}
		}
		if later {
			a.leave()
			return
		}
		a.finish(out, failure)
	}()
	p, err := a.life.eng.callActivity(a, a.op.name, a.op.activity.fn, a.op.activity.input)
	if err != nil {
		later = errors.Is(err, ErrLater)
		failure = failureOf(err) // may panic, too: the error is the user's
	} else if err := a.life.weigh(p, "activity result", a.op); err != nil {
		failure = systemFailure(CodeEncoding, "activity %s: result: %v", a.op.name, err)
	} else {
		out = p
	}
	returned = true
}

// boundAll starts the clock of all attempts together, which also runs while
// this one waits for a slot. False means that it has run out.
func (a *attempt) boundAll() bool {
	t := a.op.activity
	if t.scheduleToClose == 0 {
		return true
	}
	text := fmt.Sprintf("activity %s: not done within %v of its first attempt", a.op.name, t.scheduleToClose)
	left := a.firstAt.Add(t.scheduleToClose).Time().Sub(a.life.eng.now())
	if left <= 0 {
		a.finish(nil, timeoutFailure(CodeScheduleToClose, text))
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.timers = append(a.timers, a.expire(CodeScheduleToClose, left, text))
	return true
}

// boundThis starts the clocks of this attempt, which has a slot now. False means
// that the attempt is over.
func (a *attempt) boundThis() bool {
	t := a.op.activity
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.over {
		return false
	}
	if t.timeout > 0 {
		a.began = a.life.eng.now()
		a.timers = append(a.timers, a.expire(CodeTimeout, t.timeout,
			fmt.Sprintf("activity %s: attempt %d took longer than %v", a.op.name, a.number, t.timeout)))
	}
	if t.heartbeat > 0 {
		a.pulse = a.expire(CodeHeartbeat, t.heartbeat,
			fmt.Sprintf("activity %s: attempt %d gave no heartbeat for %v", a.op.name, a.number, t.heartbeat))
		a.timers = append(a.timers, a.pulse)
	}
	return true
}

// expire ends the attempt after d, unless it has ended.
func (a *attempt) expire(code Code, d time.Duration, text string) *time.Timer {
	return time.AfterFunc(d, func() {
		if !a.finish(nil, timeoutFailure(code, text)) {
			return
		}
		a.cancel(context.DeadlineExceeded)
		a.freeSlot()
	})
}

func timeoutFailure(code Code, text string) *flow.Failure {
	return &flow.Failure{Code: string(code), Category: flow.Timeout, Permanent: code == CodeScheduleToClose, Message: text}
}

// finish hands in how the attempt ended; only the first end counts, and it
// reports whether this was it.
func (a *attempt) finish(out flow.Payload, failure *flow.Failure) bool {
	return a.handIn(out, failure, false)
}

// handIn is finish, or with later the end of a function that leaves the outcome to
// somebody outside.
func (a *attempt) handIn(out flow.Payload, failure *flow.Failure, later bool) bool {
	a.mu.Lock()
	if a.over {
		a.mu.Unlock()
		a.life.eng.dropped.Add(1)
		return false
	}
	a.over = true
	details := a.details
	a.mu.Unlock()

	l := a.life
	l.mu.Lock()
	if l.leaving == leaveSuspend {
		for l.advancing {
			l.calm.Wait()
		}
	}
	if l.leaving == leaveSuspend {
		l.recordLate(a.outcome(out, details, failure, later))
	}
	l.attempts = without(l.attempts, a)
	if l.leaving != stay {
		ended := l.hasEnded()
		l.mu.Unlock()
		if ended {
			l.eng.lifeEnded(l)
		}
		return true
	}
	defer l.mu.Unlock()
	l.inbox = append(l.inbox, a.outcome(out, details, failure, later))
	l.kick()
	return true
}

// outcome is what the end of an attempt means for its operation. life.mu is
// held.
func (a *attempt) outcome(out, details flow.Payload, failure *flow.Failure, later bool) outcome {
	if details != nil {
		a.op.details = details
	}
	c := outcome{op: a.op, attempt: a, output: out, failure: failure, later: later}
	c.retry = failure != nil && a.op.activity.again(failure, a.number, a.firstAt, a.life.eng.now())
	return c
}

// again reports whether another attempt follows the failure of attempt number.
func (t *task) again(f *flow.Failure, number int, firstAt flow.Instant, now time.Time) bool {
	if f.Permanent || number >= t.retry.MaxAttempts {
		return false
	}
	if t.scheduleToClose == 0 {
		return true
	}
	return now.Add(t.retry.wait(number)).Before(firstAt.Add(t.scheduleToClose).Time())
}

// settleRetry makes a failed attempt durable: its number, the first attempt's
// time, the error, the newest heartbeat and when the next attempt is due. A
// back-off that outlasts Grace parks the run in the same batch.
func (l *life) settleRetry(c outcome) {
	o := c.op
	o.fail(c.failure, l.eng.now())
	l.eng.tellAttempt(l, o, c.failure)
	if l.mayPark() {
		return // advance parks it, which writes the same row
	}
	if l.keep(o) {
		l.tryAttempt(o)
	}
}

// beat takes in a heartbeat and commits its details, at most once a second.
func (a *attempt) beat(details flow.Payload) error {
	l := a.life
	now := l.eng.now()
	a.mu.Lock()
	if a.over {
		a.mu.Unlock()
		return ErrStaleAttempt
	}
	if a.pulse != nil {
		a.pulse.Reset(a.op.activity.heartbeat)
	}
	a.details = details
	due := a.beatAt.IsZero() || now.Sub(a.beatAt) >= time.Second
	if due {
		a.beatAt = now
	}
	a.mu.Unlock()
	if !due {
		return nil
	}
	return l.commitBeat(a, details)
}

// commitBeat writes the wait row with the details. It is conditional on the
// run's head like every write; the row of an attempt that is over is not
// written, because the outcome's batch has removed it or will.
func (l *life) commitBeat(a *attempt, details flow.Payload) error {
	l.mu.Lock()
	if l.leaving != stay || a.op.running != a || l.find(a.op.step) != a.op || l.advancing {
		over := l.leaving != stay || a.op.running != a
		l.mu.Unlock()
		if over {
			return ErrStaleAttempt
		}
		return nil // a commit is under way: the next beat will carry it
	}
	l.advancing = true // nothing else commits for this run meanwhile
	a.op.details = details
	ok := l.keep(a.op)
	l.advancing = false
	l.calm.Broadcast()
	l.kick()
	l.mu.Unlock()
	if !ok {
		return ErrStaleAttempt
	}
	return nil
}
