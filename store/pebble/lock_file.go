package pebble

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"weft/store"
)

// fileOwnership is a locked owner.lock on disk. The lock belongs to the open
// file, so a second open of the same process is refused like any other.
type fileOwnership struct {
	file  *os.File
	named bool
}

// tryFileLock opens and locks path. A reader does not create the file: it must
// change nothing, and without a file there is no owner to keep out.
func tryFileLock(path string, shared bool) (ownership, error) {
	if here.has(filepath.Dir(path)) {
		return nil, heldError{byOwner: true, here: true}
	}
	flags := os.O_RDWR | os.O_CREATE
	if shared {
		flags = os.O_RDONLY
	}
	f, err := os.OpenFile(path, flags, privateFile)
	if shared && errors.Is(err, os.ErrNotExist) {
		return noOwnership{}, nil
	}
	if err != nil {
		return nil, err
	}
	if err := lockFile(f, shared); err != nil {
		held, ok := err.(heldError)
		if ok && !shared {
			held.byOwner = lockFile(f, true) != nil // readers would share it
		} else if ok {
			held.byOwner = true
		}
		_ = f.Close()
		if ok {
			return nil, held
		}
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	own := &fileOwnership{file: f}
	if own.still() != nil { // replaced between open and lock
		_ = f.Close()
		return nil, heldError{}
	}
	if !shared {
		here.add(own, filepath.Dir(path))
	}
	return own, nil
}

func (o *fileOwnership) announce(content []byte) error {
	o.named = true
	if err := o.file.Truncate(0); err != nil {
		return err
	}
	_, err := o.file.WriteAt(content, 0)
	return err
}

func (o *fileOwnership) still() error {
	held, err := o.file.Stat()
	if err != nil {
		return fmt.Errorf("owner.lock: %w: %w", store.ErrLocked, err)
	}
	now, err := os.Stat(o.file.Name())
	if err != nil || !os.SameFile(held, now) {
		return fmt.Errorf("owner.lock was removed or replaced, so another process may have the store: %w", store.ErrLocked)
	}
	return nil
}

func (o *fileOwnership) release() {
	if o.named {
		_ = o.file.Truncate(0) // only tells who had it
	}
	_ = o.file.Close()
	here.remove(o)
}

// noOwnership is what a reader has of a copy that came without owner.lock.
type noOwnership struct{}

func (noOwnership) announce([]byte) error { return nil }
func (noOwnership) still() error          { return nil }
func (noOwnership) release()              {}
