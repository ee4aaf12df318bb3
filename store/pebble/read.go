package pebble

import (
	"bytes"
	"errors"
	"iter"
	"sync/atomic"

	"weft/store"

	"github.com/cockroachdb/pebble/v2"
)

// firstKey is the least key that is not the store's own.
var firstKey = []byte{1}

// Get implements [store.Reader].
func (s *Store) Get(key []byte) ([]byte, error) {
	v, err := s.views.acquire()
	if err != nil {
		return nil, err
	}
	defer v.release()
	return v.get(key)
}

// Scan implements [store.Reader].
func (s *Store) Scan(r store.Range) iter.Seq2[store.Row, error] {
	return func(yield func(store.Row, error) bool) {
		v, err := s.views.acquire()
		if err != nil {
			yield(store.Row{}, err)
			return
		}
		defer v.release()
		v.scan(r, yield)
	}
}

// Snapshot implements [store.Store].
func (s *Store) Snapshot() (store.Snapshot, error) {
	v, err := s.views.acquire()
	if err != nil {
		return nil, err
	}
	return &snapshot{view: v}, nil
}

// snapshot is a view that a caller holds on to.
type snapshot struct {
	view   *view
	closed atomic.Bool
}

func (s *snapshot) Group() store.Group { return s.view.group }

func (s *snapshot) Close() {
	if !s.closed.Swap(true) {
		s.view.release()
	}
}

// enter keeps the view while it is read, so that Close in another goroutine
// does no harm.
func (s *snapshot) enter() error {
	if s.closed.Load() || !s.view.retain() {
		return store.ErrClosed
	}
	return nil
}

func (s *snapshot) Get(key []byte) ([]byte, error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.view.release()
	return s.view.get(key)
}

func (s *snapshot) Scan(r store.Range) iter.Seq2[store.Row, error] {
	return func(yield func(store.Row, error) bool) {
		if err := s.enter(); err != nil {
			yield(store.Row{}, err)
			return
		}
		defer s.view.release()
		s.view.scan(r, yield)
	}
}

func (v *view) get(key []byte) ([]byte, error) {
	if len(key) == 0 || key[0] == 0 {
		return nil, nil // the store's own rows are nobody's business
	}
	mark := v.gate.moves.mark()
	value, closer, err := v.snap.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, translate(err)
	}
	own := append([]byte{}, value...) // not nil, also when empty
	v.finish(mark, closer.Close)
	return own, nil
}

func (v *view) scan(r store.Range, yield func(store.Row, error) bool) {
	bounds := &pebble.IterOptions{LowerBound: r.From, UpperBound: r.To}
	if bytes.Compare(r.From, firstKey) < 0 {
		bounds.LowerBound = firstKey
	}
	if r.To != nil && bytes.Compare(bounds.LowerBound, r.To) >= 0 {
		return
	}
	mark := v.gate.moves.mark()
	it, err := v.snap.NewIter(bounds)
	if err != nil {
		yield(store.Row{}, translate(err))
		return
	}
	defer v.finish(mark, it.Close)
	start, step := it.First, it.Next
	if r.Reverse {
		start, step = it.Last, it.Prev
	}
	for ok := start(); ok; ok = step() {
		value, err := it.ValueAndErr()
		if err != nil {
			break // Error has it
		}
		if !yield(store.Row{Key: it.Key(), Value: value}, nil) {
			return
		}
	}
	if err := it.Error(); err != nil {
		yield(store.Row{}, translate(err))
	}
}
