package engine

import (
	"container/heap"
	"sync"
	"time"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

const (
	// timerAhead is how far ahead of the clock timers are held in memory.
	timerAhead = 5 * time.Second
	// timerPage bounds what one look at the store takes in.
	timerPage = 4096
	// timerLook is the longest the loop waits before it looks at the wall clock
	// again: a clock that is stepped, or a machine that slept, delays a timer
	// by no more than this.
	timerLook = time.Second
)

// timers is the queue of timer rows: those due soon in memory, the rest on disk
// behind edge. Rows are never written or deleted here; whoever replays the run
// settles its wait and deletes the row with the outcome. Deleted rows at the
// head of the family are not passed again, because the loop seeks from edge.
type timers struct {
	mu   sync.Mutex
	soon timerHeap
	// edge is the key up to which rows have been taken into soon.
	edge []byte
	news chan struct{} // capacity 1
}

func newTimers() *timers {
	return &timers{edge: []byte(row.FamilyTimer), news: make(chan struct{}, 1)}
}

// added takes in timers whose rows have become durable. Those behind the edge
// are found there later; the others would be missed.
func (t *timers) added(rows []row.Timer) {
	if len(rows) == 0 {
		return
	}
	t.mu.Lock()
	first := false
	for _, r := range rows {
		if string(row.TimerKey(r.Due, r.Ref, r.Step)) < string(t.edge) {
			heap.Push(&t.soon, r)
			first = first || t.soon[0] == r
		}
	}
	t.mu.Unlock()
	if first {
		select {
		case t.news <- struct{}{}:
		default:
		}
	}
}

// load takes in the rows that are due up to timerAhead from now, when what was
// taken in before is about to be used up.
func (t *timers) load(r store.Reader, now time.Time) error {
	from, to, room := t.advance(now)
	if room <= 0 {
		return nil
	}
	taken := 0
	for kv, err := range r.Scan(store.Range{From: from, To: to}) {
		if err != nil || taken == room {
			t.mu.Lock()
			defer t.mu.Unlock()
			if err == nil {
				from = append([]byte(nil), kv.Key...)
			}
			t.edge = from
			return err
		}
		if timer, ok := row.ParseTimer(kv.Key); ok {
			t.mu.Lock()
			heap.Push(&t.soon, timer)
			t.mu.Unlock()
			taken++
		}
	}
	return nil
}

// advance moves the edge to timerAhead from now and returns the range that is
// to be read, and how many rows there is room for; none when it is too early.
// The edge moves before the read: a row that becomes durable after it is taken
// in by added. One that both find fires twice, which is harmless.
func (t *timers) advance(now time.Time) (from, to []byte, room int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	to = row.TimersFrom(flow.InstantOf(now.Add(timerAhead)))
	if string(t.edge) >= string(row.TimersFrom(flow.InstantOf(now.Add(timerAhead/2)))) || len(t.soon) > timerPage/2 {
		return nil, nil, 0
	}
	from, t.edge = t.edge, to
	return from, to, timerPage - len(t.soon)
}

// due takes out the first timer that is due; otherwise it tells how long until
// the next look.
func (t *timers) due(now time.Time) (row.Timer, bool, time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.soon) == 0 {
		return row.Timer{}, false, timerLook
	}
	if left := t.soon[0].Due.Time().Sub(now); left > 0 {
		return row.Timer{}, false, min(left, timerLook)
	}
	return heap.Pop(&t.soon).(row.Timer), true, 0
}

// fireTimers is the loop that wakes runs whose time has come.
func (e *Engine) fireTimers() {
	t := time.NewTimer(0)
	defer t.Stop()
	for {
		if err := e.timers.load(e.store, e.now()); err != nil && e.halted() == nil {
			e.problem("timers could not be read: "+err.Error(), "")
		}
		timer, ok, wait := e.timers.due(e.now())
		if ok {
			if !e.waitForPlace(e.lives.forTimers) {
				return
			}
			e.fire(timer)
			continue
		}
		t.Reset(wait)
		select {
		case <-e.closing:
			return
		case <-e.timers.news:
		case <-t.C:
		}
	}
}

// fire wakes the run of a due timer. A run in memory that parks right now is
// told to look again.
func (e *Engine) fire(timer row.Timer) {
	if timer.Step == row.StepDeadline || timer.Step == row.StepStart {
		e.turn(timer)
		return
	}
	if l := e.lives.get(timer.Ref); l != nil {
		l.timerFired(timer.Step)
	}
	if e.crashes > 0 && timer.Due <= e.openedAt && e.leftToRecovery(timer.Ref) {
		return
	}
	if e.wake(timer.Ref) {
		e.timers.added([]row.Timer{timer}) // the place was taken by another
	}
}

// timerFired tells a life that a timer row of it is due.
func (l *life) timerFired(step flow.StepPath) {
	l.mu.Lock()
	o := l.find(step)
	l.mu.Unlock()
	if o != nil {
		l.passed(o)
	}
}

// timerHeap orders timers by due time.
type timerHeap []row.Timer

func (h timerHeap) Len() int           { return len(h) }
func (h timerHeap) Less(i, j int) bool { return h[i].Due < h[j].Due }
func (h timerHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *timerHeap) Push(x any)        { *h = append(*h, x.(row.Timer)) }
func (h *timerHeap) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}
