package engine

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"weft/engine/row"
	"weft/engine/teardown"
	"weft/flow"
	"weft/store"
)

// ContinueOptions belong to one continuation. The zero value is right.
type ContinueOptions struct {
	// Deadline is how long the next run may take, from its beginning. Zero keeps
	// the instant that was set when the first was started, if any.
	Deadline time.Duration
}

// ContinueAsNew ends this run and begins the next one under the same id, with a
// new input and an empty journal. It returns what the code must return:
//
//	return self.ContinueAsNew(ctx, in, engine.ContinueOptions{})
//
// where self is a [WorkflowRef], because code cannot name the value that holds
// it. Both happen in one batch: at no instant are there two runs, or none. Code
// whose loop has no end continues as new before its journal gets long.
//
// What goes over: the id, tags, attributes, headers, deadline, the parent, state recorded for the
// finalizer, and the signals that were not taken, in their order; the id of a
// signal is remembered for one more run after the one that took it.
// Whoever waits for the result, or for this child, gets that of the last run.
// Children stay those of the id: they are ended as their policy says when the
// last run ends, but the next run cannot await them. What does not go over:
// attempts and branches under way, which are called off, handlers of
// [Context.OnCancel], and updates with their ids and replies: wait for the
// handlers with [Context.FinishHandlers] first.
//
// The next run has the version that is registered now. The journal is removed;
// what is kept of the last [KeptGenerations] runs is [flow.Detail].Past.
func (w WorkflowRef[I, O]) ContinueAsNew(ctx *Context, in I, o ContinueOptions) (O, error) {
	var zero O
	payload, err := encode(in)
	switch {
	case err != nil:
		return zero, systemFailure(CodeEncoding, "continue as new %s: input: %v", w.Name, err)
	case o.Deadline < 0:
		return zero, systemFailure("bad-continuation", "continue as new %s: deadline %v is negative", w.Name, o.Deadline)
	}
	return zero, &continuation{life: ctx.life, typ: w.Name, input: payload, o: o}
}

// continuation is how code says that its run goes on as a new one. It is an
// error so that the code cannot go on with a result.
type continuation struct {
	life  *life
	typ   string
	input flow.Payload
	o     ContinueOptions
}

func (c *continuation) Error() string {
	return "continue as new " + c.typ + ": must be returned by the workflow's own code"
}

func continuationIn(err error) *continuation {
	var c *continuation
	if err == nil || !errors.As(err, &c) {
		return nil
	}
	return c
}

const (
	// KeptGenerations is how many runs that continued as new an id keeps an
	// account of.
	KeptGenerations = 32
	// maxCarried is how many living children may be handed on, and how many
	// signal ids are forgotten at once.
	maxCarried = 2000
)

// continueAs ends the life's run and begins the next one. Acts that came before
// the code was through are done first: a run that continues without end must
// not escape them. mu is held, advancing is the caller's.
func (l *life) continueAs(c *continuation) {
	if l.trial != nil {
		l.trial.at = c.Error()
		l.dismissLocked(leaveEnded)
		return
	}
	for len(l.acts) > 0 {
		if l.nextAct(); l.leaving != stay {
			return
		}
	}
	def, ok := l.eng.types[c.typ]
	if !ok {
		_ = l.failWith(systemFailure("unknown-type", "continue as new: %v", // see leaving
			&flow.UnknownError{What: "workflow type", Name: c.typ, Known: l.eng.types.names()}))
		return
	}
	if err := l.eng.weigh(c.input, cargo{ref: l.ref, typ: l.head.Type, kind: "input to continue with", name: c.typ}); err != nil {
		_ = l.failWith(systemFailure(CodeEncoding, "continue as new %s: input: %v", c.typ, err)) // see leaving
		return
	}
	if l.stale && !l.lookAgain(nil) {
		return
	}
	h := &handover{continuation: c, def: def, life: l}
	if l.commitExact(h.put) != nil {
		if h.problem != nil && l.leaving == stay {
			_ = l.failWith(h.problem) // see leaving
		}
		return
	}
	l.dismissLocked(leaveEnded)
	l.again = false
	h.tell()
}

func (l *life) failWith(f *flow.Failure) error {
	return l.endWith(flow.Event{Seq: l.seq + 1, Kind: flow.EventEnded, Status: flow.Failed, Summary: l.summary, Failure: f}, nil)
}

// box is where signals to the run are buffered.
func (l *life) box() flow.Ref { return l.head.Box(l.ref.ID) }

// handover is the batch between two runs of a chain.
type handover struct {
	*continuation
	def     *definition
	life    *life
	next    row.Head
	timers  []row.Timer
	problem *flow.Failure // why it cannot be
}

func (h *handover) ref() flow.Ref { return flow.Ref{ID: h.life.ref.ID, Run: h.next.Run} }

// put adds all that changes.
func (h *handover) put(b *store.Batch) error {
	l := h.life
	now := l.eng.now()
	h.next, h.timers = h.successor(l.labelled(), now), nil
	changeHead(b, l.ref.ID, l.head, h.next)
	b.Put(row.EventKey(h.ref(), 1), row.EncodeEvent(flow.Event{Kind: flow.EventStarted, At: h.next.CreatedAt, Output: h.input}))
	b.Delete(row.ReadyKey(l.ref))
	b.Put(row.ReadyKey(h.ref()), row.EncodeReady(row.Ready{Generation: l.eng.arrival()}))
	l.clearWaits(b)
	if h.next.Deadline != 0 {
		h.timers = []row.Timer{{Due: h.next.Deadline, Ref: h.ref(), Step: row.StepDeadline}}
		b.Put(row.TimerKey(h.next.Deadline, h.ref(), row.StepDeadline), nil)
	}
	h.putPast(b)
	l.forgetIDs(b)
	l.openSignals(b)
	if err := h.dropUpdates(b); err != nil {
		return err
	}
	if err := h.carryState(b); err != nil {
		return err
	}
	takes, err := h.carryChildren(b)
	if takes != h.next.TakesChildren && err == nil {
		h.next.TakesChildren = takes
		b.Put(row.HeadKey(l.ref.ID), row.EncodeHead(h.next))
	}
	return err
}

// successor is the head of the next run.
func (h *handover) successor(old row.Head, now time.Time) row.Head {
	at := max(flow.InstantOf(now), old.CreatedAt) // also when the clock was set back
	next := row.Head{Run: runIDAfter(now, old.Run), Type: h.def.name, Version: h.def.version, Status: flow.Running,
		CreatedAt: at, StartedAt: at, ChangedAt: at, Tags: old.Tags, Attributes: old.Attributes, Headers: old.Headers, Deadline: old.Deadline, Limit: old.Limit,
		Services: old.Services, Parent: old.Parent, First: old.Chain(), Generation: old.Generation + 1}
	if h.o.Deadline > 0 {
		next.Limit = max(h.o.Deadline.Milliseconds(), 1)
		next.Deadline = at.Add(time.Duration(next.Limit) * time.Millisecond)
	}
	return next
}

// putPast replaces the journal by an account of it, and drops the oldest
// account.
func (h *handover) putPast(b *store.Batch) {
	l := h.life
	if l.seq > manyRows {
		b.DeleteRange(row.EventPrefix(l.ref), store.PrefixEnd(row.EventPrefix(l.ref)))
	} else {
		for seq := flow.EventSeq(1); seq <= l.seq; seq++ {
			b.Delete(row.EventKey(l.ref, seq))
		}
	}
	old := &l.head
	b.Put(row.PastKey(l.ref.ID, old.Generation), row.EncodePast(row.Past{Run: old.Run, Type: old.Type, Version: old.Version,
		CreatedAt: old.CreatedAt, ClosedAt: h.next.CreatedAt, Events: l.seq, Summary: l.summary}))
	if old.Generation >= KeptGenerations {
		b.Delete(row.PastKey(l.ref.ID, old.Generation-KeptGenerations))
	}
}

// dropUpdates removes the rows of updates, whose replies go with the journal.
func (h *handover) dropUpdates(b *store.Batch) error {
	prefix, n := row.UpdatePrefix(h.life.ref), 0
	for kv, err := range h.life.eng.store.Scan(store.Prefix(prefix)) {
		if err != nil {
			return err
		}
		if n++; n > manyRows {
			b.DeleteRange(prefix, store.PrefixEnd(prefix))
			return nil
		}
		b.Delete(bytes.Clone(kv.Key)) // it is lent
	}
	return nil
}

// keepID notes, in the batch that takes a signal, that this generation knows its
// id: it is remembered from now on, not from when it was sent.
func (l *life) keepID(b *store.Batch, s *buffered) {
	if s.ID == "" || l.head.Generation == 0 {
		return
	}
	key := row.SignalIDKey(l.box(), s.Name, s.ID)
	b.Put(key, row.EncodeGeneration(l.head.Generation))
	l.signals.remember(key, l.head.Generation) // early, if the commit fails: it is kept longer
}

// forgetIDs drops the ids of signals that an earlier run than this took, so that
// a chain without end does not remember all of them.
func (l *life) forgetIDs(b *store.Batch) {
	waiting := map[string]bool{}
	for _, s := range l.signals.queue {
		if s.ID != "" {
			waiting[string(row.SignalIDKey(l.box(), s.Name, s.ID))] = true
		}
	}
	n := 0
	for key, generation := range l.signals.ids {
		if generation < l.head.Generation && !waiting[key] && n < maxCarried {
			b.Delete([]byte(key))
			n++
		}
	}
}

// carryState hands on what was recorded for the finalizer.
func (h *handover) carryState(b *store.Batch) error {
	l := h.life
	for _, p := range l.pieces { // their saga has ended: the code knows
		teardown.DropPiece(b, l.ref, p.Seq)
	}
	if l.stored {
		if err := teardown.CarryState(l.eng.store, b, l.ref, h.ref()); err != nil {
			return err
		}
	}
	if l.staged != nil {
		teardown.PutState(b, h.ref(), *l.staged)
	}
	return nil
}

// carryChildren links the children that live to the next run, so that the end of
// the chain reaches them.
func (h *handover) carryChildren(b *store.Batch) (takes bool, err error) {
	l := h.life
	n := 0
	for kv, err := range l.eng.store.Scan(store.Prefix(row.ChildPrefix(l.ref))) {
		if err != nil {
			return false, err
		}
		_, step, ok := row.ParseChild(row.FamilyChild, kv.Key)
		c, bad := row.DecodeChild(kv.Value)
		if n++; n <= manyRows {
			b.Delete(bytes.Clone(kv.Key)) // it is lent
		}
		if !ok || bad != nil || c.Close == flow.Abandon {
			continue
		}
		head, g, err := l.eng.readHead(c.ID)
		if err == nil && (g.raw == nil || head.Chain() != c.Run || head.Status.Terminal()) {
			continue // it needs no link any more
		}
		if n > maxCarried {
			h.problem = systemFailure(CodeTooMany, "continue as new: more than %d children were started in one run: %v", maxCarried,
				&flow.LimitError{Limit: "children handed on", Got: n, Max: maxCarried})
			return false, h.problem
		}
		takes = takes || c.Close.Reached(flow.Completed)
		b.Put(row.ChildKey(h.ref(), carriedStep(l.head.Generation, step)), row.EncodeChild(c))
	}
	if n > manyRows {
		b.DeleteRange(row.ChildPrefix(l.ref), store.PrefixEnd(row.ChildPrefix(l.ref)))
	}
	return takes, nil
}

// carriedStep keeps apart the steps of the generations that started children.
func carriedStep(generation int, step flow.StepPath) flow.StepPath {
	for i := range len(step) {
		if step[i] == '~' {
			return step
		}
	}
	return flow.StepPath(fmt.Sprintf("%d~%s", generation, step))
}

// tell lets everyone know of the durable hand-over, and launches the next run.
func (h *handover) tell() {
	e, old, next := h.life.eng, h.life.ref, h.ref()
	e.timers.Added(h.timers...)
	e.tell(flow.Notice{Kind: flow.NoticeContinued, Ref: old, Type: h.life.head.Type, Text: "as " + next.String()})
	e.tell(flow.Notice{Kind: flow.NoticeStarted, Ref: next, Type: h.next.Type, Status: flow.Running})
	e.waiters.continued(old, next)
	e.replies.ended(old)
	e.wg.Go(func() { e.wake(next) }) // apart: it takes the lock of all lives
}
