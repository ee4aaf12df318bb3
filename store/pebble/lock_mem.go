package pebble

import (
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// memLocks are the owner.locks of memory file systems: such a directory is
// known to this process alone.
var memLocks = struct {
	sync.Mutex
	held map[memLock]int // -1: one owner; n: so many readers
}{held: map[memLock]int{}}

type memLock struct {
	fs   vfs.FS // the innermost, so that wrappers share a lock
	path string
}

type memOwnership struct {
	memLock
	outer  vfs.FS
	shared bool
	named  bool
}

func tryMemLock(p place, shared bool) (ownership, error) {
	own := &memOwnership{memLock: memLock{vfs.Root(p.fs), p.ownerLock()}, outer: p.fs, shared: shared}
	memLocks.Lock()
	defer memLocks.Unlock()
	n := memLocks.held[own.memLock]
	switch {
	case n < 0 || n > 0 && !shared:
		return nil, heldError{byOwner: n < 0}
	case shared:
		memLocks.held[own.memLock]++
	default:
		memLocks.held[own.memLock] = -1
	}
	return own, nil
}

func (o *memOwnership) announce(content []byte) error {
	o.named = true
	return writeSynced(o.outer, o.path, content)
}

func (o *memOwnership) still() error { return nil }

func (o *memOwnership) release() {
	if o.named {
		_ = writeSynced(o.outer, o.path, nil) // only tells who had it
	}
	memLocks.Lock()
	defer memLocks.Unlock()
	if memLocks.held[o.memLock]--; !o.shared || memLocks.held[o.memLock] <= 0 {
		delete(memLocks.held, o.memLock)
	}
}
