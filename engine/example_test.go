package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"weft/engine"
	"weft/flow"
	"weft/store/memory"
)

// on opens an engine on an empty store in memory, calls f and closes it. A
// program opens a directory with weft.Open instead.
func on(o engine.Options, f func(ctx context.Context, e *engine.Engine)) {
	ctx := context.Background()
	s := memory.New(memory.Options{})
	defer s.Close()
	e, err := engine.Open(ctx, s, o)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer e.Close(ctx)
	f(ctx, e)
}

// show runs a workflow and prints how it ended.
func show[I, O any](w engine.Workflow[I, O], in I, others ...engine.Definition) {
	on(typed(append(others, w)...), func(ctx context.Context, e *engine.Engine) {
		run, err := w.Start(ctx, e, in, engine.StartOptions{})
		if err != nil {
			fmt.Println(err)
			return
		}
		out, err := run.Result(ctx)
		var ended *flow.EndedError
		if errors.As(err, &ended) { // its text has the id of the run, which differs each time
			err = fmt.Errorf("%s: %w", ended.Status, ended.Failure)
		}
		fmt.Println(out, err)
	})
}

// upper is an activity that examples call.
var upper = engine.Activity[string, string]{Name: "upper", Timeout: time.Minute,
	Do: func(_ context.Context, s string) (string, error) { return strings.ToUpper(s), nil }}

func Example() {
	greet := engine.Activity[string, string]{Name: "greet", Timeout: time.Minute,
		Do: func(ctx context.Context, name string) (string, error) { return "hello " + name, nil }}
	welcome := engine.Workflow[string, string]{Name: "welcome", Version: "1",
		Do: func(ctx *engine.Context, name string) (string, error) {
			text, err := greet.Run(ctx, name) // recorded, synced, before the code goes on
			if err != nil {
				return "", err
			}
			if err := ctx.Sleep(time.Millisecond); err != nil {
				return "", err
			}
			return text + "!", nil
		}}

	ctx := context.Background()
	s := memory.New(memory.Options{})
	e, err := engine.Open(ctx, s, engine.Options{Workflows: []engine.Definition{welcome}})
	if err != nil {
		panic(err)
	}
	run, err := welcome.Start(ctx, e, "ana", engine.StartOptions{ID: "welcome-ana"})
	if err != nil {
		panic(err)
	}
	fmt.Println(run.Result(ctx))
	fmt.Println(e.Close(ctx))
	// Output:
	// hello ana! <nil>
	// <nil>
}

func ExampleActivity() {
	attempts := 0
	flaky := engine.Activity[int, int]{Name: "flaky", Timeout: time.Minute,
		Retry: engine.Retry{MaxAttempts: 3, Initial: time.Millisecond},
		Do: func(ctx context.Context, n int) (int, error) {
			if attempts++; engine.InfoOf(ctx).Attempt < 3 {
				return 0, errors.New("busy")
			}
			return 2 * n, nil
		}}
	show(flowOf(func(ctx *engine.Context, n int) (int, error) { return flaky.Run(ctx, n) }), 21)
	fmt.Println(attempts, "attempts")
	// Output:
	// 42 <nil>
	// 3 attempts
}

func ExampleFail() {
	outOfStock := engine.Code("out-of-stock")
	reserve := engine.Activity[string, int]{Name: "reserve",
		Do: func(_ context.Context, item string) (int, error) {
			return 0, engine.Permanent(engine.Fail(outOfStock, "no %s left", item))
		}}
	show(flowOf(func(ctx *engine.Context, item string) (string, error) {
		if _, err := reserve.Run(ctx, item); errors.Is(err, outOfStock) {
			return "order more: " + err.Error(), nil
		}
		return "reserved", nil
	}), "shoe")
	// Output: order more: no shoe left <nil>
}

func ExamplePermanent() {
	refuse := engine.Activity[string, string]{Name: "refuse",
		Do: func(context.Context, string) (string, error) { return "", engine.Permanent(errors.New("card stolen")) }}
	show(flowOf(func(ctx *engine.Context, in string) (string, error) { return refuse.Run(ctx, in) }), "")
	// Output: failed: card stolen
}

func ExampleHeartbeat() {
	count := engine.Activity[int, int]{Name: "count", HeartbeatTimeout: time.Minute, Retry: engine.Retry{Initial: time.Millisecond},
		Do: func(ctx context.Context, to int) (int, error) {
			from, _ := engine.Details[int](ctx) // what the attempt before has left
			fmt.Println("from", from)
			for n := from; n < to; n++ {
				if err := engine.Heartbeat(ctx, n+1); err != nil {
					return 0, err // the attempt is over
				}
				if n == 2 && from == 0 {
					return 0, errors.New("connection lost")
				}
			}
			return to, nil
		}}
	show(flowOf(func(ctx *engine.Context, n int) (int, error) { return count.Run(ctx, n) }), 5)
	// Output:
	// from 0
	// from 3
	// 5 <nil>
}

func ExampleMemo() {
	show(flowOf(func(ctx *engine.Context, _ engine.Void) (string, error) {
		return engine.Memo(ctx, "region", func() (string, error) { return "eu-1", nil }) // os.Getenv, say
	}), engine.Void{})
	// Output: eu-1 <nil>
}

func ExampleContext_Sleep() {
	show(flowOf(func(ctx *engine.Context, d time.Duration) (bool, error) {
		begin := ctx.Now()
		if err := ctx.Sleep(d); err != nil { // hours and months just as well
			return false, err
		}
		return ctx.Now().Sub(begin) >= d, nil
	}), 2*time.Millisecond)
	// Output: true <nil>
}

func ExampleContext_NewID() {
	show(flowOf(func(ctx *engine.Context, _ engine.Void) (bool, error) {
		a, b := ctx.NewID(), ctx.NewID() // the same two whenever the run is replayed
		return len(a) == 26 && a != b, nil
	}), engine.Void{})
	// Output: true <nil>
}

func ExampleContext_Random() {
	show(flowOf(func(ctx *engine.Context, hosts []string) (bool, error) {
		host := hosts[ctx.Random().IntN(len(hosts))]
		return host != "", nil
	}), []string{"a", "b", "c"})
	// Output: true <nil>
}

func ExampleContext_SetSummary() {
	show(flowOf(func(ctx *engine.Context, in []string) (int, error) {
		for i, name := range in {
			ctx.SetSummary("%d of %d: %s", i+1, len(in), name) // shown in lists
			if _, err := upper.Run(ctx, name); err != nil {
				return i, err
			}
		}
		return len(in), nil
	}), []string{"a", "b"})
	// Output: 2 <nil>
}
