package pebble

import (
	"errors"
	"fmt"
	"os"

	"weft/store"

	"github.com/cockroachdb/pebble/v2"
)

// scrap removes what an interrupted creation has left, so that it can be done
// again. The caller has the lock and was asked to create. Creation puts no row,
// so a directory that holds one is something else and is left alone: a
// database of somebody's, or a store whose FORMAT was lost.
//
// It may be interrupted, too. A db is expected to be whole, so it becomes a
// db.new before anything of it goes.
func scrap(p place, opts *pebble.Options) error {
	if err := holdsNothing(p, opts); err != nil {
		return err
	}
	if err := p.fs.RemoveAll(p.dbNew()); err != nil {
		return err
	}
	switch err := p.fs.Rename(p.db(), p.dbNew()); {
	case errors.Is(err, os.ErrNotExist):
	case err != nil:
		return err
	default:
		if err := errors.Join(syncDir(p.fs, p.dir), p.fs.RemoveAll(p.dbNew())); err != nil {
			return err
		}
	}
	if err := p.fs.Remove(p.format() + ".new"); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return syncDir(p.fs, p.dir)
}

// holdsNothing is [store.ErrCorrupt] when there is a row in what an interrupted
// creation seems to have left, or might be: that is more than creation leaves.
// It changes nothing.
func holdsNothing(p place, opts *pebble.Options) error {
	for _, dir := range []string{p.dbNew(), p.db()} {
		if _, err := p.fs.Stat(dir); errors.Is(err, os.ErrNotExist) {
			continue
		} else if err != nil {
			return err
		}
		if whole := dir == p.db(); !isEmpty(p, dir, opts, whole) {
			return &noFormatError{p.fs.PathBase(dir)}
		}
	}
	return nil
}

// noFormatError: a database that creation cannot have left, and no FORMAT.
type noFormatError struct{ database string }

func (e *noFormatError) Error() string {
	return fmt.Sprintf("%v: the file FORMAT is missing although %s holds data or cannot be read, so this is a store that "+
		"lost it, or somebody else's database", store.ErrCorrupt, e.database)
}

func (*noFormatError) Unwrap() error { return store.ErrCorrupt }

// isEmpty reports whether a database holds no row. One that cannot be opened
// counts as empty only if it need not be whole yet.
func isEmpty(p place, dir string, opts *pebble.Options, whole bool) bool {
	look := *opts
	look.ReadOnly, look.FS = true, lookFS{p.fs}
	db, err := pebble.Open(dir, &look)
	if err != nil {
		return !whole
	}
	defer db.Close()
	it, err := db.NewIter(nil)
	if err != nil {
		return false
	}
	some := it.First()
	return errors.Join(it.Error(), it.Close()) == nil && !some
}
