package engine

import (
	"context"
	"errors"
	"fmt"

	"weft/engine/row"
	"weft/engine/teardown"
	"weft/flow"
	"weft/store"
)

// purge is the removal of an ended run: everything recorded of it but dead
// letters, the audit and idempotency keys.
type purge struct {
	ref  flow.Ref
	head row.Head
	at   store.Group
	// keys are its rows when they are few; otherwise whole ranges go.
	keys   [][]byte
	ranges [][]byte
	// behind: a dead letter has pieces behind it, which stay for it.
	behind bool
}

// runFamilies are the prefixes under which an ended run can have rows of its
// own.
func runFamilies(ref flow.Ref, head row.Head) [][]byte {
	return [][]byte{row.EventPrefix(ref), row.WaitPrefix(ref), row.SignalPrefix(head.Box(ref.ID)), row.ChildPrefix(ref),
		row.ChildEndPrefix(ref), row.PastPrefix(ref.ID), row.AnswerPrefix(ref), row.UpdatePrefix(ref)}
}

// preparePurge finds what a purge removes, or says why it may not happen.
func preparePurge(snap store.Snapshot, ref flow.Ref, head row.Head) (*purge, error) {
	if err := teardown.Refuse(snap, ref); err != nil {
		return nil, err
	}
	if err := reached(snap, ref); err != nil {
		return nil, err
	}
	behind, err := teardown.Behind(snap, ref)
	if err != nil {
		return nil, err
	}
	p := &purge{ref: ref, head: head, at: snap.Group(), behind: behind}
	for _, prefix := range runFamilies(ref, head) {
		keys, many, err := keysOf(snap, prefix)
		switch {
		case err != nil:
			return nil, err
		case many:
			p.ranges = append(p.ranges, prefix)
		default:
			p.keys = append(p.keys, keys...)
		}
	}
	return p, nil
}

// keysOf lists the keys under a prefix; many says that there are more than
// single deletes are good for.
func keysOf(snap store.Snapshot, prefix []byte) (keys [][]byte, many bool, err error) {
	for kv, err := range snap.Scan(store.Prefix(prefix)) {
		if err != nil {
			return nil, false, err
		}
		if len(keys) == manyRows {
			return nil, true, nil
		}
		keys = append(keys, append([]byte(nil), kv.Key...))
	}
	return keys, false, nil
}

// put adds the removal to a batch that is conditional on the run's head. The
// head itself goes too, unless the batch puts a new one after it.
func (p *purge) put(b *store.Batch) {
	for _, key := range p.keys {
		b.Delete(key)
	}
	for _, prefix := range p.ranges {
		b.DeleteRange(prefix, store.PrefixEnd(prefix))
	}
	h := p.head
	b.Delete(row.HeadKey(p.ref.ID))
	b.Delete(row.IndexKey(h.Type, h.Version, h.Status, h.CreatedAt, p.ref.ID))
	b.Delete(row.TerminalKey(h.ClosedAt, p.ref.ID))
	putLabelRows(b, p.ref.ID, &h, &row.Head{})
	b.Add(row.CountKey(h.Type, h.Version, h.Status), -1)
	teardown.ExpectNone(b, p.ref, p.at)
	if !p.behind {
		teardown.DropState(b, p.ref)
	}
}

// purgeRun removes an ended run.
func (e *Engine) purgeRun(ctx context.Context, target flow.Ref, audit *flow.Audit) (flow.Ref, error) {
	for {
		ref, p, g, err := e.lookAtEnded(target)
		if err != nil {
			return ref, err
		}
		var b store.Batch
		p.put(&b)
		if audit != nil {
			audit.Target, audit.Text = ref, fmt.Sprintf("purged, was %s", p.head.Status)
			putAudit(&b, audit)
		}
		applied, err := e.commitNow(ctx, &g, &b)
		if err != nil {
			return ref, e.unsure(ref.ID, err)
		}
		if applied {
			e.tell(flow.Notice{Kind: flow.NoticePurged, Ref: ref, Type: p.head.Type})
			return ref, nil
		}
	}
}

// lookAtEnded reads a run that must have ended.
func (e *Engine) lookAtEnded(target flow.Ref) (flow.Ref, *purge, guard, error) {
	snap, err := e.store.Snapshot()
	if err != nil {
		return target, nil, guard{}, err
	}
	defer snap.Close()
	head, g, err := liveHead(snap, target)
	ref := flow.Ref{ID: target.ID, Run: head.Run}
	var ended *flow.FinishedError
	switch {
	case err == nil:
		return ref, nil, g, fmt.Errorf("run %s is %s, only an ended one can be removed: %w", ref, head.Status, flow.ErrConflict)
	case !errors.As(err, &ended):
		return target, nil, g, err
	}
	p, err := preparePurge(snap, ref, head)
	return ref, p, g, err
}
