package engine

import (
	"context"
	"sync"

	"weft/flow"
)

// ring keeps the newest change notices. Who watches asks for them when it is
// ready, so writing never waits and costs the same with watchers as without: a
// watcher that is too slow is told how many it missed and refetches.
type ring struct {
	mu     sync.Mutex
	buf    []told
	next   uint64        // number of the next notice, from 1
	fresh  chan struct{} // closed by the next notice; nil while nobody waits
	closed bool
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

func newRing(size int) *ring { return &ring{buf: make([]told, size), next: 1} }

func (r *ring) put(n flow.Notice) { r.putStep(step{}, n) }

func (r *ring) putStep(s step, n flow.Notice) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n.Seq = r.next
	r.buf[r.next%uint64(len(r.buf))] = told{n, s}
	r.next++
	r.wake()
}

// wake lets all who wait look again. It is called under the lock.
func (r *ring) wake() {
	if r.fresh != nil {
		close(r.fresh)
		r.fresh = nil
	}
}

// news waits for a notice numbered from or later and answers the newest of them,
// at most most, or all that are still there when most is 0. A number that has
// not been given out, such as one of an earlier engine, stands for the next one;
// from 0 answers at once.
func (r *ring) news(ctx context.Context, from uint64, most int) (flow.News, error) {
	for {
		news, fresh, closed := r.since(from, most)
		switch {
		case len(news.Notices) > 0:
			return news, nil
		case closed:
			return news, flow.ErrClosed
		case from == 0:
			return news, nil
		}
		from = news.Next
		select {
		case <-fresh:
		case <-ctx.Done():
			return news, ctx.Err()
		}
	}
}

// since copies the notices from number from on, none for 0. Without any, fresh is
// closed once there may be.
func (r *ring) since(from uint64, most int) (news flow.News, fresh <-chan struct{}, closed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	news.Next = r.next
	if from == 0 || from >= r.next {
		if r.fresh == nil && !r.closed {
			r.fresh = make(chan struct{})
		}
		return news, r.fresh, r.closed
	}
	kept := uint64(len(r.buf))
	if most > 0 {
		kept = min(kept, uint64(most))
	}
	first := max(from, r.next-min(r.next-1, kept))
	news.Notices = make([]flow.Notice, 0, r.next-first)
	for number := first; number < r.next; number++ {
		news.Notices = append(news.Notices, r.buf[number%uint64(len(r.buf))].notice())
	}
	news.Notices[0].Missed = first - from
	return news, nil, r.closed
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

// close ends every wait.
func (r *ring) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	r.wake()
}
