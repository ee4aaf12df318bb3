package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/oklog/ulid/v2"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// updateRequest is one update, without types.
type updateRequest struct {
	target flow.Ref // without Run: whatever run has the id
	name   string
	input  flow.Payload
	id     string // chosen when ""
	audit  *flow.Audit
	// waits: the caller wants the reply and waits for it by wait, from before
	// the acceptance on: a run may reply, and be gone, at once.
	waits bool
	wait  *replyWait
}

func (r *updateRequest) check() error {
	if r.id == "" {
		r.id = ulid.Make().String()
	}
	return errors.Join(flow.CheckName("workflow id", string(r.target.ID)),
		flow.CheckName("update name", r.name), flow.CheckUpdateID(r.id))
}

func (r *updateRequest) digest() flow.Digest { return flow.DigestOf([]byte(r.name), r.input) }

// accept brings an update to the run's code and returns when the code has
// accepted it. It reports false when an update of the id had been accepted
// before. The run is launched if it is parked; its code decides at its block
// point, by the validator, and nothing is stored before.
func (e *Engine) accept(ctx context.Context, r *updateRequest) (flow.Ref, bool, error) {
	if err := e.takesCalls(); err != nil {
		return flow.Ref{}, false, err
	}
	if err := r.check(); err != nil {
		return flow.Ref{}, false, err
	}
	for {
		if err := ctx.Err(); err != nil {
			return flow.Ref{}, false, context.Cause(ctx)
		}
		ref, known, err := e.mayAccept(r)
		if err != nil || known {
			return ref, false, err
		}
		switch err := e.submitWaiting(ctx, ref, r); {
		case err == nil:
			return ref, true, nil
		case !errors.Is(err, errLeft):
			return ref, false, e.unsure(ref.ID, err)
		}
	}
}

// mayAccept looks at the run: known says that it has accepted an update of this
// id.
func (e *Engine) mayAccept(r *updateRequest) (ref flow.Ref, known bool, err error) {
	snap, err := e.store.Snapshot()
	if err != nil {
		return ref, false, err
	}
	defer snap.Close()
	head, _, bad := liveHead(snap, r.target)
	ref = flow.Ref{ID: r.target.ID, Run: head.Run}
	if bad != nil && !errors.Is(bad, flow.ErrFinished) {
		return ref, false, bad
	}
	old, err := acceptedIn(snap, ref, r.id)
	if err != nil {
		return ref, false, err
	}
	if old != nil {
		return ref, true, r.repeats(old)
	}
	if bad != nil {
		return ref, false, bad
	}
	if err := e.reachable(ref, head); err != nil {
		return ref, false, err
	}
	if def := e.types[head.Type]; def.updates[r.name] == nil {
		return ref, false, unknownMessage("update", head.Type, r.name, def.updates)
	}
	if head.Status != flow.Running {
		return ref, false, &flow.UnreachableError{Ref: ref, Why: stillStands(head)}
	}
	if err := e.weigh(r.input, cargo{ref: ref, typ: head.Type, kind: "update", name: r.name}); err != nil {
		return ref, false, fmt.Errorf("input: %w", err)
	}
	return ref, false, nil
}

// repeats refuses an update id that was used for something else.
func (r *updateRequest) repeats(old *row.Update) error {
	if old.Name != r.name {
		return &flow.InputError{What: "update id " + r.id, Problem: "was used for update " + old.Name}
	}
	if old.Digest != r.digest() {
		return &flow.InputError{What: "update id " + r.id, Problem: "was used with another input"}
	}
	return nil
}

func acceptedIn(r store.Reader, ref flow.Ref, id string) (*row.Update, error) {
	raw, err := r.Get(row.UpdateKey(ref, id))
	if err != nil || raw == nil {
		return nil, err
	}
	u, err := row.DecodeUpdate(raw)
	return &u, err
}

// reachable refuses what no code here can answer.
func (e *Engine) reachable(ref flow.Ref, head row.Head) error {
	if e.o.Mode != flow.ModeRun {
		return errNoCode
	}
	if why := e.types.held(head.Type, head.Version); why != "" {
		return &flow.UnreachableError{Ref: ref, Why: "is held: " + why}
	}
	return nil
}

// stillStands says why a live run's code does not move.
func stillStands(head row.Head) string {
	if head.Status == flow.Pending {
		return "is pending: it begins at " + head.StartAt.String()
	}
	return "is suspended: resume it first"
}

// submitWaiting is submitUpdate for who may want the reply.
func (e *Engine) submitWaiting(ctx context.Context, ref flow.Ref, r *updateRequest) error {
	if !r.waits {
		return e.submitUpdate(ctx, ref, r)
	}
	w := e.replies.join(ref, r.id)
	err := e.submitUpdate(ctx, ref, r)
	if err != nil {
		e.replies.leave(ref, w)
		return err
	}
	r.wait = w
	return nil
}

// replyTo waits for the reply to a request that was accepted.
func (e *Engine) replyTo(ctx context.Context, ref flow.Ref, r *updateRequest) (flow.Event, error) {
	if r.wait == nil { // it had been accepted before, so its absence means that it is gone
		return e.replyBy(ctx, ref, e.replies.join(ref, r.id), true)
	}
	return e.replyBy(ctx, ref, r.wait, true)
}

// submitUpdate hands the update to the life of the run and waits for the
// verdict. It fails with errLeft when the run has to be looked at again, also
// after launching it.
func (e *Engine) submitUpdate(ctx context.Context, ref flow.Ref, r *updateRequest) error {
	l := e.lives.get(ref)
	if l == nil {
		return e.launchBeyond(ref)
	}
	l.mu.Lock()
	if l.leaving != stay || l.cold {
		l.mu.Unlock()
		return l.awaitEndFor(ctx)
	}
	a := &act{done: make(chan error, 1)}
	a.do = func(l *life) error { return l.beginUpdate(a, r) }
	l.acts = append(l.acts, a)
	l.kick()
	l.mu.Unlock()
	select {
	case err := <-a.done:
		return err
	case <-ctx.Done():
		if l.withdraw(a) {
			return context.Cause(ctx)
		}
	}
	// Its turn has come: a validator or a commit is at work.
	t := time.NewTimer(settleTimeout)
	defer t.Stop()
	select {
	case err := <-a.done:
		return err
	case <-t.C:
		return &flow.OutcomeUnknownError{ID: ref.ID, Cause: context.Cause(ctx)}
	}
}

// awaitEndFor waits until a life has left memory, or a moment: attempts of a
// suspended run may keep it there for long.
func (l *life) awaitEndFor(ctx context.Context) error {
	t := time.NewTimer(50 * time.Millisecond)
	defer t.Stop()
	select {
	case <-l.ended:
	case <-t.C:
	case <-l.eng.dead:
		return l.eng.halted()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return errLeft
}

// withdraw takes an act back unless its turn has come.
func (l *life) withdraw(a *act) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, list := range []*[]*act{&l.acts, &l.early} {
		if i := slices.Index(*list, a); i >= 0 {
			*list = slices.Delete(*list, i, i+1)
			l.kick() // it may have kept the run in memory
			return true
		}
	}
	return false
}
