package lease

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// maxHistory is how many tenures the history keeps.
const maxHistory = 32

// holder is the record under lease:holder. Its first three fields are what
// other programs that know the format read.
type holder struct {
	HolderID  string `json:"holderId"`
	ExpiresAt int64  `json:"expiresAt"` // ms since 1970, by the holder's clock
	Epoch     uint64 `json:"epoch"`
	TTL       int64  `json:"ttlMillis"`
	// Renewals counts, so that no two renewals write the same bytes whatever
	// the wall clock does: unchanged bytes are what shows that an owner is gone.
	Renewals  uint64       `json:"renewals"`
	Instance  string       `json:"instance"`
	Since     flow.Instant `json:"since"`
	RenewedAt flow.Instant `json:"renewedAt"`
}

// maxMillis is the most milliseconds a [time.Duration] holds.
const maxMillis = math.MaxInt64 / int64(time.Millisecond)

// readHolder is tolerant: a record that makes no sense has no owner who could
// renew it, so it is not one that lives for ever.
func readHolder(raw []byte) (holder, bool) {
	var h holder
	if json.Unmarshal(raw, &h) != nil || h.Epoch == 0 || h.ExpiresAt < 0 || h.TTL < 0 || h.TTL > maxMillis {
		return holder{}, false
	}
	return h, true
}

// ttl is how long the holder wants to be waited for; other programs do not say.
func (h holder) ttl(otherwise time.Duration) time.Duration {
	if h.TTL == 0 {
		return otherwise
	}
	return time.Duration(h.TTL) * time.Millisecond
}

// renewed is the record as written at now. A clock before 1970 counts as 1970,
// because what is written must make sense to who reads it.
func (h holder) renewed(now time.Time, ttl time.Duration) holder {
	h.Renewals++
	h.RenewedAt = flow.InstantOf(now)
	h.ExpiresAt = max(now.Add(ttl).UnixMilli(), 1)
	h.TTL = int64((ttl + time.Millisecond - 1) / time.Millisecond)
	return h
}

// maxEpoch is where exact integers of other programs end.
const maxEpoch = 1<<53 - 1

// readEpoch is strict: see [ErrCorrupt]. No record is epoch 0.
func readEpoch(raw []byte) (uint64, error) {
	if raw == nil {
		return 0, nil
	}
	if len(raw) != 8 {
		return 0, fmt.Errorf("epoch of %d bytes: %w", len(raw), ErrCorrupt)
	}
	n := binary.BigEndian.Uint64(raw)
	if n == 0 || n >= maxEpoch {
		return 0, fmt.Errorf("epoch %d: %w", n, ErrCorrupt)
	}
	return n, nil
}

func encodeEpoch(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

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

// encode writes plain data of ours.
func encode(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("lease: encode %T: %v", v, err))
	}
	return raw
}

// LookLost describes the lease from the store, for who owned it at an epoch that is
// over. A store that has no later epoch does not tell who owns it now.
func LookLost(r store.Reader, lost flow.Epoch) (flow.Lease, error) {
	l, err := Look(r)
	if l.Epoch <= lost {
		l = flow.Lease{History: l.History}
	}
	l.State, l.Lost = flow.LeaseDeposed, lost
	return l, err
}

// Look describes the lease from the store, for somebody who does not hold it.
func Look(r store.Reader) (flow.Lease, error) {
	l := flow.Lease{State: flow.LeaseNone}
	raw, err := r.Get(row.LeaseEpoch)
	if err != nil {
		return l, err
	}
	epoch, bad := readEpoch(raw)
	l.Epoch = flow.Epoch(epoch)
	if l.History, err = readHistory(r); err != nil {
		return l, err
	}
	held, err := r.Get(row.LeaseHolder)
	switch {
	case err != nil:
		return l, err
	case bad != nil || held != nil && raw == nil:
		l.State = flow.LeaseCorrupt
	case held != nil:
		l.State = flow.LeaseOther
		if h, ok := readHolder(held); ok {
			l.Holder, l.ExpiresAt, l.RenewedAt = h.HolderID, flow.Instant(h.ExpiresAt), h.RenewedAt
		}
	}
	return l, nil
}
