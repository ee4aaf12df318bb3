package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"weft/store"
)

var snapshots = map[string]func(*testing.T, *kit){
	"a snapshot does not move": func(t *testing.T, k *kit) {
		g := k.put("a", "1", "b", "1")
		snap, err := k.s.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		defer snap.Close()
		k.put("a", "2", "c", "2")
		k.apply(func(b *store.Batch) { b.Delete([]byte("b")) })
		if snap.Group() != g {
			t.Errorf("group %d, want %d", snap.Group(), g)
		}
		wantRows(t, scan(t, snap, store.Range{}), []string{"a=1", "b=1"})
		if got := get(t, snap, "c"); got != "<none>" {
			t.Errorf("get c: %q", got)
		}
		k.wantScan(store.Range{}, "a=2", "c=2")
	},
	"a snapshot is read by many, within their scans, and closed meanwhile": func(t *testing.T, k *kit) {
		for i := range 30 {
			k.put(fmt.Sprintf("k%02d", i), fmt.Sprint(i))
		}
		snap, err := k.s.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		half := make(chan struct{}, 8)
		for i := range 8 {
			wg.Go(func() {
				for round := range 200 {
					if round == 100 {
						half <- struct{}{}
					}
					if err := triangle(snap, (i+round)%30); err != nil {
						if round < 100 || !errors.Is(err, store.ErrClosed) {
							t.Errorf("round %d: %v", round, err)
						}
						return
					}
				}
			})
		}
		for range 8 {
			<-half
		}
		snap.Close()
		wg.Wait()
	},
	"a closed snapshot answers ErrClosed": func(t *testing.T, k *kit) {
		snap, err := k.s.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		snap.Close()
		snap.Close()
		if _, err := snap.Get([]byte("k")); !errors.Is(err, store.ErrClosed) {
			t.Errorf("get: %v, want ErrClosed", err)
		}
		wantScanError(t, snap, store.ErrClosed)
	},
	"a commit can be read once it is acknowledged": func(t *testing.T, k *kit) {
		for i := range 50 {
			v := fmt.Sprint(i)
			g := k.put("k", v)
			k.wantGet("k", v)
			snap, err := k.s.Snapshot()
			if err != nil {
				t.Fatal(err)
			}
			if snap.Group() < g {
				t.Errorf("snapshot at %d after group %d", snap.Group(), g)
			}
			snap.Close()
		}
	},
}

var life = map[string]func(*testing.T, *kit){
	"after Close everything answers ErrClosed": func(t *testing.T, k *kit) {
		k.put("k", "1")
		for range 2 {
			if err := k.s.Close(); err != nil {
				t.Fatalf("close: %v", err)
			}
		}
		if _, err := k.s.Get([]byte("k")); !errors.Is(err, store.ErrClosed) {
			t.Errorf("get: %v, want ErrClosed", err)
		}
		if _, err := k.s.Snapshot(); !errors.Is(err, store.ErrClosed) {
			t.Errorf("snapshot: %v, want ErrClosed", err)
		}
		wantScanError(t, k.s, store.ErrClosed)
		wantCommitError(t, k.s, store.ErrClosed)
		if h := k.s.Health(); h.State != store.Closed || !errors.Is(h.Err, store.ErrClosed) {
			t.Errorf("health %v, %v; want closed", h.State, h.Err)
		}
	},
	"Close while in use answers everyone": func(t *testing.T, k *kit) {
		var wg sync.WaitGroup
		s := k.s
		for i := range 8 {
			wg.Go(func() { useUntilClosed(t, s, i) })
		}
		k.put("k", "1")
		if err := k.s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		wg.Wait()
	},
	"acknowledged commits survive Close under load": func(t *testing.T, k *kit) {
		var mu sync.Mutex
		acked := map[string]bool{}
		s := k.s // the goroutines must not go on with the store opened next
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				for n := 0; ; n++ {
					key := fmt.Sprintf("k%d.%d", i, n)
					_, err := s.Commit(context.Background(), batch(func(b *store.Batch) { b.Put([]byte(key), nil) }))
					if err != nil {
						return
					}
					mu.Lock()
					acked[key] = true
					mu.Unlock()
				}
			})
		}
		k.put("begin", "")
		k.reopen()
		wg.Wait()
		for key := range acked {
			k.wantGet(key, "")
		}
	},
	"after a failed write all commits fail and reads go on": func(t *testing.T, k *kit) {
		if k.Fail == nil {
			t.Skip("this store cannot fail on demand")
		}
		k.put("k", "1")
		k.Fail(k.s)
		for range 3 {
			wantCommitError(t, k.s, store.ErrFailed)
		}
		k.wantGet("k", "1")
		k.wantScan(store.Range{}, "k=1")
		if h := k.s.Health(); h.State != store.Failed || !errors.Is(h.Err, store.ErrFailed) {
			t.Errorf("health %v, %v; want failed", h.State, h.Err)
		}
		_ = k.s.Close() // it may report the failure
		wantCommitError(t, k.s, nil)
	},
	"acknowledged commits survive a crash": func(t *testing.T, k *kit) {
		if k.Crash == nil {
			t.Skip("this store cannot crash on demand")
		}
		var g store.Group
		for round := range 5 {
			g = k.put(fmt.Sprint("k", round), "1")
			k.apply(func(b *store.Batch) { b.Add([]byte("n"), 1) })
			s, err := k.Crash(k.s)
			if err != nil {
				t.Fatalf("open after crash: %v", err)
			}
			k.s = s
			if n, err := counter(k.s, "n"); n != int64(round+1) || err != nil {
				t.Errorf("counter %d, %v; want %d", n, err, round+1)
			}
			if next := k.put("next", "1"); next != g+2 {
				t.Errorf("group %d after the crash, want %d", next, g+2)
			}
		}
	},
}

// triangle reads the rows from the i-th on, and within each the rows up to it
// backwards, but not to the end.
func triangle(r store.Reader, i int) error {
	for row, err := range r.Scan(store.Range{From: fmt.Appendf(nil, "k%02d", i)}) {
		if err != nil {
			return err
		}
		if want := fmt.Sprintf("k%02d", i); string(row.Key) != want {
			return fmt.Errorf("row %q, want %q", row.Key, want)
		}
		behind, j := append(slices.Clone(row.Key), 0), i
		for back, err := range r.Scan(store.Range{From: []byte("k"), To: behind, Reverse: true}) {
			if err != nil {
				return err
			}
			if want := fmt.Sprintf("k%02d=%d", j, j); string(back.Key)+"="+string(back.Value) != want {
				return fmt.Errorf("within %d: row %q, want %s", i, back.Key, want)
			}
			if j--; j < i-3 {
				break
			}
		}
		i++
	}
	if i != 30 {
		return fmt.Errorf("%d rows, want 30", i)
	}
	return nil
}

// useUntilClosed reads and writes until the store says it is closed.
func useUntilClosed(t *testing.T, s store.Store, i int) {
	for {
		_, err := s.Commit(context.Background(), batch(func(b *store.Batch) { b.Put(fmt.Append(nil, i, "x"), nil) }))
		if err == nil {
			_, err = s.Get([]byte("k"))
		}
		if err == nil {
			for _, rowErr := range s.Scan(store.Range{}) {
				err = rowErr
			}
		}
		if err != nil {
			if !errors.Is(err, store.ErrClosed) {
				t.Errorf("got %v, want ErrClosed", err)
			}
			return
		}
	}
}

func wantScanError(t *testing.T, r store.Reader, want error) {
	t.Helper()
	n := 0
	for row, err := range r.Scan(store.Range{}) {
		if n++; !errors.Is(err, want) || row.Key != nil || row.Value != nil {
			t.Errorf("scan: row %q, %v; want no row and %v", row.Key, err, want)
		}
	}
	if n != 1 {
		t.Errorf("scan yielded %d times, want once", n)
	}
}

// wantCommitError commits and wants an error: want, or any when it is nil.
func wantCommitError(t *testing.T, s store.Store, want error) {
	t.Helper()
	_, err := s.Commit(context.Background(), batch(func(b *store.Batch) { b.Put([]byte("k"), []byte("2")) }))
	if err == nil || (want != nil && !errors.Is(err, want)) {
		t.Errorf("commit: %v, want %v", err, want)
	}
}
