package engine_test

import (
	"context"
	"errors"
	"fmt"

	"weft/engine"
	"weft/store/memory"
)

// A step that fails undoes the steps before it. A cancel while the saga is open
// would have them undone by an owed teardown.
func ExampleSaga() {
	flight := engine.Reversible[string, int]{
		Do: engine.Activity[string, int]{Name: "book-flight", Do: func(_ context.Context, to string) (int, error) {
			fmt.Println("seat to", to)
			return 17, nil
		}},
		By: engine.Activity[engine.Undo[string, int], engine.Void]{Name: "cancel-flight",
			Do: func(_ context.Context, u engine.Undo[string, int]) (engine.Void, error) {
				fmt.Printf("seat %d to %s given back\n", u.Output, u.Input)
				return engine.Void{}, nil
			}},
	}
	hotel := engine.Activity[string, engine.Void]{Name: "book-hotel", Do: func(context.Context, string) (engine.Void, error) {
		return engine.Void{}, engine.Permanent(errors.New("no room"))
	}}
	trip := engine.Workflow[string, engine.Void]{Name: "trip", Compensations: []engine.Finalizer{flight.By},
		Do: func(ctx *engine.Context, to string) (engine.Void, error) {
			return engine.Saga(ctx, func(ctx *engine.Context) (engine.Void, error) {
				if _, err := flight.Run(ctx, to); err != nil {
					return engine.Void{}, err
				}
				return hotel.Run(ctx, to)
			})
		}}

	ctx := context.Background()
	eng, err := engine.Open(ctx, memory.New(memory.Options{}), engine.Options{Workflows: []engine.Definition{trip}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer eng.Close(ctx)
	run, err := trip.Start(ctx, eng, "Oslo", engine.StartOptions{ID: "trip-1"})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = run.Result(ctx)
	fmt.Println(err)
	// Output:
	// seat to Oslo
	// seat 17 to Oslo given back
	// workflow "trip-1" failed: no room
}
