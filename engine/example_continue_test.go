package engine_test

import (
	"context"
	"fmt"
	"time"

	"weft/engine"
	"weft/flow"
	"weft/store/memory"
)

// Added is sent to a basket.
var Added = engine.Signal[int]{Name: "added"}

// Basket adds up what it is sent, for ever. It hands its sum on to a new run
// before its journal gets long; signals that it has not taken wait for that run.
var Basket = engine.Workflow[int, int]{Name: "basket", Signals: []engine.Message{Added}, Do: basket}

func basket(ctx *engine.Context, sum int) (int, error) {
	for range 3 {
		n, ok, err := Added.WaitFor(ctx, time.Hour)
		if err != nil || !ok {
			return sum, err // nobody has added anything for an hour
		}
		if n == 0 {
			return sum, nil
		}
		sum += n
	}
	return engine.WorkflowRef[int, int]{Name: "basket"}.ContinueAsNew(ctx, sum, engine.ContinueOptions{})
}

func ExampleWorkflowRef_ContinueAsNew() {
	ctx := context.Background()
	s := memory.New(memory.Options{})
	defer s.Close()
	eng, err := engine.Open(ctx, s, engine.Options{Workflows: []engine.Definition{Basket}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer eng.Close(ctx)
	run, err := Basket.Start(ctx, eng, 0, engine.StartOptions{ID: "b-1"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, n := range []int{1, 2, 3, 4, 5, 6, 7, 0} {
		if err := Added.Send(ctx, eng, "b-1", n); err != nil {
			fmt.Println(err)
		}
	}
	sum, err := run.Result(ctx) // of the last run
	fmt.Println(sum, err)
	d, err := eng.Operator().Detail(ctx, flow.Ref{ID: "b-1"}, flow.PartSummary)
	fmt.Println(d.Run.Generation, len(d.Past), err)
	// Output:
	// 28 <nil>
	// 2 2 <nil>
}
