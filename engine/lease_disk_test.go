package engine_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"weft/engine"
	"weft/flow"
	"weft/store"
	"weft/store/pebble"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// onDisk opens an engine that does not wait for anybody on a Pebble store.
func onDisk(t *testing.T, o pebble.Options) (*engine.Engine, *pebble.Store) {
	t.Helper()
	o.Create = true
	s, err := pebble.Open(o)
	if err != nil {
		t.Fatalf("open the store: %v", err)
	}
	e, err := engine.Open(context.Background(), s, engine.Options{Workflows: []engine.Definition{patient},
		LeaseWait: -1, LeaseTTL: 20 * time.Second, LeaseRenew: 20 * time.Millisecond})
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	return e, s
}

func leave(t *testing.T, e *engine.Engine, s *pebble.Store) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := e.Close(ctx); err != nil {
		t.Errorf("close: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("close the store: %v", err)
	}
}

// leaveLost closes an engine whose directory was taken from it: the store says
// so once more.
func leaveLost(t *testing.T, e *engine.Engine, s *pebble.Store) {
	t.Helper()
	if err := e.Close(context.Background()); err != nil {
		t.Errorf("close: %v", err)
	}
	if err := s.Close(); !errors.Is(err, store.ErrLocked) {
		t.Errorf("close the store: %v, want that the lock is lost", err)
	}
}

// wantLease demands an epoch and how the tenures before it ended, newest first.
func wantLease(t *testing.T, e *engine.Engine, epoch flow.Epoch, before ...string) {
	t.Helper()
	l := leaseAt(t, e)
	if l.State != flow.LeaseHeld || l.Epoch != epoch || len(l.History) <= len(before) {
		t.Fatalf("lease %+v, want epoch %d", l, epoch)
	}
	for i, how := range before {
		if got := l.History[i+1]; got.Ended != how || got.Epoch != epoch-flow.Epoch(i)-1 {
			t.Errorf("tenure %d ended by %q, want %q", got.Epoch, got.Ended, how)
		}
	}
}

// TestTheLeaseAfterAPowerCut: the next engine has it at once, at the next
// epoch, whatever the disk kept of what was not synced.
func TestTheLeaseAfterAPowerCut(t *testing.T) {
	rng := dice(t)
	disk := vfs.NewCrashableMem()
	var before []string
	for n := range 12 {
		e, s := onDisk(t, pebble.Options{Dir: "/data", FS: disk})
		wantLease(t, e, flow.Epoch(n+1), before[:min(len(before), 3)]...)
		if _, err := patient.Start(context.Background(), e, 1, engine.StartOptions{}); err != nil {
			t.Fatal(err)
		}
		how := "process gone"
		after := disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: rng.IntN(101), RNG: rand.New(rand.NewPCG(rng.Uint64(), 1))})
		leave(t, e, s)
		if n%4 == 3 {
			how, after = "released", disk
		}
		disk = after
		before = append([]string{how}, before...)
	}
}

// leaseChild tells a process that it is an owner of its own, and of which store.
const leaseChild = "WEFT_LEASE_CHILD"

// TestTheLeaseAfterAKill kills owners for real. Each next one has the lease at
// once.
func TestTheLeaseAfterAKill(t *testing.T) {
	if dir := os.Getenv(leaseChild); dir != "" {
		e, _ := onDisk(t, pebble.Options{Dir: dir})
		fmt.Printf("epoch %d\n", leaseAt(t, e).Epoch)
		select {} // until it is killed
	}
	dir := filepath.Join(t.TempDir(), "store")
	const kills = 8
	var before []string
	for n := range kills {
		startOwner(t, dir, n+1)()
		before = append(before, "process gone")
	}
	e, s := onDisk(t, pebble.Options{Dir: dir})
	wantLease(t, e, kills+1, before...)
	leave(t, e, s)
}

// startOwner lets another process own the store, which must get the epoch.
func startOwner(t *testing.T, dir string, epoch int) (kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestTheLeaseAfterAKill$")
	cmd.Env = append(os.Environ(), leaseChild+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill = sync.OnceFunc(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	t.Cleanup(kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	if want := fmt.Sprintf("epoch %d\n", epoch); line != want || err != nil {
		t.Errorf("the other process said %q, %v; want %q", line, err, want)
	}
	return kill
}

// halts waits until an engine has halted by itself, deposed.
func halts(t *testing.T, e *engine.Engine) {
	t.Helper()
	select {
	case <-e.Halted():
	case <-time.After(time.Minute):
		t.Fatal("the engine does not halt")
	}
	if err := e.Err(); !errors.Is(err, flow.ErrDeposed) || !errors.Is(err, store.ErrLocked) {
		t.Errorf("the engine ended by %v", err)
	}
	if _, err := patient.Start(context.Background(), e, 1, engine.StartOptions{}); !errors.Is(err, flow.ErrDeposed) {
		t.Errorf("start: %v", err)
	}
}

// TestF098ALostLockHaltsTheOwner, which says what has happened, and leaves the
// store as it is.
func TestF098ALostLockHaltsTheOwner(t *testing.T) {
	for name, lose := range map[string]func(path string) error{
		"removed": os.Remove,
		"replaced": func(path string) error {
			if err := os.WriteFile(path+".new", nil, 0o644); err != nil {
				return err
			}
			return os.Rename(path+".new", path)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "store")
			e, s := onDisk(t, pebble.Options{Dir: dir})
			if err := lose(filepath.Join(dir, "owner.lock")); err != nil {
				t.Skipf("this system keeps the file: %v", err)
			}
			halts(t, e)
			if l := leaseAt(t, e); l.State != flow.LeaseDeposed {
				t.Errorf("lease %+v", l)
			}
			leaveLost(t, e, s)
		})
	}
}

// TestF097ARestoredCopyAndTheOldOwner: while an owner lives, its directory is
// exchanged for an older copy, and another process opens that. The epoch goes back with the data; the
// old owner finds that the lock is not its own, halts, and writes nothing into
// the copy.
func TestF097ARestoredCopyAndTheOldOwner(t *testing.T) {
	root := t.TempDir()
	dir, copied := filepath.Join(root, "store"), filepath.Join(root, "copy")
	for range 4 {
		leaveNow(t, dir)
	}
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	for range 4 {
		leaveNow(t, dir)
	}
	old, oldStore := onDisk(t, pebble.Options{Dir: dir})
	wantLease(t, old, 9)
	if err := errors.Join(os.Rename(dir, dir+".old"), os.Rename(copied, dir)); err != nil {
		t.Skipf("this system does not move a directory in use: %v", err)
	}
	kill := startOwner(t, dir, 5)
	halts(t, old)
	kill()
	startOwner(t, dir, 6)() // nothing of the old owner is in it
	leaveLost(t, old, oldStore)
}

func leaveNow(t *testing.T, dir string) {
	t.Helper()
	e, s := onDisk(t, pebble.Options{Dir: dir})
	leave(t, e, s)
}
