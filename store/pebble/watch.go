package pebble

import (
	"fmt"
	"sync/atomic"
	"time"

	"weft/store"
)

// watch notices writes that hang. It sleeps while nothing is written: a store
// at rest costs nothing.
type watch struct {
	store  *Store
	asleep atomic.Bool
	wake   chan struct{} // one value: there is work
	stop   chan struct{}
	done   chan struct{}
}

// idleTicks is after how many looks at nothing the watch sleeps.
const idleTicks = 4

func newWatch(s *Store) *watch {
	w := &watch{store: s, wake: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{})}
	w.asleep.Store(true)
	return w
}

// rouse tells the watch that there is work.
func (w *watch) rouse() {
	if w.asleep.Load() {
		select {
		case w.wake <- struct{}{}:
		default:
		}
	}
}

func (w *watch) run() {
	defer close(w.done)
	for {
		select {
		case <-w.wake:
			w.asleep.Store(false)
			w.session()
			w.asleep.Store(true)
			// A group taken just before that line has not roused us.
			if since, _, failed := w.store.queue.status(); !since.IsZero() && failed == nil {
				w.rouse()
			}
		case <-w.stop:
			return
		}
	}
}

// session looks at the store until nothing happens any more.
func (w *watch) session() {
	every := w.store.opts.Patience.Stall / 4
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	last, idle := uint64(0), 0
	for {
		w.store.chores.ask()
		since, _, failed := w.store.queue.status()
		if failed != nil {
			return
		}
		w.look(since)
		syncs := w.store.stats.syncs.Load()
		if since.IsZero() && syncs == last && w.store.chores.refusal() == nil {
			idle++
		} else {
			idle = 0
		}
		if last = syncs; idle > idleTicks {
			return
		}
		select {
		case <-ticker.C:
		case <-w.stop:
			return
		}
	}
}

// look compares the time a group is under way with our patience.
func (w *watch) look(since time.Time) {
	if since.IsZero() {
		return
	}
	took := time.Since(since)
	switch p := w.store.opts.Patience; {
	case took >= p.GiveUp:
		err := fmt.Errorf("a write did not end within %v%s", p.GiveUp, w.store.chores.hint())
		w.store.events.add("%v", err)
		w.store.queue.fail(err, true)
	case took >= p.Stall:
		err := fmt.Errorf("%w: a write is under way for more than %v%s", store.ErrStalled, p.Stall, w.store.chores.hint())
		if full := w.store.chores.refusal(); full != nil {
			err = full
		}
		w.store.queue.stall(err)
	}
}
