package engine_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"weft/engine"
	"weft/flow"
	"weft/store/memory"
)

// A run that takes bids until somebody closes the auction. Bids are updates: the
// bidder is told at once what became of his bid. The highest bid is a query.
var (
	Bid     = engine.Update[int, string]{Name: "bid"}
	Close   = engine.Update[engine.Void, engine.Void]{Name: "close"}
	Highest = engine.Query[engine.Void, int]{Name: "highest"}
)

func auction(ctx *engine.Context, least int) (int, error) {
	highest, closed := least, false
	Bid.HandleWith(ctx, func(_ *engine.Context, bid int) (string, error) {
		highest = bid
		return fmt.Sprintf("%d is the highest bid", bid), nil
	}, engine.HandleOptions[int]{Validate: func(bid int) error {
		if bid <= highest {
			return fmt.Errorf("%d is not more than %d", bid, highest)
		}
		return nil
	}})
	Close.Handle(ctx, func(*engine.Context, engine.Void) (engine.Void, error) {
		closed = true
		return engine.Void{}, nil
	})
	Highest.Answer(ctx, func(engine.Void) (int, error) { return highest, nil })

	// Wait until somebody closes it, at most a week.
	if _, err := ctx.WaitUntilFor(7*24*time.Hour, func() bool { return closed }); err != nil {
		return 0, err
	}
	return highest, ctx.FinishHandlers()
}

var Auction = engine.Workflow[int, int]{Name: "auction", Version: "1", Do: auction,
	Updates: []engine.AnyUpdate{Bid, Close}, Queries: []engine.AnyQuery{Highest}}

// Updates change a run and answer; queries look at it, also when it has ended.
func ExampleUpdate() {
	ctx := context.Background()
	eng, err := engine.Open(ctx, memory.New(memory.Options{}), engine.Options{Workflows: []engine.Definition{Auction}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer eng.Close(ctx)
	run, err := Auction.Start(ctx, eng, 100, engine.StartOptions{ID: "vase"})
	if err != nil {
		fmt.Println(err)
		return
	}
	// The update id makes the call safe to repeat.
	text, err := Bid.CallWith(ctx, eng, "vase", 120, engine.UpdateOptions{UpdateID: "ana-1"})
	fmt.Println(text, err)
	_, err = Bid.Call(ctx, eng, "vase", 110)
	fmt.Println(err, errors.Is(err, flow.ErrRejected))
	now, err := Highest.Ask(ctx, eng, "vase", engine.Void{})
	fmt.Println(now, err)
	if _, err := Close.Call(ctx, eng, "vase", engine.Void{}); err != nil {
		fmt.Println(err)
	}
	fmt.Println(run.Result(ctx))
	text, err = Bid.CallWith(ctx, eng, "vase", 120, engine.UpdateOptions{UpdateID: "ana-1"})
	fmt.Println(text, err)
	// Output:
	// 120 is the highest bid <nil>
	// update bid of vase: rejected: 110 is not more than 120 true
	// 120 <nil>
	// 120 <nil>
	// 120 is the highest bid <nil>
}

var (
	Ordered = engine.Signal[string]{Name: "ordered"}
	Evening = engine.Signal[engine.Void]{Name: "evening"}
)

// Code that collects signals and ends takes the last of them with Drain: what a
// sender was told is buffered has been seen, and who comes later is refused.
func ExampleSignal_Drain() {
	collect := engine.Workflow[engine.Void, []string]{Name: "collect", Signals: []engine.Message{Ordered, Evening},
		Do: func(ctx *engine.Context, _ engine.Void) ([]string, error) {
			if _, err := Evening.Wait(ctx); err != nil {
				return nil, err
			}
			return Ordered.Drain(ctx)
		}}
	ctx := context.Background()
	eng, err := engine.Open(ctx, memory.New(memory.Options{}), engine.Options{Workflows: []engine.Definition{collect}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer eng.Close(ctx)
	run, err := collect.Start(ctx, eng, engine.Void{}, engine.StartOptions{ID: "day"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, what := range []string{"bread", "milk"} {
		if err := Ordered.Send(ctx, eng, "day", what); err != nil {
			fmt.Println(err)
		}
	}
	if err := Evening.Send(ctx, eng, "day", engine.Void{}); err != nil {
		fmt.Println(err)
	}
	fmt.Println(run.Result(ctx))
	// Output: [bread milk] <nil>
}
