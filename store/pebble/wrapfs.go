package pebble

import (
	"io"
	"strings"

	"weft/store"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// lookFS lets Pebble read and nothing else. Its Lock does nothing: owner.lock,
// held shared, keeps writers away, and Pebble's own lock would write a file and
// exclude other readers.
type lookFS struct{ vfs.FS }

func (f lookFS) Unwrap() vfs.FS { return f.FS }

func (lookFS) Lock(string) (io.Closer, error) { return io.NopCloser(nil), nil }

func (lookFS) Create(string, vfs.DiskWriteCategory) (vfs.File, error) {
	return nil, store.ErrReadOnly
}

func (lookFS) OpenReadWrite(string, vfs.DiskWriteCategory, ...vfs.OpenOption) (vfs.File, error) {
	return nil, store.ErrReadOnly
}

func (lookFS) ReuseForWrite(string, string, vfs.DiskWriteCategory) (vfs.File, error) {
	return nil, store.ErrReadOnly
}

func (lookFS) Link(string, string) error   { return store.ErrReadOnly }
func (lookFS) Remove(string) error         { return store.ErrReadOnly }
func (lookFS) RemoveAll(string) error      { return store.ErrReadOnly }
func (lookFS) Rename(string, string) error { return store.ErrReadOnly }

// orderFS makes what a marker names durable before the marker. Pebble creates a
// manifest and the marker that points to it, and then syncs their directory
// once: a file system that keeps one entry and loses the other, as it may, left
// a store that never opened again.
type orderFS struct{ vfs.FS }

func (f orderFS) Unwrap() vfs.FS { return f.FS }

func (f orderFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if strings.HasPrefix(f.PathBase(name), "marker.") {
		if err := syncDir(f.FS, f.PathDir(name)); err != nil {
			return nil, err
		}
	}
	return f.FS.Create(name, c)
}
