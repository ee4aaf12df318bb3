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
	moves   *moves
	ends    ends

	mu     sync.Mutex
	inUse  int           // views that hold a snapshot
	closed chan struct{} // set by close; closed when none is in use
}

// view is a Pebble snapshot shared by all who read one group. The holder of
// views has one reference.
type view struct {
	snap  *pebble.Snapshot
	group store.Group
	refs  atomic.Int64
	gate  *views
}

// show makes snap what readers see from now on, and answers the view before it
// if that is to be freed. A group may land after the store was closed, when
// Pebble hung meanwhile: nobody is to see it.
func (vs *views) show(snap *pebble.Snapshot, g store.Group) *view {
	v := &view{snap: snap, group: g, gate: vs}
	v.refs.Store(1)
	vs.mu.Lock()
	if vs.closed != nil {
		vs.mu.Unlock()
		_ = snap.Close()
		return nil
	}
	vs.inUse++
	old := vs.current.Swap(v)
	vs.mu.Unlock()
	if old == nil || !old.drop() {
		return nil
	}
	return old
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
	vs := v.gate
	vs.mu.Lock()
	defer vs.mu.Unlock()
	if vs.inUse--; vs.inUse == 0 && vs.closed != nil {
		close(vs.closed)
	}
}

// close lets nobody in any more. The channel is closed when everybody is out.
// It is called once, after the first show.
func (vs *views) close() <-chan struct{} {
	vs.mu.Lock()
	vs.closed = make(chan struct{})
	old := vs.current.Swap(nil)
	vs.mu.Unlock()
	old.release()
	return vs.closed
}
