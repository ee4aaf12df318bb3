package engine_test

import (
	"fmt"
	"time"

	"weft/engine"
)

func ExampleAll() {
	show(flowOf(func(ctx *engine.Context, _ engine.Void) ([]string, error) {
		return engine.All(ctx,
			func(ctx *engine.Context) (string, error) { return upper.Run(ctx, "left") },
			func(ctx *engine.Context) (string, error) { return upper.Run(ctx, "right") },
		)
	}), engine.Void{})
	// Output: [LEFT RIGHT] <nil>
}

func ExampleRace() {
	show(flowOf(func(ctx *engine.Context, _ engine.Void) (string, error) {
		answer, winner, err := engine.Race(ctx,
			func(ctx *engine.Context) (string, error) { return "too late", ctx.Sleep(time.Hour) },
			func(ctx *engine.Context) (string, error) { return upper.Run(ctx, "in time") },
		)
		return fmt.Sprint(winner, " ", answer), err
	}), engine.Void{})
	// Output: 1 IN TIME <nil>
}

func ExampleGo() {
	show(flowOf(func(ctx *engine.Context, in string) (string, error) {
		beside := engine.Go(ctx, func(ctx *engine.Context) (string, error) { return upper.Run(ctx, in) })
		if err := ctx.Sleep(time.Millisecond); err != nil { // meanwhile
			return "", err
		}
		return beside.Await(ctx)
	}), "done")
	// Output: DONE <nil>
}

func ExampleMap() {
	show(flowOf(func(ctx *engine.Context, in []string) ([]string, error) {
		return engine.Map(ctx, 2, in, upper.Run) // two at a time
	}), []string{"a", "b", "c"})
	// Output: [A B C] <nil>
}

func ExampleWorkflow_RunChild() {
	shout := engine.Workflow[string, string]{Name: "shout", Do: func(ctx *engine.Context, in string) (string, error) {
		return upper.Run(ctx, in)
	}}
	show(flowOf(func(ctx *engine.Context, in string) (string, error) {
		return shout.RunChild(ctx, in, engine.ChildOptions{})
	}), "hello", shout)
	// Output: HELLO <nil>
}

func ExampleWorkflow_StartChild() {
	shout := engine.Workflow[string, string]{Name: "shout", Do: func(ctx *engine.Context, in string) (string, error) {
		return upper.Run(ctx, in)
	}}
	show(flowOf(func(ctx *engine.Context, in []string) (out []string, err error) {
		var children []*engine.Child[string]
		for _, s := range in {
			c, err := shout.StartChild(ctx, s, engine.ChildOptions{ID: engineID(ctx, s)})
			if err != nil {
				return nil, err // its code is "exists" when the id is taken
			}
			children = append(children, c)
		}
		for _, c := range children {
			s, err := c.Await(ctx)
			if err != nil {
				return nil, err
			}
			out = append(out, s)
		}
		return out, nil
	}), []string{"a", "b"}, shout)
	// Output: [A B] <nil>
}

func ExampleWorkflowRef() {
	self := engine.WorkflowRef[int, int]{Name: "factorial"}
	factorial := engine.Workflow[int, int]{Name: "factorial", Do: func(ctx *engine.Context, n int) (int, error) {
		if n <= 1 {
			return 1, nil
		}
		rest, err := self.RunChild(ctx, n-1, engine.ChildOptions{})
		return n * rest, err
	}}
	show(factorial, 5)
	// Output: 120 <nil>
}
