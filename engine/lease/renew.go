package lease

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// Renew keeps the lease until stop closes or it is lost. The caller runs it in a
// goroutine of its own, after Acquire.
func (l *Lease) Renew(stop <-chan struct{}) {
	t := time.NewTicker(l.o.Renew)
	defer t.Stop()
	for {
		select {
		case <-stop:
			return
		case <-l.over:
			return
		case <-t.C:
			l.renewOnce()
		}
	}
}

// renewOnce writes the holder's record anew. A store that refuses or fails is
// tried again at the next round: only another owner ends a tenure.
func (l *Lease) renewOnce() {
	l.renewing <- struct{}{}
	defer func() { <-l.renewing }()
	if !l.held.Load() {
		return
	}
	if err := l.stillOwner(); err != nil {
		l.end(flow.LeaseDeposed, err)
		return
	}
	began := time.Now()
	next, b := l.renewal()
	ctx, cancel := context.WithTimeout(context.Background(), l.o.TTL)
	defer cancel()
	res, err := l.store.Commit(ctx, b)
	switch {
	case errors.Is(err, store.ErrFailed), errors.Is(err, store.ErrClosed):
		l.end(flow.LeaseDoubt, err)
	case err != nil: // refused for the moment
	case res.Applied:
		l.wrote(next, b.Writes[0].Value, res.Group)
		l.confirmed.Store(&began)
	default:
		l.judge()
	}
}

// renewal is the next record and the batch that writes it.
func (l *Lease) renewal() (holder, *store.Batch) {
	l.mu.Lock()
	defer l.mu.Unlock()
	next := l.record.renewed(l.o.Now(), l.o.TTL)
	b := l.onOurs()
	b.Put(row.LeaseHolder, encode(next))
	return next, b
}

// onOurs is a batch on condition that the lease is as we left it. It is taken
// by a full store: who cannot renew cannot make room. mu is held.
func (l *Lease) onOurs() *store.Batch {
	b := &store.Batch{Urgent: true}
	b.Expect(row.LeaseEpoch, encodeEpoch(l.epoch), l.rawAt)
	b.Expect(row.LeaseHolder, l.raw, l.rawAt)
	return b
}

func (l *Lease) wrote(record holder, raw []byte, at store.Group) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.record, l.raw, l.rawAt = record, raw, at
}

// stillOwner asks the store whether another process may have taken its data.
func (l *Lease) stillOwner() error {
	if o, ok := l.store.(store.Owner); ok {
		if err := o.StillOwner(); err != nil {
			return fmt.Errorf("%w: %w", flow.ErrDeposed, err)
		}
	}
	return nil
}

// judge follows a renewal that lost its condition: with another epoch or
// another holder stored the lease is lost; a record that is as we wrote it
// means that an earlier renewal had an unknown outcome.
func (l *Lease) judge() {
	snap, err := l.store.Snapshot()
	if err != nil {
		return
	}
	defer snap.Close()
	epoch, err := snap.Get(row.LeaseEpoch)
	if err != nil {
		return
	}
	raw, err := snap.Get(row.LeaseHolder)
	if err != nil {
		return
	}
	h, ok := readHolder(raw)
	mine := l.record // written under renewing only
	if !bytes.Equal(epoch, encodeEpoch(mine.Epoch)) || !ok || h.HolderID != mine.HolderID || h.Instance != mine.Instance || h.Epoch != mine.Epoch {
		l.Lose()
		return
	}
	l.wrote(h, raw, snap.Group())
}

// Release gives the lease back: the holder's record goes, on condition that it
// is ours, and the history says so. The epoch stays. It does nothing when the
// lease is not held. After an error the record stays, and others wait for it
// to expire.
func (l *Lease) Release(ctx context.Context) error {
	select {
	case l.renewing <- struct{}{}:
		defer func() { <-l.renewing }()
	case <-ctx.Done():
		return fmt.Errorf("release the lease: %w", context.Cause(ctx))
	}
	if !l.held.Load() {
		return nil
	}
	if err := l.stillOwner(); err != nil {
		l.end(flow.LeaseDeposed, err)
		return fmt.Errorf("release the lease: %w", err)
	}
	l.held.Store(false)
	l.mu.Lock()
	l.state = flow.LeaseReleased
	b := l.onOurs()
	b.Delete(row.LeaseHolder)
	history := append([]flow.Tenure(nil), l.history...)
	history[0].Until, history[0].Ended = flow.InstantOf(l.o.Now()), "released"
	b.Put(row.LeaseHistory, encode(history))
	l.mu.Unlock()
	res, err := l.store.Commit(ctx, b)
	switch {
	case err != nil:
		return fmt.Errorf("release the lease: %w", err)
	case !res.Applied:
		l.Lose()
		return fmt.Errorf("release the lease: %w", flow.ErrDeposed)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.history = history
	return nil
}
