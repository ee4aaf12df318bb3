package pebble

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"weft/store"
)

// known is what recent must answer for a key.
type known struct {
	group store.Group
	value []byte
	sum   bool
}

// TestRecentIsAMapOfTheLastGroups compares it with a map, also when many keys
// have one hash, and in groups that write big values, cut ranges and write
// nothing.
func TestRecentIsAMapOfTheLastGroups(t *testing.T) {
	for _, mask := range []uint64{^uint64(0), 7, 0} {
		t.Run(fmt.Sprintf("mask %x", mask), func(t *testing.T) {
			seed := rand.Uint64()
			t.Logf("seed %d", seed)
			rng := rand.New(rand.NewPCG(seed, 1))
			r := newRecent(10)
			whole := r.hash
			r.hash = func(key []byte) uint64 { return whole(key) & mask }
			model := map[string]known{}
			for group := store.Group(11); group < 300; group++ {
				r.begin(group)
				for key, k := range model {
					if k.group < r.first {
						delete(model, key)
					}
				}
				for range rng.IntN(40) {
					changeRecent(r, rng, model)
				}
				compareRecent(t, r, model)
				r.end()
				compareRecent(t, r, model)
			}
		})
	}
}

func changeRecent(r *recent, rng *rand.Rand, model map[string]known) {
	key := fmt.Sprintf("key %d", rng.IntN(60))
	switch rng.IntN(12) {
	case 0:
		from, to := fmt.Sprintf("key %d", rng.IntN(60)), fmt.Sprintf("key %d", rng.IntN(60))
		r.cut([]byte(from), []byte(to))
		for i := range 60 {
			if k := fmt.Sprintf("key %d", i); from <= k && k < to {
				model[k] = known{group: r.group}
			}
		}
	case 1:
		r.put([]byte(key), nil, false)
		model[key] = known{group: r.group}
	case 2:
		value := bytes.Repeat([]byte{byte(rng.Uint32())}, bigValue+rng.IntN(100))
		r.put([]byte(key), value, false)
		model[key] = known{group: r.group, value: value}
	case 3:
		r.put([]byte(key), []byte{}, false)
		model[key] = known{group: r.group, value: []byte{}}
	case 4:
		if _, has := model[key]; !has && r.group != r.first {
			r.learn([]byte(key), []byte("learnt"))
			model[key] = known{group: r.group - 1, value: []byte("learnt")}
		}
	default:
		value := fmt.Appendf(nil, "value %d", rng.Uint64())
		r.put([]byte(key), value, true)
		model[key] = known{r.group, value, true}
	}
}

func compareRecent(t *testing.T, r *recent, model map[string]known) {
	t.Helper()
	for i := range 60 {
		key := fmt.Sprintf("key %d", i)
		want, has := model[key]
		got, found := r.find([]byte(key))
		switch {
		case found != has:
			t.Fatalf("group %d, %q: known %v, want %v", r.group, key, found, has)
		case got.group != want.group:
			t.Fatalf("group %d, %q: of group %d, want %d", r.group, key, got.group, want.group)
		case got.big && len(want.value) >= bigValue: // to be read from the database
		case got.big || !same(got.value, want.value) || got.sum != want.sum:
			t.Fatalf("group %d, %q: have %q, %v, big %v, want %q, %v", r.group, key, got.value, got.sum, got.big, want.value, want.sum)
		}
	}
}

// TestRecentForgetsWhatItNeedNotKnow watches the bounds on its memory.
func TestRecentForgetsWhatItNeedNotKnow(t *testing.T) {
	r := newRecent(0)
	value := make([]byte, 1000)
	for group := store.Group(1); group <= 200; group++ {
		r.begin(group)
		for i := range 500 {
			r.put(fmt.Appendf(nil, "%d of %d", i, group), value, false)
		}
		r.put([]byte("big"), make([]byte, bigValue), false)
		r.end()
		if r.bytes > rememberedBytes+600_000 {
			t.Fatalf("group %d: %d bytes are remembered, allowed are %d and a group", group, r.bytes, rememberedBytes)
		}
		if len(r.bigs) > 0 || len(r.spare) > maxSpare {
			t.Fatalf("group %d: %d big values and %d slabs are kept", group, len(r.bigs), len(r.spare))
		}
	}
	r.begin(10_000)
	r.forgetAll()
	if r.begin(10_100); r.bytes != 0 || len(r.rows) != 0 {
		t.Errorf("%d bytes in %d rows are left of forgotten groups", r.bytes, len(r.rows))
	}
}
