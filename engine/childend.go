package engine

import (
	"fmt"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// childEnds are the ends of children that a run has not taken, by the step that
// started the child.
type childEnds map[flow.StepPath]flow.Event

// loadEnds adds what the store holds. Ends that cannot be read make it fail: the
// run cannot go on without them.
func loadEnds(r store.Reader, ref flow.Ref) (childEnds, error) {
	var ends childEnds
	for kv, err := range r.Scan(store.Prefix(row.ChildEndPrefix(ref))) {
		if err != nil {
			return nil, err
		}
		_, step, ok := row.ParseChild(row.FamilyChildEnd, kv.Key)
		if !ok {
			return nil, fmt.Errorf("child's end %q: %w", kv.Key, store.ErrCorrupt)
		}
		ev, err := row.DecodeEvent(0, kv.Value)
		if err != nil {
			return nil, fmt.Errorf("end of the child of step %s: %w", step, err)
		}
		if ends == nil {
			ends = childEnds{}
		}
		ends[step] = ev
	}
	return ends, nil
}

// matchChildren lets the operations go on whose child has ended.
func (l *life) matchChildren() {
	for _, o := range l.ops {
		if o.kind != flow.StepWait || !o.dispatched || l.inboxHas(o) {
			continue
		}
		if o.taken != nil && o.taken.Seq != 0 { // its row is gone
			l.inbox = append(l.inbox, outcome{op: o, output: o.taken.Output, failure: o.taken.Failure})
		} else if end, ok := l.children[o.awaits]; ok {
			l.inbox = append(l.inbox, outcome{op: o, output: end.Output, failure: endFailure(end)})
		}
	}
}

// endFailure is what a parent sees of a child that did not complete.
func endFailure(end flow.Event) *flow.Failure {
	if end.Status == flow.Completed {
		return nil
	}
	f := &flow.Failure{Code: "child-" + end.Status.String(), Category: flow.Application, Permanent: true,
		Message: joinReason("child "+end.Status.String(), end.Reason), Cause: end.Failure}
	if end.Failure != nil {
		f.Message = joinReason(f.Message, end.Failure.Message)
	}
	return f
}

// tellParent adds a child's end to the child's terminal batch: the end and the
// parent's ready row, on condition of the parent's head. A parent that has
// ended is not told. It answers what the parent's life is to be handed.
func (l *life) tellParent(b *store.Batch, end flow.Event) (*childEnd, error) {
	p := l.head.Parent
	if p == nil {
		return nil, nil
	}
	snap, err := l.eng.store.Snapshot()
	if err != nil {
		return nil, err
	}
	defer snap.Close()
	head, g, err := headIn(snap, p.ID)
	if err != nil || g.raw == nil || head.Run != p.Run || head.Status.Terminal() {
		return nil, nil // a parent whose head cannot be read is held up by that, not by us
	}
	c := &childEnd{parent: p.Ref(), step: p.Step, event: end}
	b.Expect(g.key, g.raw, g.at)
	b.Put(row.ChildEndKey(c.parent, p.Step), row.EncodeEvent(end))
	if head.Status != flow.Running {
		return c, nil
	}
	ready, err := l.eng.freshReady(snap, c.parent)
	if err != nil {
		return nil, err
	}
	c.wakes = true
	b.Put(row.ReadyKey(c.parent), ready)
	return c, nil
}

// childEnd is a durable end on its way to the parent.
type childEnd struct {
	parent flow.Ref
	step   flow.StepPath
	event  flow.Event
	wakes  bool
}

// handEnd gives a durable end to the parent in memory, or wakes it.
func (e *Engine) handEnd(c *childEnd, at store.Group) {
	if l := e.lives.get(c.parent); l != nil {
		l.mu.Lock()
		if at > l.loadedAt {
			if l.children == nil {
				l.children = childEnds{}
			}
			l.children[c.step] = c.event
			l.stale = true
			l.kick()
		}
		l.mu.Unlock()
	}
	if c.wakes {
		e.wake(c.parent)
	}
}
