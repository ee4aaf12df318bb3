package engine

import (
	"context"
	"errors"
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
	ended chan struct{} // closed at the end, after last or next was set
	last  flow.Event
	next  flow.Ref // the run that went on in its place
	count int      // of those who wait
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

// continued tells those who wait for a run that another went on in its place.
func (w *waiters) continued(ref, next flow.Ref) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if one := w.byRef[ref]; one != nil {
		one.next = next
		close(one.ended)
		delete(w.byRef, ref)
	}
}

// result waits for the last event of a run, or of the last of its chain, which
// it names.
func (e *Engine) result(ctx context.Context, ref flow.Ref) (flow.Ref, flow.Event, error) {
	for {
		ev, next, err := e.resultOf(ctx, ref)
		if next.Run == "" {
			return ref, ev, err
		}
		ref = next
	}
}

// resultOf waits until a run has ended, or has continued as new.
func (e *Engine) resultOf(ctx context.Context, ref flow.Ref) (ev flow.Event, next flow.Ref, err error) {
	w := e.waiters.join(ref)
	defer e.waiters.leave(ref, w)
	// A life that runs will tell the waiter; otherwise, also while one is only
	// being read, the end may be stored already.
	if l := e.lives.get(ref); l == nil || !l.runs() {
		ev, done, err := e.lastEvent(ref)
		if errors.Is(err, flow.ErrNotFound) {
			next, err = e.successorOf(ref, err)
		}
		if err != nil || done || next.Run != "" {
			return ev, next, err
		}
	}
	select {
	case <-w.ended:
		return w.last, w.next, nil
	case <-ctx.Done():
		return flow.Event{}, next, fmt.Errorf("wait for workflow %q: %w", ref.ID, context.Cause(ctx))
	case <-e.dead:
		return flow.Event{}, next, fmt.Errorf("wait for workflow %q: %w", ref.ID, e.halted())
	}
}

// successorOf is the run that goes on in the place of one that is gone, or
// missing.
func (e *Engine) successorOf(ref flow.Ref, missing error) (flow.Ref, error) {
	head, g, err := e.readHead(ref.ID)
	if err != nil {
		return flow.Ref{}, err
	}
	if g.raw == nil || head.Run == ref.Run || !head.Succeeds(ref.Run) {
		return flow.Ref{}, missing
	}
	return flow.Ref{ID: ref.ID, Run: head.Run}, nil
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
// result type is the caller's claim. It fails with a [*flow.NotFoundError] when
// no run has the id.
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
