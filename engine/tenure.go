package engine

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// maxHistory is how many tenures the history keeps.
const maxHistory = 32

// holder is the record under lease:holder. Its first three fields are what
// other programs that know the format read.
type holder struct {
	HolderID  string       `json:"holderId"`
	ExpiresAt int64        `json:"expiresAt"` // ms; 0: the store's exclusiveness decides
	Epoch     uint64       `json:"epoch"`
	Instance  string       `json:"instance"`
	Since     flow.Instant `json:"since"`
}

// HeldError says who holds the lease.
type HeldError struct {
	Holder string
	Epoch  flow.Epoch
}

func (e *HeldError) Error() string {
	return fmt.Sprintf("the lease is held by %s at epoch %d", e.Holder, e.Epoch)
}

// ErrLeaseCorrupt: the lease's records contradict each other, so that nobody
// can tell which epochs were given out. If no other program uses the store,
// remove lease:epoch and lease:holder, or set the epoch above its last value.
var ErrLeaseCorrupt = errors.New("lease records are corrupted")

// acquire takes the lease: epoch + 1 and the holder record in one batch, on
// condition of the exact bytes of both. A holder that wrote under another
// instance of an exclusive store is gone, so its lease is taken at once.
func (e *Engine) acquire(ctx context.Context) error {
	for {
		snap, err := e.store.Snapshot()
		if err != nil {
			return err
		}
		b, err := e.acquisition(snap)
		snap.Close()
		if err != nil {
			return err
		}
		res, err := e.store.Commit(ctx, b)
		if err != nil {
			return fmt.Errorf("acquire the lease: %w", err)
		}
		if res.Applied {
			e.fence.seen(res.Group)
			e.fence.held.Store(true)
			return nil
		}
	}
}

// acquisition is the batch that takes the lease. It leaves in the engine what
// it found and what it will hold.
func (e *Engine) acquisition(snap store.Snapshot) (*store.Batch, error) {
	epochRaw, err := snap.Get(row.LeaseEpoch)
	if err != nil {
		return nil, err
	}
	holderRaw, err := snap.Get(row.LeaseHolder)
	if err != nil {
		return nil, err
	}
	last, err := decodeEpoch(epochRaw)
	if err != nil {
		return nil, err
	}
	if holderRaw != nil && epochRaw == nil {
		return nil, fmt.Errorf("a holder but no epoch: %w", ErrLeaseCorrupt)
	}
	info := e.store.Info()
	var old holder
	readable := holderRaw != nil && json.Unmarshal(holderRaw, &old) == nil
	if readable && !(info.Exclusive && old.Instance != info.Instance) {
		return nil, &HeldError{Holder: old.HolderID, Epoch: flow.Epoch(old.Epoch)}
	}
	history, err := readHistory(snap)
	if err != nil {
		return nil, err
	}
	now := flow.InstantOf(e.now())
	if holderRaw != nil && len(history) > 0 && history[0].Ended == "" {
		history[0].Ended = "process gone"
	}
	e.crashed = holderRaw != nil
	e.lease = flow.Lease{State: flow.LeaseHeld, Holder: e.o.Holder, Mine: true, Epoch: flow.Epoch(last + 1), RenewedAt: now}
	e.lease.History = addTenure(history, flow.Tenure{Epoch: e.lease.Epoch, Holder: e.o.Holder, Since: now})
	e.fence.raw = binary.BigEndian.AppendUint64(nil, last+1)
	e.holderRaw = mustJSON(holder{HolderID: e.o.Holder, Epoch: last + 1, Instance: info.Instance, Since: now})
	b := &store.Batch{}
	b.Expect(row.LeaseEpoch, epochRaw, snap.Group())
	b.Expect(row.LeaseHolder, holderRaw, snap.Group())
	b.Put(row.LeaseEpoch, e.fence.raw)
	b.Put(row.LeaseHolder, e.holderRaw)
	b.Put(row.LeaseHistory, mustJSON(e.lease.History))
	b.Put(row.SchemaVersion, schema)
	if info.Accepted != "" {
		e.auditAt(b, &flow.Audit{At: now, Actor: e.o.Holder, Verb: "open", Text: info.Accepted})
	}
	return b, nil
}

// schema is the version of the rows as a whole.
var schema = []byte("1")

// checkSchema refuses a store whose rows this program does not know.
func checkSchema(r store.Reader) error {
	raw, err := r.Get(row.SchemaVersion)
	if err != nil || raw == nil || bytes.Equal(raw, schema) {
		return err
	}
	return fmt.Errorf("rows of version %q, this program knows %q: %w", raw, schema, store.ErrNewer)
}

// release gives the lease back: the holder's record goes, on condition that it
// is ours, and the history says so.
func (e *Engine) release(ctx context.Context) error {
	if !e.fence.held.Swap(false) || e.halted() != nil {
		return nil
	}
	now := flow.InstantOf(e.now())
	e.lease.History[0].Until, e.lease.History[0].Ended = now, "released"
	var b store.Batch
	b.Expect(row.LeaseEpoch, e.fence.raw, store.Group(e.fence.at.Load()))
	b.Expect(row.LeaseHolder, e.holderRaw, 0)
	b.Delete(row.LeaseHolder)
	b.Put(row.LeaseHistory, mustJSON(e.lease.History))
	res, err := e.store.Commit(ctx, &b)
	switch {
	case err != nil:
		return fmt.Errorf("release the lease: %w", err)
	case !res.Applied:
		return fmt.Errorf("release the lease: %w", flow.ErrDeposed)
	}
	return nil
}

func decodeEpoch(raw []byte) (uint64, error) {
	if raw == nil {
		return 0, nil
	}
	if len(raw) != 8 {
		return 0, fmt.Errorf("epoch of %d bytes: %w", len(raw), ErrLeaseCorrupt)
	}
	n := binary.BigEndian.Uint64(raw)
	if n == 0 || n >= 1<<53-1 {
		return 0, fmt.Errorf("epoch %d: %w", n, ErrLeaseCorrupt)
	}
	return n, nil
}

// readHistory reads the tenures, newest first. A history that cannot be read is
// an empty one: it is for people.
func readHistory(r store.Reader) ([]flow.Tenure, error) {
	raw, err := r.Get(row.LeaseHistory)
	if err != nil || raw == nil {
		return nil, err
	}
	var h []flow.Tenure
	if json.Unmarshal(raw, &h) != nil {
		return nil, nil
	}
	return h, nil
}

func addTenure(h []flow.Tenure, t flow.Tenure) []flow.Tenure {
	h = append([]flow.Tenure{t}, h...)
	return h[:min(len(h), maxHistory)]
}

// leaseOf describes the lease from the store, for an engine that does not hold
// it.
func leaseOf(r store.Reader) (flow.Lease, error) {
	l := flow.Lease{State: flow.LeaseNone}
	epochRaw, err := r.Get(row.LeaseEpoch)
	if err != nil {
		return l, err
	}
	last, err := decodeEpoch(epochRaw)
	if err != nil {
		l.State = flow.LeaseCorrupt
		return l, nil
	}
	l.Epoch = flow.Epoch(last)
	if l.History, err = readHistory(r); err != nil {
		return l, err
	}
	raw, err := r.Get(row.LeaseHolder)
	if err != nil || raw == nil {
		return l, err
	}
	var h holder
	if json.Unmarshal(raw, &h) == nil {
		l.State, l.Holder = flow.LeaseOther, h.HolderID
		l.ExpiresAt, l.RenewedAt = flow.Instant(h.ExpiresAt), h.Since
	}
	return l, nil
}

// mustJSON encodes plain data of ours.
func mustJSON(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("engine: encode %T: %v", v, err))
	}
	return raw
}
