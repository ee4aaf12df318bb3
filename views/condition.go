package views

import (
	"time"

	"weft/flow"
)

// Ahead is how far the latest thing that was read happened after now, by the
// clock of its writer; 0 when nothing did.
func (l List) Ahead(now flow.Instant) time.Duration {
	latest := now
	for _, r := range l.rows {
		latest = max(latest, r.Run.CreatedAt, r.Run.UpdatedAt, r.Run.ClosedAt)
		if r.Owed != nil {
			latest = max(latest, r.Owed.OwedAt, r.Owed.ClaimedAt)
		}
		if r.Dead != nil {
			latest = max(latest, r.Dead.DeadLetteredAt)
		}
	}
	return latest.Time().Sub(now.Time())
}

// HeldTeardowns is how many of the owed teardowns that were read wait for a build
// that has their type.
func (l List) HeldTeardowns() (n int) {
	for _, r := range l.rows {
		if r.Owed != nil && r.Owed.State == heldState {
			n++
		}
	}
	return n
}
