package engine_test

import (
	"context"
	"fmt"
	"time"

	"weft/engine"
	"weft/flow"
)

var (
	Stage   = engine.Query[engine.Void, string]{Name: "stage"}
	Ready   = engine.Signal[string]{Name: "ready"}
	Confirm = engine.Update[string, engine.Void]{Name: "confirm"}
)

// A query looks at the code's variables. It is answered while the run waits,
// without waking it, and when it has ended.
func ExampleQuery() {
	w := engine.Workflow[engine.Void, string]{Name: "build", Version: "1", Signals: []engine.Message{Ready},
		Queries: []engine.AnyQuery{Stage},
		Do: func(ctx *engine.Context, _ engine.Void) (string, error) {
			stage := "compiling"
			Stage.Answer(ctx, func(engine.Void) (string, error) { return stage, nil })
			got, err := Ready.Wait(ctx)
			stage = "built " + got
			return stage, err
		}}
	on(typed(w), func(ctx context.Context, e *engine.Engine) {
		run, err := w.Start(ctx, e, engine.Void{}, engine.StartOptions{ID: "b-1"})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(Stage.Ask(ctx, e, "b-1", engine.Void{}))
		if err := Ready.Send(ctx, e, "b-1", "kernel"); err != nil {
			fmt.Println(err)
		}
		fmt.Println(run.Result(ctx))
		fmt.Println(Stage.Ask(ctx, e, "b-1", engine.Void{}))
	})
	// Output:
	// compiling <nil>
	// built kernel <nil>
	// built kernel <nil>
}

// Two people have to confirm, within a day. The condition looks at what the
// handler has changed.
func ExampleContext_WaitUntilFor() {
	w := engine.Workflow[engine.Void, string]{Name: "release", Version: "1", Updates: []engine.AnyUpdate{Confirm},
		Do: func(ctx *engine.Context, _ engine.Void) (string, error) {
			by := map[string]bool{}
			Confirm.Handle(ctx, func(_ *engine.Context, who string) (engine.Void, error) { by[who] = true; return engine.Void{}, nil })
			ok, err := ctx.WaitUntilFor(24*time.Hour, func() bool { return len(by) == 2 })
			if err != nil || !ok {
				return "not released", err
			}
			return "released", ctx.FinishHandlers() // the last one gets his reply, too
		}}
	on(typed(w), func(ctx context.Context, e *engine.Engine) {
		run, err := w.Start(ctx, e, engine.Void{}, engine.StartOptions{ID: "v1"})
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, who := range []string{"ana", "ana", "bo"} {
			if _, err := Confirm.Call(ctx, e, "v1", who); err != nil {
				fmt.Println(err)
			}
		}
		fmt.Println(run.Result(ctx))
	})
	// Output: released <nil>
}

// Headers go along to everything that a start sets going.
func ExampleHeader() {
	charge := engine.Activity[int, string]{Name: "charge", Timeout: time.Minute,
		Do: func(ctx context.Context, cents int) (string, error) {
			return fmt.Sprintf("%d cents for %s", cents, engine.Header(ctx, "tenant")), nil
		}}
	child := engine.Workflow[int, string]{Name: "invoice", Do: func(ctx *engine.Context, cents int) (string, error) { return charge.Run(ctx, cents) }}
	parent := engine.Workflow[int, string]{Name: "month", Do: func(ctx *engine.Context, cents int) (string, error) {
		return child.RunChild(ctx, cents, engine.ChildOptions{})
	}}
	on(typed(parent, child), func(ctx context.Context, e *engine.Engine) {
		run, err := parent.Start(ctx, e, 250, engine.StartOptions{Headers: map[string]string{"tenant": "acme"}})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(run.Result(ctx))
	})
	// Output: 250 cents for acme <nil>
}

// What operators do is a value of package flow. It is audited, with who and why.
func ExampleOperator() {
	w := engine.Workflow[engine.Void, engine.Void]{Name: "nap", Version: "1",
		Do: func(ctx *engine.Context, _ engine.Void) (engine.Void, error) {
			return engine.Void{}, ctx.Sleep(time.Hour)
		}}
	on(typed(w), func(ctx context.Context, e *engine.Engine) {
		run, err := w.Start(ctx, e, engine.Void{}, engine.StartOptions{ID: "n-1"})
		if err != nil {
			fmt.Println(err)
			return
		}
		_, err = e.Operator().Do(ctx, flow.Act{Actor: "ana", Why: "enough", Deed: flow.CancelRun{Target: flow.Ref{ID: "n-1"}}})
		fmt.Println(err)
		_, err = run.Result(ctx)
		fmt.Println(err)
		page, err := e.Operator().Page(ctx, flow.Query{Of: flow.ListAudit})
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, a := range page.Audit {
			fmt.Println(a.Actor, a.Verb, a.Target.ID, a.Why)
		}
	})
	// Output:
	// <nil>
	// workflow "n-1" cancelled: enough
	// ana cancel n-1 enough
}
