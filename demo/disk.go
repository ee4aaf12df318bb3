package demo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"weft/engine"
)

// disk is the folder of one workflow type.
type disk struct{ root string }

// home is the directory of the run that ctx belongs to. It is made when it is
// missing, because an activity cannot know whether it is the first.
func (d disk) home(ctx context.Context) (string, error) {
	dir := filepath.Join(d.root, string(engine.InfoOf(ctx).Ref.Run))
	return dir, os.MkdirAll(dir, 0o777)
}

// path is the path of a file of the run that ctx belongs to.
func (d disk) path(ctx context.Context, name string) (string, error) {
	dir, err := d.home(ctx)
	return filepath.Join(dir, name), err
}

// write makes the file path whole or not at all: a crash leaves the old one, or
// none. The name it writes under first is fixed, so a repeat replaces what an
// earlier attempt left.
func write(path string, data []byte) error {
	beside := path + ".part"
	f, err := os.Create(beside)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return put(f, err, path)
}

// put syncs f, closes it and gives it its name, unless writing it failed.
func put(f *os.File, err error, path string) error {
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// syncDir makes the names in a directory durable. Not every system can, and
// those that cannot do it by themselves.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("sync %s: %w", dir, err)
	}
	return nil
}
