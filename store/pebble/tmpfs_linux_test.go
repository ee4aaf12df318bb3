package pebble_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"weft/store"
	"weft/store/pebble"

	"golang.org/x/sys/unix"
)

// mountSmall mounts a memory file system of so many MiB.
func mountSmall(t *testing.T, mib int) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%dm", mib)); err != nil {
		t.Skipf("mounting takes root: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	return dir
}

// TestF013FullFileSystem fills a real file system. The reserve refuses new work in
// time, so nothing hangs and nothing breaks; with room again work goes on (F013).
func TestF013FullFileSystem(t *testing.T) {
	root := mountSmall(t, 220)
	dir := filepath.Join(root, "data")
	s := mustOpen(t, pebble.Options{Dir: dir, Create: true})
	rng := rand.New(rand.NewPCG(1, 1))
	value := make([]byte, 256<<10)
	fill := func() (rows int) {
		for {
			for i := range value {
				value[i] = byte(rng.Uint32()) // does not compress
			}
			_, err := put(s, fmt.Sprintf("k%06d", rng.Uint32()), string(value))
			if errors.Is(err, store.ErrFull) {
				return rows
			}
			if err != nil {
				t.Fatal(err)
			}
			rows++
		}
	}
	if n := fill(); n == 0 {
		t.Error("full from the beginning")
	}
	if h := s.Health(); h.State != store.Full || h.Free > 128<<20 {
		t.Errorf("health %v, %d MiB free", h.State, h.Free>>20)
	}
	mustClose(t, s)
	look := mustOpen(t, pebble.Options{Dir: dir, Mode: pebble.Look})
	if _, err := look.Check(); err != nil {
		t.Error(err)
	}
	mustClose(t, look)
	if err := unix.Mount("tmpfs", root, "tmpfs", unix.MS_REMOUNT, "size=400m"); err != nil {
		t.Fatal(err)
	}
	s = mustOpen(t, pebble.Options{Dir: dir})
	mustPut(t, s, "k", "room again")
	mustClose(t, s)
}

// TestSpaceTakenByOthers: another program takes all space at once, before the
// reserve can refuse. Callers are answered, reads go on, nothing acknowledged is
// lost.
func TestSpaceTakenByOthers(t *testing.T) {
	root := mountSmall(t, 150)
	dir := filepath.Join(root, "data")
	s, err := pebble.Open(pebble.Options{Dir: dir, Create: true, MinFree: -1, Patience: hasty})
	if err != nil {
		t.Fatal(err)
	}
	mustPut(t, s, "first", "1")
	ballast := filepath.Join(root, "ballast")
	takeAll(t, ballast)
	acked := 0
	within(t, 12*time.Second, "answering", func() {
		value := make([]byte, 64<<10)
		for {
			for i := range value {
				value[i] = byte(rand.Uint32())
			}
			if _, err = put(s, fmt.Sprintf("k%06d", acked), string(value)); err != nil {
				return
			}
			acked++
		}
	})
	if !errors.Is(err, store.ErrFailed) && !errors.Is(err, store.ErrStalled) && !errors.Is(err, store.ErrFull) {
		t.Errorf("commit on a full disk: %v", err)
	}
	if v, err := s.Get([]byte("first")); string(v) != "1" || err != nil {
		t.Errorf("get: %q, %v", v, err)
	}
	within(t, 2*time.Second, "closing", func() { _ = s.Close() })
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	s = mustOpen(t, pebble.Options{Dir: dir, MinFree: -1, Patience: pebble.Patience{Lock: 5 * time.Second}})
	for i := range acked {
		if v, err := s.Get(fmt.Appendf(nil, "k%06d", i)); len(v) != 64<<10 || err != nil {
			t.Fatalf("row %d of %d: %d bytes, %v", i, acked, len(v), err)
		}
	}
	t.Logf("%d rows acknowledged on a full disk, then %v", acked, err)
	mustClose(t, s)
}

func takeAll(t *testing.T, name string) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	chunk := make([]byte, 1<<20)
	for {
		if _, err := f.Write(chunk); errors.Is(err, syscall.ENOSPC) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
