package pebble

import (
	"bytes"
	"hash/maphash"

	"weft/store"
)

const (
	// remembered is how many groups recent looks back over, at most.
	remembered = 64
	// rememberedBytes bounds the memory that older groups take.
	rememberedBytes = 8 << 20
	// bigValue is from where a value is not kept past its group.
	bigValue = 2 << 10
	// maxSpare is how many slabs are kept for pages to come.
	maxSpare = 4
	// maxSpareBytes is what a slab may have grown to and still be kept.
	maxSpareBytes = 1 << 20
	// maxCuts bounds the range deletes every look-up must pass.
	maxCuts = 128
)

// recent remembers which rows the last groups wrote, and what. The group being
// built counts: its rows cannot be read from Pebble until they are synced.
//
// Every write of every batch passes here, so rows are found by a hash, and keys
// and values lie in one slab per group: nothing is allocated for a row, and the
// garbage collector finds no pointers to follow.
//
// Invariant: a key that find does not know was written by no group from first
// on, so whatever was known of it at first or later is still true.
type recent struct {
	hash  func([]byte) uint64
	rows  map[uint64]spot
	bigs  map[uint64][]byte    // big values of the group being built
	odd   map[string]recentRow // keys whose hash belongs to another key
	pages [remembered]page     // by group mod remembered
	spare [][]byte             // slabs of forgotten pages
	cuts  []cut                // range deletes, oldest first
	first store.Group          // the oldest group remembered whole
	group store.Group          // the one being built
	seq   uint64               // orders rows and cuts
	bytes int                  // keys and values of all pages
}

// recentRow is what find knows of a key.
type recentRow struct {
	group store.Group
	seq   uint64
	value []byte // nil: deleted
	// big rows have lost their value with the end of their group.
	big bool
	// sum is set when the row is a counter that this group has changed.
	sum bool
}

// spot is where a row lies: in the slab of its group's page, the value behind
// the key.
type spot struct {
	group   store.Group
	seq     uint64
	at, key uint32
	value   int32 // its length; or deleted, or elsewhere
	sum     bool
}

const (
	deleted   = -1
	elsewhere = -2 // a big value: in bigs, until the group ends
)

// page is what one group touched.
type page struct {
	group  store.Group
	slab   []byte
	hashes []uint64 // of its rows
	odd    []string
	bytes  int
}

type cut struct {
	from, to []byte
	group    store.Group
	seq      uint64
}

// newRecent starts after group, of whose own rows nothing is known.
func newRecent(group store.Group) *recent {
	seed := maphash.MakeSeed()
	return &recent{hash: func(key []byte) uint64 { return maphash.Bytes(seed, key) }, rows: map[uint64]spot{},
		bigs: map[uint64][]byte{}, odd: map[string]recentRow{}, first: group + 1, group: group}
}

// begin makes group the one being built and forgets the oldest.
func (r *recent) begin(group store.Group) {
	r.group = group
	for r.first+remembered <= group || r.bytes > rememberedBytes && r.first < group {
		r.forget(r.page(r.first))
		r.first++
	}
	p := r.page(group)
	p.group = group
	if last := len(r.spare) - 1; p.slab == nil && last >= 0 {
		p.slab, r.spare = r.spare[last], r.spare[:last]
	}
	if len(r.cuts) > maxCuts {
		r.forgetAll()
	}
	for len(r.cuts) > 0 && r.cuts[0].group < r.first {
		r.cuts = r.cuts[1:]
	}
}

func (r *recent) page(group store.Group) *page { return &r.pages[group%remembered] }

func (r *recent) forget(p *page) {
	for _, hash := range p.hashes {
		if r.rows[hash].group == p.group {
			delete(r.rows, hash)
		}
	}
	for _, key := range p.odd {
		if r.odd[key].group == p.group {
			delete(r.odd, key)
		}
	}
	r.bytes -= p.bytes
	if n := cap(p.slab); n > 0 && n <= maxSpareBytes && len(r.spare) < maxSpare {
		r.spare = append(r.spare, p.slab[:0])
	}
	clear(p.odd)
	*p = page{hashes: p.hashes[:0], odd: p.odd[:0]}
}

func (r *recent) forgetAll() {
	for ; r.first < r.group; r.first++ {
		r.forget(r.page(r.first))
	}
	r.cuts = nil
}

// end is called when the group is synced: big values can be read from Pebble
// from now on.
func (r *recent) end() { clear(r.bigs) }

// put remembers that the group sets key to value, or deletes it (nil).
func (r *recent) put(key, value []byte, sum bool) {
	r.seq++
	r.keep(key, recentRow{group: r.group, seq: r.seq, value: value, sum: sum})
}

// learn remembers a durable row that had to be read, so that a row every batch
// is conditional on is not read again and again.
func (r *recent) learn(key, value []byte) {
	if r.group == r.first || len(value) >= bigValue {
		return // no older page to put it on, or not worth it
	}
	r.keep(key, recentRow{group: r.group - 1, seq: r.seq, value: value})
}

func (r *recent) keep(key []byte, row recentRow) {
	p, hash := r.page(row.group), r.hash(key)
	old, taken := r.rows[hash]
	if taken && !bytes.Equal(r.keyAt(old), key) || !taken && r.isOdd(key) {
		row.value = copied(row.value)
		r.odd[string(key)] = row
		p.odd = append(p.odd, string(key))
		r.count(p, len(key)+len(row.value))
		return
	}
	if !taken || old.group != row.group {
		p.hashes = append(p.hashes, hash)
	}
	to := spot{group: row.group, seq: row.seq, at: uint32(len(p.slab)), key: uint32(len(key)), sum: row.sum}
	p.slab = append(p.slab, key...)
	switch {
	case row.value == nil:
		to.value = deleted
	case len(row.value) >= bigValue:
		to.value = elsewhere
		r.bigs[hash] = copied(row.value)
	default:
		to.value = int32(len(row.value))
		p.slab = append(p.slab, row.value...)
	}
	r.count(p, len(p.slab)-int(to.at))
	r.rows[hash] = to
}

func (r *recent) count(p *page, bytes int) {
	p.bytes += bytes
	r.bytes += bytes
}

func (r *recent) keyAt(at spot) []byte {
	return r.page(at.group).slab[at.at:][:at.key]
}

func (r *recent) isOdd(key []byte) bool {
	if len(r.odd) == 0 {
		return false
	}
	_, odd := r.odd[string(key)]
	return odd
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

// find returns what is remembered of key. The value is good until the next
// group begins.
func (r *recent) find(key []byte) (recentRow, bool) {
	row, known := r.look(key)
	for i := len(r.cuts) - 1; i >= 0 && r.cuts[i].seq > row.seq; i-- {
		c := &r.cuts[i]
		if bytes.Compare(c.from, key) <= 0 && bytes.Compare(key, c.to) < 0 {
			return recentRow{group: c.group, seq: c.seq}, true
		}
	}
	return row, known
}

func (r *recent) look(key []byte) (recentRow, bool) {
	hash := r.hash(key)
	at, taken := r.rows[hash]
	if !taken || !bytes.Equal(r.keyAt(at), key) {
		if len(r.odd) == 0 {
			return recentRow{}, false
		}
		row, odd := r.odd[string(key)]
		return row, odd
	}
	row := recentRow{group: at.group, seq: at.seq, sum: at.sum}
	switch at.value {
	case deleted:
	case elsewhere:
		row.value = r.bigs[hash]
		row.big = row.value == nil
	default:
		from := at.at + at.key
		row.value = r.page(at.group).slab[from:][:at.value:at.value]
	}
	return row, true
}
