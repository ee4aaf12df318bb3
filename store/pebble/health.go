package pebble

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"weft/store"
)

// stats counts what the committer does.
type stats struct {
	syncs, batches atomic.Uint64

	mu     sync.Mutex
	recent [256]time.Duration // by syncs mod 256
}

func (s *stats) synced(took time.Duration, batches int) {
	s.mu.Lock()
	s.recent[s.syncs.Load()%uint64(len(s.recent))] = took
	s.mu.Unlock()
	s.syncs.Add(1)
	s.batches.Add(uint64(batches))
}

// quantiles of the recent syncs; zero when there were none.
func (s *stats) quantiles() (p50, p99 time.Duration) {
	s.mu.Lock()
	times := s.recent // a copy
	s.mu.Unlock()
	n := int(min(s.syncs.Load(), uint64(len(times))))
	if n == 0 {
		return 0, 0
	}
	sorted := times[:n]
	slices.Sort(sorted)
	return sorted[n/2], sorted[n*99/100]
}

// Health implements [store.Store]. It calls neither Pebble nor the system, which
// can hang: size and free space are those of the last look, and it asks for
// another when that is old.
func (s *Store) Health() store.Health {
	s.chores.askIfOld()
	h := store.Health{
		Group:   store.Group(s.durable.Load()),
		Syncs:   s.stats.syncs.Load(),
		Batches: s.stats.batches.Load(),
		Size:    s.chores.size.Load(),
		Free:    s.chores.free.Load(),
	}
	h.SyncP50, h.SyncP99 = s.stats.quantiles()
	_, stalled, failed := s.queue.status()
	full := s.chores.refusal()
	switch {
	case s.closed.Load():
		h.State, h.Err = store.Closed, store.ErrClosed
	case failed != nil:
		h.State, h.Err = store.Failed, failed
	case stalled != nil:
		h.State, h.Err = store.Stalled, stalled
	case full != nil:
		h.State, h.Err = store.Full, full
	}
	return h
}
