package engine

import (
	"fmt"

	"weft/flow"
)

// tell puts a notice into the ring. What it tells is durable.
func (e *Engine) tell(n flow.Notice) {
	n.At = flow.InstantOf(e.now())
	e.ring.put(n)
}

func (e *Engine) tellStarted(l *life) {
	e.tell(flow.Notice{Kind: flow.NoticeStarted, Ref: l.ref, Type: l.head.Type, Status: l.head.Status})
}

func (e *Engine) tellStep(l *life, ev flow.Event) {
	n := flow.Notice{Kind: flow.NoticeStep, At: flow.InstantOf(e.now()), Ref: l.ref, Type: l.head.Type, Step: ev.Step,
		Failed: ev.Failure != nil}
	switch {
	case ev.Failure != nil:
		n.Text = ": " + ev.Failure.Message
	case ev.TimedOut:
		n.Text = ": time limit passed"
	}
	e.ring.putStep(step{ev.StepKind, ev.Name}, n)
}

func (e *Engine) tellUpdate(l *life, ev flow.Event) {
	e.tell(flow.Notice{Kind: flow.NoticeStep, Ref: l.ref, Type: l.head.Type, Step: ev.Step,
		Text: stepText(ev.StepKind, ev.Name) + " accepted"})
}

func (e *Engine) tellAttempt(l *life, o *op, f *flow.Failure) {
	e.tell(flow.Notice{Kind: flow.NoticeAttempt, Ref: l.ref, Type: l.head.Type, Step: o.step, Failed: true,
		Text: fmt.Sprintf("%s attempt %d/%d: %s", o.what(), o.attempt-1, o.activity.retry.MaxAttempts, f.Message)})
}

func (e *Engine) tellParked(l *life) {
	n := flow.Notice{Kind: flow.NoticeWaiting, Ref: l.ref, Type: l.head.Type}
	if len(l.ops) > 0 {
		o := l.ops[len(l.ops)-1]
		n.Step, n.Text = o.step, o.what()
		if o.handed() {
			n.Text += ", waiting for completion from outside"
		}
		if o.due != 0 {
			n.Text += " until " + o.due.String()
		}
	}
	e.tell(n)
}

func (e *Engine) tellSignal(ref flow.Ref, typ, name string) {
	e.tell(flow.Notice{Kind: flow.NoticeSignal, Ref: ref, Type: typ, Text: name})
}

func (e *Engine) tellSuspended(ref flow.Ref, typ string, ev flow.Event) {
	e.tell(flow.Notice{Kind: flow.NoticeSuspended, Ref: ref, Type: typ, Status: flow.Suspended, Text: ev.Reason,
		Failed: true})
}

func (e *Engine) tellResumed(ref flow.Ref, typ string) {
	e.tell(flow.Notice{Kind: flow.NoticeResumed, Ref: ref, Type: typ, Status: flow.Running})
}

// tellEnded tells the ring and everyone who waits for the result.
func (e *Engine) tellEnded(ref flow.Ref, typ string, ev flow.Event) {
	n := flow.Notice{Kind: flow.NoticeEnded, Ref: ref, Type: typ, Status: ev.Status, Failed: ev.Status != flow.Completed}
	if ev.Failure != nil {
		n.Text = ev.Failure.Message
	}
	e.tell(n)
	e.waiters.ended(ref, ev)
	e.replies.ended(ref)
}
