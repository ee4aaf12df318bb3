package teardown

import (
	"container/heap"
	"sync"
	"time"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

const (
	// lookAhead is how far ahead of the clock timers are held in memory.
	lookAhead = 5 * time.Second
	// lookPage bounds what one look at the store takes in.
	lookPage = 4096
	// lookEvery is the longest the loop waits before it looks at the wall clock
	// again: a clock that is stepped delays a timer by no more than this.
	lookEvery = time.Second
)

// queue is the timers of teardowns: those due soon in memory, the rest on disk
// behind edge. Rows are never written or deleted here. Rows that were passed
// over, or deleted, at the head of the family are not passed again, because the
// loop seeks from edge.
type queue struct {
	mu   sync.Mutex
	soon timerHeap
	// edge is the key up to which rows have been taken into soon.
	edge []byte
	news chan struct{} // capacity 1
}

func newQueue() *queue {
	return &queue{edge: []byte(row.FamilyTeardown), news: make(chan struct{}, 1)}
}

// added takes in timers whose rows have become durable. Those behind the edge
// are found there later; the others would be missed.
func (q *queue) added(timers ...row.Teardown) {
	for _, t := range timers {
		q.mu.Lock()
		behind := string(t.Key()) >= string(q.edge)
		q.mu.Unlock()
		if !behind {
			q.push(t)
		}
	}
}

// push takes in a timer that is to be looked at when it is due, whatever the
// edge.
func (q *queue) push(t row.Teardown) {
	q.mu.Lock()
	heap.Push(&q.soon, t)
	first := q.soon[0] == t
	q.mu.Unlock()
	if !first {
		return
	}
	select {
	case q.news <- struct{}{}:
	default:
	}
}

// load takes in the rows that are due up to lookAhead from now, when what was
// taken in before is about to be used up.
func (q *queue) load(r store.Reader, now time.Time) error {
	from, to, room := q.advance(now)
	if room <= 0 {
		return nil
	}
	taken := 0
	for kv, err := range r.Scan(store.Range{From: from, To: to}) {
		if err != nil || taken == room {
			if err == nil {
				from = append([]byte(nil), kv.Key...)
			}
			q.mu.Lock()
			defer q.mu.Unlock()
			q.edge = from
			return err
		}
		if t, ok := row.ParseTeardown(kv.Key); ok {
			q.mu.Lock()
			heap.Push(&q.soon, t)
			q.mu.Unlock()
			taken++
		}
	}
	return nil
}

// advance moves the edge to lookAhead from now and returns the range that is to
// be read, and how many rows there is room for; none when it is too early. The
// edge moves before the read: a row that becomes durable after it is taken in
// by added. One that both find is looked at twice, which is harmless.
func (q *queue) advance(now time.Time) (from, to []byte, room int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	half := row.TeardownsFrom(flow.InstantOf(now.Add(lookAhead / 2)))
	if string(q.edge) >= string(half) || len(q.soon) > lookPage/2 {
		return nil, nil, 0
	}
	to = row.TeardownsFrom(flow.InstantOf(now.Add(lookAhead)))
	from, q.edge = q.edge, to
	return from, to, lookPage - len(q.soon)
}

// due takes out the first timer that is due; otherwise it tells how long until
// the next look.
func (q *queue) due(now time.Time) (row.Teardown, bool, time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.soon) == 0 {
		return row.Teardown{}, false, lookEvery
	}
	if left := q.soon[0].Due.Time().Sub(now); left > 0 {
		return row.Teardown{}, false, min(left, lookEvery)
	}
	return heap.Pop(&q.soon).(row.Teardown), true, 0
}

// timerHeap orders timers by due time.
type timerHeap []row.Teardown

func (h timerHeap) Len() int           { return len(h) }
func (h timerHeap) Less(i, j int) bool { return h[i].Due < h[j].Due }
func (h timerHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *timerHeap) Push(x any)        { *h = append(*h, x.(row.Teardown)) }
func (h *timerHeap) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}
