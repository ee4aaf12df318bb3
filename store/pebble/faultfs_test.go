package pebble_test

import (
	"path/filepath"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// faultFS fails chosen changes of the disk. Unlike errorfs it sees the files
// that Pebble reuses, too.
type faultFS struct {
	vfs.FS
	mu   sync.Mutex
	fail func(op, name string) error
}

// set replaces what fails; nil: nothing.
func (f *faultFS) set(fail func(op, name string) error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fail = fail
}

func (f *faultFS) check(op, name string) error {
	f.mu.Lock()
	fail := f.fail
	f.mu.Unlock()
	if fail == nil {
		return nil
	}
	return fail(op, filepath.Base(name))
}

func (f *faultFS) Unwrap() vfs.FS { return f.FS }

func (f *faultFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if err := f.check("create", name); err != nil {
		return nil, err
	}
	file, err := f.FS.Create(name, c)
	return f.wrap(file, name, err)
}

func (f *faultFS) OpenReadWrite(name string, c vfs.DiskWriteCategory, o ...vfs.OpenOption) (vfs.File, error) {
	file, err := f.FS.OpenReadWrite(name, c, o...)
	return f.wrap(file, name, err)
}

func (f *faultFS) ReuseForWrite(from, to string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if err := f.check("create", to); err != nil {
		return nil, err
	}
	file, err := f.FS.ReuseForWrite(from, to, c)
	return f.wrap(file, to, err)
}

func (f *faultFS) wrap(file vfs.File, name string, err error) (vfs.File, error) {
	if err != nil {
		return nil, err
	}
	return &faultFile{file, f, name}, nil
}

type faultFile struct {
	vfs.File
	fs   *faultFS
	name string
}

func (f *faultFile) Write(p []byte) (int, error) {
	if err := f.fs.check("write", f.name); err != nil {
		return 0, err
	}
	return f.File.Write(p)
}

func (f *faultFile) Sync() error {
	if err := f.fs.check("sync", f.name); err != nil {
		return err
	}
	return f.File.Sync()
}

func (f *faultFile) SyncData() error {
	if err := f.fs.check("sync", f.name); err != nil {
		return err
	}
	return f.File.SyncData()
}

func (f *faultFile) SyncTo(n int64) (bool, error) {
	if err := f.fs.check("sync", f.name); err != nil {
		return false, err
	}
	return f.File.SyncTo(n)
}
