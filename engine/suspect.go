package engine

import (
	"fmt"
	"slices"
	"time"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// suspectFrom is the recovery in a row from which a run is suspected of killing
// its process.
const suspectFrom = 3

// suspect is a run that has been recovered several times in a row, each time
// after a crash and without having made progress. Suspects go one at a time,
// each after a delay, so that the culprit dies alone; above MaxRecoveries a run
// is suspended. A recovery is counted just before the launch: a run that was
// only waiting for its turn when a culprit struck is none the worse.
type suspect struct {
	ref        flow.Ref
	recoveries int
}

// leftToRecovery reports whether a run whose timer was due before a crash is
// none of the timer's business: it is in the ready set, where it may be a
// suspect. From the second crash in a row on it puts a run that is not there
// into the set, with its first recovery counted: code that kills the process as
// soon as its timer wakes it would otherwise do so for ever.
func (e *Engine) leftToRecovery(ref flow.Ref) bool {
	raw, err := e.store.Get(row.ReadyKey(ref))
	if err != nil || raw != nil {
		return err == nil
	}
	if e.crashes < 2 {
		return false
	}
	last, err := lastSeq(e.store, ref)
	if err != nil {
		return false
	}
	head, g, err := e.readHead(ref.ID)
	if err != nil || head.Run != ref.Run || head.Status != flow.Running || e.types.held(head.Type, head.Version) != "" {
		return false // the wake will find that out, too
	}
	var b store.Batch
	b.Expect(row.ReadyKey(ref), nil, 0)
	b.Put(row.ReadyKey(ref), row.EncodeReady(row.Ready{Generation: e.arrival(), Last: last, Recoveries: 1}))
	_, _ = e.commit(&g, &b) // not applied: somebody has woken it; failed: the engine halts
	return false
}

// recoverSuspects launches the suspects one by one, those first that have died
// least often.
func (e *Engine) recoverSuspects(all []suspect) {
	slices.SortStableFunc(all, func(a, b suspect) int { return a.recoveries - b.recoveries })
	for _, s := range all {
		if e.halted() != nil || e.isClosing() {
			return
		}
		e.recoverSuspect(s)
	}
}

// recoverSuspect launches one suspect, after a delay, and waits until it has
// parked, ended or stayed up for a while.
func (e *Engine) recoverSuspect(s suspect) {
	delay := min(time.Second<<min(s.recoveries-suspectFrom, 6), time.Minute)
	e.problem(fmt.Sprintf("run %s was recovered %d times without progress; it starts in %v", s.ref, s.recoveries-1, delay),
		"fix its code, or suspend it")
	if !e.pause(delay) {
		return
	}
	if !e.countAgain(s.ref) {
		return
	}
	e.wake(s.ref)
	for range 10 {
		if e.lives.get(s.ref) == nil || !e.pause(time.Second) {
			return
		}
	}
}

// suspendRun suspends a run that is not in memory.
func (e *Engine) suspendRun(ref flow.Ref, head row.Head, g guard, last flow.EventSeq, why flow.Reason, text string) error {
	l := e.newLife(ref, e.types[head.Type], head, nil)
	l.guard, l.seq = g, last
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.alone(func(l *life) error { return l.suspendWith(why, text, nil) })
}
