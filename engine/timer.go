package engine

import (
	"time"

	"weft/engine/row"
	"weft/engine/timers"
	"weft/flow"
)

// firing bounds the runs that timers have woken and that have not come to the
// outcome of their wait. It is what a run whose timer is due has to compete with
// for the processor and the disk, however many are late; enough of them to fill
// each sync of a store.
const firing = 128

// newTimers is the queue of timer rows. Rows are never written or deleted by it:
// whoever replays the run settles its wait and deletes the row with the outcome.
func (e *Engine) newTimers() *timers.Queue[row.Timer] {
	return timers.New(timers.Config[row.Timer]{
		Family: timers.Family[row.Timer]{Prefix: row.FamilyTimer, From: row.TimersFrom, Parse: row.ParseTimer},
		Store:  e.store, Now: e.now, Slots: firing, Patience: time.Second, LookEvery: e.o.ClockEvery,
		Ready: e.lives.room, Freed: e.lives.forTimers,
		Problem: func(err error) {
			if e.halted() == nil {
				e.problem("timers could not be read: "+err.Error(), "")
			}
		},
	})
}

// fireTimers is the loop that wakes runs whose time has come.
func (e *Engine) fireTimers() { e.timers.Run(e.fire, e.closing, e.dead) }

// fire acts on a due timer. What may take long goes apart from the loop.
func (e *Engine) fire(t row.Timer, s timers.Slot) {
	switch {
	case t.Step == row.StepDeadline || t.Step == row.StepStart:
		e.wg.Go(func() {
			defer s.Free()
			e.turn(t)
		})
	case e.crashes > 0 && t.Due <= e.openedAt:
		e.wg.Go(func() { e.fireWait(t, s) })
	default:
		e.fireWait(t, s)
	}
}

// fireWait wakes the run of a due timer. A run in memory that parks right now is
// told to look again.
func (e *Engine) fireWait(t row.Timer, s timers.Slot) {
	if l := e.lives.get(t.Ref); l != nil {
		l.timerFired(t.Step)
	}
	if e.crashes > 0 && t.Due <= e.openedAt && e.leftToRecovery(t.Ref) {
		s.Free()
		return
	}
	if e.wakeIn(t.Ref, s) {
		e.timers.Again(t) // the place was taken by another
	}
}

// timerFired tells a life that a timer row of it is due.
func (l *life) timerFired(step flow.StepPath) {
	l.mu.Lock()
	o := l.find(step)
	l.mu.Unlock()
	if o != nil {
		l.passed(o)
	}
}
