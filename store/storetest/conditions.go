package storetest

import (
	"bytes"
	"errors"
	"testing"

	"weft/store"
)

var conditions = map[string]func(*testing.T, *kit){
	"a batch is applied when all hold, else none of it": func(t *testing.T, k *kit) {
		g := k.put("a", "1", "b", "")
		tests := map[string]struct {
			expect func(b *store.Batch)
			want   bool
		}{
			"equal":             {func(b *store.Batch) { b.Expect([]byte("a"), []byte("1"), 0) }, true},
			"equal, known":      {func(b *store.Batch) { b.Expect([]byte("a"), []byte("1"), g) }, true},
			"empty value":       {func(b *store.Batch) { b.Expect([]byte("b"), []byte{}, 0) }, true},
			"absent":            {func(b *store.Batch) { b.Expect([]byte("c"), nil, 0) }, true},
			"absent, known":     {func(b *store.Batch) { b.Expect([]byte("c"), nil, g) }, true},
			"different":         {func(b *store.Batch) { b.Expect([]byte("a"), []byte("2"), 0) }, false},
			"shorter":           {func(b *store.Batch) { b.Expect([]byte("a"), []byte{}, 0) }, false},
			"longer":            {func(b *store.Batch) { b.Expect([]byte("a"), []byte("11"), 0) }, false},
			"present":           {func(b *store.Batch) { b.Expect([]byte("a"), nil, 0) }, false},
			"empty is present":  {func(b *store.Batch) { b.Expect([]byte("b"), nil, 0) }, false},
			"absent, not empty": {func(b *store.Batch) { b.Expect([]byte("c"), []byte{}, 0) }, false},
			"second fails": {func(b *store.Batch) {
				b.Expect([]byte("a"), []byte("1"), g)
				b.Expect([]byte("c"), []byte("1"), 0)
			}, false},
		}
		for name, tc := range tests {
			res := k.commit(func(b *store.Batch) {
				tc.expect(b)
				b.Put([]byte("done"), []byte(name))
				b.Add([]byte("count"), 1)
			})
			if res.Applied != tc.want {
				t.Errorf("%s: applied %t, want %t", name, res.Applied, tc.want)
			}
			if wrote := get(t, k.s, "done") == name; wrote != tc.want {
				t.Errorf("%s: written %t, want %t", name, wrote, tc.want)
			}
		}
		if n, err := counter(k.s, "count"); n != 5 || err != nil {
			t.Errorf("counter %d, %v; want one for each applied batch, 5", n, err)
		}
	},
	"a group known long ago still decides rightly": func(t *testing.T, k *kit) {
		g := k.put("old", "1", "changed", "1", "removed", "1", "ranged", "1", "same", "1")
		k.put("changed", "2")
		k.apply(func(b *store.Batch) {
			b.Delete([]byte("removed"))
			b.DeleteRange([]byte("ranged"), []byte("rangee"))
		})
		k.put("same", "2")
		k.put("same", "1")
		for _, wait := range []int{0, 200, 400} {
			for range wait {
				k.put("other", "x")
			}
			for key, want := range map[string]bool{"old": true, "changed": false, "removed": false, "ranged": false, "same": true} {
				// A false At breaks the promise, so only what still holds is
				// claimed at g; the rest is asked with At unknown.
				at := g
				if !want {
					at = 0
				}
				if res := k.commit(func(b *store.Batch) { b.Expect([]byte(key), []byte("1"), at) }); res.Applied != want {
					t.Errorf("%s after %d more groups: applied %t, want %t", key, wait, res.Applied, want)
				}
			}
		}
	},
	"a row that changed after At refuses": func(t *testing.T, k *kit) {
		big := string(bytes.Repeat([]byte("v"), 64<<10))
		for _, value := range []string{"1", big} {
			for name, change := range map[string]func(b *store.Batch){
				"put":    func(b *store.Batch) { b.Put([]byte("k"), []byte(value+"2")) },
				"delete": func(b *store.Batch) { b.Delete([]byte("k")) },
				"range":  func(b *store.Batch) { b.DeleteRange([]byte("j"), []byte("l")) },
				"two":    func(b *store.Batch) { b.Put([]byte("k"), []byte(value)); b.Delete([]byte("k")) },
			} {
				g := k.put("k", value)
				k.apply(change)
				if res := k.commit(func(b *store.Batch) { b.Expect([]byte("k"), []byte(value), g) }); res.Applied {
					t.Errorf("%s of %d bytes: applied, want refused", name, len(value))
				}
			}
		}
	},
	"a condition sees the batch's rows as they were": func(t *testing.T, k *kit) {
		k.put("k", "1")
		k.apply(func(b *store.Batch) {
			b.Put([]byte("k"), []byte("2"))
			b.Expect([]byte("k"), []byte("1"), 0)
		})
		k.wantGet("k", "2")
	},
	"a chain of conditions on own results holds": func(t *testing.T, k *kit) {
		var g store.Group
		var have []byte
		for i := range 300 {
			want := have
			have = bytes.Repeat([]byte{byte(i)}, i%9*300)
			g = k.apply(func(b *store.Batch) {
				b.Expect([]byte("chain"), want, g)
				b.Put([]byte("chain"), have)
			})
		}
	},
	"a refusal names a durable group": func(t *testing.T, k *kit) {
		g := k.put("k", "1")
		res := k.commit(func(b *store.Batch) { b.Expect([]byte("k"), []byte("2"), g-1) })
		if res.Applied || res.Group != g {
			t.Errorf("got %+v, want refused at %d", res, g)
		}
	},
}

func counter(r store.Reader, key string) (int64, error) {
	v, err := r.Get([]byte(key))
	if err != nil {
		return 0, err
	}
	return store.DecodeCounter(v)
}

var counters = map[string]func(*testing.T, *kit){
	"adds sum up and zero is no row": func(t *testing.T, k *kit) {
		for i, step := range []struct{ add, want int64 }{{2, 2}, {3, 5}, {-6, -1}, {1, 0}, {7, 7}} {
			k.apply(func(b *store.Batch) { b.Add([]byte("n"), step.add) })
			if n, err := counter(k.s, "n"); n != step.want || err != nil {
				t.Errorf("step %d: %d, %v; want %d", i, n, err, step.want)
			}
			if row := get(t, k.s, "n"); (row == "<none>") != (step.want == 0) {
				t.Errorf("step %d: row %q with sum %d", i, row, step.want)
			}
		}
	},
	"several adds to one counter in one batch": func(t *testing.T, k *kit) {
		k.apply(func(b *store.Batch) {
			b.Add([]byte("n"), 2)
			b.Add([]byte("m"), 1)
			b.Add([]byte("n"), 3)
		})
		k.wantScan(store.Range{}, "m="+string(store.EncodeCounter(1)), "n="+string(store.EncodeCounter(5)))
	},
	"a counter survives closing": func(t *testing.T, k *kit) {
		k.apply(func(b *store.Batch) { b.Add([]byte("n"), 40) })
		k.reopen()
		k.apply(func(b *store.Batch) { b.Add([]byte("n"), 2) })
		if n, err := counter(k.s, "n"); n != 42 || err != nil {
			t.Errorf("%d, %v; want 42", n, err)
		}
	},
	"a counter is an ordinary row for conditions": func(t *testing.T, k *kit) {
		k.apply(func(b *store.Batch) { b.Add([]byte("n"), 1) })
		k.apply(func(b *store.Batch) {
			b.Expect([]byte("n"), store.EncodeCounter(1), 0)
			b.Add([]byte("n"), 1)
		})
		if res := k.commit(func(b *store.Batch) { b.Expect([]byte("n"), store.EncodeCounter(1), 0) }); res.Applied {
			t.Error("condition on the old sum held")
		}
	},
	"a row that is no counter is corrupt": func(t *testing.T, k *kit) {
		k.put("n", "abc")
		_, err := k.s.Commit(t.Context(), batch(func(b *store.Batch) {
			b.Add([]byte("n"), 1)
			b.Put([]byte("k"), nil)
		}))
		if !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("commit: %v, want ErrCorrupt", err)
		}
		k.wantScan(store.Range{}, "n=abc")
		k.put("k", "the store goes on")
	},
}
