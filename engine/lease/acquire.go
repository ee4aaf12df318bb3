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

// Acquire takes the lease: epoch + 1 and the holder's record in one batch, on
// condition of the exact bytes of both rows, together with whatever add puts
// into the batch (nil adds nothing). While another holder lives it looks again
// every Poll, for Wait; then it fails with a [*TimeoutError]. It is tried at
// least once. Concurrent callers share one acquisition, and one that follows a
// success answers nil.
func (l *Lease) Acquire(ctx context.Context, add func(*store.Batch, flow.Epoch)) error {
	l.acquiring.Lock()
	defer l.acquiring.Unlock()
	if l.acquired {
		if !l.held.Load() {
			return flow.ErrLeaseNotHeld
		}
		return nil
	}
	began := time.Now()
	var seen sight
	for {
		if l.isStopped() {
			return flow.ErrClosed
		}
		other, err := l.try(ctx, &seen, add)
		switch {
		case err == nil && other == nil:
			l.acquired = true
			return l.afterAcquire(ctx)
		case errors.Is(err, errTaken):
			continue
		case err != nil:
			return err
		}
		waited := time.Since(began)
		if l.o.Wait < 0 || waited >= l.o.Wait {
			return &TimeoutError{Waited: max(waited, 0), Holder: other.HolderID, Epoch: flow.Epoch(other.Epoch)}
		}
		t := time.NewTimer(min(l.o.Poll, l.o.Wait-waited))
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return fmt.Errorf("wait for the lease: %w", context.Cause(ctx))
		}
	}
}

// afterAcquire gives back what was taken in the instant of a Stop.
func (l *Lease) afterAcquire(ctx context.Context) error {
	if !l.isStopped() {
		return nil
	}
	return errors.Join(flow.ErrClosed, l.Release(context.WithoutCancel(ctx)))
}

// sight is what a waiter has seen of a holder, and since when on its own
// monotonic clock.
type sight struct {
	raw   []byte
	since time.Time
}

// unchangedFor is how long the holder's bytes have been the same.
func (s *sight) unchangedFor(raw []byte, now time.Time) time.Duration {
	if s.raw == nil || !bytes.Equal(s.raw, raw) {
		s.raw, s.since = append([]byte(nil), raw...), now
	}
	return now.Sub(s.since)
}

// try looks once and takes the lease if it may; otherwise it answers who has
// it.
func (l *Lease) try(ctx context.Context, seen *sight, add func(*store.Batch, flow.Epoch)) (*holder, error) {
	snap, err := l.store.Snapshot()
	if err != nil {
		return nil, err
	}
	defer snap.Close()
	epochRaw, err := snap.Get(row.LeaseEpoch)
	if err != nil {
		return nil, err
	}
	holderRaw, err := snap.Get(row.LeaseHolder)
	if err != nil {
		return nil, err
	}
	last, err := readEpoch(epochRaw)
	if err != nil {
		return nil, err
	}
	if holderRaw != nil && epochRaw == nil {
		return nil, fmt.Errorf("a holder but no epoch: %w", ErrCorrupt)
	}
	if last+1 >= maxEpoch {
		return nil, fmt.Errorf("epoch %d is the last there is: %w", last, ErrCorrupt)
	}
	other, took := l.obstacle(holderRaw, seen)
	if other != nil {
		return other, nil
	}
	history, err := readHistory(snap)
	if err != nil {
		return nil, err
	}
	t := taking{epoch: last + 1, took: took, at: snap.Group(), history: history}
	t.batch.Expect(row.LeaseEpoch, epochRaw, snap.Group())
	t.batch.Expect(row.LeaseHolder, holderRaw, snap.Group())
	return nil, l.take(ctx, t, add)
}

// obstacle is the holder that must be waited for, or how it is known that there
// is none.
func (l *Lease) obstacle(raw []byte, seen *sight) (other *holder, took string) {
	if raw == nil {
		return nil, ""
	}
	h, ok := readHolder(raw)
	if !ok {
		return nil, "unreadable"
	}
	info := l.store.Info()
	if info.Exclusive && h.Instance != info.Instance {
		return nil, "process gone"
	}
	ttl := time.Duration(h.TTL) * time.Millisecond
	if ttl == 0 {
		ttl = l.o.TTL
	}
	if seen.unchangedFor(raw, time.Now()) >= ttl {
		return nil, "expired"
	}
	return &h, ""
}

// taking is an acquisition that is ready to be written.
type taking struct {
	epoch   uint64
	took    string
	at      store.Group
	history []flow.Tenure
	batch   store.Batch
}

func (l *Lease) take(ctx context.Context, t taking, add func(*store.Batch, flow.Epoch)) error {
	began := time.Now()
	now := l.o.Now()
	if len(t.history) > 0 && t.history[0].Ended == "" && t.took != "" {
		t.history[0].Ended = t.took
	}
	record := holder{HolderID: l.o.Holder, ExpiresAt: now.Add(l.o.TTL).UnixMilli(), Epoch: t.epoch,
		TTL: l.o.TTL.Milliseconds(), Instance: l.store.Info().Instance, Since: flow.InstantOf(now), RenewedAt: flow.InstantOf(now)}
	raw := encode(record)
	history := addTenure(t.history, flow.Tenure{Epoch: flow.Epoch(t.epoch), Holder: l.o.Holder, Since: record.Since})
	t.batch.Put(row.LeaseEpoch, encodeEpoch(t.epoch))
	t.batch.Put(row.LeaseHolder, raw)
	t.batch.Put(row.LeaseHistory, encode(history))
	if add != nil {
		add(&t.batch, flow.Epoch(t.epoch))
	}
	res, err := l.store.Commit(ctx, &t.batch)
	switch {
	case err != nil:
		return fmt.Errorf("acquire the lease: %w", err)
	case !res.Applied:
		return errTaken
	}
	l.mu.Lock()
	l.epoch, l.record, l.raw, l.rawAt = t.epoch, record, raw, res.Group
	l.history, l.state, l.took = history, flow.LeaseHeld, t.took
	l.mu.Unlock()
	l.confirmed.Store(&began)
	l.held.Store(true)
	return nil
}
