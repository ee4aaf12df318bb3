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

// snapshot is a view that a caller holds on to. It keeps the cursor of its last
// scan for the next one: a page of a list is a hundred short scans, and to make
// a cursor costs more than to use it.
type snapshot struct {
	view   *view
	closed atomic.Bool
	spare  atomic.Pointer[cursor]
}

func (s *snapshot) Group() store.Group { return s.view.group }

func (s *snapshot) Close() {
	if !s.closed.Swap(true) {
		s.view.giveBack(s.spare.Swap(nil))
		s.view.release()
	}
}

// keep holds c for the next scan unless there is one, or no next scan.
func (s *snapshot) keep(c *cursor) {
	if !s.spare.CompareAndSwap(nil, c) {
		s.view.giveBack(c)
		return
	}
	if s.closed.Load() { // Close may have looked before c was there
		s.view.giveBack(s.spare.Swap(nil))
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
		g, some := limits(r)
		if !some {
			return
		}
		c := s.spare.Swap(nil)
		if c == nil {
			var err error
			if c, err = s.view.open(g); err != nil {
				yield(store.Row{}, err)
				return
			}
		} else {
			c.it.SetBounds(g.From, g.To)
		}
		defer s.keep(c)
		c.walk(g, yield)
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
	g, some := limits(r)
	if !some {
		return
	}
	c, err := v.open(g)
	if err != nil {
		yield(store.Row{}, err)
		return
	}
	defer v.giveBack(c)
	c.walk(g, yield)
}

// limits keeps r off the store's own rows; some is false when nothing is left.
func limits(r store.Range) (g store.Range, some bool) {
	if bytes.Compare(r.From, firstKey) < 0 {
		r.From = firstKey
	}
	return r, r.To == nil || bytes.Compare(r.From, r.To) < 0
}

// cursor is an iterator of Pebble.
type cursor struct {
	it   *pebble.Iterator
	mark int64 // see [view.finish]
}

func (v *view) open(r store.Range) (*cursor, error) {
	mark := v.gate.moves.mark()
	it, err := v.snap.NewIter(&pebble.IterOptions{LowerBound: r.From, UpperBound: r.To})
	if err != nil {
		return nil, translate(err)
	}
	return &cursor{it, mark}, nil
}

// giveBack ends the use of c, which may be nil.
func (v *view) giveBack(c *cursor) {
	if c != nil {
		v.finish(c.mark, c.it.Close)
	}
}

// walk yields the rows of r, which are the cursor's limits.
func (c *cursor) walk(r store.Range, yield func(store.Row, error) bool) {
	start, step := c.it.First, c.it.Next
	if r.Reverse {
		start, step = c.it.Last, c.it.Prev
	}
	for ok := start(); ok; ok = step() {
		value, err := c.it.ValueAndErr()
		if err != nil {
			break // Error has it
		}
		if !yield(store.Row{Key: c.it.Key(), Value: value}, nil) {
			return
		}
	}
	if err := c.it.Error(); err != nil {
		yield(store.Row{}, translate(err))
	}
}
