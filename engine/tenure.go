package engine

import (
	"bytes"
	"context"
	"fmt"

	"weft/engine/lease"
	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// schema is the version of the rows as a whole. Whoever adds rows that older
// stores lack, an index for one, raises it, and makes them when such a store is
// opened: programs that know a lower version refuse the store from then on.
var schema = []byte("1")

// checkSchema refuses a store whose rows this program does not know.
func checkSchema(r store.Reader) error {
	raw, err := r.Get(row.SchemaVersion)
	if err != nil || raw == nil || bytes.Equal(raw, schema) {
		return err
	}
	return fmt.Errorf("rows of version %q, this program knows %q: %w", raw, schema, store.ErrNewer)
}

// acquire takes the lease and with it the fence. What the store accepted at its
// opening is audited in the same batch.
func (e *Engine) acquire(ctx context.Context) error {
	accepted := e.store.Info().Accepted
	err := e.lease.Acquire(ctx, func(b *store.Batch, _ flow.Epoch) {
		b.Put(row.SchemaVersion, schema)
		if accepted != "" {
			e.auditAt(b, &flow.Audit{At: flow.InstantOf(e.now()), Actor: e.o.Holder, Verb: "open", Text: accepted})
		}
	})
	if err != nil {
		return err
	}
	epoch, raw := e.lease.Epoch()
	e.fence.raw = raw
	e.openedAt = flow.InstantOf(e.now())
	e.crashes = crashesBefore(e.lease)
	e.tell(flow.Notice{Kind: flow.NoticeLease, Text: fmt.Sprintf("lease taken at epoch %d", epoch)})
	return nil
}

// crashesBefore counts the tenures in a row before this one that did not end by
// release.
func crashesBefore(l *lease.Lease) int {
	if l.Before() == "" {
		return 0
	}
	n := 0
	for _, t := range l.View().History[1:] {
		if t.Ended == "released" || t.Ended == "" {
			break
		}
		n++
	}
	return max(n, 1) // the history may be unreadable
}

// keepLease renews the lease until the engine closes, and halts it when the lease is
// lost.
func (e *Engine) keepLease() {
	e.keeping.Go(func() {
		e.lease.Renew(e.released)
		if err := e.lease.Err(); err != nil {
			e.halt(err) // also when the last renewal before the release lost it
		}
	})
}

// newLease is the lease under the engine's options.
func (e *Engine) newLease() (*lease.Lease, error) {
	return lease.New(e.store, lease.Options{Holder: e.o.Holder, TTL: e.o.LeaseTTL, Renew: e.o.LeaseRenew,
		Wait: e.o.LeaseWait, Poll: e.o.LeasePoll, Now: e.o.Now})
}
