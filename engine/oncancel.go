package engine

import (
	"fmt"
	"runtime/debug"
	"time"

	"weft/flow"
)

// OnCancel asks to have f called when the run is cancelled: after that is
// durable and the code has left memory, in the order of the calls, once. A
// branch's handlers are the run's and stay when the branch has ended. A
// time-out, and every other end, calls none.
//
// It is best effort. Handlers live in memory: code that is replayed asks anew,
// but a run that is parked or suspended when the cancel comes has none, and they
// are lost with the process. Those that were skipped, or panicked, are counted
// among the engine's problems ([flow.Info].Problems), by type. The cancel waits
// for them, for at most 10 s. What must happen belongs into the finalizer.
//
// f must not use a [Context]: the run has ended.
func (c *Context) OnCancel(f func()) {
	c.life.mu.Lock()
	defer c.life.mu.Unlock()
	c.life.onCancel = append(c.life.onCancel, f)
}

// handlers are what the code of one run has asked to have called at a cancel.
type handlers struct {
	eng  *Engine
	ref  flow.Ref
	typ  string
	list []func() // that have not been called
	left chan struct{}
	done chan struct{}
}

// callHandlers follows the batch that cancelled the run. was is what the life
// was about before: a run that was parked or suspended has no handlers any more,
// even if its code has not unwound yet. mu is held. The handlers are called
// apart; the channel closes when they are through, nil means there are none.
func (l *life) callHandlers(was leaveReason) <-chan struct{} {
	h := &handlers{eng: l.eng, ref: l.ref, typ: l.head.Type, list: l.onCancel,
		left: make(chan struct{}), done: make(chan struct{})}
	l.onCancel = nil
	switch {
	case l.cold, was == leaveParked, was == leaveSuspend, len(l.branches) == 0:
		h.skip(max(len(h.list), l.askedBefore()), "the run was not in memory")
		return nil
	case len(h.list) == 0:
		return nil
	}
	l.codeLeft = h.left
	l.eng.wg.Go(h.run)
	return h.done
}

// askedBefore is how many handlers the run had when it registered its waits.
func (l *life) askedBefore() (n int) {
	for _, w := range l.waits {
		n = max(n, w.Handlers)
	}
	return n
}

// tellLeft tells the handlers that the last branch of the code is through. mu is
// held.
func (l *life) tellLeft() {
	if l.codeLeft != nil && len(l.branches) == 0 {
		close(l.codeLeft)
		l.codeLeft = nil
	}
}

// run calls the handlers once the code is through: they share its variables.
func (h *handlers) run() {
	defer close(h.done)
	t := time.NewTimer(settleTimeout)
	defer t.Stop()
	select {
	case <-h.left:
		h.call()
	case <-t.C:
		h.skip(len(h.list), "the run's code does not leave memory")
	}
}

func (h *handlers) call() {
	defer func() {
		if len(h.list) > 0 {
			h.failed("it ended its goroutine with runtime.Goexit; a handler must not use its Context")
			h.list = h.list[1:]
			h.call()
		}
	}()
	for len(h.list) > 0 {
		h.one(h.list[0])
		h.list = h.list[1:]
	}
}

func (h *handlers) one(f func()) {
	defer func() {
		if r := recover(); r != nil {
			h.failed("panic: " + panicText(r))
		}
	}()
	f()
}

// failed counts a handler that did not come to its end.
func (h *handlers) failed(how string) {
	h.eng.log.Error("cancel handler", "run", h.ref, "problem", how, "stack", string(debug.Stack()))
	h.eng.tell(flow.Notice{Kind: flow.NoticeProblem, Ref: h.ref, Type: h.typ, Text: "cancel handler: " + how, Failed: true})
	h.eng.problemTimes(1, fmt.Sprintf("cancel handlers of type %s failed", h.typ), "the log says how")
}

// skip counts handlers that are not called.
func (h *handlers) skip(n int, why string) {
	if n == 0 {
		return
	}
	h.eng.log.Warn("cancel handlers skipped", "run", h.ref, "handlers", n, "because", why)
	h.eng.problemTimes(n, fmt.Sprintf("cancel handlers of type %s were skipped: %s", h.typ, why),
		"what must happen belongs into the finalizer")
}

// awaitHandlers waits until the handlers are through, but not for ever.
func (e *Engine) awaitHandlers(ref flow.Ref, through <-chan struct{}) {
	if through == nil {
		return
	}
	t := time.NewTimer(stuckAfter)
	defer t.Stop()
	select {
	case <-through:
	case <-t.C:
		e.problem(fmt.Sprintf("cancel handlers of run %s do not come to their end", ref), "see what they wait for")
	}
}
