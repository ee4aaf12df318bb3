package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"weft/flow"
)

// Activity is a function that touches the world: it may take long, fail and be
// tried again. Its result is recorded before the workflow sees it. It runs at
// least once: if the process dies between its end and the record it runs
// again, with the same idempotency key ([Info.Key]).
//
// An Activity is a plain value; declare it as a package variable.
type Activity[I, O any] struct {
	// Name is recorded with each step and must stay the same: 1 to 200 bytes.
	Name string
	// Do does the work. It runs in its own goroutine. ctx ends when the
	// attempt times out, the run ends or the engine closes.
	Do func(ctx context.Context, in I) (O, error)
	// Timeout bounds one attempt; zero is no bound. A late result of a timed
	// out attempt is dropped.
	Timeout time.Duration
	// ScheduleToClose bounds all attempts together, back-offs included,
	// counted from the first one; zero is no bound.
	ScheduleToClose time.Duration
	// HeartbeatTimeout is the longest time between two calls of [Heartbeat];
	// zero is no bound.
	HeartbeatTimeout time.Duration
	// Retry says how failures are retried; see there for the defaults.
	Retry Retry
}

// Run runs the activity as the next step, with its retries, and returns its
// recorded outcome. The error is a [*flow.Failure], the one of the last attempt;
// it is [errors.Is] the [Code] that the activity failed with.
func (a Activity[I, O]) Run(ctx *Context, in I) (O, error) {
	var zero O
	payload, err := encode(in)
	if err != nil {
		return zero, systemFailure(CodeEncoding, "activity %s: input: %v", a.Name, err)
	}
	o, err := a.newOp(payload)
	if err != nil {
		return zero, systemFailure("bad-activity", "activity %s: %v", a.Name, err)
	}
	return outcomeOf[O](ctx.perform(o))
}

// newOp is the operation that runs the activity.
func (a Activity[I, O]) newOp(payload flow.Payload) (*op, error) {
	retry, err := a.check()
	if err != nil {
		return nil, err
	}
	c := &activityCall[I, O]{Activity: a}
	c.task = task{fn: c, input: payload, retry: retry, timeout: a.Timeout,
		scheduleToClose: a.ScheduleToClose, heartbeat: a.HeartbeatTimeout}
	c.op = op{kind: flow.StepActivity, name: a.Name, digest: flow.DigestOf(payload), activity: &c.task}
	return &c.op, nil
}

// activityCall is what a step of an activity needs, in one piece of memory.
type activityCall[I, O any] struct {
	op   op
	task task
	Activity[I, O]
}

func (a Activity[I, O]) check() (Retry, error) {
	retry, err := a.Retry.resolve()
	switch {
	case err != nil:
		return retry, err
	case a.Do == nil:
		return retry, errors.New("has no Do function")
	case a.Timeout < 0 || a.ScheduleToClose < 0 || a.HeartbeatTimeout < 0:
		return retry, errors.New("has a negative timeout")
	}
	return retry, flow.CheckName("activity name", a.Name)
}

// do decodes, runs and encodes. Without a context it runs nothing and checks the
// input as a result that a person gave. What cannot be decoded or encoded will not be
// so the next time either: permanent.
func (a Activity[I, O]) do(ctx context.Context, input flow.Payload) (flow.Payload, error) {
	if ctx == nil {
		return nil, decodeStrict[O]("result of activity "+a.Name, input)
	}
	in, err := decode[I](input)
	if err != nil {
		return nil, systemFailure(CodeEncoding, "activity %s: input: %v", a.Name, err)
	}
	out, err := a.Do(ctx, in)
	if err != nil {
		return nil, err
	}
	p, err := encode(out)
	if err != nil {
		return nil, systemFailure(CodeEncoding, "activity %s: result: %v", a.Name, err)
	}
	return p, nil
}

// outcomeOf is what code sees of a step: always the decoded record.
func outcomeOf[O any](ev flow.Event) (O, error) {
	var zero O
	if ev.Failure != nil {
		return zero, ev.Failure
	}
	out, err := decode[O](ev.Output)
	if err != nil {
		return zero, systemFailure(CodeEncoding, "step %s, %s %s: result: %v", ev.Step, ev.StepKind, ev.Name, err)
	}
	return out, nil
}

// function is what an activity does, without its types.
type function interface {
	do(context.Context, flow.Payload) (flow.Payload, error)
}

// task is an activity with its input, without its types.
type task struct {
	fn              function
	input           flow.Payload
	retry           Retry
	timeout         time.Duration
	scheduleToClose time.Duration
	heartbeat       time.Duration
}

// Info tells an activity about its attempt.
type Info struct {
	// Ref is the run, Step the step of it.
	Ref  flow.Ref
	Step flow.StepPath
	// Key is the same in every attempt of the step and differs between steps:
	// an idempotency key for whatever the activity calls.
	Key string
	// Attempt counts from 1. After a crash an attempt that had not failed is
	// made again under its number.
	Attempt int
	// FirstAt is when the first attempt began, durable from its failure on.
	FirstAt time.Time
}

type (
	attemptKey   struct{}
	finalizerKey struct{}
)

// InfoOf tells about the attempt that ctx belongs to; the zero Info outside of
// one. Called as a finalizer, FirstAt is when the teardown became owed, Step is
// empty and Key is that of the teardown.
func InfoOf(ctx context.Context) Info {
	if a, ok := ctx.Value(attemptKey{}).(*attempt); ok {
		return a.info()
	}
	info, _ := ctx.Value(finalizerKey{}).(Info)
	return info
}

// ErrStaleAttempt means the attempt is over: it timed out, or the run ended.
// Stop working.
var ErrStaleAttempt = errors.New("this attempt is over")

// Heartbeat says that the attempt is alive and leaves details for the next
// one. Details become durable at most once a second; the newest are also
// recorded when the attempt fails. It fails with [ErrStaleAttempt] when the
// attempt is over, and outside of one.
func Heartbeat(ctx context.Context, details any) error {
	a, ok := ctx.Value(attemptKey{}).(*attempt)
	if !ok {
		return fmt.Errorf("heartbeat outside of an activity: %w", ErrStaleAttempt)
	}
	p, err := encode(details)
	if err != nil {
		return fmt.Errorf("heartbeat details: %w", err)
	}
	if err := a.life.weigh(p, "heartbeat details", a.op); err != nil {
		return fmt.Errorf("heartbeat details: %w", err)
	}
	return a.beat(p)
}

// Details reads what the latest durable heartbeat of an earlier attempt left;
// false when there is none.
func Details[T any](ctx context.Context) (T, bool) {
	var zero T
	a, ok := ctx.Value(attemptKey{}).(*attempt)
	if !ok || a.earlier == nil {
		return zero, false
	}
	v, err := decode[T](a.earlier)
	return v, err == nil
}
