package timers

import (
	"time"

	"weft/store"
)

const (
	walkPage  = 256
	walkPause = 50 * time.Millisecond
)

// Walk looks once, slowly, at every row of a family whose rows have timers, and
// has those repaired whose timer is missing: what they belong to would wait for
// ever and look healthy.
type Walk[M any] struct {
	Store store.Store
	// Family is the prefix of the rows to look at.
	Family string
	// Look reports whether the timer of a row is missing, and what Repair needs
	// to know. It keeps nothing of the row.
	Look func(snap store.Snapshot, row store.Row) (M, bool, error)
	// Repair puts a timer back, if it is still missing. No snapshot is open
	// meanwhile.
	Repair func(M)
	// Pause waits; false ends the walk.
	Pause func(time.Duration) bool
}

// Run goes through the rows, a page from one snapshot at a time. It ends early
// with an error when the store cannot be read.
func (w Walk[M]) Run() error {
	from := []byte(w.Family)
	for from != nil {
		next, missing, err := w.page(from)
		if err != nil {
			return err
		}
		for _, m := range missing {
			w.Repair(m)
		}
		if from = next; from != nil && !w.Pause(walkPause) {
			return nil
		}
	}
	return nil
}

func (w Walk[M]) page(from []byte) (next []byte, missing []M, err error) {
	snap, err := w.Store.Snapshot()
	if err != nil {
		return nil, nil, err
	}
	defer snap.Close()
	n := 0
	for kv, err := range snap.Scan(store.Range{From: from, To: store.PrefixEnd([]byte(w.Family))}) {
		if err != nil {
			return nil, nil, err
		}
		if n == walkPage {
			return append([]byte(nil), kv.Key...), missing, nil
		}
		n++
		m, found, err := w.Look(snap, kv)
		if err != nil {
			return nil, nil, err
		}
		if found {
			missing = append(missing, m)
		}
	}
	return nil, missing, nil
}
