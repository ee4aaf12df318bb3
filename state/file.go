package state

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"weft/tui"
)

// version is that of the files written here.
const version = 1

// maxFile bounds what is read: it is written by this package, a few KB large.
const maxFile = 1 << 20

// lockWait is how long another console is waited for.
const lockWait = 2 * time.Second

// ErrNewer means that a newer program wrote the file. It is not touched.
var ErrNewer = errors.New("it was written by a newer program, and is left as it is")

// File is the memory of one store. It may be used by several goroutines.
type File struct {
	path string
	mu   sync.Mutex
	base tui.Memory // what this console knows to be written
}

// content is what a file holds.
type content struct {
	Version int        `json:"version"`
	Memory  tui.Memory `json:"memory"`
}

// plain are ids that can be names of files as they are, on every system.
var plain = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]{0,63}$`)

// Open reads the memory of the store with the given id from dir, which need not
// exist. An error says why nothing is remembered, and is no reason not to go on:
// the File can be used.
func Open(dir, id string) (*File, tui.Memory, error) {
	if !plain.MatchString(id) {
		sum := sha256.Sum256([]byte(id))
		id = "x-" + hex.EncodeToString(sum[:16])
	}
	f := &File{path: filepath.Join(dir, id+".json")}
	mem, err := f.read()
	if err != nil {
		return f, tui.Memory{}, fmt.Errorf("what was remembered of this store cannot be used: %s: %w", f.path, err)
	}
	f.base = cloned(mem)
	return f, mem, nil
}

// read is what the file holds; nothing when there is none.
func (f *File) read() (tui.Memory, error) {
	info, err := os.Stat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return tui.Memory{}, nil
	case err != nil:
		return tui.Memory{}, err
	case !info.Mode().IsRegular() || info.Size() > maxFile:
		return tui.Memory{}, errors.New("it is no file of this program")
	}
	r, err := os.Open(f.path)
	if err != nil {
		return tui.Memory{}, err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, maxFile))
	if err != nil {
		return tui.Memory{}, err
	}
	var c content
	if err := json.Unmarshal(data, &c); c.Version > version {
		return tui.Memory{}, ErrNewer
	} else if err != nil {
		return tui.Memory{}, err
	} else if c.Version < 1 {
		return tui.Memory{}, errors.New("it has no version")
	}
	return c.Memory, nil
}

// Keep brings what changed in mem into the file. It may wait up to 2 s for
// another console.
func (f *File) Keep(mem tui.Memory) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return err
	}
	unlock, err := f.lock()
	if err != nil {
		return err
	}
	defer unlock()
	theirs, err := f.read()
	switch {
	case errors.Is(err, ErrNewer):
		return fmt.Errorf("%s: %w", f.path, err)
	case err != nil:
		if err := os.Rename(f.path, f.path+".bad"); err != nil {
			return err
		}
		theirs = tui.Memory{}
		f.base = tui.Memory{}
	}
	if err := f.write(merge(f.base, mem, theirs)); err != nil {
		return err
	}
	f.base = cloned(mem)
	return nil
}

func (f *File) lock() (unlock func(), err error) {
	l := flock.New(f.path+".lock", flock.SetPermissions(0o600))
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	if ok, err := l.TryLockContext(ctx, 20*time.Millisecond); err != nil || !ok {
		return nil, fmt.Errorf("%s: another console writes it for too long: %w", f.path, err)
	}
	return func() { _ = l.Unlock() }, nil
}

// write replaces the file.
func (f *File) write(mem tui.Memory) error {
	data, err := json.MarshalIndent(content{version, mem}, "", "\t")
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(f.path), ".weft-*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(append(data, '\n'))
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), f.path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	return nil
}
