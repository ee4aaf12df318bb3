package pebble_test

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"weft/store/pebble"
)

// removalFS removes so many files and is then, as a process that was killed,
// good for nothing.
type removalFS struct {
	vfs.FS
	left int
}

var errGone = errors.New("the process is gone")

func (f *removalFS) Unwrap() vfs.FS { return f.FS }

func (f *removalFS) RemoveAll(name string) error {
	if f.left < 0 {
		return errGone
	}
	names, err := f.FS.List(name)
	if err != nil {
		return f.FS.RemoveAll(name)
	}
	slices.SortFunc(names, func(a, b string) int { return len(a) - len(b) })
	for _, child := range names {
		if f.left--; f.left < 0 {
			return errGone
		}
		if err := f.RemoveAll(filepath.Join(name, child)); err != nil {
			return err
		}
	}
	return f.FS.RemoveAll(name)
}

// TestCreationIsDoneAgainHoweverOftenItIsInterrupted kills, at every file, the
// removal of what an interrupted creation has left.
func TestCreationIsDoneAgainHoweverOftenItIsInterrupted(t *testing.T) {
	cuts := 0
	for ; ; cuts++ {
		dir := t.TempDir()
		emptyPebble(t, filepath.Join(dir, "db"))
		emptyPebble(t, filepath.Join(dir, "db.new"))
		write(t, "{", dir, "FORMAT.new")
		s, err := pebble.Open(pebble.Options{Dir: dir, Create: true, FS: &removalFS{vfs.Default, cuts}})
		if err == nil {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			break
		}
		if !errors.Is(err, errGone) {
			t.Fatalf("cut %d: %v", cuts, err)
		}
		s, err = pebble.Open(pebble.Options{Dir: dir, Create: true})
		if err != nil {
			t.Fatalf("after the removal was cut at file %d: %v", cuts, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if cuts < 8 {
		t.Errorf("only %d cuts", cuts)
	}
}
