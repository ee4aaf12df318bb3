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
// least once. Callers that come meanwhile wait for the acquisition under way,
// each for its own time, and one that follows a success answers nil.
//
// What it hands out has at least two thirds of TTL ahead of it: a store that
// was slow to take the lease is asked to renew it first.
func (l *Lease) Acquire(ctx context.Context, add func(*store.Batch, flow.Epoch)) error {
	began := time.Now()
	select {
	case l.acquiring <- struct{}{}:
		defer func() { <-l.acquiring }()
	case <-l.stopped:
		return flow.ErrClosed
	case <-ctx.Done():
		return gaveUp(ctx)
	}
	if l.acquired {
		return l.lost()
	}
	for !l.isStopped() {
		other, err := l.try(ctx, add)
		switch {
		case err == nil && other == nil:
			l.acquired = true
			return l.settleIn(ctx)
		case errors.Is(err, errTaken):
			continue
		case err != nil:
			return err
		}
		waited := time.Since(began)
		if waited >= l.o.Wait {
			return &TimeoutError{Waited: waited, Holder: other.HolderID, Epoch: flow.Epoch(other.Epoch)}
		}
		if err := l.pause(ctx, min(l.o.Poll, l.o.Wait-waited)); err != nil {
			return err
		}
	}
	return flow.ErrClosed
}

func gaveUp(ctx context.Context) error {
	return fmt.Errorf("wait for the lease: %w", context.Cause(ctx))
}

// pause waits, unless the caller or Stop has had enough.
func (l *Lease) pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-l.stopped:
		return flow.ErrClosed
	case <-ctx.Done():
		return gaveUp(ctx)
	}
}

// settleIn hands out a lease that was taken: with its time ahead, or not at
// all. What was taken in the instant of a Stop, or cannot be kept, is given
// back.
func (l *Lease) settleIn(ctx context.Context) error {
	for began := time.Now(); ; {
		var err error
		switch age := l.age(); {
		case l.isStopped():
			err = flow.ErrClosed
		case !l.held.Load():
			return l.lost()
		case age <= l.o.TTL/3:
			return nil
		case time.Since(began) >= l.o.TTL:
			err = fmt.Errorf("took the lease, but the store needs %v to confirm it: %w", age, flow.ErrLeaseNotHeld)
		default:
			if l.renewOnce(); l.age() > l.o.TTL/3 {
				err = l.pause(ctx, min(l.o.Poll, l.o.Renew))
			}
		}
		if err != nil {
			return errors.Join(err, l.Release(context.WithoutCancel(ctx)))
		}
	}
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
func (l *Lease) try(ctx context.Context, add func(*store.Batch, flow.Epoch)) (*holder, error) {
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
	other, took := l.obstacle(holderRaw)
	if other != nil {
		return other, nil
	}
	history, err := readHistory(snap)
	if err != nil {
		return nil, err
	}
	t := taking{epoch: last + 1, took: took, history: history}
	t.batch.Expect(row.LeaseEpoch, epochRaw, snap.Group())
	t.batch.Expect(row.LeaseHolder, holderRaw, snap.Group())
	return nil, l.take(ctx, t, add)
}

// obstacle is the holder that must be waited for, or how it is known that there
// is none.
func (l *Lease) obstacle(raw []byte) (other *holder, took string) {
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
	if l.seen.unchangedFor(raw, time.Now()) >= h.ttl(l.o.TTL) {
		return nil, "expired"
	}
	return &h, ""
}

// taking is an acquisition that is ready to be written.
type taking struct {
	epoch   uint64
	took    string
	history []flow.Tenure
	batch   store.Batch
}

func (l *Lease) take(ctx context.Context, t taking, add func(*store.Batch, flow.Epoch)) error {
	began := time.Now()
	now := l.o.Now()
	if len(t.history) > 0 && t.history[0].Ended == "" {
		t.history[0].Ended = t.took
		if t.took == "" {
			t.history[0].Ended = "unknown" // no record, yet not released
		}
	}
	record := holder{HolderID: l.o.Holder, Epoch: t.epoch, Instance: l.store.Info().Instance,
		Since: flow.InstantOf(now)}.renewed(now, l.o.TTL)
	raw := encode(record)
	history := addTenure(t.history, flow.Tenure{Epoch: flow.Epoch(t.epoch), Holder: l.o.Holder, Since: record.Since})
	t.batch.Urgent = true // a full store must be opened to be emptied
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
