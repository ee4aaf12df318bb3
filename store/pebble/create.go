package pebble

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"weft/store"

	"github.com/cockroachdb/pebble/v2"
)

// Init makes a store in dir, which must be missing, empty, or hold no more than
// an interrupted creation has left.
func Init(dir string) error {
	opts, err := Options{Dir: dir, Create: true}.resolve()
	if err != nil {
		return err
	}
	p, err := opts.locate()
	if err != nil {
		return explain(dir, err)
	}
	if what, err := survey(p); err != nil && !errors.Is(err, store.ErrHalfMade) || what != nothing {
		if err == nil && what == made {
			err = fmt.Errorf("%w: a store is here already", store.ErrForeign)
		}
		return explain(p.dir, err)
	}
	s, err := Open(opts)
	if err != nil {
		return err
	}
	return s.Close()
}

// finding is what a directory holds.
type finding uint8

const (
	nothing finding = iota // missing or empty: a store can be made
	made                   // has a FORMAT
)

// survey looks at the directory without changing it. What is neither a store
// nor room for one is an error.
func survey(p place) (finding, error) {
	info, err := p.fs.Stat(p.dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nothing, nil
	case err != nil:
		return nothing, translate(err)
	case !info.IsDir():
		return nothing, fmt.Errorf("%w: it is a file, not a directory", store.ErrForeign)
	}
	names, err := p.fs.List(p.dir)
	if err != nil {
		return nothing, translate(err)
	}
	has := func(name string) bool { return slices.Contains(names, name) }
	switch {
	case has("FORMAT"):
		return made, nil
	case has("high-water"):
		// Written after FORMAT, so there was one: this store may hold data.
		return nothing, fmt.Errorf("the file FORMAT is missing: %w", store.ErrCorrupt)
	case has("db.new") || has("FORMAT.new") || has("db") && isPebble(p):
		return nothing, store.ErrHalfMade
	}
	for _, name := range names {
		if name != "owner.lock" { // left by an interrupted creation
			return nothing, fmt.Errorf("%w: it holds %q", store.ErrForeign, name)
		}
	}
	return nothing, nil
}

func isPebble(p place) bool {
	desc, err := pebble.Peek(p.db(), p.fs)
	return err != nil || desc.Exists
}

// prepareDir makes the directory itself, so that it can be locked. Every new
// directory must be durable in its parent, or a power cut takes the store.
func prepareDir(p place) error {
	var parents []string
	for dir := p.dir; ; dir = p.fs.PathDir(dir) {
		if _, err := p.fs.Stat(dir); err == nil || dir == p.fs.PathDir(dir) {
			break
		}
		parents = append(parents, p.fs.PathDir(dir))
	}
	if err := p.fs.MkdirAll(p.dir, privateDir); err != nil {
		return err
	}
	for _, parent := range parents {
		if err := syncDir(p.fs, parent); err != nil {
			return err
		}
	}
	return nil
}

// create fills the locked directory. FORMAT comes last: whoever sees it sees a
// whole store.
func create(p place, opts *pebble.Options) error {
	if err := p.fs.MkdirAll(p.dbNew(), privateDir); err != nil {
		return err
	}
	fresh := *opts
	fresh.ErrorIfNotExists, fresh.ErrorIfExists = false, true
	db, err := pebble.Open(p.dbNew(), &fresh)
	if err != nil {
		return err
	}
	if err := db.Close(); err != nil {
		return err
	}
	if err := syncDir(p.fs, p.dbNew()); err != nil {
		return err
	}
	if err := p.fs.Rename(p.dbNew(), p.db()); err != nil {
		return err
	}
	if err := syncDir(p.fs, p.dir); err != nil {
		return err
	}
	content, err := seal(format{Version: formatVersion, Pebble: uint64(pebbleFormat), ID: randomName()})
	if err != nil {
		return err
	}
	return writeFile(p.fs, p.format(), content)
}
