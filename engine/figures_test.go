package engine_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"weft/engine"
	"weft/flow"
	"weft/store/memory"
)

// scale is the size of a figure: short unless the long form is asked for.
func scale(long int) int {
	if torture() {
		return long
	}
	return long / 20
}

// figure measures how long f takes and how much memory is in use at its most
// telling moment, which f marks by calling at.
func figure(t *testing.T, what string, f func(at func())) time.Duration {
	t.Helper()
	var before, then runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	began := time.Now()
	took := time.Duration(0)
	f(func() {
		took = time.Since(began)
		runtime.GC()
		runtime.ReadMemStats(&then)
	})
	t.Logf("%s: %v, %.1f MiB", what, took.Round(100*time.Microsecond), float64(int64(then.HeapAlloc)-int64(before.HeapAlloc))/(1<<20))
	return took
}

// figureEngine runs workflows on a store in memory, in real time.
func figureEngine(t *testing.T, s *memory.Store, defs ...engine.Definition) *engine.Engine {
	t.Helper()
	e, err := engine.Open(t.Context(), s, engine.Options{Workflows: defs, ActivitySlots: 2000})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func closes(t *testing.T, e *engine.Engine) {
	t.Helper()
	if err := e.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

// TestFigureBranches runs 1,000 branches of one run side by side.
func TestFigureBranches(t *testing.T) {
	n := scale(1000)
	meet := make(chan struct{})
	arrived := make(chan struct{}, n)
	work := engine.Activity[int, int]{Name: "work", Do: func(_ context.Context, i int) (int, error) {
		arrived <- struct{}{}
		<-meet
		return i, nil
	}}
	w := flowOf(func(ctx *engine.Context, n int) (int, error) {
		got, err := engine.Map(ctx, 0, make([]int, n), func(ctx *engine.Context, _ int) (int, error) { return work.Run(ctx, 1) })
		return len(got), err
	})
	s := memory.New(memory.Options{})
	defer s.Close()
	e := figureEngine(t, s, w)
	defer closes(t, e)
	figure(t, fmt.Sprintf("%d branches of one run, all in an activity", n), func(at func()) {
		run, err := w.Start(t.Context(), e, n, engine.StartOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for range n {
			<-arrived
		}
		at()
		began := time.Now()
		close(meet)
		if got, err := run.Result(t.Context()); err != nil || got != n {
			t.Errorf("%d, %v", got, err)
		}
		t.Logf("their outcomes: %v", time.Since(began).Round(100*time.Microsecond))
	})
}

// replayLimit is what a replay of 10,000 steps may take on a quiet machine.
const replayLimit = 100 * time.Millisecond

// TestFigureSteps makes 10,000 steps in one run, and replays them.
func TestFigureSteps(t *testing.T) {
	n := scale(10_000)
	step := engine.Activity[int, int]{Name: "step", Do: func(_ context.Context, i int) (int, error) { return i + 1, nil }}
	replayed := make(chan time.Time, 1)
	w := flowOf(func(ctx *engine.Context, n int) (int, error) {
		sum := 0
		for i := range n {
			got, err := step.Run(ctx, i)
			if err != nil {
				return 0, err
			}
			sum += got
		}
		select {
		case replayed <- time.Now():
		default:
		}
		for range 10 {
			if _, err := paid.Wait(ctx); err != nil {
				return 0, err
			}
		}
		return sum, nil
	})
	s := memory.New(memory.Options{})
	defer s.Close()
	e := figureEngine(t, s, w)
	figure(t, fmt.Sprintf("%d steps of one run", n), func(at func()) {
		if _, err := w.Start(t.Context(), e, n, engine.StartOptions{ID: "r"}); err != nil {
			t.Fatal(err)
		}
		<-replayed
		at()
	})
	closes(t, e)
	best := time.Hour
	for range 5 {
		e = figureEngine(t, s, w)
		began := time.Now()
		if err := paid.Send(t.Context(), e, "r", ""); err != nil { // wakes it, if it was parked
			t.Fatal(err)
		}
		best = min(best, (<-replayed).Sub(began))
		closes(t, e)
	}
	t.Logf("replay of %d steps: %v", n, best.Round(10*time.Microsecond))
	if best > 10*replayLimit {
		t.Errorf("that is more than ten times what it may be on a quiet machine: %v", replayLimit)
	}
}

// TestFigureChildren starts 1,000 children of one parent and takes their ends.
func TestFigureChildren(t *testing.T) {
	n := scale(1000)
	child := engine.Workflow[int, int]{Name: "child", Do: func(ctx *engine.Context, i int) (int, error) {
		_, err := paid.Wait(ctx)
		return i, err
	}}
	started := make(chan struct{})
	w := flowOf(func(ctx *engine.Context, n int) (int, error) {
		children := make([]*engine.Child[int], n)
		var err error
		for i := range children {
			id := flow.WorkflowID(fmt.Sprint("c", i))
			if children[i], err = child.StartChild(ctx, i, engine.ChildOptions{ID: id}); err != nil {
				return 0, err
			}
		}
		close(started)
		sum := 0
		for _, c := range children {
			if _, err := c.Await(ctx); err != nil {
				return 0, err
			}
			sum++
		}
		return sum, nil
	})
	s := memory.New(memory.Options{})
	defer s.Close()
	e := figureEngine(t, s, w, child)
	defer closes(t, e)
	figure(t, fmt.Sprintf("%d children of one parent, all waiting", n), func(at func()) {
		run, err := w.Start(t.Context(), e, n, engine.StartOptions{ID: "p"})
		if err != nil {
			t.Fatal(err)
		}
		<-started
		at()
		began := time.Now()
		for i := range n {
			if err := paid.Send(t.Context(), e, flow.WorkflowID(fmt.Sprint("c", i)), ""); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := run.Result(t.Context()); err != nil || got != n {
			t.Errorf("%d, %v", got, err)
		}
		t.Logf("their ends: %v", time.Since(began).Round(100*time.Microsecond))
	})
}
