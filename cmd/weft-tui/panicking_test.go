package main

import (
	"context"
	"fmt"
	"os"

	"weft"
	"weft/engine"
)

// The three places where code of a program can panic beside its console.
var (
	burst = engine.Activity[string, engine.Void]{Name: "burst", Retry: engine.Retry{MaxAttempts: 1},
		Do: func(_ context.Context, how string) (engine.Void, error) {
			if how == "goroutine" {
				go func() { panic("boom in a goroutine") }()
				select {}
			}
			panic("boom in an activity")
		}}
	bursting = engine.Workflow[string, engine.Void]{Name: "bursting", Version: "1",
		Do: func(ctx *engine.Context, how string) (engine.Void, error) {
			if how == "workflow" {
				panic("boom in a workflow")
			}
			if how == "goroutine" {
				if err := ctx.Sleep(2e9); err != nil { // until the console is on the screen
					return engine.Void{}, err
				}
			}
			return burst.Run(ctx, how)
		}}
)

// panicking WHERE is a program of its own whose code panics there.
func panicking() {
	weft.Guard()
	ctx := context.Background()
	node, err := weft.Open(ctx, weft.Options{Dir: "weft-data", Create: true, Workflows: []engine.Definition{bursting}})
	if err == nil {
		_, err = bursting.Start(ctx, node.Engine, os.Args[1], engine.StartOptions{ID: "bad-1"})
	}
	if err == nil {
		err = node.Run(ctx)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "panicking:", err)
		os.Exit(1)
	}
}
