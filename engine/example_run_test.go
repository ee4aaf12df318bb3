package engine_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"weft/engine"
	"weft/flow"
)

// engineID names the child for one element: the same name in every life.
func engineID(ctx *engine.Context, element string) flow.WorkflowID {
	return flow.WorkflowID(string(ctx.Ref().ID) + "-" + element)
}

func ExampleSignal() {
	approved := engine.Signal[string]{Name: "approved"}
	review := engine.Workflow[string, string]{Name: "review", Signals: []engine.Message{approved},
		Do: func(ctx *engine.Context, _ string) (string, error) {
			by, ok, err := approved.WaitFor(ctx, 48*time.Hour)
			if err != nil || !ok {
				return "nobody answered", err
			}
			return "approved by " + by, nil
		}}
	on(typed(review), func(ctx context.Context, e *engine.Engine) {
		run, _ := review.Start(ctx, e, "", engine.StartOptions{ID: "r-1"})
		for range 2 { // the id makes the second change nothing
			err := approved.SendWith(ctx, e, "r-1", "bo", engine.SendOptions{SignalID: "mail-7"})
			if err != nil && !errors.Is(err, flow.ErrFinished) {
				fmt.Println(err)
			}
		}
		fmt.Println(run.Result(ctx))
	})
	// Output: approved by bo <nil>
}

func ExampleStartOrSignal() {
	item := engine.Signal[string]{Name: "item"}
	cart := engine.Workflow[engine.Void, []string]{Name: "cart", Signals: []engine.Message{item},
		Do: func(ctx *engine.Context, _ engine.Void) (all []string, err error) {
			for range 2 {
				next, err := item.Wait(ctx)
				if err != nil {
					return nil, err
				}
				all = append(all, next)
			}
			return all, nil
		}}
	on(typed(cart), func(ctx context.Context, e *engine.Engine) {
		for _, what := range []string{"shoe", "hat"} {
			_, started, err := engine.StartOrSignal(ctx, e, cart, engine.Void{}, engine.StartOptions{ID: "cart-ana"},
				item, what, engine.SendOptions{})
			fmt.Println(started, err)
		}
		run, _ := engine.Handle[[]string](e, "cart-ana")
		fmt.Println(run.Result(ctx))
	})
	// Output:
	// true <nil>
	// false <nil>
	// [shoe hat] <nil>
}

func ExampleWorkflow_Start() {
	w := flowOf(func(ctx *engine.Context, in string) (string, error) { return upper.Run(ctx, in) })
	on(typed(w), func(ctx context.Context, e *engine.Engine) {
		o := engine.StartOptions{IdempotencyKey: "mail-7", Deadline: time.Hour, Tags: []string{"eu"}}
		a, err := w.Start(ctx, e, "once", o)
		b, again := w.Start(ctx, e, "once", o)
		fmt.Println(a.Ref() == b.Ref(), err, again)
		_, taken := w.Start(ctx, e, "other", engine.StartOptions{ID: a.Ref().ID})
		fmt.Println(errors.Is(taken, flow.ErrExists))
	})
	// Output:
	// true <nil> <nil>
	// true
}

func ExampleContext_Version() {
	show(flowOf(func(ctx *engine.Context, in string) (string, error) {
		v, err := ctx.Version("shout-twice", 0, 1)
		if err != nil {
			return "", err
		}
		out, err := upper.Run(ctx, in)
		if v == 0 || err != nil { // runs that were here before the change
			return out, err
		}
		more, err := upper.Run(ctx, in)
		return out + more, err
	}), "ho")
	// Output: HOHO <nil>
}

func ExampleServices() {
	type cloud struct{ region string }
	w := flowOf(func(ctx *engine.Context, _ engine.Void) (string, error) {
		return engine.Services[*cloud](ctx).region, nil
	})
	o := typed(w)
	o.Services = func(engine.ServiceRequest) (any, error) { return &cloud{"eu-1"}, nil } // for each life of the run
	on(o, func(ctx context.Context, e *engine.Engine) {
		run, _ := w.Start(ctx, e, engine.Void{}, engine.StartOptions{NeedsServices: true})
		fmt.Println(run.Result(ctx))
	})
	// Output: eu-1 <nil>
}

func ExampleSetFinalizerState() {
	type box struct{ Name string }
	removed := make(chan string, 1)
	remove := engine.Activity[box, engine.Void]{Name: "remove", Timeout: time.Minute,
		Do: func(_ context.Context, b box) (engine.Void, error) { removed <- b.Name; return engine.Void{}, nil }}
	create := engine.Activity[box, engine.Void]{Name: "create", Timeout: time.Minute,
		Do: func(context.Context, box) (engine.Void, error) { return engine.Void{}, nil }}
	w := engine.Workflow[string, engine.Void]{Name: "boxed", Finalizer: remove,
		Do: func(ctx *engine.Context, name string) (engine.Void, error) {
			b := box{name}
			if err := engine.SetFinalizerState(ctx, remove, b); err != nil { // the intent first
				return engine.Void{}, err
			}
			if _, err := create.Run(ctx, b); err != nil { // then the call
				return engine.Void{}, err
			}
			return engine.Void{}, ctx.Sleep(24 * time.Hour)
		}}
	on(typed(w), func(ctx context.Context, e *engine.Engine) {
		run, _ := w.Start(ctx, e, "b-7", engine.StartOptions{ID: "boxed-7"})
		_, err := e.Operator().Do(ctx, flow.Act{Actor: "ana", Why: "not needed", Deed: flow.CancelRun{Target: run.Ref()}})
		fmt.Println(err)
		fmt.Println("removed", <-removed)
	})
	// Output:
	// <nil>
	// removed b-7
}

func ExampleContext_OnCancel() {
	w := flowOf(func(ctx *engine.Context, _ engine.Void) (engine.Void, error) {
		ctx.OnCancel(func() { fmt.Println("a courtesy, if the run is in memory") })
		return engine.Signal[engine.Void]{Name: "never"}.Wait(ctx)
	})
	on(typed(w), func(ctx context.Context, e *engine.Engine) {
		run, _ := w.Start(ctx, e, engine.Void{}, engine.StartOptions{ID: "w"})
		_, err := e.Operator().Do(ctx, flow.Act{Actor: "ana", Deed: flow.CancelRun{Target: run.Ref()}})
		fmt.Println(err)
	})
	// Output:
	// a courtesy, if the run is in memory
	// <nil>
}

func ExampleActivityCall() {
	w := flowOf(func(ctx *engine.Context, in string) (string, error) { return upper.Run(ctx, in) })
	o := typed(w)
	o.InterceptActivity = func(ctx context.Context, c engine.ActivityCall) (flow.Payload, error) {
		out, err := c.Do(ctx)
		fmt.Println(c.Name, "attempt", engine.InfoOf(ctx).Attempt, c.Input, "→", out, err)
		return out, err
	}
	on(o, func(ctx context.Context, e *engine.Engine) {
		run, _ := w.Start(ctx, e, "hi", engine.StartOptions{})
		fmt.Println(run.Result(ctx))
	})
	// Output:
	// upper attempt 1 "hi" → "HI" <nil>
	// HI <nil>
}

func ExampleReplay() {
	w := flowOf(func(ctx *engine.Context, in string) (string, error) { return upper.Run(ctx, in) })
	var journal flow.Journal // of a run, as weft-tui export prints it
	on(typed(w), func(ctx context.Context, e *engine.Engine) {
		run, _ := w.Start(ctx, e, "hi", engine.StartOptions{ID: "w-1"})
		_, _ = run.Result(ctx)
		d, _ := e.Operator().Detail(ctx, run.Ref(), flow.PartEvents)
		journal = flow.JournalOf(d)
	})
	changed := flowOf(func(ctx *engine.Context, in string) (string, error) { return in, ctx.Sleep(time.Hour) })
	for _, code := range []engine.Definition{w, changed} {
		err := engine.Replay(context.Background(), engine.Options{Workflows: []engine.Definition{code}}, journal)
		var differs *engine.ReplayError
		if errors.As(err, &differs) {
			fmt.Println(differs.Problem)
		} else {
			fmt.Println(err)
		}
	}
	// Output:
	// <nil>
	// step 1: recorded activity upper, code asks for sleep
}
