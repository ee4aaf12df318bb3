package engine

import (
	"context"
	"fmt"
	"sync"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// waiters are the callers that wait for a run's end. They are told once it is
// durable.
type waiters struct {
	mu    sync.Mutex
	byRef map[flow.Ref]*waiter
}

// waiter is shared by all who wait for one run.
type waiter struct {
	ended chan struct{} // closed at the end, after last was set
	last  flow.Event
	count int // of those who wait
}

// join is told when the run ends after now.
func (w *waiters) join(ref flow.Ref) *waiter {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.byRef == nil {
		w.byRef = map[flow.Ref]*waiter{}
	}
	one := w.byRef[ref]
	if one == nil {
		one = &waiter{ended: make(chan struct{})}
		w.byRef[ref] = one
	}
	one.count++
	return one
}

// leave undoes a join, so that nothing is kept for runs nobody waits for.
func (w *waiters) leave(ref flow.Ref, one *waiter) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if one.count--; one.count == 0 && w.byRef[ref] == one {
		delete(w.byRef, ref)
	}
}

func (w *waiters) ended(ref flow.Ref, last flow.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if one := w.byRef[ref]; one != nil {
		one.last = last
		close(one.ended)
		delete(w.byRef, ref)
	}
}

// result waits for a run's last event.
func (e *Engine) result(ctx context.Context, ref flow.Ref) (flow.Event, error) {
	w := e.waiters.join(ref)
	defer e.waiters.leave(ref, w)
	// A life that runs will tell the waiter; otherwise, also while one is only
	// being read, the end may be stored already.
	if l := e.lives.get(ref); l == nil || !l.runs() {
		if ev, done, err := e.lastEvent(ref); err != nil || done {
			return ev, err
		}
	}
	select {
	case <-w.ended:
		return w.last, nil
	case <-ctx.Done():
		return flow.Event{}, fmt.Errorf("wait for workflow %q: %w", ref.ID, context.Cause(ctx))
	case <-e.dead:
		return flow.Event{}, fmt.Errorf("wait for workflow %q: %w", ref.ID, e.halted())
	}
}

func (l *life) runs() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.leaving == stay && l.def != nil && !l.cold
}

// lastEvent reads a run's last event and reports whether it is its end.
func (e *Engine) lastEvent(ref flow.Ref) (flow.Event, bool, error) {
	ev, err := lastEventIn(e.store, ref)
	return ev, ev.Kind == flow.EventEnded, err
}

func lastEventIn(s store.Reader, ref flow.Ref) (flow.Event, error) {
	r := store.Prefix(row.EventPrefix(ref))
	r.Reverse = true
	for kv, err := range s.Scan(r) {
		if err != nil {
			return flow.Event{}, err
		}
		_, seq, _ := row.ParseEvent(kv.Key)
		return row.DecodeEvent(seq, kv.Value)
	}
	return flow.Event{}, &flow.NotFoundError{What: "run", Name: ref.String()}
}

// Handle is a handle to an existing run: the one that has the id now. Its
// result type is the caller's claim.
func Handle[O any](e *Engine, id flow.WorkflowID) (Run[O], error) {
	if err := flow.CheckName("workflow id", string(id)); err != nil {
		return Run[O]{}, err
	}
	head, g, err := e.readHead(id)
	if err != nil {
		return Run[O]{}, err
	}
	if g.raw == nil {
		return Run[O]{}, &flow.NotFoundError{What: "workflow", Name: string(id)}
	}
	return Run[O]{eng: e, ref: flow.Ref{ID: id, Run: head.Run}}, nil
}
