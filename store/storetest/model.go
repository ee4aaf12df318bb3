package storetest

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"weft/store"

	"pgregory.net/rapid"
)

// model is what a store with one caller must look like.
type model struct {
	rows  map[string]string
	group store.Group
	// since is the group at which a row got the value it has, or vanished.
	since map[string]store.Group
}

// modelKeys are few, so that batches meet; counters are apart from rows.
var (
	modelKeys     = []string{"a", "a\x00", "a:", "a:1", "b", "b\xff", "c", "\xff"}
	modelCounters = []string{"n1", "n2"}
)

// runModel drives a store and a map with the same random batches.
func runModel(t *testing.T, opener Opener) {
	rapid.Check(t, func(rt *rapid.T) {
		k := &kit{t: t, Subject: opener(t)}
		k.open()
		defer func() { _ = k.s.Close() }()
		m := &model{rows: map[string]string{}, since: map[string]store.Group{}}
		rt.Repeat(map[string]func(*rapid.T){
			"commit": func(rt *rapid.T) { m.step(rt, k.s) },
			"":       func(rt *rapid.T) { m.compare(rt, k.s) },
			"age": func(rt *rapid.T) { // beyond what a store remembers
				for range rapid.IntRange(1, 80).Draw(rt, "groups") {
					m.group = k.put("age", "")
				}
				m.rows["age"] = ""
			},
			"reopen": func(rt *rapid.T) { k.reopen() },
			"crash": func(rt *rapid.T) {
				if k.Crash == nil {
					return
				}
				s, err := k.Crash(k.s)
				if err != nil {
					rt.Fatalf("open after crash: %v", err)
				}
				k.s = s
			},
		})
	})
}

// step commits one random batch to both.
func (m *model) step(rt *rapid.T, s store.Store) {
	b := new(store.Batch)
	holds := m.drawConditions(rt, b)
	after := m.drawWrites(rt, b)
	res, err := s.Commit(context.Background(), b)
	if err != nil {
		rt.Fatalf("commit %+v: %v", b, err)
	}
	if res.Applied != holds {
		rt.Fatalf("commit %+v: applied %t, want %t", b, res.Applied, holds)
	}
	if holds && len(b.Writes)+len(b.Adds) > 0 {
		m.group++
		m.take(after)
	}
	if res.Group != m.group {
		rt.Fatalf("group %d, want %d", res.Group, m.group)
	}
}

func (m *model) drawConditions(rt *rapid.T, b *store.Batch) (holds bool) {
	holds = true
	for range rapid.IntRange(0, 2).Draw(rt, "conditions") {
		key := rapid.SampledFrom(modelKeys).Draw(rt, "key")
		var want []byte
		if rapid.Bool().Draw(rt, "present") {
			want = []byte(drawValue(rt))
		}
		if rapid.IntRange(0, 3).Draw(rt, "true") > 0 {
			want = m.value(key)
		}
		true_ := string(want) == m.rows[key] && (want != nil) == (m.value(key) != nil)
		var at store.Group
		if true_ && rapid.Bool().Draw(rt, "known") {
			at = store.Group(rapid.Uint64Range(uint64(m.since[key]), uint64(m.group)).Draw(rt, "at"))
		}
		holds = holds && true_
		b.Expect([]byte(key), want, at)
	}
	return holds
}

// drawWrites returns the rows as they are once b is applied.
func (m *model) drawWrites(rt *rapid.T, b *store.Batch) map[string]string {
	after := map[string]string{}
	for k, v := range m.rows {
		after[k] = v
	}
	for range rapid.IntRange(0, 4).Draw(rt, "writes") {
		key := rapid.SampledFrom(modelKeys).Draw(rt, "key")
		switch rapid.IntRange(0, 5).Draw(rt, "op") {
		case 0:
			b.Delete([]byte(key))
			delete(after, key)
		case 1:
			to := rapid.SampledFrom(modelKeys[:7]).Draw(rt, "to") // counters lie beyond
			b.DeleteRange([]byte(key), []byte(to))
			for k := range after {
				if k >= key && k < to {
					delete(after, k)
				}
			}
		default:
			v := drawValue(rt)
			b.Put([]byte(key), []byte(v))
			after[key] = v
		}
	}
	for range rapid.IntRange(0, 2).Draw(rt, "adds") {
		key := rapid.SampledFrom(modelCounters).Draw(rt, "counter")
		delta := rapid.Int64Range(-2, 2).Draw(rt, "delta")
		b.Add([]byte(key), delta)
		n, _ := store.DecodeCounter([]byte(after[key]))
		if n += delta; n == 0 {
			delete(after, key)
		} else {
			after[key] = string(store.EncodeCounter(n))
		}
	}
	return after
}

func drawValue(rt *rapid.T) string {
	return rapid.SampledFrom([]string{"", "1", "2", fmt.Sprintf("%5000d", 3)}).Draw(rt, "value")
}

func (m *model) value(key string) []byte {
	v, ok := m.rows[key]
	if !ok {
		return nil
	}
	return append([]byte{}, v...)
}

// take makes after the rows, as of the present group.
func (m *model) take(after map[string]string) {
	for _, key := range modelKeys {
		old, had := m.rows[key]
		now, has := after[key]
		if old != now || had != has {
			m.since[key] = m.group
		}
	}
	m.rows = after
}

func (m *model) compare(rt *rapid.T, s store.Store) {
	var want []string
	for k, v := range m.rows {
		want = append(want, k+"="+v)
	}
	slices.Sort(want)
	var got []string
	for row, err := range s.Scan(store.Range{}) {
		if err != nil {
			rt.Fatalf("scan: %v", err)
		}
		got = append(got, string(row.Key)+"="+string(row.Value))
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		rt.Fatalf("rows %.300q\nwant %.300q", got, want)
	}
	if g := s.Health().Group; g != m.group {
		rt.Fatalf("group %d, want %d", g, m.group)
	}
}
