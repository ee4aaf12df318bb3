package list

import (
	"bytes"
	"container/heap"
	"iter"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// entry is a row of the list being made.
type entry struct {
	at  position
	id  flow.WorkflowID
	run flow.RunID // "" when only the head tells it
	// index is what the index row says; nil when the entry is not from it.
	index *row.Index
	head  row.Head
	// state tells whether head was read; broken why it could not be.
	state  headState
	broken string
	// chosen: the filter has been asked already.
	chosen bool
}

type headState uint8

const (
	headUnread headState = iota
	headRead
	headBroken
)

// take reads the head's record; a damaged one makes the entry broken.
func (e *entry) take(value []byte) {
	h, err := row.DecodeHead(value)
	if err != nil {
		e.fail("head unreadable: " + err.Error())
		return
	}
	e.head, e.state = h, headRead
}

func (e *entry) fail(why string) { e.state, e.broken = headBroken, why }

type entries = iter.Seq2[entry, error]

// behind is the part of the range of prefix that lies behind p.
func behind(prefix []byte, p position, reverse bool) store.Range {
	r := store.Prefix(prefix)
	r.Reverse = reverse
	if p == "" {
		return r
	}
	key := append(bytes.Clone(prefix), p...)
	if reverse {
		r.To = key
	} else {
		r.From = append(key, 0)
	}
	return r
}

// clip narrows r to [from, to); nil is no bound.
func clip(r store.Range, from, to []byte) store.Range {
	if from != nil && bytes.Compare(from, r.From) > 0 {
		r.From = from
	}
	if to != nil && (r.To == nil || bytes.Compare(to, r.To) < 0) {
		r.To = to
	}
	return r
}

// scan yields what read makes of the rows of a range. Rows whose key cannot be
// read are left out: they have no place in a list.
func scan(r store.Reader, g store.Range, read func(store.Row) (entry, bool)) entries {
	return func(yield func(entry, error) bool) {
		for kv, err := range r.Scan(g) {
			if err != nil {
				yield(entry{}, err)
				return
			}
			if e, ok := read(kv); ok && !yield(e, nil) {
				return
			}
		}
	}
}

// heads yields the runs in the order of ids.
func heads(r store.Reader, g store.Range) entries {
	return scan(r, g, func(kv store.Row) (entry, bool) {
		id, ok := row.ParseHead(kv.Key)
		e := entry{at: position(kv.Key[len(row.FamilyHead):]), id: id}
		e.take(kv.Value)
		return e, ok
	})
}

// ended yields the ended runs in the order of ending.
func ended(r store.Reader, g store.Range) entries {
	return scan(r, g, func(kv store.Row) (entry, bool) {
		_, id, ok := row.ParseTerminal(kv.Key)
		return entry{at: position(kv.Key[len(row.FamilyTerminal):]), id: id, run: flow.RunID(kv.Value)}, ok
	})
}

// indexed yields the runs of one (type, version, status) in the order of
// creation. Prefix is the length of the keys' prefix.
func indexed(r store.Reader, g store.Range, prefix int) entries {
	return scan(r, g, func(kv store.Row) (entry, bool) {
		x, ok := row.ParseIndex(kv.Key)
		return entry{at: position(kv.Key[prefix:]), id: x.ID, run: flow.RunID(kv.Value), index: &x}, ok
	})
}

// merged yields the entries of all sources, each of which is in order, in one
// order.
func merged(sources []entries, reverse bool) entries {
	if len(sources) == 1 {
		return sources[0]
	}
	return func(yield func(entry, error) bool) {
		m := merge{reverse: reverse}
		defer m.stop()
		for _, s := range sources {
			if err := m.add(s); err != nil {
				yield(entry{}, err)
				return
			}
		}
		heap.Init(&m)
		for len(m.streams) > 0 {
			if !yield(m.streams[0].now, nil) {
				return
			}
			if err := m.advance(); err != nil {
				yield(entry{}, err)
				return
			}
		}
	}
}

// stream is one source and the entry it is at.
type stream struct {
	now  entry
	next func() (entry, error, bool)
	stop func()
}

// merge is a heap of streams, the one whose entry comes next on top.
type merge struct {
	streams []stream
	reverse bool
}

func (m *merge) add(source entries) error {
	next, stop := iter.Pull2(source)
	e, err, ok := next()
	if err != nil || !ok {
		stop()
		return err
	}
	m.streams = append(m.streams, stream{e, next, stop})
	return nil
}

// advance moves the top stream on; at its end it is dropped.
func (m *merge) advance() error {
	top := &m.streams[0]
	e, err, ok := top.next()
	switch {
	case err != nil:
		return err
	case ok:
		top.now = e
		heap.Fix(m, 0)
	default:
		top.stop()
		heap.Pop(m)
	}
	return nil
}

func (m *merge) stop() {
	for _, s := range m.streams {
		s.stop()
	}
}

// Len, Less, Swap, Push and Pop implement [heap.Interface].
func (m *merge) Len() int { return len(m.streams) }
func (m *merge) Less(i, j int) bool {
	a, b := m.streams[i].now.at, m.streams[j].now.at
	if m.reverse {
		return a > b
	}
	return a < b
}
func (m *merge) Swap(i, j int) { m.streams[i], m.streams[j] = m.streams[j], m.streams[i] }
func (m *merge) Push(x any)    { m.streams = append(m.streams, x.(stream)) }
func (m *merge) Pop() any {
	last := len(m.streams) - 1
	s := m.streams[last]
	m.streams = m.streams[:last]
	return s
}
