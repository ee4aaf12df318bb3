package timers

// deque is a list that is used at both ends.
type deque[E any] struct {
	items []E
	head  int // items before it have been taken out
}

func (d *deque[E]) len() int { return len(d.items) - d.head }

func (d *deque[E]) pushBack(e E) { d.items = append(d.items, e) }

func (d *deque[E]) front() (e E, ok bool) {
	if d.len() == 0 {
		return e, false
	}
	return d.items[d.head], true
}

func (d *deque[E]) popFront() (e E, ok bool) {
	if e, ok = d.front(); !ok {
		return e, false
	}
	var none E
	d.items[d.head] = none
	d.head++
	if 2*d.head >= len(d.items) { // amortised: each element moves at most once
		n := copy(d.items, d.items[d.head:])
		clear(d.items[n:])
		d.items, d.head = d.items[:n], 0
	}
	return e, true
}

func (d *deque[E]) popBack() (e E, ok bool) {
	if d.len() == 0 {
		return e, false
	}
	last := len(d.items) - 1
	e = d.items[last]
	var none E
	d.items[last] = none
	d.items = d.items[:last]
	return e, true
}
