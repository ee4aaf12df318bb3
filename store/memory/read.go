package memory

import (
	"bytes"
	"iter"
	"sync/atomic"

	"weft/store"

	"github.com/RaduBerinde/btreemap"
)

// Get implements [store.Reader].
func (s *Store) Get(key []byte) ([]byte, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return nil, store.ErrClosed
	}
	return get(s.rows, key), nil
}

// Scan implements [store.Reader].
func (s *Store) Scan(r store.Range) iter.Seq2[store.Row, error] {
	return func(yield func(store.Row, error) bool) {
		snap, err := s.Snapshot()
		if err != nil {
			yield(store.Row{}, err)
			return
		}
		defer snap.Close()
		snap.Scan(r)(yield)
	}
}

// Snapshot implements [store.Store].
func (s *Store) Snapshot() (store.Snapshot, error) {
	s.mu.Lock() // Clone changes the original
	defer s.mu.Unlock()
	if s.closed {
		return nil, store.ErrClosed
	}
	return &snapshot{rows: s.rows.Clone(), group: s.group}, nil
}

type snapshot struct {
	rows   *tree
	group  store.Group
	closed atomic.Bool
}

func (s *snapshot) Group() store.Group { return s.group }
func (s *snapshot) Close()             { s.closed.Store(true) }

func (s *snapshot) Get(key []byte) ([]byte, error) {
	if s.closed.Load() {
		return nil, store.ErrClosed
	}
	return get(s.rows, key), nil
}

func (s *snapshot) Scan(r store.Range) iter.Seq2[store.Row, error] {
	return func(yield func(store.Row, error) bool) {
		if s.closed.Load() {
			yield(store.Row{}, store.ErrClosed)
			return
		}
		var lent lentRow
		for key, value := range ascendOrDescend(s.rows, r) {
			if !yield(lent.of(key, value), nil) {
				break
			}
		}
		lent.spoil()
	}
}

func get(rows *tree, key []byte) []byte {
	_, value, ok := rows.Get(key)
	if !ok {
		return nil
	}
	return append([]byte{}, value...) // not nil, also when empty
}

func ascendOrDescend(rows *tree, r store.Range) iter.Seq2[[]byte, []byte] {
	from, to := btreemap.Min[[]byte](), btreemap.Max[[]byte]()
	if r.From != nil {
		from = btreemap.GE(r.From)
	}
	if r.To != nil {
		to = btreemap.LT(r.To)
	}
	if r.From != nil && r.To != nil && bytes.Compare(r.From, r.To) >= 0 {
		return func(func([]byte, []byte) bool) {}
	}
	if r.Reverse {
		return rows.Descend(to, from)
	}
	return rows.Ascend(from, to)
}

// lentRow is the memory of the row a Scan has handed out.
type lentRow struct{ buf []byte }

func (l *lentRow) of(key, value []byte) store.Row {
	l.spoil()
	l.buf = append(append(l.buf[:0], key...), value...)
	n := len(key)
	return store.Row{Key: l.buf[:n:n], Value: l.buf[n:len(l.buf):len(l.buf)]}
}

// spoil makes a caller that kept the row fail loudly rather than now and then.
func (l *lentRow) spoil() {
	for i := range l.buf {
		l.buf[i] = 0xee
	}
}
