package memory

import (
	"bytes"
	"context"
	"slices"

	"weft/store"
)

// Commit implements [store.Store].
func (s *Store) Commit(ctx context.Context, b *store.Batch) (store.Result, error) {
	if err := b.Validate(); err != nil {
		return store.Result{}, err
	}
	if err := ctx.Err(); err != nil {
		return store.Result{}, err
	}
	if err := s.beforeCommit(b); err != nil {
		return store.Result{}, err
	}
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return store.Result{}, ctx.Err()
	case <-s.dead:
		return store.Result{}, s.reason()
	}
	defer func() { <-s.turn }()
	return s.commit(b)
}

// commit judges and applies b. The caller has the turn.
func (s *Store) commit(b *store.Batch) (store.Result, error) {
	fault, delay, held := s.takeFault()
	s.pause(delay)
	select {
	case <-held:
	case <-s.dead:
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return store.Result{}, s.err
	}
	if fault == Before {
		s.kill(errInjected)
		return store.Result{}, s.err
	}
	res, err := s.apply(b)
	if fault == After && err == nil {
		s.kill(errInjected)
		return store.Result{}, s.err
	}
	return res, err
}

// apply judges and applies b under mu.
func (s *Store) apply(b *store.Batch) (store.Result, error) {
	for i := range b.Conditions {
		c := &b.Conditions[i]
		_, have, ok := s.rows.Get(c.Key)
		if ok != (c.Want != nil) || !bytes.Equal(have, c.Want) {
			return store.Result{Group: s.group}, nil
		}
	}
	if len(b.Writes)+len(b.Adds) == 0 {
		return store.Result{Applied: true, Group: s.group}, nil
	}
	sums, err := s.sums(b.Adds)
	if err != nil {
		return store.Result{}, err
	}
	for i := range b.Writes {
		s.write(&b.Writes[i])
	}
	for key, sum := range sums {
		if sum == 0 {
			s.rows.Delete([]byte(key))
		} else {
			s.rows.ReplaceOrInsert([]byte(key), store.EncodeCounter(sum))
		}
	}
	s.group++
	s.syncs++
	return store.Result{Applied: true, Group: s.group}, nil
}

// sums returns what the counters of adds come to.
func (s *Store) sums(adds []store.Add) (map[string]int64, error) {
	if len(adds) == 0 {
		return nil, nil
	}
	sums := make(map[string]int64, len(adds))
	for i := range adds {
		key := string(adds[i].Key)
		if _, known := sums[key]; !known {
			_, value, _ := s.rows.Get(adds[i].Key)
			n, err := store.DecodeCounter(value)
			if err != nil {
				return nil, err
			}
			sums[key] = n
		}
		sums[key] += adds[i].Delta
	}
	return sums, nil
}

func (s *Store) write(w *store.Write) {
	switch w.Op {
	case store.OpPut:
		s.rows.ReplaceOrInsert(bytes.Clone(w.Key), append([]byte{}, w.Value...))
	case store.OpDelete:
		s.rows.Delete(w.Key)
	case store.OpDeleteRange:
		var keys [][]byte
		for key := range ascendOrDescend(s.rows, store.Range{From: w.Key, To: w.Value}) {
			keys = append(keys, key)
		}
		for key := range slices.Values(keys) {
			s.rows.Delete(key)
		}
	}
}

func (s *Store) reason() error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.err
}
