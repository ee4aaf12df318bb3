package engine_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine"
	"weft/flow"
	"weft/store"
	"weft/store/memory"
)

// scales is a store that weighs what is committed.
type scales struct {
	*memory.Store
	bytes atomic.Int64
}

// Commit implements [store.Store].
func (s *scales) Commit(ctx context.Context, b *store.Batch) (store.Result, error) {
	for _, w := range b.Writes {
		s.bytes.Add(int64(len(w.Key) + len(w.Value)))
	}
	return s.Store.Commit(ctx, b)
}

// TestF113AStepCostsTheSameHoweverLongTheRunIs: what is written for a step does
// not grow with the steps before it.
func TestF113AStepCostsTheSameHoweverLongTheRunIs(t *testing.T) {
	const steps, part = 10_000, 1000
	s := &scales{Store: memory.New(memory.Options{Exclusive: true})}
	var marks []int64
	work := engine.Activity[int, string]{Name: "work", Do: func(_ context.Context, n int) (string, error) {
		if n%part == 0 {
			marks = append(marks, s.bytes.Load())
		}
		return strings.Repeat("x", 1000), nil
	}}
	w := flowOf(func(ctx *engine.Context, _ int) (string, error) {
		for n := range steps + 1 {
			if _, err := work.Run(ctx, n); err != nil {
				return "", err
			}
		}
		return "", nil
	})
	synctest.Test(t, func(t *testing.T) {
		e, err := engine.Open(t.Context(), s, typed(w))
		if err != nil {
			t.Fatal(err)
		}
		run, err := w.Start(t.Context(), e, 0, engine.StartOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := run.Result(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(e.Close(t.Context()), s.Close()); err != nil {
			t.Fatal(err)
		}
	})
	first, last := marks[1]-marks[0], marks[steps/part]-marks[steps/part-1]
	if last > first+first/20 || first/part > 3000 {
		t.Errorf("the first %d steps wrote %d bytes, the last %d wrote %d", part, first, part, last)
	}
}

// TestF115NothingOfAnEndedRunStays: goroutines are as many as before, whichever
// way runs of three branches end, and however watches and waits are dropped.
func TestF115NothingOfAnEndedRunStays(t *testing.T) {
	w := engine.Workflow[string, string]{Name: "w", Do: func(ctx *engine.Context, how string) (string, error) {
		for range 3 {
			engine.Go(ctx, func(ctx *engine.Context) (engine.Void, error) { return engine.Void{}, ctx.Sleep(time.Hour) })
		}
		switch how {
		case "completes":
			return "", nil
		case "fails":
			return "", errors.New("no")
		case "panics":
			panic("oh")
		}
		return paid.Wait(ctx)
	}}
	bubble(t, typed(w), func(v *env) {
		base := settledGoroutines()
		const n = 500
		for i := range n {
			for _, how := range []string{"completes", "fails", "panics", "waits", "is cancelled", "is suspended", "times out"} {
				id := flow.WorkflowID(fmt.Sprint(how, i))
				o := engine.StartOptions{ID: id}
				if how == "times out" {
					o.Deadline = time.Second
				}
				run, err := w.Start(v.ctx, v.e, how, o)
				if err != nil {
					t.Fatal(err)
				}
				ctx, drop := context.WithCancel(v.ctx)
				go func() { _, _ = run.Result(ctx) }()
				synctest.Wait()
				drop()
				switch how {
				case "is cancelled":
					v.cancels(id)
				case "is suspended":
					v.suspends(id)
					v.cancels(id)
				}
			}
		}
		time.Sleep(5 * time.Second)
		if got := settledGoroutines(); got > base+20 { // the engine may have begun some of its own
			t.Errorf("%d goroutines before %d runs, %d after", base, 7*n, got)
		}
	})
}

func settledGoroutines() int {
	synctest.Wait()
	return runtime.NumGoroutine()
}
