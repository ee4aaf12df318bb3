package storetest

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"weft/store"
)

// together runs f(0) to f(n-1) at the same time and waits for all.
func together(n int, f func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
}

var contention = map[string]func(*testing.T, *kit){
	"of several claims exactly one is applied": func(t *testing.T, k *kit) {
		for round := range 20 {
			key := fmt.Appendf(nil, "claim%d", round)
			var winners atomic.Int32
			var winner atomic.Int32
			together(8, func(i int) {
				res, err := k.s.Commit(t.Context(), batch(func(b *store.Batch) {
					b.Expect(key, nil, 0)
					b.Put(key, fmt.Append(nil, i))
				}))
				if err != nil {
					t.Errorf("contention is no error: %v", err)
				}
				if res.Applied {
					winners.Add(1)
					winner.Store(int32(i))
				}
			})
			if n := winners.Load(); n != 1 {
				t.Fatalf("round %d: %d winners, want 1", round, n)
			}
			k.wantGet(string(key), fmt.Sprint(winner.Load()))
		}
	},
	"compare and swap loses no update": func(t *testing.T, k *kit) {
		const callers, rows, each = 16, 4, 40
		var applied atomic.Int64
		together(callers, func(i int) {
			for n := range each {
				if swap(t, k.s, fmt.Sprintf("row%d", (i+n)%rows)) {
					applied.Add(1)
				}
			}
		})
		var sum int64
		for i := range rows {
			n, err := counter(k.s, fmt.Sprintf("row%d", i))
			if err != nil {
				t.Fatal(err)
			}
			sum += n
		}
		if count, err := counter(k.s, "count"); sum != applied.Load() || count != sum || err != nil {
			t.Errorf("rows sum to %d, counter says %d (%v), %d swaps were acknowledged", sum, count, err, applied.Load())
		}
		if sum == 0 {
			t.Error("nobody made progress")
		}
	},
	"conditions at the group of an own result lose no update": func(t *testing.T, k *kit) {
		// Each caller goes on from its own last result and reads anew only
		// when refused: the way the engine works.
		var applied atomic.Int64
		together(8, func(int) {
			var have []byte
			var at store.Group
			for range 60 {
				n, _ := store.DecodeCounter(have)
				next := store.EncodeCounter(n + 1)
				res, err := k.s.Commit(t.Context(), batch(func(b *store.Batch) {
					b.Expect([]byte("hot"), have, at)
					b.Put([]byte("hot"), next)
				}))
				if err != nil {
					t.Error(err)
					return
				}
				if res.Applied {
					applied.Add(1)
					have, at = next, res.Group
					continue
				}
				have, at = readAt(t, k.s, "hot")
			}
		})
		if n, err := counter(k.s, "hot"); n != applied.Load() || err != nil {
			t.Errorf("row says %d (%v), %d updates were acknowledged", n, err, applied.Load())
		}
	},
	"a judgement within a group does not outlive it": func(t *testing.T, k *kit) {
		// One caller asks that the row has its value, many change it: all may
		// share a group. What was judged before the change, in the same group,
		// must not decide after it.
		for round := range 30 {
			key := fmt.Appendf(nil, "judged%d", round)
			k.put(string(key), "old")
			judged := make([]store.Result, 8)
			together(len(judged)+1, func(i int) {
				b := new(store.Batch)
				b.Expect(key, []byte("old"), 0)
				if i == len(judged) {
					b = batch(func(b *store.Batch) { b.Put(key, []byte("new")) })
				} else {
					b.Put(fmt.Appendf(nil, "note%d", i), nil)
				}
				res, err := k.s.Commit(t.Context(), b)
				if err != nil {
					t.Error(err)
				}
				if i < len(judged) {
					judged[i] = res
				}
			})
			for _, res := range judged {
				if !res.Applied {
					continue
				}
				if again := k.commit(func(b *store.Batch) { b.Expect(key, []byte("old"), res.Group) }); again.Applied {
					t.Fatalf("round %d: a condition judged in group %d held after the row had changed", round, res.Group)
				}
			}
		}
	},
	"counters of many callers are exact": func(t *testing.T, k *kit) {
		together(16, func(i int) {
			for n := range 30 {
				if _, err := k.s.Commit(t.Context(), batch(func(b *store.Batch) {
					b.Add([]byte("up"), 1)
					b.Add(fmt.Appendf(nil, "of%d", n%3), int64(1-n%2*2))
				})); err != nil {
					t.Error(err)
				}
			}
		})
		if n, err := counter(k.s, "up"); n != 16*30 || err != nil {
			t.Errorf("counter %d, %v; want %d", n, err, 16*30)
		}
	},
	"readers see whole batches and groups only grow": func(t *testing.T, k *kit) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var writers, readers sync.WaitGroup
		for w := range 4 {
			writers.Go(func() {
				for i := range 60 {
					v := fmt.Appendf(nil, "%d.%d", w, i)
					if _, err := k.s.Commit(context.Background(), batch(func(b *store.Batch) {
						b.Put([]byte("left"), v)
						b.Put([]byte("right"), v)
					})); err != nil {
						t.Error(err)
					}
				}
			})
		}
		for range 2 {
			readers.Go(func() {
				var last store.Group
				for ctx.Err() == nil {
					last = lookWhole(t, k.s, last)
				}
			})
		}
		writers.Wait()
		stop()
		readers.Wait()
	},
}

// swap adds one to the counter-like row and to the counter "count", once.
func swap(t *testing.T, s store.Store, row string) bool {
	have, at := readAt(t, s, row)
	n, err := store.DecodeCounter(have)
	if err != nil {
		t.Error(err)
		return false
	}
	res, err := s.Commit(context.Background(), batch(func(b *store.Batch) {
		b.Expect([]byte(row), have, at)
		b.Put([]byte(row), store.EncodeCounter(n+1))
		b.Add([]byte("count"), 1)
	}))
	if err != nil {
		t.Errorf("swap: %v", err)
	}
	return res.Applied
}

func readAt(t *testing.T, s store.Store, key string) ([]byte, store.Group) {
	snap, err := s.Snapshot()
	if err != nil {
		t.Error(err)
		return nil, 0
	}
	defer snap.Close()
	v, err := snap.Get([]byte(key))
	if err != nil {
		t.Error(err)
	}
	return v, snap.Group()
}

// lookWhole checks that one snapshot shows both halves of a batch.
func lookWhole(t *testing.T, s store.Store, last store.Group) store.Group {
	snap, err := s.Snapshot()
	if err != nil {
		t.Error(err)
		return last
	}
	defer snap.Close()
	if l, r := get(t, snap, "left"), get(t, snap, "right"); l != r {
		t.Errorf("half a batch: left %q, right %q", l, r)
	}
	if snap.Group() < last {
		t.Errorf("group %d after %d", snap.Group(), last)
	}
	return snap.Group()
}
