package pebble

import (
	"bytes"

	"weft/store"
)

const (
	// remembered is how many groups recent looks back over, at most.
	remembered = 64
	// rememberedBytes bounds the memory that older groups take.
	rememberedBytes = 8 << 20
	// bigValue is from where a value is not kept past its group.
	bigValue = 2 << 10
	// maxCuts bounds the range deletes every look-up must pass.
	maxCuts = 128
)

// recent remembers which rows the last groups wrote, and what. The group being
// built counts: its rows cannot be read from Pebble until they are synced.
//
// Invariant: a key that find does not know was written by no group from first
// on, so whatever was known of it at first or later is still true.
type recent struct {
	rows  map[string]recentRow
	pages [remembered]page // by group mod remembered
	cuts  []cut            // range deletes, oldest first
	first store.Group      // the oldest group remembered whole
	group store.Group      // the one being built
	seq   uint64           // orders rows and cuts
	bytes int              // keys and values of all pages
}

type recentRow struct {
	group store.Group
	seq   uint64
	value []byte // nil: deleted
	// big rows have lost their value with the end of their group.
	big bool
	// sum is set when the row is a counter that this group has changed.
	sum bool
}

// page lists what one group touched, so that it can be forgotten.
type page struct {
	group store.Group
	keys  []string
	big   []string
	bytes int
}

type cut struct {
	from, to []byte
	group    store.Group
	seq      uint64
}

// newRecent starts after group, of whose own rows nothing is known.
func newRecent(group store.Group) *recent {
	return &recent{rows: map[string]recentRow{}, first: group + 1, group: group}
}

// begin makes group the one being built and forgets the oldest.
func (r *recent) begin(group store.Group) {
	r.group = group
	for r.first+remembered <= group || r.bytes > rememberedBytes && r.first < group {
		r.forget(&r.pages[r.first%remembered])
		r.first++
	}
	r.pages[group%remembered].group = group
	if len(r.cuts) > maxCuts {
		r.forgetAll()
	}
	for len(r.cuts) > 0 && r.cuts[0].group < r.first {
		r.cuts = r.cuts[1:]
	}
}

func (r *recent) forget(p *page) {
	for _, key := range p.keys {
		if r.rows[key].group == p.group {
			delete(r.rows, key)
		}
	}
	r.bytes -= p.bytes
	clear(p.keys)
	p.keys, p.bytes = p.keys[:0], 0
}

func (r *recent) forgetAll() {
	for ; r.first < r.group; r.first++ {
		r.forget(&r.pages[r.first%remembered])
	}
	r.cuts = nil
}

// end is called when the group is synced: big values can be read from Pebble
// from now on.
func (r *recent) end() {
	p := &r.pages[r.group%remembered]
	for _, key := range p.big {
		if row := r.rows[key]; len(row.value) >= bigValue {
			row.value, row.big = nil, true
			r.rows[key] = row
		}
	}
	p.big = p.big[:0]
}

// put remembers that the group sets key to value, or deletes it (nil).
func (r *recent) put(key, value []byte, sum bool) {
	r.seq++
	r.keep(string(key), recentRow{group: r.group, seq: r.seq, value: copied(value), sum: sum})
}

// learn remembers a durable row that had to be read, so that a row every batch
// is conditional on is not read again and again.
func (r *recent) learn(key, value []byte) {
	if r.group == r.first || len(value) >= bigValue {
		return // no older page to put it on, or not worth it
	}
	r.keep(string(key), recentRow{group: r.group - 1, seq: r.seq, value: copied(value)})
}

func (r *recent) keep(key string, row recentRow) {
	p := &r.pages[row.group%remembered]
	if old, known := r.rows[key]; !known || old.group != row.group {
		p.keys = append(p.keys, key)
	}
	if len(row.value) >= bigValue {
		p.big = append(p.big, key)
	} else {
		p.bytes += len(key) + len(row.value)
		r.bytes += len(key) + len(row.value)
	}
	r.rows[key] = row
}

// copied is a copy of value in which nil stays nil and empty stays empty.
func copied(value []byte) []byte {
	if value == nil {
		return nil
	}
	return append(make([]byte, 0, len(value)), value...)
}

func (r *recent) cut(from, to []byte) {
	if bytes.Compare(from, to) >= 0 {
		return
	}
	r.seq++
	r.cuts = append(r.cuts, cut{bytes.Clone(from), bytes.Clone(to), r.group, r.seq})
}

// find returns what is remembered of key.
func (r *recent) find(key []byte) (recentRow, bool) {
	row, known := r.rows[string(key)]
	for i := len(r.cuts) - 1; i >= 0 && r.cuts[i].seq > row.seq; i-- {
		c := &r.cuts[i]
		if bytes.Compare(c.from, key) <= 0 && bytes.Compare(key, c.to) < 0 {
			return recentRow{group: c.group, seq: c.seq}, true
		}
	}
	return row, known
}
