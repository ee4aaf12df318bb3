package teardown_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"weft/engine/teardown"
	"weft/flow"
)

const typ, fin = "provision", "destroy-vm"

// ref is the run of a workflow id in these tests.
func ref(id string) flow.Ref {
	return flow.Ref{ID: flow.WorkflowID(id), Run: "01ARZ3NDEKTSV4RRFFQ69G5FAV"}
}

// world is what lies outside of the process and outlives it: resources that
// finalizers release, and a script of how their attempts end.
type world struct {
	mu sync.Mutex
	// held are the resources that are not released yet, by workflow.
	held map[flow.WorkflowID]bool
	// calls are the attempts made, by workflow, with their input.
	calls map[flow.WorkflowID][]teardown.Attempt
	// at is when they began.
	at map[flow.WorkflowID][]time.Time
	// script is how the attempts of all workflows end; one that is past its end
	// succeeds. An act gets the context and releases by itself.
	script []func(context.Context) error
	// most is how many attempts of one workflow ran at once.
	now, most int
	under     map[flow.WorkflowID]int
}

func newWorld(script ...func(context.Context) error) *world {
	return &world{held: map[flow.WorkflowID]bool{}, calls: map[flow.WorkflowID][]teardown.Attempt{},
		at: map[flow.WorkflowID][]time.Time{}, under: map[flow.WorkflowID]int{}, script: script}
}

func fails(text string) func(context.Context) error {
	return func(context.Context) error { return errors.New(text) }
}

// hangs waits until the context ends.
func hangs(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }

func works(context.Context) error { return nil }

// deaf takes d and does not look at its context.
func deaf(d time.Duration) func(context.Context) error {
	return func(context.Context) error { time.Sleep(d); return nil }
}

// do is the finalizer.
func (w *world) do(ctx context.Context, a teardown.Attempt) error {
	w.mu.Lock()
	id := a.Ref.ID
	n := len(w.calls[id])
	w.calls[id] = append(w.calls[id], a)
	w.at[id] = append(w.at[id], time.Now())
	act := works
	if n < len(w.script) {
		act = w.script[n]
	}
	w.under[id]++
	w.now++
	w.most = max(w.most, w.under[id])
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.under[id]--
		w.now--
	}()
	if ctx.Err() != nil {
		return fmt.Errorf("called with a context that has ended: %w", ctx.Err())
	}
	err := act(ctx)
	if err == nil {
		w.mu.Lock()
		delete(w.held, id)
		w.mu.Unlock()
	}
	return err
}

func (w *world) attempts(id string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.calls[flow.WorkflowID(id)])
}

// call is the n-th attempt made, from 0; began is when.
func (w *world) call(id flow.WorkflowID, n int) teardown.Attempt {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.calls[id][n]
}

func (w *world) began(id flow.WorkflowID, n int) time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.at[id][n]
}

// hold makes a run hold its resource; left is how many do.
func (w *world) hold(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held[flow.WorkflowID(id)] = true
}

func (w *world) left() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.held)
}

// atOnce is how many attempts run now, and how many of one workflow ever did
// at once.
func (w *world) atOnce() (now, most int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now, w.most
}

func (w *world) mostAtOnce() int { _, most := w.atOnce(); return most }

func (w *world) holds(id string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.held[flow.WorkflowID(id)]
}
