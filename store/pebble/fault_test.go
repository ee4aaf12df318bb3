package pebble_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"weft/store"
	"weft/store/pebble"

	rawdb "github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// failing makes one operation on one kind of file fail.
func failing(op, pattern string, err error) func(string, string) error {
	return func(gotOp, name string) error {
		if ok, _ := filepath.Match(pattern, name); ok && gotOp == op {
			return &vfsError{op, name, err}
		}
		return nil
	}
}

type vfsError struct {
	op, name string
	err      error
}

func (e *vfsError) Error() string { return e.op + " " + e.name + ": " + e.err.Error() }
func (e *vfsError) Unwrap() error { return e.err }

// hasty gives up soon, for faults that must be met in real time because they
// leave goroutines behind.
var hasty = pebble.Patience{
	Stall: 300 * time.Millisecond, GiveUp: 3 * time.Second,
	Close: 200 * time.Millisecond, Open: time.Second,
}

// TestF013DiskFaults fails each kind of write while callers write. The process
// lives, every caller is answered by a typed error, reads go on, nothing that
// was acknowledged is lost, and nothing is written after the failure (F013).
func TestF013DiskFaults(t *testing.T) {
	for _, cause := range []error{syscall.ENOSPC, syscall.EIO} {
		for name, fault := range map[string]func(string, string) error{
			"log write":      failing("write", "*.log", cause),
			"log sync":       failing("sync", "*.log", cause),
			"table create":   failing("create", "*.sst", cause),
			"table write":    failing("write", "*.sst", cause),
			"table sync":     failing("sync", "*.sst", cause),
			"manifest write": failing("write", "MANIFEST-*", cause),
			"manifest sync":  failing("sync", "MANIFEST-*", cause),
		} {
			t.Run(fmt.Sprintf("%s %v", name, cause), func(t *testing.T) {
				t.Parallel()
				diskFault(t, fault)
			})
		}
	}
}

func diskFault(t *testing.T, fault func(string, string) error) {
	mem := vfs.NewCrashableMem()
	disk := &faultFS{FS: mem}
	opts := pebble.Options{Dir: "/data", Create: true, FS: disk, Tune: small, Patience: hasty}
	s, err := pebble.Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	l := newLedger()
	for lane := range 8 {
		if err := l.write(s, lane, ""); err != nil {
			t.Fatal(err)
		}
	}
	disk.set(fault)
	within(t, 20*time.Second, "answering the callers", func() { writeUntilRefused(t, s, l) })
	for lane := range 8 { // reads go on
		if n, _ := lastOf(s, fmt.Appendf(nil, "lane%d.left", lane)); n < l.acked[lane] {
			t.Errorf("lane %d reads %d, %d was acknowledged", lane, n, l.acked[lane])
		}
	}
	if rows, err := scanAll(s); len(rows) == 0 || err != nil {
		t.Errorf("scan: %d rows, %v", len(rows), err)
	}
	if h := s.Health(); h.State == store.Healthy {
		t.Error("health says healthy")
	}
	acked := l.copy()
	within(t, 10*time.Second, "closing", func() { _ = s.Close() })
	after := mem.CrashClone(vfs.CrashCloneCfg{})
	disk.set(nil) // let what is left behind end
	survived(t, "after the fault", after, acked)
}

// writeUntilRefused has eight callers write until each has an error.
func writeUntilRefused(t *testing.T, s *pebble.Store, l *ledger) {
	var wg sync.WaitGroup
	for lane := range 8 {
		wg.Go(func() {
			for {
				err := l.write(s, lane, strings.Repeat("z", 2000))
				if err == nil {
					continue
				}
				if !errors.Is(err, store.ErrFailed) && !errors.Is(err, store.ErrStalled) && !errors.Is(err, store.ErrFull) {
					t.Errorf("lane %d: %v", lane, err)
				}
				return
			}
		})
	}
	wg.Wait()
}

// within fails the test when f hangs.
func within(t *testing.T, limit time.Duration, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(limit):
		stacks := make([]byte, 1<<20)
		t.Fatalf("%s hangs\n%s", what, stacks[:runtime.Stack(stacks, true)])
	}
}

// TestFlushThatDoesNotFit: the table cannot be created, so Pebble blocks commits
// without an error. What waits is refused as stalled; with room again everything
// goes on, and what hung is acknowledged. In real time: the storm of errors is
// throttled under a mutex, where a bubble's clock stands still.
func TestFlushThatDoesNotFit(t *testing.T) {
	disk := &faultFS{FS: vfs.NewMem()}
	patience := hasty
	patience.Stall, patience.GiveUp = 500*time.Millisecond, time.Minute
	s := mustOpen(t, pebble.Options{Dir: "/data", Create: true, FS: disk, Tune: small, Patience: patience})
	disk.set(failing("create", "*.sst", syscall.ENOSPC))
	results := make(chan error, 150) // 600 KB; a memtable has 64
	go func() {
		defer close(results)
		for i := range cap(results) {
			_, err := put(s, fmt.Sprint("k", i), strings.Repeat("x", 4000))
			if results <- err; err != nil {
				return
			}
		}
	}()
	eventually(t, "stalling", func() bool { return s.Health().State == store.Stalled })
	wantErr(t, "a commit behind one that hangs", store.ErrStalled, func() error { _, err := put(s, "k", ""); return err })
	if v, err := s.Get([]byte("k0")); len(v) != 4000 || err != nil {
		t.Errorf("read while stalled: %d bytes, %v", len(v), err)
	}
	if n := countEvents(s); n == 0 || n > 200 {
		t.Errorf("%d events: want some, and the storm throttled", n)
	}
	disk.set(nil)
	eventually(t, "going on", func() bool { return s.Health().State == store.Healthy })
	for err := range results {
		if err != nil {
			t.Errorf("the commit that hung: %v, want it through", err)
		}
	}
	mustClose(t, s)
}

// eventually waits, in real time, for something that other goroutines do.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !so(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s does not happen", what)
		}
	}
}

func countEvents(s *pebble.Store) (n int) {
	for _, e := range s.Events() {
		n += e.Count
	}
	return n
}

func wantErr(t *testing.T, what string, want error, f func() error) {
	t.Helper()
	if err := f(); !errors.Is(err, want) {
		t.Errorf("%s: %v, want %v", what, err, want)
	}
}

// TestHungSync: a sync that never ends fails the store after thirty seconds;
// the caller is not left waiting, nor is Close.
func TestHungSync(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := &faultFS{FS: vfs.NewMem()}
		s, err := pebble.Open(pebble.Options{Dir: "/data", Create: true, FS: disk, Tune: small})
		if err != nil {
			t.Fatal(err)
		}
		mustPut(t, s, "k", "1")
		hung := make(chan struct{})
		disk.set(func(op, name string) error {
			if op == "sync" && isLog(name) {
				<-hung
			}
			return nil
		})
		begin := time.Now()
		second := make(chan error)
		go func() {
			time.Sleep(time.Second)
			_, err := put(s, "k", "3")
			second <- err
		}()
		wantErr(t, "the hung commit", store.ErrFailed, func() error { _, err := put(s, "k", "2"); return err })
		if took := time.Since(begin); took < 29*time.Second || took > 32*time.Second {
			t.Errorf("answered after %v, want 30s", took)
		}
		if err := <-second; !errors.Is(err, store.ErrStalled) {
			t.Errorf("the commit behind it: %v, want ErrStalled", err)
		}
		wantErr(t, "a later commit", store.ErrFailed, func() error { _, err := put(s, "k", "4"); return err })
		begin = time.Now()
		if err := s.Close(); err == nil {
			t.Error("close: no error although the store is left open")
		}
		if took := time.Since(begin); took > 0 {
			t.Errorf("close took %v on a failed store", took)
		}
		wantLockedNow(t, disk) // it may still write
		close(hung)
		time.Sleep(time.Minute)
		mustClose(t, mustOpen(t, pebble.Options{Dir: "/data", FS: disk}))
	})
}

func wantLockedNow(t *testing.T, fs vfs.FS) {
	t.Helper()
	wantOpenError(t, pebble.Options{Dir: "/data", FS: fs}, store.ErrLocked)
}

// TestOpenThatHangs: a log must be flushed and does not fit. Open gives up, and
// the directory stays locked as long as Pebble is at it.
func TestOpenThatHangs(t *testing.T) {
	mem := vfs.NewCrashableMem()
	s := mustOpen(t, pebble.Options{Dir: "/data", Create: true, FS: mem, Tune: small})
	mustPut(t, s, "k", "1")
	disk := &faultFS{FS: mem.CrashClone(vfs.CrashCloneCfg{})}
	disk.set(failing("create", "*.sst", syscall.ENOSPC))
	opts := pebble.Options{Dir: "/data", FS: disk, Tune: small, Patience: hasty}
	within(t, 10*time.Second, "opening", func() { wantOpenError(t, opts, store.ErrStalled) })
	wantLockedNow(t, disk)
	disk.set(nil)
	opts.Patience.Lock = 20 * time.Second
	s = mustOpen(t, opts)
	if v, err := s.Get([]byte("k")); string(v) != "1" || err != nil {
		t.Errorf("get: %q, %v", v, err)
	}
	mustClose(t, s)
}

// TestReserve refuses new work below the reserve, takes urgent work, and goes on
// when there is room again.
func TestReserve(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		room := func(mib uint64) {
			mem.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: mib << 20, TotalBytes: 1 << 40})
		}
		room(1000)
		s := mustOpen(t, pebble.Options{Dir: "/data", Create: true, FS: mem, Tune: small})
		mustPut(t, s, "k", "1")
		room(100)
		time.Sleep(time.Second)
		wantErr(t, "new work", store.ErrFull, func() error { _, err := put(s, "k", "2"); return err })
		if h := s.Health(); h.State != store.Full || h.Free != 100<<20 {
			t.Errorf("health %v with %d free, want full", h.State, h.Free)
		}
		urgent := &store.Batch{Urgent: true}
		urgent.Put([]byte("lease"), nil)
		if _, err := s.Commit(context.Background(), urgent); err != nil {
			t.Errorf("urgent: %v", err)
		}
		time.Sleep(time.Minute) // long enough for the watch to sleep, were it to
		room(1000)
		time.Sleep(time.Second)
		mustPut(t, s, "k", "3")
		mustClose(t, s)
	})
}

// TestFatalWhileOpening: Pebble gives up in the middle of opening. Open says so
// and the process lives.
func TestFatalWhileOpening(t *testing.T) {
	mem := vfs.NewMem()
	mustClose(t, mustOpen(t, pebble.Options{Dir: "/data", Create: true, FS: mem}))
	opts := pebble.Options{Dir: "/data", FS: mem, Tune: func(po *rawdb.Options) {
		if !po.ReadOnly {
			logger := po.Logger
			listener := po.EventListener
			listener.ManifestCreated = func(rawdb.ManifestCreateInfo) { logger.Fatalf("MANIFEST set current failed: %v", syscall.EIO) }
		}
	}}
	wantOpenError(t, opts, store.ErrFailed)
}

// TestReadEndsAfterPebbleGaveUp: the last reader of an old set of tables needs
// Pebble's main lock, which a Pebble that gave up over its manifest keeps for
// ever. The reader must not wait for it.
func TestReadEndsAfterPebbleGaveUp(t *testing.T) {
	disk := &faultFS{FS: vfs.NewMem()}
	s, err := pebble.Open(pebble.Options{Dir: "/data", Create: true, FS: disk, Tune: small, Patience: hasty})
	if err != nil {
		t.Fatal(err)
	}
	value := strings.Repeat("x", 4000)
	for i := range 60 { // more than three memtables
		mustPut(t, s, fmt.Sprintf("k%02d", i), value)
	}
	within(t, 20*time.Second, "a scan over a failing Pebble", func() {
		rows := 0
		for _, err := range s.Scan(store.Range{}) {
			if err != nil {
				t.Error(err)
			}
			if rows++; rows == 1 {
				changeTables(t, s, value)
				disk.set(failing("write", "MANIFEST-*", syscall.ENOSPC))
				changeTables(t, s, value)
				// The lock is held by now, or as soon as the flush gets there.
				eventually(t, "giving up", func() bool { return s.Health().State == store.Failed })
			}
		}
		if rows != 60 {
			t.Errorf("%d rows, want 60", rows)
		}
		if v, err := s.Get([]byte("k00")); len(v) != len(value) || err != nil {
			t.Errorf("get: %d bytes, %v", len(v), err)
		}
	})
	within(t, 10*time.Second, "closing", func() { _ = s.Close() })
}

// changeTables writes enough for several flushes, in a goroutine of its own
// because a loop over a Scan must not wait for commits.
func changeTables(t *testing.T, s *pebble.Store, value string) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 100 {
			if _, err := put(s, fmt.Sprintf("z%03d", i), value); err != nil {
				return
			}
		}
	}()
	<-done
}
