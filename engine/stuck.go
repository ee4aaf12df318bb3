package engine

import (
	"fmt"
	"slices"
	"time"
)

// stuckLook is how often lives are looked at for code that does not leave.
const stuckLook = 5 * time.Second

// watchStuck reports runs whose code was asked to leave memory and has not
// within stuckAfter: a deferred call or an activity that blocks. Such a run is
// not launched again before it has left, and nothing it commits can land. The
// slots of its attempts go to others.
func (e *Engine) watchStuck() {
	for e.pause(max(stuckLook, e.o.ClockEvery)) {
		for _, l := range e.lives.all() {
			if since := l.leavingSince(); !since.IsZero() && time.Since(since) > stuckAfter {
				e.problem(fmt.Sprintf("run %s was asked to leave memory and does not end", l.ref),
					"see what its deferred calls and activities wait for")
				l.freeSlots()
			}
		}
	}
}

// leavingSince is when the life was asked to leave; zero if it was not, and when
// only attempts of a suspended run are left, which may take their time.
func (l *life) leavingSince() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.leaving == leaveSuspend && len(l.branches) == 0 {
		return time.Time{}
	}
	return l.leftAt
}

// freeSlots takes the slots from attempts that go on although nobody wants their
// results any more.
func (l *life) freeSlots() {
	l.mu.Lock()
	attempts := slices.Clone(l.attempts)
	l.mu.Unlock()
	for _, a := range attempts {
		a.freeSlot()
	}
}
