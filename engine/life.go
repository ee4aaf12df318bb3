package engine

import (
	"log/slog"
	"runtime"
	"sync"
	"time"

	"weft/engine/row"
	"weft/engine/timers"
	"weft/flow"
	"weft/store"
)

// life is one run in memory, from its launch until its last goroutine has
// ended. See the package doc, "How a body moves".
//
// Invariant: at most one goroutine of a life executes workflow code or
// advances the life at any moment. current is the branch that does; advancing
// is the baton while none does.
type life struct {
	eng *Engine
	ref flow.Ref
	def *definition
	log *slog.Logger

	// gone closes when the code is asked to leave; ended when the last
	// goroutine is through.
	gone, ended chan struct{}

	mu    sync.Mutex
	calm  *sync.Cond // of mu: advancing became false without a branch going on
	guard guard      // the head that every commit is conditional on
	head  row.Head   // decoded guard
	ready readyRow
	stale bool        // something was sent since ready and the signals were read
	batch store.Batch // of commitStep, reused
	entry []byte      // a journal entry's key and value in batch, reused

	journal  []flow.Event // events to replay; next is the first not delivered
	next     int
	ran      int // how far into journal the code of an earlier life has run
	input    flow.Payload
	seq      flow.EventSeq // last durable event
	at       flow.Instant  // time of the last delivered event
	waits    map[flow.StepPath]row.Wait
	signals  signalBuffer
	children childEnds
	// takesChildren: the code of this run, or of one before it in the chain,
	// started a child that ends however this run does.
	takesChildren bool
	answers       answers
	// loadedAt is the group up to which signals were read from the store.
	loadedAt store.Group
	summary  string
	proven   bool // a step of this life is in the journal

	trial      *trial // of [Replay]; nil for a run
	live       bool   // the journal is used up: outcomes are new
	ops        []*op
	mainBranch *branch
	branches   []*branch // that have not ended, oldest first: the main one
	runnable   []*branch // that can go on, in order
	current    *branch   // that has the baton; nil while advancing or at rest
	lost       []string  // prefixes of abandoned branches
	dropped    []droppedWait
	advancing  bool
	inbox      []outcome
	acts       []*act
	finalState
	labels labels
	openPieces
	onCancel []func()
	codeLeft chan struct{} // to be closed when no branch is left; nil: nobody asks
	messages
	conditions
	services any
	newer    error      // that a newer program wrote a row of a cold life's run
	cold     bool       // stands in for a run that is not in memory
	acting   int        // acts that keep it in memory while it leaves
	outside  bool       // the act under way has a caller who can be told no
	attempts []*attempt // under way, in no order
	idle     *time.Timer
	isIdle   bool
	park     bool // somebody wants it parked
	keeper   *time.Timer
	keepDue  bool // a wait has lasted for Grace beside something else

	slot    timers.Slot // of the timer that woke it
	leaving leaveReason
	leftAt  time.Time
	again   bool // woken while leaving: relaunch after the end
	sweep   bool // the rows could not be read: remove them by range at the end
	stopped bool // the main goroutine is through
	done    bool
}

// readyRow is the run's row in the ready set as this life knows it.
type readyRow struct {
	raw []byte // nil: there is none
	at  store.Group
}

type leaveReason uint8

const (
	stay         leaveReason = iota
	leaveParked              // only its rows remain
	leaveEnded               // a terminal batch is durable
	leaveSuspend             // suspended
	leaveLost                // another run or status has the id
	leaveClosed              // the engine closes or halted
)

// outcome is something that happened to an operation and is not yet recorded.
type outcome struct {
	op      *op
	attempt *attempt // whose result it is; nil for other things
	output  flow.Payload
	failure *flow.Failure
	retry   bool // failure is not the end: another attempt follows
	later   bool // the function has left the outcome to somebody outside
}

// maxOps bounds the operations under way in a run: what registers all their
// waits, and what ends the run, is one batch each.
const maxOps = 2000

// perform blocks the calling branch in an operation and returns its recorded
// event. It does not return when the code has to leave memory.
func (c *Context) perform(o *op) flow.Event {
	l, b := c.life, c.branch
	l.mu.Lock()
	if f := l.block(b, o); f != nil {
		return flow.Event{Failure: f}
	}
	if len(l.ops) >= maxOps && o.reply == nil {
		l.mu.Unlock()
		return flow.Event{Failure: systemFailure(CodeTooMany, "%s: %d branches wait in operations already", o.what(), maxOps)}
	}
	b.busy = true
	o.branch = b
	if o.step == "" {
		o.step = b.nextStep()
	}
	l.conditions.count(o, 1)
	l.ops = append(l.ops, o)
	l.handOver()
	l.mu.Unlock()
	l.await(b, o)
	return o.event
}

// await waits until the branch may go on, lending its goroutine to whatever the
// life needs done meanwhile.
func (l *life) await(b *branch, o *op) {
	for {
		switch <-b.wake {
		case wakeDone:
			return
		case wakeAdvance:
			l.mu.Lock()
			l.advance()
			l.mu.Unlock()
		case wakeCompute:
			p, failure := o.compute()
			l.mu.Lock()
			l.inbox = append(l.inbox, outcome{op: o, output: p, failure: failure})
			l.handOver()
			l.mu.Unlock()
		case wakeCheck:
			if l.checked(b, o) {
				return
			}
		case wakeExit:
			runtime.Goexit()
		}
	}
}

// kick lets a blocked branch advance the life if it stands at its block point.
// mu is held.
func (l *life) kick() {
	if l.current == nil && !l.advancing && len(l.ops) > 0 && !l.stopped {
		l.advancing = true
		l.ops[0].branch.wake <- wakeAdvance
	}
}

// dismiss asks the life to leave for the given reason at its next block point.
func (l *life) dismiss(why leaveReason) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dismissLocked(why)
	l.kick()
}

func (l *life) dismissLocked(why leaveReason) {
	was := l.leaving
	switch {
	case was == stay:
	case why == leaveEnded && (was == leaveParked || was == leaveSuspend || was == leaveLost):
	case why == leaveClosed && was == leaveSuspend: // its attempts have to end now
	default:
		return
	}
	l.leaving = why
	if was == stay {
		l.leftAt = time.Now()
		close(l.gone)
		l.refuseActs()
	}
	if why == leaveSuspend {
		return // attempts go on and are recorded
	}
	for _, a := range l.attempts {
		a.cancel(errRunLeft)
	}
}

// without takes an element out of a list that has no order.
func without[T comparable](list []T, x T) []T {
	for i := range list {
		if list[i] == x {
			last := len(list) - 1
			list[i] = list[last]
			clear(list[last:])
			return list[:last]
		}
	}
	return list
}

// deliver gives an operation its event and its branch the baton. mu is held.
func (l *life) deliver(o *op, ev flow.Event) {
	for i := range l.ops {
		if l.ops[i] == o {
			l.ops = append(l.ops[:i], l.ops[i+1:]...)
			break
		}
	}
	if o.timer != nil {
		o.timer.Stop()
	}
	l.conditions.count(o, -1)
	o.event = ev
	if o.taken != nil {
		*o.taken = ev
	}
	l.at = ev.At
	l.labels.seen = row.LabelMark{Seq: ev.Seq}
	o.branch.busy = false
	l.advancing = false
	l.give(o.branch)
}
