package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// guard is the head a batch is conditional on: its exact bytes, and a group at
// which it is known to have them.
type guard struct {
	key []byte
	raw []byte // nil: there is no such workflow
	at  store.Group
}

// fence is what makes this engine the writer: the epoch it took, and since
// when it is known to be the stored one.
type fence struct {
	raw []byte
	at  atomic.Uint64
}

// commit is the one way the engine writes. It adds the two conditions of the
// fence, the epoch and (unless g is nil) the run's head, and answers whether b
// was applied. Not applied means that the head or another condition of b has
// changed: read again. The error is final: the engine does not hold the lease,
// was deposed, closes, or its store has failed; in the last three cases it has
// halted, or halts now.
//
// A store that is full or stalled refuses for the moment and has changed
// nothing: the engine's own work waits for it, because a step that happened
// must be recorded; calls from outside use [Engine.commitNow] and are refused.
func (e *Engine) commit(g *guard, b *store.Batch) (bool, error) {
	for {
		applied, err := e.commitNow(context.Background(), g, b)
		if !errors.Is(err, store.ErrFull) && !errors.Is(err, store.ErrStalled) {
			return applied, err
		}
		e.problem("store refuses writes: "+err.Error(), "make room; the runs go on by themselves then")
		select {
		case <-e.dead:
			return false, e.halted()
		case <-e.drained:
			return false, flow.ErrClosed
		case <-time.After(time.Second):
		}
	}
}

// commitNow is commit for callers that can be told no.
func (e *Engine) commitNow(ctx context.Context, g *guard, b *store.Batch) (bool, error) {
	if err := e.mayWrite(); err != nil {
		return false, err
	}
	conditions := len(b.Conditions)
	b.Expect(row.LeaseEpoch, e.fence.raw, store.Group(e.fence.at.Load()))
	if g != nil {
		b.Expect(g.key, g.raw, g.at)
	}
	res, err := e.store.Commit(ctx, b)
	b.Conditions = b.Conditions[:conditions]
	switch {
	case err == nil && res.Applied:
		e.fence.seen(res.Group)
		if g != nil {
			g.at = res.Group
		}
		return true, nil
	case err == nil:
		return false, e.judge()
	case errors.Is(err, store.ErrFailed), errors.Is(err, store.ErrClosed):
		e.halt(err)
		return false, e.halted()
	}
	return false, err
}

// seen moves the group at which the epoch is known to be ours.
func (f *fence) seen(g store.Group) {
	for {
		old := f.at.Load()
		if uint64(g) <= old || f.at.CompareAndSwap(old, uint64(g)) {
			return
		}
	}
}

// judge decides what a lost condition means: with another epoch stored this
// engine is deposed, whatever else has changed.
func (e *Engine) judge() error {
	raw, err := e.store.Get(row.LeaseEpoch)
	if err == nil && bytes.Equal(raw, e.fence.raw) {
		return nil
	}
	if err != nil {
		e.halt(fmt.Errorf("read the lease epoch after a lost condition: %w", err))
	} else {
		e.lease.Lose()
		e.halt(flow.ErrDeposed)
	}
	return e.halted()
}

// mayWrite is the gate in front of every write.
func (e *Engine) mayWrite() error {
	if err := e.halted(); err != nil {
		return err
	}
	switch {
	case e.o.Mode == flow.ModeLook:
		return flow.ErrReadOnly
	case e.lease.Held():
		return nil
	}
	if err := e.lease.Err(); err != nil {
		e.halt(err) // who keeps the lease is about to
		return e.halted()
	}
	return flow.ErrLeaseNotHeld
}

// readHead reads a run's head and what guards it. A workflow that does not
// exist is a zero head under a guard that demands just that.
func (e *Engine) readHead(id flow.WorkflowID) (row.Head, guard, error) {
	snap, err := e.store.Snapshot()
	if err != nil {
		return row.Head{}, guard{}, err
	}
	defer snap.Close()
	return headIn(snap, id)
}

func headIn(snap store.Snapshot, id flow.WorkflowID) (row.Head, guard, error) {
	key := row.HeadKey(id)
	raw, err := snap.Get(key)
	if err != nil {
		return row.Head{}, guard{}, fmt.Errorf("read workflow %q: %w", id, err)
	}
	g := guard{key: key, raw: raw, at: snap.Group()}
	if raw == nil {
		return row.Head{}, g, nil
	}
	head, err := row.DecodeHead(raw)
	if err != nil {
		return row.Head{}, g, fmt.Errorf("workflow %q: %w", id, err)
	}
	return head, g, nil
}
