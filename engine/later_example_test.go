package engine_test

import (
	"context"
	"fmt"

	"weft/engine"
	"weft/flow"
	"weft/store/memory"
)

// An activity hands its token to somebody outside and ends. The run waits,
// without a goroutine and over restarts, until the outcome is told.
func ExampleCompleteLater() {
	mail := make(chan flow.Token, 1) // stands for a letter to the one who signs
	sign := engine.Activity[string, string]{Name: "sign",
		Do: func(ctx context.Context, document string) (string, error) {
			token, err := engine.CompleteLater(ctx)
			if err != nil {
				return "", err
			}
			mail <- token
			return "", engine.ErrLater
		}}
	contract := engine.Workflow[string, string]{Name: "contract",
		Do: func(ctx *engine.Context, document string) (string, error) { return sign.Run(ctx, document) }}

	ctx := context.Background()
	eng, err := engine.Open(ctx, memory.New(memory.Options{}), engine.Options{Workflows: []engine.Definition{contract}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer eng.Close(ctx)
	run, err := contract.Start(ctx, eng, "lease of the flat", engine.StartOptions{ID: "flat-7"})
	if err != nil {
		fmt.Println(err)
		return
	}
	token := <-mail
	fmt.Println("told:", sign.Complete(ctx, eng, token, "signed by Ana"))
	fmt.Println(run.Result(ctx))
	// Output:
	// told: <nil>
	// signed by Ana <nil>
}
