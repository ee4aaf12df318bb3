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
	fn    function
}

// Do calls the activity's function with Input.
func (c ActivityCall) Do(ctx context.Context) (flow.Payload, error) { return c.fn.do(ctx, c.Input) }

// callActivity is the one place where the engine calls activities and
// finalizers.
func (e *Engine) callActivity(ctx context.Context, name string, fn function, input flow.Payload) (flow.Payload, error) {
	if e.o.InterceptActivity == nil {
		return fn.do(ctx, input)
	}
	return e.o.InterceptActivity(ctx, ActivityCall{Name: name, Input: input, fn: fn})
}
