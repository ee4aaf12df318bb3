package engine_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine"
	"weft/flow"
	"weft/store"
	"weft/store/memory"
)

// narrowStore takes so many commits a second, once it is told to.
type narrowStore struct {
	*memory.Store
	narrow atomic.Bool
	places chan struct{}
}

// Commit implements [store.Store].
func (s *narrowStore) Commit(ctx context.Context, b *store.Batch) (store.Result, error) {
	if s.narrow.Load() {
		s.places <- struct{}{}
		time.Sleep(time.Millisecond)
		defer func() { <-s.places }()
	}
	return s.Store.Commit(ctx, b)
}

// until is a workflow that sleeps until an instant and notes how late it saw
// that it was there.
func until(late *notes[time.Duration]) engine.Workflow[time.Time, string] {
	return engine.Workflow[time.Time, string]{Name: "until", Do: func(ctx *engine.Context, at time.Time) (string, error) {
		err := ctx.Sleep(at.Sub(ctx.Now()))
		if late != nil && ctx.Err() == nil {
			late.add(time.Since(at))
		}
		return "slept", err
	}}
}

// Many thousands are due at once, on a store that takes 16,000 commits a second.
// Those that are due alone meanwhile are hardly later than their own commits.
func TestALoneTimerDoesNotWaitBehindThoseDueAtOnce(t *testing.T) {
	runs, lone := 3_000, 14
	if torture() {
		runs, lone = 20_000, 100
	}
	synctest.Test(t, func(t *testing.T) {
		mem := memory.New(memory.Options{Exclusive: true})
		defer mem.Close()
		s := &narrowStore{Store: mem, places: make(chan struct{}, 16)}
		var late notes[time.Duration]
		alone, many := until(&late), until(nil)
		many.Name = "many"
		e, err := engine.Open(t.Context(), s, engine.Options{Workflows: []engine.Definition{many, alone}})
		if err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(time.Hour)
		starts := func(w engine.Workflow[time.Time, string], at time.Time, id string) {
			if _, err := w.Start(t.Context(), e, at, engine.StartOptions{ID: flow.WorkflowID(id)}); err != nil {
				t.Error(err)
			}
		}
		var wg sync.WaitGroup
		for w := range 8 {
			wg.Go(func() {
				for i := w; i < runs; i += 8 {
					starts(many, at, fmt.Sprint(i))
				}
			})
		}
		for i := range lone { // z: the last in key order of their instant
			starts(alone, at.Add(time.Duration(i+1)*20*time.Millisecond), fmt.Sprint("z", i))
		}
		wg.Wait()
		time.Sleep(time.Until(at) - time.Second)
		s.narrow.Store(true)
		time.Sleep(time.Second + time.Duration(lone)*20*time.Millisecond)
		if c := counts(t, e); c.Completed > int64(runs*9/10) {
			t.Errorf("%d of %d runs are through: they are no backlog", c.Completed, runs)
		}
		time.Sleep(time.Minute)
		if c := counts(t, e); c.Completed != int64(runs+lone) || late.len() != lone {
			t.Errorf("%d runs completed, %d alone; want %d, %d", c.Completed, late.len(), runs+lone, lone)
		}
		for i, d := range late.all() {
			if d > 20*time.Millisecond || d < 0 {
				t.Errorf("the %d. that was due alone was late by %v", i, d)
			}
		}
		if err := e.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func counts(t *testing.T, e *engine.Engine) flow.Counts {
	t.Helper()
	info, err := e.Operator().Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return info.Counts
}
