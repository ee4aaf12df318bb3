package timers

import (
	"sort"
	"time"

	"weft/flow"
	"weft/store"
)

// span is keys that have not been read: from the first up to the second.
type span struct{ from, to []byte }

// passed reports whether the cursors have passed a key. mu is held.
func (q *Queue[T]) passed(key []byte) bool {
	k := string(key)
	if k >= string(q.edge) {
		return false
	}
	i := sort.Search(len(q.gaps), func(i int) bool { return k < string(q.gaps[i].to) })
	return i == len(q.gaps) || k < string(q.gaps[i].from)
}

// load moves both cursors on, as far as there is room.
func (q *Queue[T]) load(now time.Time) error {
	if err := q.readNear(now); err != nil {
		return err
	}
	return q.readGap()
}

// readNear takes in the rows that are due from now up to ahead looks behind it, when what
// was taken in before is about to be used up. The edge moves before the read: a
// row that becomes durable after it is taken in by Added.
func (q *Queue[T]) readNear(now time.Time) error {
	s, room := q.moveEdge(now)
	if room == 0 {
		return nil
	}
	timers, rest, err := q.scan(s, room)
	q.mu.Lock()
	defer q.mu.Unlock()
	if rest != nil {
		q.edge = rest
	}
	for _, t := range timers {
		q.push(taken[T]{timer: t, read: true})
	}
	return err
}

// moveEdge moves the edge and returns what is to be read, and how many rows
// there is room for; none when it is too early. What the clock has overtaken
// becomes a gap.
func (q *Queue[T]) moveEdge(now time.Time) (s span, room int) {
	at := func(d time.Duration) []byte { return q.c.Family.From(flow.InstantOf(now.Add(d))) }
	q.mu.Lock()
	defer q.mu.Unlock()
	if string(q.edge) >= string(at(ahead*q.c.LookEvery/2)) || q.read.soon > page/2 || q.read.due > most {
		return span{}, 0
	}
	if from := at(0); string(q.edge) < string(from) {
		q.gaps = append(q.gaps, span{q.edge, from})
		q.edge = from
	}
	s = span{q.edge, at(ahead * q.c.LookEvery)}
	q.edge = s.to
	return s, page - q.read.soon
}

// readGap takes in a page of the backlog, when the one before is about to be
// used up.
func (q *Queue[T]) readGap() error {
	q.mu.Lock()
	if len(q.gaps) == 0 || q.late.len() > page/2 {
		q.mu.Unlock()
		return nil
	}
	s, room := q.gaps[0], page-q.late.len()
	q.gaps = q.gaps[1:]
	q.mu.Unlock()
	timers, rest, err := q.scan(s, room)
	q.mu.Lock()
	defer q.mu.Unlock()
	if rest != nil {
		q.gaps = append([]span{{rest, s.to}}, q.gaps...)
	}
	for _, t := range timers {
		if _, known := q.known[t]; !known {
			q.known[t] = struct{}{}
			q.late.pushBack(t)
		}
	}
	return err
}

// scan reads up to room timers; rest is the key to go on from, nil when there
// are no more.
func (q *Queue[T]) scan(s span, room int) (timers []T, rest []byte, err error) {
	for kv, err := range q.c.Store.Scan(store.Range{From: s.from, To: s.to}) {
		if err != nil {
			return nil, s.from, err
		}
		if len(timers) == room {
			return timers, append([]byte(nil), kv.Key...), nil
		}
		if t, ok := q.c.Family.Parse(kv.Key); ok {
			timers = append(timers, t)
		}
	}
	return timers, nil, nil
}
