package engine

import (
	"context"
	"sync"

	"weft/flow"
)

// ring keeps the newest change notices. Writing never waits: a watcher that is
// too slow is told how many it missed and refetches.
type ring struct {
	mu       sync.Mutex
	buf      []told
	next     uint64 // number of the next notice, from 1
	watchers map[chan struct{}]struct{}
	closed   bool
	done     chan struct{} // closed with closed
}

// told is a notice in the ring. Most are about steps and overwritten before
// anybody reads them, so the words of a step are put together when it is read.
type told struct {
	flow.Notice
	step step // what Text begins with; zero for a notice that is not of a step
}

// step is a durable operation by its kind and name.
type step struct {
	kind flow.StepKind
	name string
}

func (t *told) notice() flow.Notice {
	n := t.Notice
	if t.step.kind != 0 {
		n.Text = stepText(t.step.kind, t.step.name) + n.Text
	}
	return n
}

func newRing(size int) *ring {
	return &ring{buf: make([]told, size), next: 1, watchers: map[chan struct{}]struct{}{},
		done: make(chan struct{})}
}

func (r *ring) put(n flow.Notice) { r.putStep(step{}, n) }

func (r *ring) putStep(s step, n flow.Notice) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n.Seq = r.next
	r.buf[r.next%uint64(len(r.buf))] = told{n, s}
	r.next++
	for w := range r.watchers {
		select {
		case w <- struct{}{}:
		default:
		}
	}
}

// from copies the notices from number on, as many as are still there, and
// answers how many are not.
func (r *ring) from(number uint64, most int) (notices []flow.Notice, missed uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if number == 0 || number > r.next {
		number = r.next
	}
	if oldest := r.next - min(r.next-1, uint64(len(r.buf))); number < oldest {
		missed, number = oldest-number, oldest
	}
	for ; number < r.next && len(notices) < most; number++ {
		notices = append(notices, r.buf[number%uint64(len(r.buf))].notice())
	}
	return notices, missed
}

// latest are the newest notices, newest first.
func (r *ring) latest(most int) []flow.Notice {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := min(r.next-1, uint64(len(r.buf)), uint64(most))
	out := make([]flow.Notice, 0, n)
	for i := range n {
		out = append(out, r.buf[(r.next-1-i)%uint64(len(r.buf))].notice())
	}
	return out
}

func (r *ring) join() (wake chan struct{}, next uint64, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, 0, false
	}
	wake = make(chan struct{}, 1)
	r.watchers[wake] = struct{}{}
	return wake, r.next, true
}

func (r *ring) leave(wake chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.watchers, wake)
}

// close ends every watch.
func (r *ring) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		close(r.done)
	}
	r.closed = true
	for w := range r.watchers {
		close(w)
	}
	r.watchers = map[chan struct{}]struct{}{}
}

// watchBatch bounds what a watcher is handed between two looks, and what a
// closed engine leaves for a watcher to read.
const watchBatch = 256

// watch sends the notices from number on until ctx ends or the engine closes,
// then closes the channel. 0, and a number that has not been given out, such as
// one of an earlier engine, mean from now on.
func (r *ring) watch(ctx context.Context, number uint64) <-chan flow.Notice {
	out := make(chan flow.Notice, watchBatch)
	wake, next, ok := r.join()
	if !ok {
		close(out)
		return out
	}
	if number == 0 || number > next {
		number = next
	}
	go func() {
		defer close(out)
		defer r.leave(wake)
		for {
			notices, missed := r.from(number, watchBatch)
			number += missed
			for _, n := range notices {
				n.Missed, missed = missed, 0
				if !r.hand(ctx, out, n) {
					return
				}
				number = n.Seq + 1
			}
			if len(notices) > 0 {
				continue
			}
			select {
			case _, open := <-wake:
				if !open {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

// hand gives a watcher one notice and waits for it to have room. After the ring
// was closed nobody may be reading any more: then what has no room is dropped.
func (r *ring) hand(ctx context.Context, out chan<- flow.Notice, n flow.Notice) bool {
	select {
	case out <- n:
		return true
	default:
	}
	select {
	case out <- n:
		return true
	case <-ctx.Done():
	case <-r.done:
	}
	return false
}
