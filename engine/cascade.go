package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// putCascade notes, in the batch that ends a run, that the end must reach its
// children. A run that completes is not searched for children unless its code
// started one that such an end concerns.
func (l *life) putCascade(b *store.Batch, end flow.Status) (bool, error) {
	if end == flow.Completed && !l.takesChildren && !l.head.TakesChildren {
		return false, nil
	}
	for kv, err := range l.eng.store.Scan(store.Prefix(row.ChildPrefix(l.ref))) {
		if err != nil {
			return false, err
		}
		if c, err := row.DecodeChild(kv.Value); err == nil && c.Close.Reached(end) {
			b.Put(row.CascadeKey(l.ref), row.EncodeCascade(end))
			return true, nil
		}
	}
	return false, nil
}

const (
	// cascadePage is how many children are ended between two reads,
	// cascadeWorkers how many are ended at once, of how many parents: they share
	// syncs, and one whose code is busy does not hold up the others.
	cascadePage    = 256
	cascadeWorkers = 64
	// cascadeAgain is how long a cascade waits that did not reach all.
	cascadeAgain = 30 * time.Second
)

// cascade ends the children of runs that have ended: those that wait since
// before open, then each as it is told. A row goes when all children of its run
// know, so a crash repeats what is harmless to repeat.
func (e *Engine) cascade() {
	parents, children := make(places, cascadeWorkers), make(places, cascadeWorkers)
	for {
		var missed atomic.Bool
		var all sync.WaitGroup
		for parent, end := range e.cascades() {
			parents.take(&all, func() {
				err := e.cascadeOne(parent, end, children)
				if err != nil && e.halted() == nil && !e.isClosing() {
					e.problem(fmt.Sprintf("the end of run %s did not reach all its children: %v", parent, err), "")
					missed.Store(true)
				}
			})
		}
		all.Wait()
		var again <-chan time.Time
		if missed.Load() {
			again = time.After(cascadeAgain)
		}
		select {
		case <-e.closing:
			return
		case <-again:
		case <-e.ends:
		}
	}
}

// places bounds how many goroutines do something at once.
type places chan struct{}

// take runs f in a goroutine of all once there is a place.
func (p places) take(all *sync.WaitGroup, f func()) {
	p <- struct{}{}
	all.Go(func() {
		defer func() { <-p }()
		f()
	})
}

// ended tells the loop that an end must reach children.
func (e *Engine) ended() {
	select {
	case e.ends <- struct{}{}:
	default:
	}
}

func (e *Engine) cascades() map[flow.Ref]flow.Status {
	ends := map[flow.Ref]flow.Status{}
	for kv, err := range e.store.Scan(store.Prefix([]byte(row.FamilyCascade))) {
		if err != nil {
			return ends
		}
		if ref, ok := row.ParseCascade(kv.Key); ok {
			ends[ref] = row.DecodeCascade(kv.Value)
		}
	}
	return ends
}

func (e *Engine) cascadeOne(parent flow.Ref, end flow.Status, p places) error {
	var bad []error
	var from []byte
	for {
		children, next, err := e.childPage(parent, end, from)
		if err != nil {
			return err
		}
		bad = append(bad, e.endChildren(parent, children, p))
		if e.isClosing() {
			return flow.ErrClosed
		}
		if from = next; from == nil {
			break
		}
	}
	if err := errors.Join(bad...); err != nil {
		return err
	}
	var b store.Batch
	b.Delete(row.CascadeKey(parent))
	_, err := e.commit(nil, &b)
	return err
}

// endChildren ends a page of children and answers once each is ended, or could
// not be.
func (e *Engine) endChildren(parent flow.Ref, children []row.Child, p places) error {
	bad := make([]error, len(children))
	var all sync.WaitGroup
	for i, c := range children {
		if e.isClosing() {
			break
		}
		p.take(&all, func() { bad[i] = e.endChild(parent, c) })
	}
	all.Wait()
	return errors.Join(bad...)
}

// endChild ends a child, whichever generation of it runs now.
func (e *Engine) endChild(parent flow.Ref, c row.Child) error {
	how := ending{status: flow.Cancelled, reason: "parent " + string(parent.ID) + " ended"}
	for {
		head, g, err := e.readHead(c.ID)
		if err != nil {
			return fmt.Errorf("child %s: %w", c.Ref(), err)
		}
		if g.raw == nil || head.Chain() != c.Run {
			return nil // purged, or the id is another run's
		}
		ref := flow.Ref{ID: c.ID, Run: head.Run}
		_, err = e.endRun(context.Background(), ref, how, c.Close == flow.Terminate)
		switch {
		case errors.Is(err, flow.ErrNotFound): // it went on as new meanwhile
		case err == nil, errors.Is(err, flow.ErrFinished):
			return nil
		default:
			return fmt.Errorf("child %s: %w", ref, err)
		}
	}
}

// childPage reads the next children that an end concerns.
func (e *Engine) childPage(parent flow.Ref, end flow.Status, from []byte) (out []row.Child, next []byte, err error) {
	r := store.Prefix(row.ChildPrefix(parent))
	if from != nil {
		r.From = from
	}
	for kv, err := range e.store.Scan(r) {
		if err != nil {
			return nil, nil, err
		}
		if len(out) == cascadePage {
			return out, bytes.Clone(kv.Key), nil
		}
		if c, err := row.DecodeChild(kv.Value); err == nil && c.Close.Reached(end) {
			out = append(out, c)
		}
	}
	return out, nil, nil
}

// reached refuses while the end of a run has not reached its children: they are
// found by its rows.
func reached(snap store.Snapshot, ref flow.Ref) error {
	raw, err := snap.Get(row.CascadeKey(ref))
	if err == nil && raw != nil {
		err = fmt.Errorf("the end of run %s has not reached all its children yet, which needs an engine that runs: %w",
			ref, flow.ErrConflict)
	}
	return err
}
