package engine

import (
	"context"

	"weft/flow"
)

// ActivityCall is one attempt of an activity or a finalizer on its way to its
// function; [InfoOf] tells about the attempt. See Options.InterceptActivity.
type ActivityCall struct {
	// Name is the activity's, Input what it is called with: JSON.
	Name  string
	Input flow.Payload
	do    func(context.Context, flow.Payload) (flow.Payload, error)
}

// Do calls the activity's function with Input.
func (c ActivityCall) Do(ctx context.Context) (flow.Payload, error) { return c.do(ctx, c.Input) }

// callActivity is the one place where the engine calls activities and
// finalizers.
func (e *Engine) callActivity(ctx context.Context, name string,
	do func(context.Context, flow.Payload) (flow.Payload, error), input flow.Payload) (flow.Payload, error) {
	if e.o.InterceptActivity == nil {
		return do(ctx, input)
	}
	return e.o.InterceptActivity(ctx, ActivityCall{Name: name, Input: input, do: do})
}
