package engine_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine"
	"weft/store/memory"
)

type order struct{ Items int }

var charge = engine.Activity[int, string]{Name: "charge", Do: func(ctx context.Context, n int) (string, error) {
	if engine.InfoOf(ctx).Attempt < 3 {
		return "", errors.New("card declined")
	}
	return "paid", nil
}}

var paid = engine.Signal[string]{Name: "paid"}

var orderFlow = engine.Workflow[order, string]{Name: "order", Do: func(ctx *engine.Context, in order) (string, error) {
	s, err := charge.Run(ctx, in.Items)
	if err != nil {
		return "", err
	}
	if err := ctx.Sleep(48 * time.Hour); err != nil {
		return "", err
	}
	who, err := paid.Wait(ctx)
	if err != nil {
		return "", err
	}
	return s + " by " + who, nil
}}

func TestFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		s := memory.New(memory.Options{})
		e, err := engine.Open(ctx, s, engine.Options{Workflows: []engine.Definition{orderFlow}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = orderFlow.Start(ctx, e, order{3}, engine.StartOptions{ID: "o-1"})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if err := e.Close(ctx); err != nil {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Hour)
		e, err = engine.Open(ctx, s, engine.Options{Workflows: []engine.Definition{orderFlow}})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if err := paid.Send(ctx, e, "o-1", "ana"); err != nil {
			t.Fatal(err)
		}
		run, err := engine.Handle[string](e, "o-1")
		if err != nil {
			t.Fatal(err)
		}
		got, err := run.Result(ctx)
		if err != nil || got != "paid by ana" {
			t.Errorf("result %q, %v", got, err)
		}
		if err := e.Close(ctx); err != nil {
			t.Fatal(err)
		}
		s.Close()
	})
}
