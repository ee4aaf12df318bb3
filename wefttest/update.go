package wefttest

import (
	"context"

	"weft/engine"
	"weft/flow"
)

// Update sends an update to the run that has the id and returns its reply, or why
// there is none: what the handler returned, what a validator refused, an end
// before the reply. When the process dies meanwhile, the next one is asked with
// the same update id, so the update is handled once.
func Update[I, O any](v *Env, u engine.Update[I, O], id flow.WorkflowID, in I) (O, error) {
	v.Helper()
	once := engine.UpdateOptions{UpdateID: v.name("wefttest")}
	return asked(v, "update "+u.Name, func(ctx context.Context, e *engine.Engine) (O, error) {
		return u.CallWith(ctx, e, id, in, once)
	})
}

// Ask sends a query to the run that has the id and returns the answer.
func Ask[I, O any](v *Env, q engine.Query[I, O], id flow.WorkflowID, in I) (O, error) {
	v.Helper()
	return asked(v, "query "+q.Name, func(ctx context.Context, e *engine.Engine) (O, error) { return q.Ask(ctx, e, id, in) })
}

// asked asks the process that lives, for as long as the test may last.
func asked[O any](v *Env, what string, ask func(context.Context, *engine.Engine) (O, error)) (out O, err error) {
	v.Helper()
	ctx, cancel := context.WithTimeout(v.Context(), v.o.Limit)
	defer cancel()
	err = try(v, func(e *engine.Engine, _ int) (err error) {
		out, err = ask(ctx, e)
		return err
	})
	if ctx.Err() != nil {
		v.Fatalf("%s is not answered after %v of virtual time", what, v.o.Limit)
	}
	return out, err
}
