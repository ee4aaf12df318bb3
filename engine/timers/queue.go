package timers

import (
	"container/heap"
	"sync"
	"time"

	"weft/flow"
)

// Queue is the timers of one family. Its methods may be called from many
// goroutines; [Queue.Run] once.
type Queue[T Timer] struct {
	c     Config[T]
	slots slots
	news  chan struct{} // capacity 1

	mu sync.Mutex
	// known are the timers in memory, those of soon, due and late. Each is in
	// one of them.
	known map[T]struct{}
	soon  byDue[T]
	// due are those that have become due, in the order in which they did.
	due deque[taken[T]]
	// late are those of the backlog, the oldest first.
	late deque[T]
	// read counts the rows of the near cursor in soon and in due; what was added
	// does not count, or much of it would keep the cursor from going on.
	read struct{ soon, due int }
	// edge is the key up to which rows have been read, but for the gaps, which
	// lie below it in key order.
	edge []byte
	gaps []span
	// looked is the wall clock at the last look; newest says which end is next.
	looked flow.Instant
	newest bool
	ended  bool
}

// taken is a timer in memory; read says that it came from the near cursor.
type taken[T Timer] struct {
	timer T
	read  bool
}

// New is a queue that does nothing before [Queue.Run].
func New[T Timer](c Config[T]) *Queue[T] {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.LookEvery == 0 {
		c.LookEvery = look
	}
	if c.Ready == nil {
		c.Ready = func() bool { return true }
	}
	news := make(chan struct{}, 1)
	return &Queue[T]{c: c, news: news, known: map[T]struct{}{}, edge: []byte(c.Family.Prefix),
		slots: slots{most: max(c.Slots, 1), patience: c.Patience, news: news}}
}

// Added takes in timers whose rows have become durable. Those that the cursors
// have not come to are found there; the others would be missed.
func (q *Queue[T]) Added(timers ...T) {
	q.enter(timers, false)
}

// Again takes in timers that are to be looked at when they are due, whether or
// not their rows have been read.
func (q *Queue[T]) Again(timers ...T) {
	q.enter(timers, true)
}

func (q *Queue[T]) enter(timers []T, all bool) {
	if len(timers) == 0 {
		return
	}
	first := false
	q.mu.Lock()
	for _, t := range timers {
		if all || q.passed(t.Key()) {
			q.push(taken[T]{timer: t})
			first = first || len(q.soon) > 0 && q.soon[0].timer == t
		}
	}
	q.mu.Unlock()
	if first {
		nudge(q.news)
	}
}

// Stop ends Run.
func (q *Queue[T]) Stop() {
	q.mu.Lock()
	q.ended = true
	q.mu.Unlock()
	nudge(q.news)
}

// push takes in a timer once. mu is held.
func (q *Queue[T]) push(t taken[T]) {
	if _, known := q.known[t.timer]; known {
		return
	}
	q.known[t.timer] = struct{}{}
	q.wait(t)
}

// wait puts a timer among those that are not due. mu is held.
func (q *Queue[T]) wait(t taken[T]) {
	heap.Push(&q.soon, t)
	if t.read {
		q.read.soon++
	}
}

// ripen moves what has become due, or is not due any more because the clock was
// set back. mu is held.
func (q *Queue[T]) ripen(now flow.Instant) {
	if now < q.looked {
		for t, ok := q.due.popFront(); ok; t, ok = q.due.popFront() {
			q.wait(t)
		}
		q.read.due = 0
	}
	q.looked = now
	for len(q.soon) > 0 && q.soon[0].timer.At() <= now {
		t := heap.Pop(&q.soon).(taken[T])
		q.due.pushBack(t)
		if t.read {
			q.read.soon--
			q.read.due++
		}
	}
}

// until is how long nothing is due; 0 when something is. mu is held, and ripen
// was called.
func (q *Queue[T]) until(now time.Time) time.Duration {
	if q.due.len() > 0 {
		return 0
	}
	left := q.c.LookEvery
	if len(q.soon) > 0 {
		left = min(left, time.UnixMilli(int64(q.soon[0].timer.At())).Sub(now))
	}
	if t, ok := q.late.front(); ok {
		left = min(left, time.UnixMilli(int64(t.At())).Sub(now))
	}
	return max(left, 0)
}

// pop takes out the next timer that is due, from either end in turn. mu is held,
// and until has answered 0.
func (q *Queue[T]) pop() T {
	q.newest = !q.newest
	t := q.either()
	delete(q.known, t)
	return t
}

func (q *Queue[T]) either() T {
	oldest, waits := q.due.front()
	late, ok := q.late.front()
	// Not due yet, because the clock was set back: then oldest waits, and is due.
	if ok && (!waits || !q.newest && late.At() <= oldest.timer.At()) {
		q.late.popFront()
		return late
	}
	t := oldest
	if q.newest {
		t, _ = q.due.popBack()
	} else {
		q.due.popFront()
	}
	if t.read {
		q.read.due--
	}
	return t.timer
}

// take takes out a timer that is due, with a slot for its action; otherwise it
// tells how long until the next look.
func (q *Queue[T]) take(now time.Time) (t T, s Slot, wait time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ripen(flow.InstantOf(now))
	if wait = q.until(now); wait > 0 {
		return t, s, wait
	}
	s, ok := q.slots.take()
	if !ok {
		return t, s, look
	}
	return q.pop(), s, 0
}
