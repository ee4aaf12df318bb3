package engine

import (
	"fmt"
	"slices"
	"sort"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// signalBuffer holds what was sent to a run and not yet taken, in order of
// arrival, the keys of remembered signal ids, and those of closed names.
type signalBuffer struct {
	queue  []buffered
	ids    map[string]int // by key: the generation that accepted it
	closed []string       // keys
}

type buffered struct {
	row.Signal
	arrival uint64
	at      store.Group // of its commit, when it was handed in; else 0
}

// first is the oldest signal with the name, or nil.
func (b *signalBuffer) first(name string) *buffered {
	for i := range b.queue {
		if b.queue[i].Name == name {
			return &b.queue[i]
		}
	}
	return nil
}

func (b *signalBuffer) remove(arrival uint64) {
	for i := range b.queue {
		if b.queue[i].arrival == arrival {
			b.queue = append(b.queue[:i], b.queue[i+1:]...)
			return
		}
	}
}

// forget drops what became durable up to a group.
func (b *signalBuffer) forget(upTo store.Group) {
	b.queue = slices.DeleteFunc(b.queue, func(s buffered) bool { return s.at <= upTo })
}

// add takes in a signal once, in its place.
func (b *signalBuffer) add(s buffered) {
	i := sort.Search(len(b.queue), func(i int) bool { return b.queue[i].arrival >= s.arrival })
	if i < len(b.queue) && b.queue[i].arrival == s.arrival {
		return
	}
	b.queue = append(b.queue, buffered{})
	copy(b.queue[i+1:], b.queue[i:])
	b.queue[i] = s
}

// remember notes the key of a signal id and the generation that accepted it.
func (b *signalBuffer) remember(key []byte, generation int) {
	if b.ids == nil {
		b.ids = map[string]int{}
	}
	b.ids[string(key)] = generation
}

// close notes the key of a name that is closed, once.
func (b *signalBuffer) close(key []byte) {
	if !slices.Contains(b.closed, string(key)) {
		b.closed = append(b.closed, string(key))
	}
}

// load adds what the store holds for the run. Rows that cannot be read make it
// fail: the run cannot go on without them.
func (b *signalBuffer) load(r store.Reader, ref flow.Ref) error {
	for kv, err := range r.Scan(store.Prefix(row.SignalPrefix(ref))) {
		if err != nil {
			return err
		}
		key, ok := row.ParseSignal(kv.Key)
		switch {
		case !ok:
			return fmt.Errorf("signal key %q: %w", kv.Key, store.ErrCorrupt)
		case key.Closed:
			b.close(kv.Key)
			continue
		case !key.Buffered:
			b.remember(kv.Key, row.DecodeGeneration(kv.Value))
			continue
		}
		s, err := row.DecodeSignal(kv.Value)
		if err != nil {
			return err
		}
		b.add(buffered{Signal: s, arrival: key.Arrival})
	}
	return nil
}
