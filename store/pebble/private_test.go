//go:build !windows

package pebble_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/store"
	"weft/store/pebble"

	"golang.org/x/sys/unix"
)

// TestF169NobodyElseCanReadAStore: with the usual umask, every directory that
// opening made is 0700 and every file 0600, also after flushes, and in a
// directory that somebody made for all to see.
func TestF169NobodyElseCanReadAStore(t *testing.T) {
	defer unix.Umask(unix.Umask(0o022))
	for name, mode := range map[string]fs.FileMode{"made by the store": 0, "made for all": 0o755} {
		t.Run(name, func(t *testing.T) {
			top := t.TempDir()
			dir := filepath.Join(top, "some", "data")
			if mode != 0 {
				if err := os.MkdirAll(dir, mode); err != nil {
					t.Fatal(err)
				}
			}
			seen := 0
			for range 3 { // later openings make other files: logs, tables, a manifest
				s := mustOpen(t, pebble.Options{Dir: dir, Create: true})
				mustPut(t, s, "k", "v")
				seen += wantPrivate(t, top, dir, mode != 0)
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				seen += wantPrivate(t, top, dir, mode != 0)
			}
			if seen < 30 {
				t.Errorf("only %d files were looked at", seen)
			}
		})
	}
}

func wantPrivate(t *testing.T, top, dir string, given bool) (files int) {
	t.Helper()
	err := filepath.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == top || given && strings.HasPrefix(dir, name) {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		} else {
			files++
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", strings.TrimPrefix(name, top), got, want)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestAStoreThatIsOpenHereIsNotOpenedAgain: the answer says so, by whatever path,
// for whatever mode, and even when owner.lock is gone.
func TestAStoreThatIsOpenHereIsNotOpenedAgain(t *testing.T) {
	for name, lose := range map[string]bool{"as it is": false, "owner.lock removed": true} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			link := dir + "-link"
			if err := os.Symlink(dir, link); err != nil {
				t.Fatal(err)
			}
			s := mustOpen(t, pebble.Options{Dir: dir, Create: true})
			if lose {
				remove(t, dir, "owner.lock")
			}
			for _, o := range []pebble.Options{{Dir: dir}, {Dir: link}, {Dir: dir, Mode: pebble.Look}, {Dir: dir, Create: true}} {
				o.Patience.Lock = 1
				_, err := pebble.Open(o)
				var locked *store.LockedError
				if !errors.As(err, &locked) || !locked.Here || locked.PID != os.Getpid() ||
					!strings.Contains(err.Error(), "this process has it open already") {
					t.Errorf("open %+v: %v", o, err)
				}
			}
			if !lose { // else the store has found out and writes no more
				mustPut(t, s, "k", "v")
			}
			if err := s.Close(); err != nil && !lose {
				t.Fatal(err)
			}
			mustOpen(t, pebble.Options{Dir: dir})
		})
	}
}
