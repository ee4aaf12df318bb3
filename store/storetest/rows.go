package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"weft/store"
)

func prefix(p string) store.Range { return store.Prefix([]byte(p)) }

func between(from, to string) store.Range {
	return store.Range{From: []byte(from), To: []byte(to)}
}

func reversed(r store.Range) store.Range { r.Reverse = true; return r }

var reading = map[string]func(*testing.T, *kit){
	"a missing key is nil without an error": func(t *testing.T, k *kit) {
		k.wantGet("nothing", "<none>")
	},
	"a value comes back byte for byte": func(t *testing.T, k *kit) {
		value := make([]byte, 256)
		for i := range value {
			value[i] = byte(i)
		}
		k.put("k\x00\xff\x80", string(value))
		k.wantGet("k\x00\xff\x80", string(value))
	},
	"an empty and a nil value are present, not missing": func(t *testing.T, k *kit) {
		k.apply(func(b *store.Batch) {
			b.Put([]byte("empty"), []byte{})
			b.Put([]byte("nil"), nil)
		})
		k.wantGet("empty", "")
		k.wantGet("nil", "")
		k.wantScan(store.Range{}, "empty=", "nil=")
	},
	"a big value comes back": func(t *testing.T, k *kit) {
		big := string(bytes.Repeat([]byte("0123456789abcdef"), 1<<16))
		k.put("big", big)
		k.wantGet("big", big)
	},
	"what Get returns belongs to the caller": func(t *testing.T, k *kit) {
		k.put("k", "value")
		v, err := k.s.Get([]byte("k"))
		if err != nil {
			t.Fatal(err)
		}
		v[0] = 'X'
		k.wantGet("k", "value")
	},
	"an empty store scans to nothing": func(t *testing.T, k *kit) {
		k.wantScan(store.Range{})
		k.wantScan(store.Range{Reverse: true})
	},
	"the store's own rows are not shown": func(t *testing.T, k *kit) {
		k.put("\x01", "first")
		k.wantScan(store.Range{}, "\x01=first")
		k.wantScan(store.Range{From: []byte{}, Reverse: true}, "\x01=first")
		k.wantScan(store.Range{From: []byte{0}}, "\x01=first")
		k.wantScan(between("\x00", "\x01"))
		k.wantGet("\x00", "<none>")
		k.wantGet("", "<none>")
	},
	"a prefix has its rows in order, no neighbour": func(t *testing.T, k *kit) {
		k.put("a:2", "2", "a", "-", "a:1", "1", "a:", "0", "a;", "-", "a:\xff", "3", "b:1", "-")
		k.wantScan(prefix("a:"), "a:=0", "a:1=1", "a:2=2", "a:\xff=3")
		k.wantScan(reversed(prefix("a:")), "a:\xff=3", "a:2=2", "a:1=1", "a:=0")
		k.wantScan(prefix("c"))
	},
	"a prefix of 0xff bytes has no end": func(t *testing.T, k *kit) {
		k.put("\xfe", "-", "\xff", "1", "\xff\xff", "2", "\xff\xff\x01", "3")
		k.wantScan(prefix("\xff"), "\xff=1", "\xff\xff=2", "\xff\xff\x01=3")
		k.wantScan(prefix("\xff\xff"), "\xff\xff=2", "\xff\xff\x01=3")
	},
	"From is included, To is not": func(t *testing.T, k *kit) {
		k.put("a", "1", "b", "2", "c", "3", "d", "4")
		k.wantScan(between("b", "d"), "b=2", "c=3")
		k.wantScan(reversed(between("b", "d")), "c=3", "b=2")
		k.wantScan(store.Range{From: []byte("c")}, "c=3", "d=4")
		k.wantScan(store.Range{To: []byte("c")}, "a=1", "b=2")
		k.wantScan(store.Range{To: []byte("c"), Reverse: true}, "b=2", "a=1")
		k.wantScan(between("bb", "cc"), "c=3")
	},
	"an empty or inverted range has no rows": func(t *testing.T, k *kit) {
		k.put("a", "1", "b", "2")
		k.wantScan(between("a", "a"))
		k.wantScan(between("b", "a"))
		k.wantScan(reversed(between("b", "a")))
	},
	"a scan that is left early ends": func(t *testing.T, k *kit) {
		k.put("a", "1", "b", "2", "c", "3")
		for row, err := range k.s.Scan(store.Range{}) {
			if err != nil || string(row.Key) != "a" {
				t.Fatalf("first row %q, %v; want a", row.Key, err)
			}
			break
		}
	},
	"a thousand keys are sorted bytewise": func(t *testing.T, k *kit) {
		k.apply(func(b *store.Batch) {
			for i := range 1000 {
				n := i * 7919 % 1000
				b.Put([]byte{'k', byte(n >> 8), byte(n)}, nil)
			}
		})
		n := 0
		for row, err := range k.s.Scan(store.Range{}) {
			if want := []byte{'k', byte(n >> 8), byte(n)}; err != nil || !bytes.Equal(row.Key, want) {
				t.Fatalf("row %d: %q, %v; want %q", n, row.Key, err, want)
			}
			n++
		}
		if n != 1000 {
			t.Errorf("%d rows, want 1000", n)
		}
	},
	"a scan does not see rows added after it began": func(t *testing.T, k *kit) {
		k.put("a", "1", "c", "3")
		var keys []string
		for row, err := range k.s.Scan(store.Range{}) {
			if err != nil {
				t.Fatal(err)
			}
			if len(keys) == 0 {
				// Blocking on a Commit in a loop is forbidden; another
				// goroutine may commit meanwhile.
				done := make(chan error)
				go func() {
					_, err := k.s.Commit(context.Background(), batch(func(b *store.Batch) {
						b.Put([]byte("b"), nil)
						b.Delete([]byte("c"))
					}))
					done <- err
				}()
				if err := <-done; err != nil {
					t.Fatal(err)
				}
			}
			keys = append(keys, string(row.Key))
		}
		wantRows(t, keys, []string{"a", "c"})
	},
}

var writing = map[string]func(*testing.T, *kit){
	"a later value replaces an earlier one": func(t *testing.T, k *kit) {
		k.put("k", "1")
		k.put("k", "2")
		k.wantGet("k", "2")
		k.wantScan(store.Range{}, "k=2")
	},
	"a deleted row is gone, deleting a missing one is fine": func(t *testing.T, k *kit) {
		k.put("k", "1")
		for range 2 {
			k.apply(func(b *store.Batch) { b.Delete([]byte("k")) })
			k.wantGet("k", "<none>")
		}
		k.wantScan(store.Range{})
	},
	"writes take effect in order": func(t *testing.T, k *kit) {
		k.apply(func(b *store.Batch) {
			b.Put([]byte("a"), []byte("1"))
			b.Put([]byte("a"), []byte("2"))
			b.Put([]byte("b"), []byte("1"))
			b.Delete([]byte("b"))
			b.Delete([]byte("c"))
			b.Put([]byte("c"), []byte("1"))
			b.Put([]byte("r1"), []byte("lost"))
			b.DeleteRange([]byte("r"), []byte("s"))
			b.Put([]byte("r2"), []byte("kept"))
		})
		k.wantScan(store.Range{}, "a=2", "c=1", "r2=kept")
	},
	"a range delete takes its half-open range only": func(t *testing.T, k *kit) {
		k.put("a", "", "b", "", "b\x00", "", "bb", "", "c", "", "d", "")
		k.apply(func(b *store.Batch) { b.DeleteRange([]byte("b"), []byte("c")) })
		k.wantScan(store.Range{}, "a=", "c=", "d=")
		k.apply(func(b *store.Batch) { b.DeleteRange([]byte("d"), []byte("c")) })
		k.wantScan(store.Range{}, "a=", "c=", "d=")
	},
	"keys and values are not kept after the call": func(t *testing.T, k *kit) {
		key, value := []byte("key"), []byte("value")
		b := new(store.Batch)
		b.Put(key, value)
		if _, err := k.s.Commit(context.Background(), b); err != nil {
			t.Fatal(err)
		}
		copy(key, "XXX")
		copy(value, "XXXXX")
		k.wantScan(store.Range{}, "key=value")
		// A store that remembers recent rows must have copied them, too.
		if res := k.commit(func(b *store.Batch) {
			b.Expect([]byte("key"), []byte("value"), 1)
		}); !res.Applied {
			t.Errorf("condition on the old bytes refused")
		}
	},
	"groups are numbered from 1 without gaps": func(t *testing.T, k *kit) {
		for want := store.Group(1); want <= 5; want++ {
			if got := k.put("k", fmt.Sprint(want)); got != want {
				t.Fatalf("group %d, want %d", got, want)
			}
			if got := k.s.Health().Group; got != want {
				t.Fatalf("health says group %d, want %d", got, want)
			}
		}
	},
	"a batch that writes nothing makes no group": func(t *testing.T, k *kit) {
		g := k.put("k", "1")
		if got := k.apply(func(b *store.Batch) {}); got != g {
			t.Errorf("empty batch: group %d, want %d", got, g)
		}
		if got := k.apply(func(b *store.Batch) { b.Expect([]byte("k"), []byte("1"), 0) }); got != g {
			t.Errorf("condition alone: group %d, want %d", got, g)
		}
		if got := k.put("k", "2"); got != g+1 {
			t.Errorf("next write: group %d, want %d", got, g+1)
		}
	},
	"rows and group survive closing": func(t *testing.T, k *kit) {
		k.put("a", "1")
		g := k.put("b", "2")
		before := k.s.Info()
		k.reopen()
		k.wantScan(store.Range{}, "a=1", "b=2")
		if got := k.put("c", "3"); got != g+1 {
			t.Errorf("group after reopening: %d, want %d", got, g+1)
		}
		after := k.s.Info()
		if after.ID != before.ID || after.ID == "" {
			t.Errorf("ID %q, then %q; want one and the same", before.ID, after.ID)
		}
		if after.Instance == before.Instance || after.Instance == "" {
			t.Errorf("instances %q and %q must differ", before.Instance, after.Instance)
		}
	},
}

var refusals = map[string]func(*testing.T, *kit){
	"keys of the store are refused": func(t *testing.T, k *kit) {
		for name, b := range map[string]*store.Batch{
			"put empty":         batch(func(b *store.Batch) { b.Put(nil, nil) }),
			"put zero":          batch(func(b *store.Batch) { b.Put([]byte("\x00x"), nil) }),
			"delete zero":       batch(func(b *store.Batch) { b.Delete([]byte("\x00")) }),
			"range from zero":   batch(func(b *store.Batch) { b.DeleteRange([]byte("\x00"), []byte("z")) }),
			"range from nil":    batch(func(b *store.Batch) { b.DeleteRange(nil, []byte("z")) }),
			"range without end": batch(func(b *store.Batch) { b.DeleteRange([]byte("a"), nil) }),
			"counter zero":      batch(func(b *store.Batch) { b.Add([]byte("\x00"), 1) }),
			"condition zero":    batch(func(b *store.Batch) { b.Expect([]byte("\x00"), nil, 0) }),
		} {
			b.Put([]byte("k"), nil)
			if _, err := k.s.Commit(context.Background(), b); !errors.Is(err, store.ErrReservedKey) {
				t.Errorf("%s: %v, want ErrReservedKey", name, err)
			}
		}
		k.wantScan(store.Range{})
	},
	"a batch beyond a limit names the limit": func(t *testing.T, k *kit) {
		many := new(store.Batch)
		for range store.MaxOperations + 1 {
			many.Put([]byte("k"), nil)
		}
		huge := batch(func(b *store.Batch) { b.Put([]byte("k"), make([]byte, store.MaxBytes)) })
		long := batch(func(b *store.Batch) { b.Put(bytes.Repeat([]byte("k"), store.MaxKey+1), nil) })
		for name, b := range map[string]*store.Batch{"operations": many, "bytes": huge, "key": long} {
			var limit *store.LimitError
			if _, err := k.s.Commit(context.Background(), b); !errors.As(err, &limit) || limit.Got <= limit.Max {
				t.Errorf("%s: %v, want a LimitError", name, err)
			}
		}
		k.wantScan(store.Range{})
	},
	"a batch at the limits is taken": func(t *testing.T, k *kit) {
		k.apply(func(b *store.Batch) {
			b.Put(bytes.Repeat([]byte("k"), store.MaxKey), nil)
			for i := range store.MaxOperations - 1 {
				b.Put([]byte(fmt.Sprint(i)), nil)
			}
		})
		if n := len(scan(t, k.s, store.Range{})); n != store.MaxOperations {
			t.Errorf("%d rows, want %d", n, store.MaxOperations)
		}
	},
	"a context that has ended changes nothing": func(t *testing.T, k *kit) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_, err := k.s.Commit(ctx, batch(func(b *store.Batch) { b.Put([]byte("k"), nil) }))
		if !errors.Is(err, context.Canceled) {
			t.Errorf("commit: %v, want context.Canceled", err)
		}
		k.wantScan(store.Range{})
	},
}
