package timers

// byDue is a heap by due time.
type byDue[T Timer] []taken[T]

func (h byDue[T]) Len() int           { return len(h) }
func (h byDue[T]) Less(i, j int) bool { return h[i].timer.At() < h[j].timer.At() }
func (h byDue[T]) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *byDue[T]) Push(x any)        { *h = append(*h, x.(taken[T])) }
func (h *byDue[T]) Pop() any {
	old := *h
	n := len(old) - 1
	last := old[n]
	old[n] = taken[T]{}
	*h = old[:n]
	return last
}
