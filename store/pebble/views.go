package pebble

import (
	"sync"
	"sync/atomic"

	"weft/store"

	"github.com/cockroachdb/pebble/v2"
)

// views hands readers the newest durable group. It is also the gate that Close
// waits at: Pebble panics when it is closed under a reader.
type views struct {
	current atomic.Pointer[view]
	inUse   sync.WaitGroup // views that hold a snapshot
}

// view is a Pebble snapshot shared by all who read one group. The holder of
// views has one reference.
type view struct {
	snap  *pebble.Snapshot
	group store.Group
	refs  atomic.Int64
	gate  *views
}

// show makes snap what readers see from now on.
func (vs *views) show(snap *pebble.Snapshot, g store.Group) {
	v := &view{snap: snap, group: g, gate: vs}
	v.refs.Store(1)
	vs.inUse.Add(1)
	if old := vs.current.Swap(v); old != nil && old.drop() {
		old.free() // by the committer, which may wait for Pebble
	}
}

// acquire returns the current view with a reference for the caller.
func (vs *views) acquire() (*view, error) {
	for {
		v := vs.current.Load()
		if v == nil {
			return nil, store.ErrClosed
		}
		if v.retain() {
			return v, nil
		}
		// Replaced between the two lines: the next one is there.
	}
}

// retain adds a reference unless the last one is gone.
func (v *view) retain() bool {
	for {
		n := v.refs.Load()
		if n == 0 {
			return false
		}
		if v.refs.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// release gives a reference back. Freeing the snapshot takes a lock of Pebble,
// which a Pebble that gave up keeps for ever, so no reader may wait for it.
func (v *view) release() {
	if v.drop() {
		go v.free()
	}
}

// drop reports whether the reference given back was the last.
func (v *view) drop() bool { return v.refs.Add(-1) == 0 }

func (v *view) free() {
	_ = v.snap.Close() // it only unregisters
	v.gate.inUse.Done()
}

// close lets nobody in any more. The channel is closed when everybody is out.
func (vs *views) close() <-chan struct{} {
	if old := vs.current.Swap(nil); old != nil {
		old.release()
	}
	out := make(chan struct{})
	go func() {
		defer close(out)
		vs.inUse.Wait()
	}()
	return out
}
