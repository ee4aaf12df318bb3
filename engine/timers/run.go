package timers

import "time"

// Run hands each timer that is due to fire, until closing or halted is closed or
// [Queue.Stop] is called. fire must not block: what takes long it does in a
// goroutine of its own. It owns the slot and frees it when the action is through.
func (q *Queue[T]) Run(fire func(T, Slot), closing, halted <-chan struct{}) {
	t := time.NewTimer(0)
	defer t.Stop()
	for !q.over(closing, halted) {
		wait := q.step(fire)
		if wait == 0 {
			continue
		}
		t.Reset(wait)
		select {
		case <-closing:
		case <-halted:
		case <-q.news:
		case <-q.c.Freed:
		case <-t.C:
		}
	}
}

// step fires one timer, or tells how long until the next look.
func (q *Queue[T]) step(fire func(T, Slot)) time.Duration {
	if !q.c.Ready() {
		return look
	}
	if err := q.load(q.c.Now()); err != nil && q.c.Problem != nil {
		q.c.Problem(err)
	}
	timer, slot, wait := q.take(q.c.Now())
	if wait == 0 {
		fire(timer, slot)
	}
	return wait
}

func (q *Queue[T]) over(closing, halted <-chan struct{}) bool {
	select {
	case <-closing:
		return true
	case <-halted:
		return true
	default:
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.ended
}
