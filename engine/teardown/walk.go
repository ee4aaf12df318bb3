package teardown

import (
	"context"
	"fmt"
	"time"

	"weft/engine/row"
	"weft/engine/timers"
	"weft/flow"
	"weft/store"
)

// walk compares, once and slowly, every claim with its timer row. A claim
// without one would stay owed for ever: the timer is put back and reported. A
// claim that cannot be read has no timer to tell of it: it is looked at here.
func (d *Driver) walk(ctx context.Context) {
	err := timers.Walk[standing]{Store: d.c.Store, Family: row.FamilyClaim, Look: missingTimer,
		Repair: func(s standing) { d.repair(ctx, s) },
		Pause: func(wait time.Duration) bool {
			select {
			case <-ctx.Done():
				return false
			case <-time.After(wait):
				return true
			}
		}}.Run()
	if err != nil && !d.dead() {
		d.c.Problem("the walk over owed teardowns stopped: "+err.Error(), "")
	}
}

// missingTimer finds a claim that has no timer, or cannot be read.
func missingTimer(snap store.Snapshot, kv store.Row) (s standing, missing bool, err error) {
	ref, ok := row.ParseClaim(kv.Key)
	if !ok {
		return s, false, nil
	}
	s = standing{ref: ref, at: snap.Group(), raw: append([]byte(nil), kv.Value...)}
	if s.claim, s.damaged = row.DecodeClaim(s.raw); s.damaged != nil {
		return s, true, nil
	}
	raw, err := snap.Get(s.timer().Key())
	return s, raw == nil, err
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
		d.queue.Added(s.timer())
		d.c.Problem(fmt.Sprintf("the timer of the teardown of run %s was missing and was put back", s.ref), "")
		d.tell(flow.NoticeStore, &s, false, "missing timer of a teardown put back")
	}
}
