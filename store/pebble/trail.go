package pebble

import (
	"encoding/binary"
	"errors"
	"fmt"

	"weft/store"

	"github.com/cockroachdb/pebble/v2"
)

const (
	trailSlots = 4096 // groups, and marks, that are looked at when opening
	markEvery  = 1024
)

// baseKey holds the group that the trail begins after: 0, or the end of an
// accepted gap.
var baseKey = []byte{0, 'b'}

func trailKey(kind byte, slot uint64) []byte {
	return []byte{0, kind, byte(slot >> 8), byte(slot)}
}

// blaze writes the group's number into the group. Every group has a slot of its
// own for a while, so that a lost table or log leaves a hole.
func blaze(b *pebble.Batch, g store.Group) error {
	n := uint64(g)
	value := binary.BigEndian.AppendUint64(nil, n)
	if n%markEvery == 0 {
		if err := b.Set(trailKey('m', n/markEvery%trailSlots), value, nil); err != nil {
			return err
		}
	}
	return b.Set(trailKey('g', n%trailSlots), value, nil)
}

// trail is what the store's own rows say.
type trail struct {
	base, last store.Group
	groups     map[store.Group]bool
	marks      map[store.Group]bool
}

// readTrail reads the store's own rows.
func readTrail(r pebble.Reader) (trail, error) {
	t := trail{groups: map[store.Group]bool{}, marks: map[store.Group]bool{}}
	it, err := r.NewIter(&pebble.IterOptions{LowerBound: []byte{0}, UpperBound: []byte{1}})
	if err != nil {
		return t, err
	}
	for ok := it.First(); ok; ok = it.Next() {
		key, value := it.Key(), it.Value()
		if len(key) < 2 || len(value) != 8 {
			err = fmt.Errorf("row %x of the store is unreadable: %w", key, store.ErrCorrupt)
			break
		}
		g := store.Group(binary.BigEndian.Uint64(value))
		switch key[1] {
		case 'b':
			t.base = g
		case 'g':
			t.groups[g] = true
			t.last = max(t.last, g)
		case 'm':
			t.marks[g] = true
		}
	}
	if ierr := it.Error(); err == nil {
		err = ierr
	}
	if cerr := it.Close(); err == nil {
		err = cerr
	}
	t.last = max(t.last, t.base)
	return t, err
}

// verify looks for holes. highWater is a group known to have been durable.
func (t trail) verify(highWater store.Group) error {
	if t.last < highWater {
		return fmt.Errorf("%w: it ends at group %d, group %d was durable", store.ErrDataLoss, t.last, highWater)
	}
	for g := t.last; g > t.base && g+trailSlots > t.last; g-- {
		if !t.groups[g] {
			return fmt.Errorf("%w: group %d is gone, group %d is there", store.ErrDataLoss, g, t.last)
		}
	}
	for g := t.last / markEvery * markEvery; g > t.base && g+markEvery*trailSlots > t.last; g -= markEvery {
		if !t.marks[g] {
			return fmt.Errorf("%w: groups about %d are gone, group %d is there", store.ErrDataLoss, g, t.last)
		}
	}
	return nil
}

// bridge begins the trail anew at g, above a gap that was accepted.
func bridge(db *pebble.DB, g store.Group) error {
	b := db.NewBatch()
	value := binary.BigEndian.AppendUint64(nil, uint64(g))
	err := errors.Join(b.Set(baseKey, value, nil), blaze(b, g))
	if err == nil {
		err = db.ApplyNoSyncWait(b, pebble.Sync)
	}
	if err == nil {
		err = b.SyncWait()
	}
	if err != nil {
		return err
	}
	return b.Close()
}
