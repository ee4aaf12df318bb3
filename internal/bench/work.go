package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"weft/engine"
	"weft/store"
	"weft/store/pebble"
)

var tick = engine.Activity[int, int]{Name: "tick",
	Do: func(_ context.Context, n int) (int, error) { return n + 1, nil }}

// ten is the sequential workflow of ten steps.
var ten = engine.Workflow[int, int]{Name: "ten", Do: func(ctx *engine.Context, n int) (int, error) {
	for range 10 {
		var err error
		if n, err = tick.Run(ctx, n); err != nil {
			return 0, err
		}
	}
	return n, nil
}}

// nap sleeps longer than a run stays in memory.
var nap = engine.Workflow[int, int]{Name: "nap", Do: func(ctx *engine.Context, ms int) (int, error) {
	return ms, ctx.Sleep(time.Duration(ms) * time.Millisecond)
}}

var goOn = engine.Signal[int]{Name: "go-on"}

// gate waits for a signal.
var gate = engine.Workflow[int, int]{Name: "gate", Signals: []engine.Message{goOn},
	Do: func(ctx *engine.Context, _ int) (int, error) { return goOn.Wait(ctx) }}

func definitions() []engine.Definition { return []engine.Definition{ten, nap, gate} }

// node is an engine on a Pebble directory.
type node struct {
	*engine.Engine
	store store.Store
}

func open(dir string) (*node, error) {
	s, err := pebble.Open(pebble.Options{Dir: dir, Create: true})
	if err != nil {
		return nil, err
	}
	e, err := engine.Open(context.Background(), s, engine.Options{Workflows: definitions()})
	if err != nil {
		s.Close()
		return nil, err
	}
	return &node{e, s}, nil
}

func (n *node) close() error {
	if err := n.Engine.Close(context.Background()); err != nil {
		return err
	}
	return n.store.Close()
}

// fresh opens an engine on a new directory below dir.
func fresh(dir string) (*node, func() error, error) {
	dir, err := os.MkdirTemp(dir, "engine-")
	if err != nil {
		return nil, nil, err
	}
	n, err := open(dir)
	if err != nil {
		return nil, nil, err
	}
	return n, func() error { defer os.RemoveAll(dir); return n.close() }, nil
}

// runTen runs one workflow of ten steps to its end.
func (n *node) runTen(ctx context.Context) error {
	r, err := ten.Start(ctx, n.Engine, 1, engine.StartOptions{})
	if err != nil {
		return err
	}
	got, err := r.Result(ctx)
	if err == nil && got != 11 {
		err = fmt.Errorf("ten steps from 1 gave %d, want 11", got)
	}
	return err
}
