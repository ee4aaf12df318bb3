package engine

import (
	"fmt"
	"time"

	"weft/flow"
)

// advance moves a life at its block point until a branch has the baton or
// nothing can be done before something happens outside. mu is held and
// advancing is the caller's; both commits and replay happen here, in the
// goroutine of a blocked branch.
func (l *life) advance() {
	for {
		switch {
		case l.leaving != stay:
			l.unwind()
			return
		case len(l.runnable) > 0:
			l.advancing = false
			l.giveNext()
			return
		case len(l.ops) == 0:
			l.deadlock()
		case l.untils > 0 && l.checkNext():
			return
		case l.replaying():
			if l.replayNext() {
				return
			}
		case l.ghost != nil:
			l.ghost.answer(l)
		case !l.live:
			l.goLive()
		case len(l.acts) > 0 && len(l.inbox) > 0:
			// What has happened before comes first: an act must not undo it.
			if l.settleNext() {
				return
			}
		case len(l.acts) > 0:
			l.nextAct()
		case l.dispatch():
			return
		case len(l.inbox) > 0:
			if l.settleNext() {
				return
			}
		case l.mayPark():
			l.parkNow()
		case l.keepDue:
			l.keepWaits()
		default:
			l.rest()
			return
		}
	}
}

// replaying skips marks, and reports whether a recorded event is still to be
// delivered. It skips steps of branches that have lost their race as well: under
// a suspension attempts of all branches go on and are recorded, also when the
// first of those outcomes decides the race.
func (l *life) replaying() bool {
	for ; l.next < len(l.journal); l.next++ {
		ev := &l.journal[l.next]
		if ev.Kind == flow.EventStep && !l.isLost(ev.Step) || ev.Kind == flow.EventUpdate {
			return true
		}
		l.mayBeLate = l.mayBeLate || ev.Kind == flow.EventSuspended
	}
	return false
}

// replayNext delivers the next recorded event to the operation it belongs to;
// false means that the code does not fit the journal.
func (l *life) replayNext() bool {
	ev := l.journal[l.next]
	if ev.Kind == flow.EventUpdate {
		return l.replayUpdate(ev)
	}
	o := l.find(ev.Step)
	if o == nil {
		l.mismatch(fmt.Sprintf("step %s: recorded %s, code waits in step %s for %s",
			ev.Step, stepText(ev.StepKind, ev.Name), l.ops[0].step, l.ops[0].what()))
		return false
	}
	if !l.fits(o, ev.StepKind, ev.Name, ev.Digest) {
		return false
	}
	l.journal[l.next] = flow.Event{} // what was delivered need not be kept
	l.next++
	l.stagedReplayed(ev)
	l.deliver(o, ev)
	return true
}

// fits compares an operation with what was recorded for its step and suspends
// the run when they differ.
func (l *life) fits(o *op, kind flow.StepKind, name string, digest flow.Digest) bool {
	problem, inputOnly := o.differs(kind, name, digest)
	switch {
	case problem == "":
		return true
	case inputOnly && l.def.loose:
		l.eng.log.Warn("input of a recorded step changed", "run", l.ref.String(), "problem", problem)
		return true
	}
	l.mismatch(problem)
	return false
}

func (l *life) find(step flow.StepPath) *op {
	for _, o := range l.ops {
		if o.step == step {
			return o
		}
	}
	return nil
}

// goLive ends the replay: what the code asks for from here on is new, or is a
// wait that an earlier life registered.
func (l *life) goLive() {
	l.journal, l.next = nil, 0
	for _, o := range l.ops {
		w, ok := l.waits[o.step]
		if !ok {
			continue
		}
		if !l.fits(o, w.Kind, w.Name, w.Digest) {
			return
		}
		o.adopt(w)
		delete(l.waits, o.step)
	}
	for step, w := range l.waits {
		if l.isLost(step) { // its race was decided; its rows had not gone yet
			l.dropLater(step, w)
			delete(l.waits, step)
			continue
		}
		l.mismatch(fmt.Sprintf("step %s: recorded %s, code waits in step %s for %s",
			step, stepText(w.Kind, w.Name), l.ops[0].step, l.ops[0].what()))
		return
	}
	l.live = true
	if l.trial != nil { // nothing new may begin
		l.trial.at = fmt.Sprintf("step %s, %s", l.ops[0].step, l.ops[0].what())
		l.dismissLocked(leaveParked)
	}
}

// dispatch starts every operation that has not been; true means that a branch
// got the baton.
func (l *life) dispatch() bool {
	before := len(l.inbox)
	for _, o := range l.ops {
		if o.dispatched {
			continue
		}
		o.dispatched = true
		now := l.eng.now()
		if o.startedAt == 0 {
			o.startedAt = flow.InstantOf(now)
			if o.limited {
				// Instants up to 1970 do not exist in the queue of timers.
				o.due = max(flow.InstantAfter(now.Add(o.limit)), 1)
			}
		}
		switch o.kind {
		case flow.StepMemo, flow.StepVersion:
			if before < len(l.inbox) {
				l.orderInbox()
			}
			l.current = o.branch
			l.advancing = false
			o.branch.wake <- wakeCompute
			return true
		case flow.StepActivity:
			if o.handed() {
				l.arm(o)
				continue
			}
			if l.answerTo(o) != nil {
				continue // told before the function had ended
			}
			if f := l.weighInput(o); f != nil {
				l.inbox = append(l.inbox, outcome{op: o, failure: f})
				continue
			}
			if !l.stayReady() {
				return false
			}
			l.tryAttempt(o)
		case flow.StepChild, flow.StepDrain:
			l.inbox = append(l.inbox, outcome{op: o})
		case flow.StepUpdate:
			l.inbox = append(l.inbox, l.replyOf(o))
		default:
			l.arm(o)
		}
	}
	l.matchSignals()
	l.matchChildren()
	l.matchAnswers()
	if before < len(l.inbox) {
		l.orderInbox()
	}
	return false
}

// arm sets the end of a wait by a timer in memory. When the life is parked, a
// timer row takes its place.
func (l *life) arm(o *op) {
	if o.due == 0 {
		return
	}
	left := o.due.Time().Sub(l.eng.now())
	if left <= 0 {
		l.overdue(o)
		return
	}
	o.timer = time.AfterFunc(left, func() { l.passed(o) })
}

// passed reports that an operation's time has come, by a timer in memory or by
// a timer row. A clock that was set back makes it wait again.
func (l *life) passed(o *op) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.leaving != stay || !o.dispatched || o.due == 0 || o.running != nil || l.find(o.step) != o {
		return
	}
	if left := o.due.Time().Sub(l.eng.now()); left > 0 {
		if o.timer != nil {
			o.timer.Reset(left)
		}
		return
	}
	if o.kind == flow.StepActivity && !o.handed() {
		l.redispatch(o)
		return
	}
	l.overdue(o)
	l.kick()
}

// redispatch has the next attempt of an activity begin, at the block point. It
// does not begin here: a commit may be under way that takes the run out of
// memory, and knows nothing of it. mu is held.
func (l *life) redispatch(o *op) {
	o.dispatched = false
	l.kick()
}

// matchSignals gives buffered signals to the operations that wait for them. A
// signal that came after the limit leaves the operation to its time-out.
func (l *life) matchSignals() {
	for _, o := range l.ops {
		if o.kind != flow.StepSignal || !o.dispatched {
			continue
		}
		if s := l.signals.first(o.name); s != nil && (o.due == 0 || s.At <= o.due) && !l.inboxHas(o) {
			l.inbox = append(l.inbox, outcome{op: o})
		}
	}
}

func (l *life) inboxHas(o *op) bool {
	for _, c := range l.inbox {
		if c.op == o {
			return true
		}
	}
	return false
}

// rest is what a life does when it can only wait: it gives the baton back and,
// when all it waits for is time or signals, starts the way to being parked.
func (l *life) rest() {
	l.advancing = false
	l.slot.Free()
	if l.isIdle {
		return
	}
	if !l.onlyWaits() {
		l.planKeep()
		return
	}
	l.isIdle = true
	if l.eng.idle.Add(1) > int64(l.eng.o.MaxIdle) {
		l.park = true
		l.kick()
		return
	}
	l.idle = time.AfterFunc(l.eng.o.Grace, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.park = true
		l.kick()
	})
}

// unrest ends the idleness. mu is held.
func (l *life) unrest() {
	if !l.isIdle {
		return
	}
	l.isIdle, l.park = false, false
	l.eng.idle.Add(-1)
	if l.idle != nil {
		l.idle.Stop()
		l.idle = nil
	}
}

func (l *life) onlyWaits() bool {
	for _, o := range l.ops {
		if !o.waits() {
			return false
		}
	}
	return len(l.attempts) == 0
}

// mayPark reports whether the life should leave memory now: somebody wants it
// to, or each of its waits is known to outlast Grace.
func (l *life) mayPark() bool {
	if !l.onlyWaits() || len(l.early) > 0 {
		return false
	}
	if l.park {
		return true
	}
	edge := flow.InstantOf(l.eng.now().Add(l.eng.o.Grace))
	for _, o := range l.ops {
		if o.kind == flow.StepSignal || o.kind == flow.StepWait || o.kind == flow.StepUntil || o.handed() || o.due < edge {
			return false
		}
	}
	return true
}

// mismatch suspends the run because its code no longer fits its journal.
func (l *life) mismatch(problem string) {
	switch {
	case l.trial != nil:
		l.trial.problem = problem
		l.dismissLocked(leaveLost)
		return
	case l.ghost != nil:
		l.ghost.unfit(l, problem)
		return
	}
	_ = l.suspendWith(flow.Nondeterminism, problem, nil) // the reason it failed is in leaving
}
