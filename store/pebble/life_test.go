package pebble_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"weft/store"
	"weft/store/pebble"

	rawdb "github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// syncGate holds the syncs of the log while it is shut.
type syncGate struct {
	mu   sync.Mutex
	shut chan struct{}
}

func (g *syncGate) close() (open func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	shut := make(chan struct{})
	g.shut = shut
	return func() {
		g.mu.Lock()
		g.shut = nil
		g.mu.Unlock()
		close(shut)
	}
}

func (g *syncGate) check(op, name string) error {
	g.mu.Lock()
	shut := g.shut
	g.mu.Unlock()
	if shut != nil && op == "sync" && isLog(name) {
		<-shut
	}
	return nil
}

// gated opens a store whose syncs a test can hold.
func gated(t *testing.T) (*pebble.Store, *syncGate) {
	gate := new(syncGate)
	s := mustOpen(t, pebble.Options{Dir: "/data", Create: true, FS: &faultFS{FS: vfs.NewMem(), fail: gate.check}, Tune: small})
	mustPut(t, s, "k", "old")
	return s, gate
}

// TestUnsyncedIsNotShown: between apply and sync Pebble shows a row that a power
// cut could take back. No reader may see it.
func TestUnsyncedIsNotShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, gate := gated(t)
		open := gate.close()
		done := make(chan error)
		go func() { _, err := put(s, "k", "new"); done <- err }()
		synctest.Wait() // it hangs in the sync now
		if v, err := s.Get([]byte("k")); string(v) != "old" || err != nil {
			t.Errorf("get: %q, %v, want the durable value", v, err)
		}
		if g := s.Health().Group; g != 1 {
			t.Errorf("health says group %d, 1 is durable", g)
		}
		snap, err := s.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		if v, err := snap.Get([]byte("k")); string(v) != "old" || snap.Group() != 1 || err != nil {
			t.Errorf("snapshot: %q at %d, %v", v, snap.Group(), err)
		}
		snap.Close()
		open()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if v, err := s.Get([]byte("k")); string(v) != "new" || err != nil {
			t.Errorf("get: %q, %v, want the new value", v, err)
		}
		mustClose(t, s)
	})
}

// TestRefusalWaitsForItsCause: a refusal caused by a row of the same group is
// answered after the sync, one caused by a durable row at once.
func TestRefusalWaitsForItsCause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, gate := gated(t)
		open := gate.close()
		var wg sync.WaitGroup
		wg.Go(func() { _, _ = put(s, "x", "") }) // makes the others share a group
		synctest.Wait()
		results := make(chan string, 3)
		commit := func(name string, build func(b *store.Batch)) {
			wg.Go(func() {
				b := new(store.Batch)
				build(b)
				res, err := s.Commit(t.Context(), b)
				results <- fmt.Sprint(name, " ", res.Applied, " ", res.Group, " ", err)
			})
			synctest.Wait()
		}
		commit("cause", func(b *store.Batch) { b.Put([]byte("k"), []byte("new")) })
		commit("fresh", func(b *store.Batch) { b.Expect([]byte("k"), []byte("old"), 1); b.Put([]byte("y"), nil) })
		commit("durable", func(b *store.Batch) { b.Expect([]byte("none"), []byte("old"), 0); b.Put([]byte("y"), nil) })
		open()
		open = gate.close() // the second group hangs
		synctest.Wait()
		if got := <-results; got != "durable false 2 <nil>" {
			t.Errorf("got %q, want the refusal by a durable row first", got)
		}
		select {
		case got := <-results:
			t.Errorf("answered before its group was durable: %s", got)
		default:
		}
		open()
		wg.Wait()
		for range 2 {
			if got := <-results; got != "cause true 3 <nil>" && got != "fresh false 3 <nil>" {
				t.Errorf("got %q", got)
			}
		}
		mustClose(t, s)
	})
}

// TestWithdrawnBatchIsNotWritten: a context that ends before the batch is taken
// up takes it back; one that ends later does not.
func TestWithdrawnBatchIsNotWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, gate := gated(t)
		open := gate.close()
		ctx, cancel := context.WithCancel(t.Context())
		taken, queued := make(chan error), make(chan error)
		commit := func(key string, done chan<- error) {
			b := new(store.Batch)
			b.Put([]byte(key), nil)
			_, err := s.Commit(ctx, b)
			done <- err
		}
		go commit("taken", taken)
		synctest.Wait()
		go commit("queued", queued)
		synctest.Wait()
		cancel()
		if err := <-queued; !errors.Is(err, context.Canceled) {
			t.Errorf("queued: %v, want the context's error", err)
		}
		open()
		if err := <-taken; err != nil {
			t.Errorf("taken: %v", err)
		}
		mustPut(t, s, "end", "")
		if keys, err := scanAll(s); err != nil || strings.Join(keys, " ") != "end k taken" {
			t.Errorf("rows %q, %v", keys, err)
		}
		mustClose(t, s)
	})
}

// TestCloseWithOpenSnapshot waits for the reader, then says that the store is
// left open; it is closed, and its directory free, once the reader is done.
func TestCloseWithOpenSnapshot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		s := mustOpen(t, pebble.Options{Dir: "/data", Create: true, FS: fs, Tune: small})
		mustPut(t, s, "k", "1")
		snap, err := s.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		wantErr(t, "close", store.ErrStalled, s.Close)
		if took := time.Since(begin); took != 10*time.Second {
			t.Errorf("close took %v", took)
		}
		if v, err := snap.Get([]byte("k")); string(v) != "1" || err != nil {
			t.Errorf("the snapshot reads %q, %v", v, err)
		}
		wantLockedNow(t, fs)
		snap.Close()
		mustClose(t, mustOpen(t, pebble.Options{Dir: "/data", FS: fs, Tune: small}))
	})
}

// TestCloseWaitsForScan: Pebble panics when it is closed under an iterator.
func TestCloseWaitsForScan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mustOpen(t, pebble.Options{Dir: "/data", Create: true, FS: vfs.NewMem(), Tune: small})
		mustPut(t, s, "a", "")
		mustPut(t, s, "b", "")
		closed := make(chan error)
		n := 0
		for _, err := range s.Scan(store.Range{}) {
			if err != nil {
				t.Fatal(err)
			}
			if n++; n == 1 {
				go func() { closed <- s.Close() }()
				time.Sleep(time.Second)
			}
		}
		if err := <-closed; err != nil || n != 2 {
			t.Errorf("%d rows, close: %v", n, err)
		}
	})
}

// TestQuiet: whatever happens, nothing is printed. A terminal program owns the
// screen.
func TestQuiet(t *testing.T) {
	out, err := os.CreateTemp(t.TempDir(), "out")
	if err != nil {
		t.Fatal(err)
	}
	stdout, stderr := os.Stdout, os.Stderr
	os.Stdout, os.Stderr = out, out
	log.SetOutput(out)
	defer func() { os.Stdout, os.Stderr = stdout, stderr; log.SetOutput(stderr) }()

	mem := vfs.NewCrashableMem()
	disk := &faultFS{FS: mem}
	s := mustOpen(t, pebble.Options{Dir: "/data", Create: true, FS: disk, Tune: small, Patience: hasty})
	for i := range 100 {
		mustPut(t, s, fmt.Sprint("k", i), strings.Repeat("x", 2000))
	}
	after := mem.CrashClone(vfs.CrashCloneCfg{})
	disk.set(failing("write", "*.log", errDisk))
	_, _ = put(s, "k", "")
	_ = s.Close()
	s = mustOpen(t, pebble.Options{Dir: "/data", FS: after, Tune: small}) // replays a log
	mustClose(t, s)
	flipped := clone(t, after)
	edit("*.sst", func(b []byte) []byte { b[len(b)/2] ^= 1; return b })(t, flipped)
	if s, err := pebble.Open(pebble.Options{Dir: "/data", FS: flipped}); err == nil {
		_, _ = scanAll(s)
		_, _ = s.Check()
		_ = s.Close()
	}
	if content, err := os.ReadFile(out.Name()); len(content) > 0 || err != nil {
		t.Errorf("printed: %s, %v", bytes.TrimSpace(content), err)
	}
}

// TestAtRest: a store that nobody uses does nothing for years.
func TestAtRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		counting := &faultFS{FS: vfs.NewMem()}
		var mu sync.Mutex
		changes := 0
		counting.set(func(string, string) error {
			mu.Lock()
			defer mu.Unlock()
			changes++
			return nil
		})
		s := mustOpen(t, pebble.Options{Dir: "/data", Create: true, FS: counting, Tune: small})
		mustPut(t, s, "k", "1")
		time.Sleep(time.Minute)
		mu.Lock()
		before := changes
		mu.Unlock()
		begin := time.Now()
		time.Sleep(5 * 365 * 24 * time.Hour) // in milliseconds, if nothing ticks
		mu.Lock()
		if changes != before {
			t.Errorf("%d changes of the disk in %v at rest", changes-before, time.Since(begin))
		}
		mu.Unlock()
		mustPut(t, s, "k", "2")
		mustClose(t, s)
	})
}

// TestHighWaterFollows: within seconds of a write, and exactly at Close.
func TestHighWaterFollows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mustOpen(t, pebble.Options{Dir: "/data", Create: true, FS: vfs.NewMem(), Tune: small})
		for i := range 10 {
			mustPut(t, s, "k", fmt.Sprint(i))
			time.Sleep(300 * time.Millisecond)
		}
		time.Sleep(2 * time.Second)
		report, err := s.Check()
		if err != nil || report.HighWater != report.Group || report.Group != 10 {
			t.Errorf("%+v, %v; want high-water at the group", report, err)
		}
		mustClose(t, s)
	})
}

// TestEveryGroupIsCounted compares Health with what was done.
func TestEveryGroupIsCounted(t *testing.T) {
	s := mustOpen(t, pebble.Options{Dir: t.TempDir(), Create: true})
	for range 20 {
		mustPut(t, s, "k", "1")
	}
	h := s.Health()
	if h.State != store.Healthy || h.Err != nil || h.Syncs != 20 || h.Batches != 20 || h.Group != 20 {
		t.Errorf("%+v", h)
	}
	if h.SyncP50 <= 0 || h.SyncP99 < h.SyncP50 || h.Free <= 0 || h.Size <= 0 {
		t.Errorf("figures: %+v", h)
	}
	info := s.Info()
	if info.Kind != "pebble" || !info.Exclusive || !info.Durable || info.ReadOnly || info.Accepted != "" {
		t.Errorf("%+v", info)
	}
}

// TestStockTools: a stock Pebble opens the database.
func TestStockTools(t *testing.T) {
	dir := madeStore(t)
	db, err := rawdb.Open(dir+"/db", &rawdb.Options{ReadOnly: true, Logger: silent{}, FormatMajorVersion: pebbleV6})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	v, closer, err := db.Get([]byte("k"))
	if err != nil || string(v) != "1" {
		t.Fatalf("%q, %v", v, err)
	}
	_ = closer.Close()
}

// TestBigBatch is bigger than the working memory of Pebble.
func TestBigBatch(t *testing.T) {
	s := mustOpen(t, pebble.Options{Dir: t.TempDir(), Create: true})
	b := new(store.Batch)
	for i := range 60 {
		b.Put(fmt.Appendf(nil, "k%02d", i), bytes.Repeat([]byte{byte(i)}, 1<<20))
	}
	if _, err := s.Commit(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	mustPut(t, s, "after", "")
	for i := range 60 {
		if v, err := s.Get(fmt.Appendf(nil, "k%02d", i)); len(v) != 1<<20 || v[0] != byte(i) || err != nil {
			t.Errorf("row %d: %d bytes, %v", i, len(v), err)
		}
	}
	mustClose(t, s)
}
