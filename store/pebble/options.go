package pebble

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Mode says what a store is opened for.
type Mode uint8

const (
	// ReadWrite owns the directory.
	ReadWrite Mode = iota
	// Look reads only, changes no byte on disk and is refused while an owner
	// has the directory.
	Look
)

// memTableSize is also what a log file takes on disk. 8 MiB stalls sooner at
// the top end, 64 MiB costs 160 MiB of memory.
const memTableSize = 16 << 20

// Options says how to open a store. Dir is required, the rest is right at zero.
type Options struct {
	// Dir is the store's directory.
	Dir  string
	Mode Mode
	// Create makes the store when Dir is missing or empty. Without it such a
	// directory is [store.ErrMissing], so that a mistyped path makes nothing.
	Create bool
	// AcceptDataLoss opens a store that lacks acknowledged groups. Info.Accepted
	// then says so.
	AcceptDataLoss bool
	// FS holds the files; nil means the disk. A memory file system is for
	// tests: owner.lock then excludes within the process.
	FS vfs.FS
	// Socket and Version are recorded in owner.lock: where this process
	// answers, and what it is.
	Socket, Version string
	// MinFree is the free space in bytes below which new work is refused. Zero
	// means 64 MiB and four memtables (128 MiB); negative means no reserve.
	MinFree  int64
	Patience Patience
	// Tune changes Pebble's options last; nil changes none. For tests and
	// measurements.
	Tune func(*pebble.Options)
}

// Patience is how long the store waits. Zero fields mean the default.
type Patience struct {
	// Lock is how long Open waits for another process to go. Default 1 s.
	Lock time.Duration
	// Open bounds the opening of Pebble, log replay included. Default 30 s.
	Open time.Duration
	// Close bounds each part of Close: commits under way, open snapshots,
	// Pebble. Default 10 s.
	Close time.Duration
	// Stall is how long a write may take before the store counts as stalled.
	// Default 2 s.
	Stall time.Duration
	// GiveUp is how long a write may take before it counts as failed.
	// Default 30 s.
	GiveUp time.Duration
}

// resolve fills in the defaults and reports what makes no sense.
func (o Options) resolve() (Options, error) {
	var bad []error
	if o.Dir == "" {
		bad = append(bad, errors.New("option Dir: empty"))
	}
	if o.Mode > Look {
		bad = append(bad, fmt.Errorf("option Mode: unknown value %d", o.Mode))
	}
	if o.Mode == Look && o.Create {
		bad = append(bad, errors.New("option Create: Look mode changes nothing"))
	}
	if o.FS == nil {
		o.FS = vfs.Default
	}
	if o.MinFree == 0 {
		o.MinFree = 64<<20 + 4*memTableSize
	}
	for _, d := range []struct {
		value *time.Duration
		zero  time.Duration
	}{
		{&o.Patience.Lock, time.Second},
		{&o.Patience.Open, 30 * time.Second},
		{&o.Patience.Close, 10 * time.Second},
		{&o.Patience.Stall, 2 * time.Second},
		{&o.Patience.GiveUp, 30 * time.Second},
	} {
		if *d.value == 0 {
			*d.value = d.zero
		}
	}
	if o.Patience.GiveUp < o.Patience.Stall {
		bad = append(bad, fmt.Errorf("option Patience.GiveUp %v: less than Stall %v", o.Patience.GiveUp, o.Patience.Stall))
	}
	return o, errors.Join(bad...)
}

// place is where a store lives: the canonical paths of its files.
type place struct {
	fs     vfs.FS
	dir    string
	onDisk bool // below every wrapper, fs is the operating system's
}

// locate makes the path canonical. Two spellings of one directory must be one
// path, or one process could open it twice.
func (o Options) locate() (place, error) {
	p := place{fs: o.FS, dir: filepath.Clean(o.Dir), onDisk: vfs.Root(o.FS) == vfs.Default}
	if !p.onDisk {
		return p, nil
	}
	abs, err := filepath.Abs(o.Dir)
	if err != nil {
		return p, err
	}
	p.dir = abs
	p.fs = privateFS{p.fs}
	rest := ""
	for dir := abs; ; dir = filepath.Dir(dir) { // the tail may not exist yet
		real, err := filepath.EvalSymlinks(dir)
		if err == nil {
			p.dir = filepath.Join(real, rest)
			return p, nil
		}
		if !errors.Is(err, os.ErrNotExist) || dir == filepath.Dir(dir) {
			return p, err
		}
		rest = filepath.Join(filepath.Base(dir), rest)
	}
}

func (p place) path(name string) string { return p.fs.PathJoin(p.dir, name) }
func (p place) db() string              { return p.path("db") }
func (p place) dbNew() string           { return p.path("db.new") }
func (p place) format() string          { return p.path("FORMAT") }
func (p place) highWater() string       { return p.path("high-water") }
func (p place) ownerLock() string       { return p.path("owner.lock") }
