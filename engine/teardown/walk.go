package teardown

import (
	"context"
	"fmt"
	"time"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

const (
	walkPage  = 256
	walkPause = 50 * time.Millisecond
)

// walk compares, once and slowly, every claim with its timer row. A claim
// without one would stay owed for ever: the timer is put back and reported. A
// claim that cannot be read has no timer to tell of it: it is looked at here.
func (d *Driver) walk(ctx context.Context) {
	from := []byte(row.FamilyClaim)
	for from != nil {
		next, missing, err := d.walkOnce(from)
		if err != nil && !d.dead() {
			d.c.Problem("the walk over owed teardowns stopped: "+err.Error(), "")
		}
		if err != nil {
			return
		}
		for _, s := range missing {
			d.repair(ctx, s)
		}
		from = next
		select {
		case <-ctx.Done():
			return
		case <-time.After(walkPause):
		}
	}
}

// walkOnce looks at one page from one snapshot.
func (d *Driver) walkOnce(from []byte) (next []byte, missing []standing, err error) {
	snap, err := d.c.Store.Snapshot()
	if err != nil {
		return nil, nil, err
	}
	defer snap.Close()
	n := 0
	for kv, err := range snap.Scan(store.Range{From: from, To: store.PrefixEnd([]byte(row.FamilyClaim))}) {
		if err != nil {
			return nil, nil, err
		}
		if n == walkPage {
			return append([]byte(nil), kv.Key...), missing, nil
		}
		n++
		ref, ok := row.ParseClaim(kv.Key)
		if !ok {
			continue
		}
		s := standing{ref: ref, at: snap.Group(), raw: append([]byte(nil), kv.Value...)}
		if s.claim, s.damaged = row.DecodeClaim(s.raw); s.damaged != nil {
			missing = append(missing, s)
			continue
		}
		if raw, err := snap.Get(s.timer().Key()); err != nil {
			return nil, nil, err
		} else if raw == nil {
			missing = append(missing, s)
		}
	}
	return nil, missing, nil
}

// repair puts back the timer of a claim, if the claim is still as it was read.
func (d *Driver) repair(ctx context.Context, s standing) {
	if s.damaged != nil {
		d.drive(ctx, row.Teardown{Ref: s.ref})
		return
	}
	b := new(store.Batch)
	b.Expect(row.ClaimKey(s.ref), s.raw, s.at)
	b.Put(s.timer().Key(), nil)
	applied, err := d.commit(b)
	switch {
	case err != nil && !d.dead():
		d.c.Problem(fmt.Sprintf("the timer of the teardown of run %s is missing and could not be put back: %v", s.ref, err), "")
	case applied:
		d.queue.added(s.timer())
		d.c.Problem(fmt.Sprintf("the timer of the teardown of run %s was missing and was put back", s.ref), "")
		d.tell(flow.NoticeStore, &s, false, "missing timer of a teardown put back")
	}
}
