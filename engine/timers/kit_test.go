package timers_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine/row"
	"weft/engine/timers"
	"weft/flow"
	"weft/store"
	"weft/store/memory"
)

// world is a queue on a memory store in a bubble of virtual time, with an action
// that takes its time and then deletes the row.
type world struct {
	*testing.T
	s    *memory.Store
	c    timers.Config[row.Timer]
	q    *timers.Queue[row.Timer]
	cost time.Duration // of one action
	stop func()

	mu    sync.Mutex
	skew  time.Duration // of the wall clock
	fires map[flow.WorkflowID][]firing
	early int
	order []flow.WorkflowID
	// stuck are ids whose action does not end before the queue is stopped, or
	// free is closed.
	stuck map[flow.WorkflowID]bool
	free  chan struct{}
	// busy counts the other actions under way, and most how many were at once.
	busy, most int
}

// firing is one call of the action; late is by the wall clock.
type firing struct{ late time.Duration }

func bubble(t *testing.T, slots int, cost time.Duration, f func(*world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{T: t, s: memory.New(memory.Options{Exclusive: true}), cost: cost, fires: map[flow.WorkflowID][]firing{}}
		w.c = timers.Config[row.Timer]{Now: w.now, Slots: slots,
			Family: timers.Family[row.Timer]{Prefix: row.FamilyTimer, From: row.TimersFrom, Parse: row.ParseTimer}}
		f(w)
		w.close()
		w.s.Close()
	})
}

func (w *world) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Now().Add(w.skew)
}

func (w *world) step(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.skew += d
}

// open starts a queue on what is stored.
func (w *world) open() {
	if w.c.Store == nil {
		w.c.Store = w.s
	}
	w.q = timers.New(w.c)
	closing := make(chan struct{})
	var wg sync.WaitGroup
	q := w.q
	wg.Go(func() {
		q.Run(func(t row.Timer, s timers.Slot) {
			w.note(t)
			wg.Go(func() {
				defer s.Free()
				w.act(t, closing)
			})
		}, closing, nil)
	})
	w.stop = func() { close(closing); wg.Wait(); w.stop = nil }
}

func (w *world) close() {
	if w.stop != nil {
		w.stop()
	}
}

func (w *world) note(t row.Timer) {
	now := w.now()
	w.mu.Lock()
	defer w.mu.Unlock()
	late := now.Sub(t.Due.Time())
	if late < 0 {
		w.early++
	}
	w.fires[t.Ref.ID] = append(w.fires[t.Ref.ID], firing{late})
	w.order = append(w.order, t.Ref.ID)
}

func (w *world) begin(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy += n
	w.most = max(w.most, w.busy)
}

func (w *world) act(t row.Timer, closing <-chan struct{}) {
	if w.stuck[t.Ref.ID] {
		select {
		case <-closing:
			return
		case <-w.free:
		}
	} else {
		w.begin(1)
		defer w.begin(-1)
	}
	select {
	case <-closing: // the process dies before the batch: the row stays
		return
	case <-time.After(w.cost):
	}
	var b store.Batch
	b.Delete(t.Key())
	if _, err := w.s.Commit(context.Background(), &b); err != nil {
		w.Error(err)
	}
}

func timer(id string, due time.Time) row.Timer {
	ref := flow.Ref{ID: flow.WorkflowID(id), Run: "01J00000000000000000000000"}
	return row.Timer{Due: flow.InstantAfter(due), Ref: ref, Step: "1"}
}

// put stores timers, and tells the queue unless none runs.
func (w *world) put(all ...row.Timer) {
	w.Helper()
	for some := range slices.Chunk(all, 2000) {
		var b store.Batch
		for _, t := range some {
			b.Put(t.Key(), nil)
		}
		if _, err := w.s.Commit(context.Background(), &b); err != nil {
			w.Fatal(err)
		}
		if w.stop != nil {
			w.q.Added(some...)
		}
	}
}

// many are timers due at one instant.
func many(n int, due time.Time) (all []row.Timer) {
	for i := range n {
		all = append(all, timer(fmt.Sprintf("many-%d", i), due))
	}
	return all
}

func (w *world) fired(id string) []firing {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.fires[flow.WorkflowID(id)]
}

// once demands that n timers fired, each once and none early, and that no row is
// left.
func (w *world) once(n int) {
	w.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for id, f := range w.fires {
		if len(f) != 1 {
			w.Errorf("%s fired %d times", id, len(f))
		}
	}
	if len(w.fires) != n || w.early > 0 {
		w.Errorf("%d timers fired, %d early; want %d, 0", len(w.fires), w.early, n)
	}
	for kv := range w.s.Scan(store.Prefix([]byte(row.FamilyTimer))) {
		w.Errorf("row %s is left", kv.Key)
		return
	}
}

// seen is what has fired so far, by id, and how many at once at most.
func (w *world) seen() (order int, fires map[flow.WorkflowID][]firing, most int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.order), maps.Clone(w.fires), w.most
}

// inTime demands that a timer fired once and at most so late.
func (w *world) inTime(id string, most time.Duration) {
	w.Helper()
	if f := w.fired(id); len(f) != 1 || f[0].late > most || f[0].late < 0 {
		w.Errorf("%s fired %d times, late by %v; want once, by at most %v", id, len(f), f, most)
	}
}
