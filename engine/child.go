package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// maxDepth is how many ancestors a child may have.
const maxDepth = 10

// ChildOptions belong to one child. The zero value is right.
type ChildOptions struct {
	// ID names the child; "" derives a name from the parent's run and the step,
	// the same in every life. A name the code gives must not be that of a run that
	// is there.
	ID flow.WorkflowID
	// OnParentEnd says what the end of its parent means for a child that still
	// lives then; "" cancels it when its parent is cancelled or times out.
	OnParentEnd flow.ParentClose
	// Tags, Attributes and Deadline are as in [StartOptions].
	Tags       []string
	Attributes []AttributeSetting
	Deadline   time.Duration
	// Headers go to the child beside those of its parent, and before them.
	Headers map[string]string
}

// WorkflowRef names a workflow type where its value cannot be used: within its
// own code, or that of types which start each other.
type WorkflowRef[I, O any] struct {
	// Name is the type's registered name.
	Name string
}

// Child is a handle to a child.
type Child[O any] struct {
	ref   flow.Ref
	typ   string
	step  flow.StepPath
	taken *flow.Event // by the first Await; a zero event before
}

// Ref is the child's address.
func (c *Child[O]) Ref() flow.Ref { return c.ref }

// StartChild starts a child as the next step and returns without waiting for
// it. The child and the step are one batch. The error is a [*flow.Failure],
// with code "exists" when the id is taken, and "child-depth" when the run has 10
// ancestors already.
func (w Workflow[I, O]) StartChild(ctx *Context, in I, o ChildOptions) (*Child[O], error) {
	return WorkflowRef[I, O]{Name: w.Name}.StartChild(ctx, in, o)
}

// RunChild starts a child and waits for its end: [Workflow.StartChild], then
// [Child.Await].
func (w Workflow[I, O]) RunChild(ctx *Context, in I, o ChildOptions) (O, error) {
	return WorkflowRef[I, O]{Name: w.Name}.RunChild(ctx, in, o)
}

// RunChild is [Workflow.RunChild].
func (w WorkflowRef[I, O]) RunChild(ctx *Context, in I, o ChildOptions) (O, error) {
	c, err := w.StartChild(ctx, in, o)
	if err != nil {
		var zero O
		return zero, err
	}
	return c.Await(ctx)
}

// StartChild is [Workflow.StartChild].
func (w WorkflowRef[I, O]) StartChild(ctx *Context, in I, o ChildOptions) (*Child[O], error) {
	payload, err := encode(in)
	if err != nil {
		return nil, systemFailure(CodeEncoding, "child %s: input: %v", w.Name, err)
	}
	ev := ctx.perform(&op{kind: flow.StepChild, name: w.Name, digest: flow.DigestOf(payload, []byte(o.ID)),
		child: &birth{typ: w.Name, input: payload, o: o}})
	ref, err := outcomeOf[flow.Ref](ev)
	if err != nil {
		return nil, err
	}
	if o.OnParentEnd.Reached(flow.Completed) {
		ctx.life.mu.Lock()
		ctx.life.takesChildren = true
		ctx.life.mu.Unlock()
	}
	return &Child[O]{ref: ref, typ: w.Name, step: ev.Step, taken: new(flow.Event)}, nil
}

// Await waits for the child's end as the next step, as often as it is called,
// also in branches side by side. A child that did not complete is a
// [*flow.Failure] whose code is "child-" and its status, and whose cause is the
// child's own failure.
func (c *Child[O]) Await(ctx *Context) (O, error) {
	ev := ctx.perform(&op{kind: flow.StepWait, name: "child " + c.typ, digest: flow.DigestOf([]byte(c.step)),
		awaits: c.step, taken: c.taken})
	return outcomeOf[O](ev)
}

// birth is a child that is to be started.
type birth struct {
	typ   string
	input flow.Payload
	o     ChildOptions
}

// childID derives a name that no other step of any run has.
func childID(parent flow.Ref, step flow.StepPath) flow.WorkflowID {
	run := string(parent.Run)
	id := fmt.Sprintf("%s/%s/%s", parent.ID, step, run[len(run)-6:])
	if len(id) <= flow.MaxName {
		return flow.WorkflowID(id)
	}
	sum := sha256.Sum256([]byte(string(parent.ID) + "\x00" + run + "\x00" + string(step)))
	return flow.WorkflowID("child-" + hex.EncodeToString(sum[:16]))
}

// settleBirth starts a child in the batch of its step. mu is held.
func (l *life) settleBirth(o *op) (flow.Event, bool) {
	ev, _ := l.event(outcome{op: o})
	born := flow.Ref{}
	var timers []row.Timer
	var ready []byte
	if !l.commitStep(func(b *store.Batch) {
		born, timers = flow.Ref{}, nil
		ev.Output, ev.Failure = nil, nil
		if child, failure := l.bear(b, o); failure != nil {
			ev.Failure = failure
		} else {
			born, timers = child.ref, l.eng.putDeadline(b, child.ref, &child.head)
			ev.Output = mustJSON(born)
			l.putChild(b, o, child)
		}
		l.expectNext(b, ev.Seq)
		l.stepBatch(b, o, ev, nil)
		ready = l.putReady(b)
		l.putStaged(b)
	}) {
		return ev, false
	}
	l.ready.adopt(ready, l.guard.at)
	if born.Run != "" {
		l.eng.timers.Added(timers...)
		l.eng.tell(flow.Notice{Kind: flow.NoticeStarted, Ref: born, Type: o.child.typ, Status: flow.Running})
		l.eng.wg.Go(func() { l.eng.wake(born) }) // apart: it takes the lock of all lives
	}
	return ev, true
}

// newborn is a child's head before it is put.
type newborn struct {
	ref  flow.Ref
	head row.Head
}

// bear makes the child's head, or says why there can be no such child. The batch
// becomes conditional on the id being free.
func (l *life) bear(b *store.Batch, o *op) (newborn, *flow.Failure) {
	c := o.child
	def, ok := l.eng.types[c.typ]
	if !ok {
		return newborn{}, systemFailure("unknown-type", "%v",
			&flow.UnknownError{What: "workflow type", Name: c.typ, Known: l.eng.types.names()})
	}
	depth := 1
	if l.head.Parent != nil {
		depth = l.head.Parent.Depth + 1
	}
	if depth > maxDepth {
		return newborn{}, systemFailure("child-depth", "%v", &flow.LimitError{Limit: "ancestors of a child", Got: depth, Max: maxDepth})
	}
	request := startRequest{typ: c.typ, input: c.input, StartOptions: StartOptions{ID: c.o.ID, Tags: c.o.Tags,
		Attributes: c.o.Attributes, Deadline: c.o.Deadline, Headers: handOn(l.head.Headers, c.o.Headers)}}
	if err := request.check(); err != nil {
		return newborn{}, systemFailure("bad-child", "child %s: %v", c.typ, err)
	}
	if err := l.weigh(c.input, "child input", o); err != nil {
		return newborn{}, systemFailure(CodeEncoding, "child %s: input: %v", c.typ, err)
	}
	if !c.o.OnParentEnd.Valid() {
		return newborn{}, systemFailure("bad-child", "child %s: OnParentEnd %q: is none of abandon, request-cancel, terminate", c.typ, c.o.OnParentEnd)
	}
	id := c.o.ID
	if id == "" {
		id = childID(l.ref, o.step)
	}
	old, g, err := l.eng.readHead(id)
	if err != nil {
		return newborn{}, systemFailure("bad-child", "child %s: %v", c.typ, err)
	}
	if g.raw != nil {
		return newborn{}, &flow.Failure{Code: "exists", Category: flow.Application, Permanent: true,
			Message: (&flow.ExistsError{Ref: flow.Ref{ID: id, Run: old.Run}, Status: old.Status}).Error()}
	}
	b.Expect(g.key, nil, g.at)
	now := l.eng.now()
	head := startHead(request, def, newRunID(now), now)
	head.Parent = &row.Parent{ID: l.ref.ID, Run: l.ref.Run, Step: o.step, Depth: depth}
	return newborn{ref: flow.Ref{ID: id, Run: head.Run}, head: head}, nil
}

// putChild puts the rows of a newborn child.
func (l *life) putChild(b *store.Batch, o *op, c newborn) {
	h := c.head
	b.Put(row.HeadKey(c.ref.ID), row.EncodeHead(h))
	putLabelRows(b, c.ref.ID, &row.Head{}, &h)
	b.Put(row.EventKey(c.ref, 1), row.EncodeEvent(flow.Event{Kind: flow.EventStarted, At: h.CreatedAt, Output: o.child.input}))
	b.Put(row.ReadyKey(c.ref), row.EncodeReady(row.Ready{Generation: l.eng.arrival()}))
	b.Put(row.IndexKey(h.Type, h.Version, h.Status, h.CreatedAt, c.ref.ID), []byte(c.ref.Run))
	b.Add(row.CountKey(h.Type, h.Version, h.Status), 1)
	b.Put(row.ChildKey(l.ref, o.step), row.EncodeChild(row.Child{ID: c.ref.ID, Run: c.ref.Run, Type: h.Type,
		Close: o.child.o.OnParentEnd}))
}

// mustJSON encodes plain data of ours.
func mustJSON(v any) flow.Payload {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("engine: encode %T: %v", v, err))
	}
	return raw
}
