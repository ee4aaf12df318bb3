package pebble

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"weft/store"
)

// A group takes at most so many batches and, beyond the first, bytes.
const (
	maxGroup      = 1024
	maxGroupBytes = 512 << 10
)

// request is one Commit under way.
type request struct {
	batch *store.Batch
	size  int
	state atomic.Uint32
	res   store.Result
	err   error
	done  chan struct{} // one value when settled
}

const (
	reqWaiting = iota
	reqTaken   // the committer reads batch
	reqSettled // answered, or withdrawn by the caller
	reqLanded  // answered with its group: neither queue nor committer knows it any more
)

// settle answers r unless somebody has.
func (r *request) settle(res store.Result, err error) { r.answer(reqSettled, res, err) }

// land is settle when the group is through.
func (r *request) land(res store.Result) { r.answer(reqLanded, res, nil) }

func (r *request) answer(state uint32, res store.Result, err error) {
	for old := uint32(reqWaiting); !r.state.CompareAndSwap(old, state); {
		if old = r.state.Load(); old >= reqSettled {
			return
		}
	}
	r.res, r.err = res, err
	r.done <- struct{}{}
}

// withdraw takes back a request that the committer has not taken up.
func (r *request) withdraw() bool { return r.state.CompareAndSwap(reqWaiting, reqSettled) }

// queue stands between callers and the committer.
type queue struct {
	wake chan struct{} // holds one value while something waits
	// sick is closed when the store has failed.
	sick chan struct{}

	mu      sync.Mutex
	waiting []*request
	flight  []*request // the group that is being judged or written
	writing bool       // flight is with Pebble; the committer reads no batch
	since   time.Time  // when flight was taken; zero when there is none
	stalled error      // refuses what is not taken yet
	closing bool
	failed  error

	// spare are landed requests, to be used again. They are this queue's alone:
	// after a failure, which may settle a request late, it takes no more.
	spare sync.Pool
}

func newQueue() *queue {
	return &queue{wake: make(chan struct{}, 1), sick: make(chan struct{})}
}

// submit hands b to the committer and waits for the answer.
func (q *queue) submit(ctx context.Context, b *store.Batch, size int) (store.Result, error) {
	r := q.request(b, size)
	if err := q.push(r); err != nil {
		return store.Result{}, err
	}
	res, err := r.wait(ctx)
	if r.state.Load() == reqLanded {
		q.spare.Put(r)
	}
	return res, err
}

func (q *queue) request(b *store.Batch, size int) *request {
	r, ok := q.spare.Get().(*request)
	if !ok {
		return &request{batch: b, size: size, done: make(chan struct{}, 1)}
	}
	r.batch, r.size, r.res, r.err = b, size, store.Result{}, nil
	r.state.Store(reqWaiting)
	return r
}

// wait waits for the answer, or takes the request back when ctx ends first.
func (r *request) wait(ctx context.Context) (store.Result, error) {
	if ended := ctx.Done(); ended != nil {
		select {
		case <-r.done:
			return r.res, r.err
		case <-ended:
			if r.withdraw() {
				return store.Result{}, ctx.Err()
			}
		}
	}
	<-r.done
	return r.res, r.err
}

func (q *queue) push(r *request) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.failed != nil:
		return q.failed
	case q.closing:
		return store.ErrClosed
	case q.stalled != nil:
		return q.stalled
	}
	q.waiting = append(q.waiting, r)
	if len(q.waiting) == 1 {
		q.signal()
	}
	return nil
}

func (q *queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// take waits for requests and returns the next group's; ok is false when there
// will be none.
func (q *queue) take(group []*request) (_ []*request, ok bool) {
	for {
		q.mu.Lock()
		if q.failed != nil || q.closing && len(q.waiting) == 0 {
			q.mu.Unlock()
			return nil, false
		}
		if len(q.waiting) > 0 {
			group = q.takeLocked(group)
			q.mu.Unlock()
			return group, true
		}
		q.mu.Unlock()
		<-q.wake
	}
}

func (q *queue) takeLocked(group []*request) []*request {
	n, size := 0, 0
	for n < len(q.waiting) && n < maxGroup && (n == 0 || size+q.waiting[n].size <= maxGroupBytes) {
		r := q.waiting[n]
		n++
		if r.state.CompareAndSwap(reqWaiting, reqTaken) {
			group = append(group, r)
			size += r.size
		}
	}
	rest := copy(q.waiting, q.waiting[n:])
	clear(q.waiting[rest:])
	q.waiting = q.waiting[:rest]
	if rest > 0 {
		q.signal()
	}
	q.flight, q.writing, q.since = group, false, time.Now()
	return group
}

// length is how many requests wait.
func (q *queue) length() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting)
}

// write says that the group goes to Pebble now. It is refused when the store
// has failed meanwhile: then nothing may be written.
func (q *queue) write() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.writing = q.failed == nil
	return q.failed
}

// land says that the group is through, one way or the other. Its requests are
// the committer's to settle from here on.
func (q *queue) land() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.flight, q.writing, q.since, q.stalled = nil, false, time.Time{}, nil
}

// fail latches the store as failed and answers everybody. A group that is still
// being judged is left to the committer, which reads its batches, unless it is
// stuck.
func (q *queue) fail(cause error, stuck bool) {
	q.mu.Lock()
	if q.failed != nil {
		q.mu.Unlock()
		return
	}
	q.failed = fmt.Errorf("%w: %w", store.ErrFailed, cause)
	settle := q.waiting
	if q.writing || stuck {
		settle = append(settle, q.flight...)
	}
	q.waiting = nil
	close(q.sick)
	err := q.failed
	q.signal()
	q.mu.Unlock()
	for _, r := range settle {
		r.settle(store.Result{}, err)
	}
}

// stall refuses what waits, and what comes, until the group has landed.
func (q *queue) stall(err error) {
	q.mu.Lock()
	var refused []*request
	if !q.since.IsZero() && q.failed == nil {
		q.stalled = err
		refused, q.waiting = q.waiting, nil
	}
	q.mu.Unlock()
	for _, r := range refused {
		r.settle(store.Result{}, err)
	}
}

// close refuses new requests and lets the committer end once it is through.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closing = true
	q.signal()
}

// status tells how the queue is: since when a group is under way (zero: none),
// and why requests are refused.
func (q *queue) status() (since time.Time, stalled, failed error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.since, q.stalled, q.failed
}
