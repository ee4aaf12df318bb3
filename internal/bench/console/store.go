package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"weft"
	"weft/engine"
	"weft/flow"
)

var tick = engine.Activity[int, int]{Name: "tick",
	Do: func(_ context.Context, n int) (int, error) { return n + 1, nil }}

// ten is a workflow of ten steps.
var ten = engine.Workflow[int, int]{Name: "ten", Do: func(ctx *engine.Context, n int) (int, error) {
	for range 10 {
		var err error
		if n, err = tick.Run(ctx, n); err != nil {
			return 0, err
		}
	}
	return n, nil
}}

// nap sleeps longer than a measurement takes.
var nap = engine.Workflow[int, int]{Name: "nap", Do: func(ctx *engine.Context, days int) (int, error) {
	return days, ctx.Sleep(time.Duration(days) * 24 * time.Hour)
}}

// node is an open store.
type node struct {
	*weft.Node
	steps atomic.Int64 // that work has done
}

func (n *node) close() error { return n.Close(context.Background()) }

// openStore opens the store and starts what it lacks of the waiting runs.
func openStore(ctx context.Context, s settings) (*node, error) {
	opened, err := weft.Open(ctx, weft.Options{Dir: s.dir, Create: true, Workflows: []engine.Definition{ten, nap}})
	if err != nil {
		return nil, err
	}
	n := &node{Node: opened}
	info, err := n.Console().Info(ctx)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	if err := n.park(ctx, int(info.Counts.Running), s.runs); err != nil {
		n.close()
		return nil, err
	}
	fmt.Fprintf(os.Stderr, "bench: %d runs were started in %v\n", max(0, s.runs-int(info.Counts.Running)), time.Since(began).Round(time.Millisecond))
	if err := n.rest(ctx, s.runs); err != nil {
		n.close()
		return nil, err
	}
	return n, nil
}

// rest waits until nothing but the waiting runs is left.
func (n *node) rest(ctx context.Context, runs int) error {
	for quiet := 0; ; time.Sleep(50 * time.Millisecond) {
		info, err := n.Console().Info(ctx)
		if err != nil || info.Live == 0 && info.Counts.Running == int64(runs) {
			return err
		}
		if quiet++; info.Live > 0 {
			quiet = 0
		}
		if quiet > 100 {
			return fmt.Errorf("%d runs wait in the store, want %d: give another -runs or an empty -dir", info.Counts.Running, runs)
		}
	}
}

// park starts runs that wait, from as many callers as fill a batch; none is kept
// in memory.
func (n *node) park(ctx context.Context, have, want int) error {
	var next atomic.Int64
	next.Store(int64(have))
	var failed atomic.Pointer[error]
	var wg sync.WaitGroup
	for range 256 {
		wg.Go(func() {
			for failed.Load() == nil {
				i := next.Add(1)
				if i > int64(want) {
					return
				}
				id := flow.WorkflowID(fmt.Sprintf("nap-%08d", i))
				if _, err := nap.Start(ctx, n.Engine, 30, engine.StartOptions{ID: id}); err != nil {
					failed.Store(&err)
				}
			}
		})
	}
	wg.Wait()
	if p := failed.Load(); p != nil {
		return *p
	}
	return nil
}

// until waits for an instant; false means that ctx ended before.
func until(ctx context.Context, at time.Time) bool {
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// work runs workflows of ten steps until ctx ends and answers the steps per
// second; rate 0 is as many as there can be. At a rate the runs arrive as those of
// independent callers do: the time between two of one caller is exponential.
func (n *node) work(ctx context.Context, rate int) (perSecond float64, err error) {
	const callers = 256
	var failed atomic.Pointer[error]
	var wg sync.WaitGroup
	began, before := time.Now(), n.steps.Load()
	for i := range callers {
		wg.Go(func() {
			arrivals := rand.New(rand.NewPCG(uint64(i), 1))
			for due := began; ctx.Err() == nil && failed.Load() == nil; {
				if rate > 0 {
					due = due.Add(time.Duration(arrivals.ExpFloat64() * float64(10*callers*time.Second) / float64(rate)))
					if !until(ctx, due) {
						return
					}
				}
				r, err := ten.Start(ctx, n.Engine, 1, engine.StartOptions{})
				if err == nil {
					_, err = r.Result(ctx)
				}
				switch {
				case err == nil:
					n.steps.Add(10)
				case ctx.Err() == nil:
					failed.Store(&err)
				}
			}
		})
	}
	wg.Wait()
	if p := failed.Load(); p != nil {
		return 0, *p
	}
	return float64(n.steps.Load()-before) / time.Since(began).Seconds(), nil
}
