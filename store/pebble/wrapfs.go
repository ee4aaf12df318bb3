package pebble

import (
	"errors"
	"io"
	"os"
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

// privateFS keeps what it creates on disk from other users: directories are
// 0700, files 0600. Pebble's file system creates files with 0666 less the umask
// and takes no wish, so their mode is set right after; until then the directory
// keeps others out, unless somebody else made that.
type privateFS struct{ vfs.FS }

const (
	privateDir  = 0o700
	privateFile = 0o600
)

func (f privateFS) Unwrap() vfs.FS { return f.FS }

func (f privateFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return f.keep(name)(f.FS.Create(name, c))
}

func (f privateFS) OpenReadWrite(name string, c vfs.DiskWriteCategory, o ...vfs.OpenOption) (vfs.File, error) {
	return f.keep(name)(f.FS.OpenReadWrite(name, c, o...))
}

func (f privateFS) ReuseForWrite(old, name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return f.keep(name)(f.FS.ReuseForWrite(old, name, c))
}

func (privateFS) keep(name string) func(vfs.File, error) (vfs.File, error) {
	return func(file vfs.File, err error) (vfs.File, error) {
		if err != nil {
			return nil, err
		}
		if err := hide(name); err != nil {
			return nil, errors.Join(err, file.Close())
		}
		return file, nil
	}
}

func (f privateFS) MkdirAll(dir string, _ os.FileMode) error { return f.FS.MkdirAll(dir, privateDir) }

func (f privateFS) Lock(name string) (io.Closer, error) {
	lock, err := f.FS.Lock(name)
	if err != nil {
		return nil, err
	}
	if err := hide(name); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return lock, nil
}

// hide sets the mode of a file. One that belongs to somebody else, and one on a
// file system without modes, stays as it is.
func hide(name string) error {
	err := os.Chmod(name, privateFile)
	if errors.Is(err, os.ErrPermission) || errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}

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
