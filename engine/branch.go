package engine

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// branch is one line of code within a run: a goroutine that blocks only inside
// operations, or in waiting for other branches. Guarded by life.mu where not
// said otherwise.
//
// A branch is fresh until it first gets the baton, then has a goroutine until
// its function is through. A branch that must leave early is told so while it
// blocks; it ends by Goexit, and every operation it calls on the way ends it
// again.
type branch struct {
	prefix  string // of its steps' paths; "" for the main branch
	steps   int    // operations begun
	draws   int    // random sources handed out
	states  int    // finalizer states given
	started bool
	busy    bool // an operation is under way
	exiting bool // told to leave
	wake    chan wakeup
	run     func() // in its own goroutine; nil for the main branch
	gone    chan struct{}
	// update is what the branch handles; nil for others. refuse, when set, is
	// called if the branch is dropped before it begins.
	update *update
	refuse func()
}

type wakeup uint8

const (
	wakeDone    wakeup = iota // go on: the operation has its event, the wait is over
	wakeAdvance               // advance the life, then wait on
	wakeCompute               // run the operation's function
	wakeCheck                 // look whether the condition holds, then go on or wait on
	wakeExit                  // leave
)

func newBranch(prefix string) *branch {
	return &branch{prefix: prefix, wake: make(chan wakeup, 3), gone: make(chan struct{})}
}

func (b *branch) String() string {
	if b.prefix == "" {
		return "the main branch"
	}
	return "branch " + strings.TrimSuffix(b.prefix, ".")
}

// nextStep takes the next step's path. life.mu is held.
func (b *branch) nextStep() flow.StepPath {
	b.steps++
	return flow.StepPath(b.prefix + strconv.Itoa(b.steps))
}

// block is the first part of every operation: it checks that the context may be
// used here and now. It does not return when the code has to leave. mu is held,
// and given back when block does not return or refuses.
func (l *life) block(b *branch, what fmt.Stringer) *flow.Failure {
	if b.exiting {
		l.mu.Unlock()
		runtime.Goexit()
	}
	if b.busy || l.current != b {
		at := l.current
		l.mu.Unlock()
		if at == nil || at == b {
			return systemFailure(CodeMisuse,
				"%s: the context of %s waits in an operation already; another goroutine must not use it", what, b)
		}
		return systemFailure(CodeMisuse, "%s: the context of %s is used by %s", what, b, at)
	}
	if l.leaving != stay {
		l.current = nil
		l.unwindNext()
		l.mu.Unlock()
		for <-b.wake != wakeExit {
		}
		runtime.Goexit()
	}
	return nil
}

// handOver passes the baton on from a branch that blocks or has ended: to the
// next one that can run, or, at the block point, to the life. mu is held.
func (l *life) handOver() {
	l.current = nil
	if len(l.runnable) > 0 {
		l.giveNext()
		return
	}
	if !l.advancing {
		l.advancing = true
		l.advance()
	}
}

// giveNext hands the baton to the branch that has been runnable longest. mu is
// held.
func (l *life) giveNext() {
	b := l.runnable[0]
	l.runnable = l.runnable[1:]
	l.give(b)
}

// give hands a branch the baton. mu is held.
func (l *life) give(b *branch) {
	l.current = b
	l.round++
	if b.started {
		b.wake <- wakeDone
		return
	}
	b.started = true
	l.eng.wg.Go(b.run)
}

// unwind lets the branches leave. advancing is given back.
func (l *life) unwind() {
	l.advancing = false
	l.calm.Broadcast()
	l.unwindNext()
}

// unwindNext tells the newest branch to leave; branches open others but are
// never opened by newer ones, so children leave before their parents. The end
// of each calls for the next; that of the main branch ends the life. mu is
// held.
func (l *life) unwindNext() {
	for len(l.branches) > 0 {
		b := l.branches[len(l.branches)-1]
		if b.started {
			if l.current != b && !b.exiting {
				l.takeOp(b) // it will not lend its goroutine any more
				b.exiting = true
				b.wake <- wakeExit
			}
			return
		}
		l.forget(b)
	}
}

// forget takes out a branch that has ended, or will never begin.
func (l *life) forget(b *branch) {
	for i := len(l.branches) - 1; i >= 0; i-- {
		if l.branches[i] == b {
			l.branches = append(l.branches[:i], l.branches[i+1:]...)
			break
		}
	}
	for i, r := range l.runnable {
		if r == b {
			l.runnable = append(l.runnable[:i], l.runnable[i+1:]...)
			break
		}
	}
	if !b.started && b.refuse != nil {
		b.refuse()
	}
	close(b.gone)
}

// leave is the last thing a branch's goroutine does. It passes the baton on, or
// the leaving, and reports whether it was the life's last goroutine.
func (l *life) leave(b *branch) (ended bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	holds := l.current == b
	if holds {
		l.current = nil
	}
	l.forget(b)
	switch {
	case l.leaving != stay:
		l.unwindNext()
	case holds:
		l.handOver()
	}
	l.tellLeft()
	return l.hasEnded()
}

// abandon makes every branch whose steps lie under prefix leave, newest first,
// and drops what they have under way: attempts are called off, timers and wait
// rows go with the next commit, signals stay. The caller has the baton; mu is
// held, and released while a branch leaves.
func (l *life) abandon(prefix string) {
	l.lost = append(l.lost, prefix)
	for i := len(l.branches) - 1; i >= 0; i-- {
		b := l.branches[i]
		if b.prefix == "" || !strings.HasPrefix(b.prefix, prefix) {
			continue
		}
		if !b.started {
			l.forget(b)
			continue
		}
		l.dropOp(b)
		if !b.exiting {
			b.exiting = true
			b.wake <- wakeExit
		}
		l.mu.Unlock()
		<-b.gone
		l.mu.Lock()
		i = min(i, len(l.branches)) // its own end took it out, and nothing newer is left
	}
}

// abandonAll abandons every branch but the main one, which is through.
func (l *life) abandonAll() {
	for len(l.branches) > 1 {
		l.abandon(l.branches[len(l.branches)-1].prefix)
	}
}

// takeOp takes out the operation a branch is blocked in, if any.
func (l *life) takeOp(b *branch) *op {
	for i, o := range l.ops {
		if o.branch != b {
			continue
		}
		l.ops = append(l.ops[:i], l.ops[i+1:]...)
		if o.timer != nil {
			o.timer.Stop()
		}
		l.conditions.count(o, -1)
		return o
	}
	return nil
}

// dropOp gives up the operation a branch is blocked in.
func (l *life) dropOp(b *branch) {
	o := l.takeOp(b)
	if o == nil {
		return
	}
	if o.running != nil {
		o.running.cancel(errLostRace)
		o.running = nil
	}
	if o.stored != nil {
		l.dropLater(o.step, *o.stored)
	}
}

// isLost reports whether a step belongs to branches that were abandoned, or is a
// wait whose condition held: it has no event.
func (l *life) isLost(step flow.StepPath) bool {
	if _, ok := l.met[step]; ok {
		return true
	}
	for _, prefix := range l.lost {
		if strings.HasPrefix(string(step), prefix) {
			return true
		}
	}
	return false
}

// deadlock ends a run whose branches all wait for each other: nothing outside
// can ever move it. mu is held, advancing is the caller's.
func (l *life) deadlock() {
	if l.ghost != nil {
		l.ghost.answer(l)
		return
	}
	_ = l.endWith(flow.Event{Seq: l.seq + 1, Kind: flow.EventEnded, Status: flow.Failed, Summary: l.summary,
		Failure: systemFailure(CodeDeadlock, "all %d branches of the run wait for each other", len(l.branches))}, nil)
}

// droppedWait is a wait row, and its timer row, that go with the next commit.
type droppedWait struct {
	step flow.StepPath
	wait row.Wait
}

func (l *life) dropLater(step flow.StepPath, w row.Wait) {
	l.dropped = append(l.dropped, droppedWait{step, w})
}

// putDropped adds the removal of abandoned waits to the batch of a commit.
func (l *life) putDropped(b *store.Batch) {
	for _, d := range l.dropped {
		b.Delete(row.WaitKey(l.ref, d.step))
		if d.wait.Timed {
			b.Delete(row.TimerKey(d.wait.Due, l.ref, d.step))
		}
		if d.wait.Later != nil {
			b.Delete(row.AnswerKey(l.ref, d.step))
		}
	}
}

// misuse is the panic of an operation that has no error to return.
func misuse(f *flow.Failure) { panic(fmt.Sprintf("engine: %s", f.Message)) }
