package engine

import (
	"context"
	"fmt"
	"maps"
	"sync"

	"weft/engine/row"
	"weft/flow"
)

// replies are the callers that wait for the reply to an accepted update. They
// are told to look at the store.
type replies struct {
	mu    sync.Mutex
	byRun map[flow.Ref]map[*replyWait]struct{}
}

type replyWait struct {
	id   string
	look chan flow.Event // capacity 1: the reply, or a zero event for a look
}

func (r *replies) join(ref flow.Ref, id string) *replyWait {
	w := &replyWait{id: id, look: make(chan flow.Event, 1)}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byRun == nil {
		r.byRun = map[flow.Ref]map[*replyWait]struct{}{}
	}
	if r.byRun[ref] == nil {
		r.byRun[ref] = map[*replyWait]struct{}{}
	}
	r.byRun[ref][w] = struct{}{}
	return w
}

func (r *replies) leave(ref flow.Ref, w *replyWait) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if delete(r.byRun[ref], w); len(r.byRun[ref]) == 0 {
		delete(r.byRun, ref)
	}
}

// tell hands a reply to those who wait for it: a run that continues as new takes
// its journal away.
func (r *replies) tell(ref flow.Ref, id string, reply flow.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for w := range r.byRun[ref] {
		if w.id == id {
			w.wake(reply)
		}
	}
}

// ended wakes everyone who waits for a reply of a run.
func (r *replies) ended(ref flow.Ref) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for w := range maps.Keys(r.byRun[ref]) {
		w.wake(flow.Event{})
	}
}

func (w *replyWait) wake(reply flow.Event) {
	select {
	case w.look <- reply:
	default:
	}
}

// told is the reply, if it was handed in.
func (w *replyWait) told() (flow.Event, bool) {
	select {
	case ev := <-w.look:
		return ev, ev.Kind == flow.EventStep
	default:
		return flow.Event{}, false
	}
}

// updateReply waits for the event that replies to an accepted update.
func (e *Engine) updateReply(ctx context.Context, ref flow.Ref, id string) (flow.Event, error) {
	return e.replyBy(ctx, ref, e.replies.join(ref, id), false)
}

// replyBy is updateReply for who has joined; accepted says that the update was
// accepted, so that its absence means that it is gone.
func (e *Engine) replyBy(ctx context.Context, ref flow.Ref, w *replyWait, accepted bool) (flow.Event, error) {
	defer e.replies.leave(ref, w)
	for {
		if ev, told := w.told(); told {
			return ev, nil
		}
		ev, replied, err := e.lookForReply(ref, w.id, accepted)
		if err != nil {
			// The run may have replied, and continued as new, before that look.
			if ev, told := w.told(); told {
				return ev, nil
			}
		}
		if err != nil || replied {
			return ev, err
		}
		accepted = true
		wait := &flow.NoReplyError{Ref: ref, UpdateID: w.id}
		select {
		case ev := <-w.look:
			if ev.Kind == flow.EventStep {
				return ev, nil
			}
			continue
		case <-ctx.Done():
			wait.Cause = context.Cause(ctx)
		case <-e.dead:
			wait.Cause = e.halted()
		}
		return flow.Event{}, wait
	}
}

// lookForReply reads the reply. It fails when there never will be one.
func (e *Engine) lookForReply(ref flow.Ref, id string, wasAccepted bool) (flow.Event, bool, error) {
	snap, err := e.store.Snapshot()
	if err != nil {
		return flow.Event{}, false, err
	}
	defer snap.Close()
	u, err := acceptedIn(snap, ref, id)
	switch {
	case err != nil:
		return flow.Event{}, false, err
	case u == nil && wasAccepted:
		// The run continued as new, or was purged.
		return flow.Event{}, false, &flow.UnansweredError{Ref: ref, UpdateID: id}
	case u == nil:
		return flow.Event{}, false, &flow.NotFoundError{What: "update", Name: fmt.Sprintf("%s of run %s", id, ref)}
	case u.Replied == 0:
		head, _, err := headIn(snap, ref.ID)
		if err == nil && head.Status.Terminal() {
			err = &flow.UnansweredError{Ref: ref, UpdateID: id, Status: head.Status}
		}
		return flow.Event{}, false, err
	}
	raw, err := snap.Get(row.EventKey(ref, u.Replied))
	if err != nil {
		return flow.Event{}, false, err
	}
	ev, err := row.DecodeEvent(u.Replied, raw)
	return ev, err == nil, err
}
