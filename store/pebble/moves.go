package pebble

import (
	"sync"
	"sync/atomic"
)

// moves knows when Pebble's set of tables may have changed: only within a flush
// or a compaction.
//
// Whoever ends a read that began before such a change may be the last user of
// the old set, and then takes Pebble's main lock. A Pebble that gave up keeps
// that lock for ever, so such an end must not be waited for. The others take no
// lock, and are nearly all.
type moves struct {
	active, counted atomic.Int64
}

func (m *moves) begin() { m.active.Add(1); m.counted.Add(1) }
func (m *moves) end()   { m.counted.Add(1); m.active.Add(-1) }

// mark is taken when a read begins.
func (m *moves) mark() int64 { return m.counted.Load() }

// noneSince reports that nothing can have changed since mark.
func (m *moves) noneSince(mark int64) bool {
	return m.active.Load() == 0 && m.counted.Load() == mark
}

// finish ends a read on v that began at mark: close gives back what Pebble lent.
func (v *view) finish(mark int64, close func() error) {
	if v.gate.moves.noneSince(mark) {
		_ = close() // what it reports, the read has reported
		return
	}
	v.retain() // the caller has a reference, so this is another
	v.gate.ends.add(func() {
		_ = close()
		v.release()
	})
}

// ends are the ends of reads that nobody waits for. One goroutine sees to all of
// them: with one for each, a page of a list fills the queue of the scheduler
// with a hundred of them, and a key that was pressed waits behind.
type ends struct {
	mu   sync.Mutex
	todo []func()
	busy bool // a goroutine sees to them
}

func (e *ends) add(end func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.todo = append(e.todo, end)
	if !e.busy {
		e.busy = true
		go e.run()
	}
}

// run ends what there is to end, and then itself.
func (e *ends) run() {
	for {
		e.mu.Lock()
		todo := e.todo
		e.todo, e.busy = nil, len(todo) > 0
		e.mu.Unlock()
		if len(todo) == 0 {
			return
		}
		for _, end := range todo {
			end()
		}
	}
}
