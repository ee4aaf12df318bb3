package engine

import (
	"fmt"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// ending is how workflow code came to its end.
type ending struct {
	out      flow.Payload
	failure  *flow.Failure
	panicked bool
}

// main is the run's main goroutine: it runs the code and, when the code is
// through, records the end. It does so in a deferred call, because a goroutine
// that Goexit ends returns from nothing; whether the engine asked for that, or
// the code did it, is seen there.
func (l *life) main() {
	defer l.exit()
	end := ending{failure: systemFailure(CodeExit, "workflow code ended its goroutine with runtime.Goexit")}
	defer func() {
		if r := recover(); r != nil {
			end = ending{failure: panicFailure(r), panicked: true}
		}
		l.finish(end)
	}()
	out, err := l.def.run(&Context{life: l, branch: l.branch()}, l.input)
	if err != nil {
		end.failure = failureOf(err) // may panic, too: the error is the user's
		return
	}
	end = ending{out: out}
}

func (l *life) branch() *branch { return &branch{wake: make(chan wakeup, 2)} }

// finish records the end of the code, unless recorded events remain unread: then
// the code does not fit the journal and the run is suspended.
func (l *life) finish(end ending) {
	failure := end.failure
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.advancing {
		l.calm.Wait()
	}
	if l.leaving != stay {
		return
	}
	if problem := l.unread(failure); problem != "" {
		l.mismatch(problem)
		return
	}
	if end.panicked && l.def.onPanic == PanicSuspends {
		l.suspend(flow.ByPanic, failure.Message)
		return
	}
	ev := flow.Event{Seq: l.seq + 1, Kind: flow.EventEnded, Status: flow.Completed, Output: end.out, Summary: l.summary}
	if failure != nil {
		ev.Status, ev.Failure = flow.Failed, failure
	}
	l.end(ev)
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
		return fmt.Sprintf("step %s: recorded %s, %s", step, stepText(w.Kind, w.Name), how)
	}
	return ""
}

// end commits the terminal batch: head, last event, index and counters, and
// the removal of every row that only a live run needs. mu is held.
func (l *life) end(ev flow.Event) {
	if l.stale && !l.lookAgain(nil) {
		return
	}
	ev.At = flow.InstantOf(l.eng.now())
	next := l.head
	next.Status, next.ClosedAt, next.ChangedAt = ev.Status, ev.At, ev.At
	lost := -1
	if !l.commitStep(func(b *store.Batch) {
		lost++
		changeHead(b, l.ref.ID, l.head, next)
		b.Put(row.EventKey(l.ref, ev.Seq), row.EncodeEvent(ev))
		b.Delete(row.ReadyKey(l.ref))
		for _, o := range l.ops {
			l.dropWait(b, o)
		}
		l.dropSignals(b, lost)
		if l.sweep {
			b.DeleteRange(row.WaitPrefix(l.ref), store.PrefixEnd(row.WaitPrefix(l.ref)))
		}
	}) {
		return
	}
	l.seq = ev.Seq
	l.dismissLocked(leaveEnded)
	l.eng.tellEnded(l.ref, l.head.Type, ev)
}

// maxDrops is how many signals the last batch deletes one by one.
const maxDrops = 256

// dropSignals removes the signal rows of a run that ends. Those it knows go one
// by one, on condition that none has come since. When they are many, or the
// condition was lost twice because senders do not stop, the whole range goes: a
// run must be able to end whatever others send.
func (l *life) dropSignals(b *store.Batch, lost int) {
	if l.sweep || lost > 1 || len(l.signals.queue)+len(l.signals.ids) > maxDrops {
		b.DeleteRange(row.SignalPrefix(l.ref), store.PrefixEnd(row.SignalPrefix(l.ref)))
		return
	}
	b.Expect(row.ReadyKey(l.ref), l.ready.raw, l.ready.at)
	for _, s := range l.signals.queue {
		b.Delete(row.SignalKey(l.ref, s.arrival))
	}
	for key := range l.signals.ids {
		b.Delete([]byte(key))
	}
}

// suspend stops the run until somebody resumes it; nothing is executed
// meanwhile. Its waits stay registered. mu is held.
func (l *life) suspend(why flow.Reason, text string) {
	now := flow.InstantOf(l.eng.now())
	next := l.head
	next.Status, next.Cause, next.Reason, next.ChangedAt = flow.Suspended, why, text, now
	ev := flow.Event{Seq: l.seq + 1, Kind: flow.EventSuspended, At: now, Status: flow.Suspended,
		Reason: string(why) + ": " + text, Summary: l.summary}
	if !l.commitStep(func(b *store.Batch) {
		changeHead(b, l.ref.ID, l.head, next)
		b.Put(row.EventKey(l.ref, ev.Seq), row.EncodeEvent(ev))
		b.Delete(row.ReadyKey(l.ref))
	}) {
		return
	}
	l.seq = ev.Seq
	l.dismissLocked(leaveSuspend)
	l.eng.tellSuspended(l.ref, l.head.Type, ev)
}

// changeHead puts the rows that follow from a change of the head: the head
// itself, its index row, its counters and, at the end, the row in the order of
// ending.
func changeHead(b *store.Batch, id flow.WorkflowID, old, next row.Head) {
	b.Put(row.HeadKey(id), row.EncodeHead(next))
	if old.Status == next.Status && old.Type == next.Type && old.Version == next.Version {
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
	ended := l.hasEnded()
	l.mu.Unlock()
	if ended {
		l.eng.lifeEnded(l)
	}
}

// hasEnded reports, once, that the last goroutine is through. mu is held; the
// caller tells the engine after giving it back, because the engine takes its
// own lock before a life's.
func (l *life) hasEnded() bool {
	if l.done || !l.stopped || len(l.attempts) > 0 {
		return false
	}
	l.done = true
	l.unrest()
	return true
}
