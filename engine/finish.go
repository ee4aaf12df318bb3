package engine

import (
	"fmt"
	"time"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// codeEnd is how workflow code came to its end.
type codeEnd struct {
	out      flow.Payload
	next     *continuation // the run goes on as a new one
	failure  *flow.Failure
	panicked bool
}

// main is the run's main goroutine: it runs the code and, when the code is
// through, records the end. It does so in a deferred call, because a goroutine
// that Goexit ends returns from nothing; whether the engine asked for that, or
// the code did it, is seen there.
func (l *life) main() {
	defer l.exit()
	if l.ghost == nil && !l.awaitForce() {
		return
	}
	if failure := l.provide(); failure != nil {
		l.fail(failure)
		return
	}
	select {
	case <-l.gone: // an act did not wait for the services
		return
	default:
	}
	end := codeEnd{failure: systemFailure(CodeExit, "workflow code ended its goroutine with runtime.Goexit")}
	defer func() {
		if r := recover(); r != nil {
			end = codeEnd{failure: panicFailure(r), panicked: true}
		}
		l.finish(end)
	}()
	out, err := l.def.run(&Context{life: l, branch: l.mainBranch}, l.input)
	if next := continuationIn(err); next != nil && next.life == l {
		end = codeEnd{next: next}
		return
	}
	if err != nil {
		end.failure = failureOf(err) // may panic, too: the error is the user's
		return
	}
	end = codeEnd{out: out}
}

// awaitForce waits while the lease is in doubt; false when the life was asked
// to leave meanwhile.
func (l *life) awaitForce() bool {
	for l.trial == nil && !l.eng.mayStart() {
		select {
		case <-l.gone:
			return false
		case <-time.After(time.Second):
		}
	}
	return true
}

// finish records the end of the code, unless recorded events remain unread: then
// the code does not fit the journal and the run is suspended.
func (l *life) finish(end codeEnd) {
	failure := end.failure
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.advancing {
		l.calm.Wait()
	}
	if l.leaving != stay {
		return
	}
	if l.ghost != nil {
		l.ghost.ended(l, failure)
		return
	}
	l.orphans = l.unanswered()
	l.abandonAll()
	if l.leaving != stay {
		return
	}
	l.advancing = true // nothing else commits for the run meanwhile
	defer func() {
		if l.leaving == stay { // the store could not be read: the end is not recorded
			l.dismissLocked(leaveClosed)
		}
		l.advancing = false
		l.calm.Broadcast()
	}()
	if problem := l.unread(failure); problem != "" {
		l.mismatch(problem)
		return
	}
	if end.next != nil {
		l.continueAs(end.next)
		return
	}
	if end.panicked && l.def.onPanic == PanicSuspends && l.trial == nil {
		_ = l.suspendWith(flow.ByPanic, failure.Message, nil) // see leaving
		return
	}
	if l.trial == nil { // which is held to what was recorded, whatever its size
		if err := l.eng.weigh(end.out, cargo{ref: l.ref, typ: l.def.name, kind: "result"}); err != nil {
			end.out, failure = nil, systemFailure(CodeEncoding, "workflow %s: result: %v", l.def.name, err)
		}
	}
	ev := flow.Event{Seq: l.seq + 1, Kind: flow.EventEnded, Status: flow.Completed, Output: end.out, Summary: l.summary}
	if failure != nil {
		ev.Status, ev.Failure = flow.Failed, failure
	}
	_ = l.endWith(ev, nil) // see leaving
}

// fail ends the run before its code has moved.
func (l *life) fail(failure *flow.Failure) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.leaving != stay {
		return
	}
	if l.ghost != nil {
		l.ghost.ended(l, failure)
		return
	}
	_ = l.alone(func(l *life) error { // see leaving
		return l.endWith(flow.Event{Seq: l.seq + 1, Kind: flow.EventEnded, Status: flow.Failed, Failure: failure}, nil)
	})
}

// unread names the first recorded thing that the code did not ask for.
func (l *life) unread(failure *flow.Failure) string {
	how := "code returned"
	if failure != nil {
		how = fmt.Sprintf("code failed with %q", failure.Message)
	}
	if l.replaying() {
		ev := l.journal[l.next]
		return fmt.Sprintf("step %s: recorded %s, %s", ev.Step, stepText(ev.StepKind, ev.Name), how)
	}
	for step, w := range l.waits {
		if l.isLost(step) {
			continue
		}
		return fmt.Sprintf("step %s: recorded %s, %s", step, stepText(w.Kind, w.Name), how)
	}
	return ""
}

// changeHead puts the rows that follow from a change of the head: the head
// itself, its index row, its counters and, at the end, the row in the order of
// ending.
func changeHead(b *store.Batch, id flow.WorkflowID, old, next row.Head) {
	b.Put(row.HeadKey(id), row.EncodeHead(next))
	putLabelRows(b, id, &old, &next)
	if old.Run == next.Run && old.Status == next.Status && old.Type == next.Type && old.Version == next.Version {
		return
	}
	b.Delete(row.IndexKey(old.Type, old.Version, old.Status, old.CreatedAt, id))
	b.Put(row.IndexKey(next.Type, next.Version, next.Status, next.CreatedAt, id), []byte(next.Run))
	b.Add(row.CountKey(old.Type, old.Version, old.Status), -1)
	b.Add(row.CountKey(next.Type, next.Version, next.Status), 1)
	if next.Status.Terminal() {
		b.Put(row.TerminalKey(next.ClosedAt, id), []byte(next.Run))
	}
}

// exit is the last thing the main goroutine does.
func (l *life) exit() {
	l.mu.Lock()
	l.stopped = true
	if l.leaving == stay {
		l.mu.Unlock()
		// finish records the end or says why it could not: never happens
		// unless the engine is wrong.
		panic(fmt.Sprintf("engine: run %s left memory for no reason", l.ref))
	}
	l.mu.Unlock()
	if l.leave(l.mainBranch) {
		l.eng.lifeEnded(l)
	}
}

// hasEnded reports, once, that the last goroutine is through. mu is held; the
// caller tells the engine after giving it back, because the engine takes its
// own lock before a life's.
func (l *life) hasEnded() bool {
	if l.done || len(l.branches) > 0 || len(l.attempts) > 0 || l.acting > 0 {
		return false
	}
	l.done = true
	l.unrest()
	return true
}
