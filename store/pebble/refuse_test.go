package pebble_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"weft/store"
	"weft/store/pebble"

	rawdb "github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// madeStore is a closed store with one row, on the real disk.
func madeStore(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	s := mustOpen(t, pebble.Options{Dir: dir, Create: true})
	mustPut(t, s, "k", "1")
	mustClose(t, s)
	return dir
}

func write(t testing.TB, content string, elem ...string) {
	t.Helper()
	name := filepath.Join(elem...)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func remove(t testing.TB, elem ...string) {
	t.Helper()
	matches, err := filepath.Glob(filepath.Join(elem...))
	if err != nil || len(matches) == 0 {
		t.Fatalf("nothing matches %q: %v", elem, err)
	}
	for _, m := range matches {
		if err := os.RemoveAll(m); err != nil {
			t.Fatal(err)
		}
	}
}

// rawStore is a Pebble database of somebody else.
func rawStore(t testing.TB, dir string, version rawdb.FormatMajorVersion) {
	t.Helper()
	db, err := rawdb.Open(dir, &rawdb.Options{FormatMajorVersion: version, Logger: silent{}})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Set([]byte("k"), nil, rawdb.Sync), db.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestF014RefusalChangesNothing opens directories that are not, or not quite, a
// store. Each refusal has its own sentinel and changes no byte and no time of
// change; that holds for reading, writing and, where creating would destroy
// something, creating (F014).
func TestF014RefusalChangesNothing(t *testing.T) {
	tests := map[string]struct {
		make func(t *testing.T, dir string)
		want error
		// free: Create makes a store here, so it is not tried.
		free bool
	}{
		"missing": {func(*testing.T, string) {}, store.ErrMissing, true},
		"empty": {func(t *testing.T, dir string) {
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}, store.ErrMissing, true},
		"lock left by an interrupted creation": {func(t *testing.T, dir string) { write(t, "", dir, "owner.lock") }, store.ErrMissing, true},
		"a file":                               {func(t *testing.T, dir string) { write(t, "text", dir) }, store.ErrForeign, false},
		"other files":                          {func(t *testing.T, dir string) { write(t, "text", dir, "thesis.tex") }, store.ErrForeign, false},
		"other files in a db":                  {func(t *testing.T, dir string) { write(t, "text", dir, "db", "users.sql") }, store.ErrForeign, false},
		"a lock file of Pebble alone":          {func(t *testing.T, dir string) { write(t, "", dir, "LOCK") }, store.ErrForeign, false},
		"a bare Pebble database":               {func(t *testing.T, dir string) { rawStore(t, dir, pebbleV6) }, store.ErrForeign, false},
		"a bare Pebble database, oldest format": {func(t *testing.T, dir string) {
			rawStore(t, dir, rawdb.FormatMinSupported)
		}, store.ErrForeign, false},
		"a Pebble database without its format marker": {func(t *testing.T, dir string) {
			rawStore(t, dir, pebbleV6)
			remove(t, dir, "marker.format-version.*")
		}, store.ErrForeign, false},
		"a row in what looks like an interrupted creation": {func(t *testing.T, dir string) {
			rawStore(t, filepath.Join(dir, "db.new"), pebbleV6)
		}, store.ErrCorrupt, false},
		"a row, but FORMAT and high-water are lost": {func(t *testing.T, dir string) {
			rawStore(t, filepath.Join(dir, "db"), pebbleV6)
			write(t, "", dir, "owner.lock")
		}, store.ErrCorrupt, false},
		"creation interrupted before the rename, no row in it": {func(t *testing.T, dir string) {
			emptyPebble(t, filepath.Join(dir, "db.new"))
		}, store.ErrHalfMade, true},
		"creation interrupted within the database": {func(t *testing.T, dir string) {
			emptyPebble(t, filepath.Join(dir, "db.new"))
			remove(t, dir, "db.new", "marker.*")
		}, store.ErrHalfMade, true},
		"creation interrupted before FORMAT was whole": {func(t *testing.T, dir string) {
			emptyPebble(t, filepath.Join(dir, "db"))
			write(t, "{", dir, "FORMAT.new")
		}, store.ErrHalfMade, true},
		"FORMAT lost": {func(t *testing.T, dir string) { copyStore(t, dir); remove(t, dir, "FORMAT") }, store.ErrCorrupt, false},
		"FORMAT garbage": {func(t *testing.T, dir string) {
			copyStore(t, dir)
			write(t, "\x00\x01", dir, "FORMAT")
		}, store.ErrCorrupt, false},
		"FORMAT with a flipped bit": {func(t *testing.T, dir string) {
			copyStore(t, dir)
			flip(t, filepath.Join(dir, "FORMAT"), 30)
		}, store.ErrCorrupt, false},
		"FORMAT of a newer program": {func(t *testing.T, dir string) {
			copyStore(t, dir)
			write(t, `{"weft":{"version":2,"pebble":21,"id":"x"},"crc32c":1899550397}`, dir, "FORMAT")
		}, store.ErrNewer, false},
		"Pebble's format raised": {func(t *testing.T, dir string) {
			copyStore(t, dir)
			db, err := rawdb.Open(filepath.Join(dir, "db"), &rawdb.Options{FormatMajorVersion: rawdb.FormatNewest, Logger: silent{}})
			if err != nil {
				t.Fatal(err)
			}
			_ = db.Close()
		}, store.ErrNewer, false},
		"Pebble's format unknown": {func(t *testing.T, dir string) {
			copyStore(t, dir)
			remove(t, dir, "db", "marker.format-version.*")
			write(t, "", dir, "db", "marker.format-version.000099.099")
		}, store.ErrNewer, false},
		"Pebble's format marker lost": {func(t *testing.T, dir string) {
			copyStore(t, dir)
			remove(t, dir, "db", "marker.format-version.*")
		}, store.ErrCorrupt, false},
		"Pebble's manifest marker lost": {func(t *testing.T, dir string) {
			copyStore(t, dir)
			remove(t, dir, "db", "marker.manifest.*")
		}, store.ErrCorrupt, false},
		"db lost": {func(t *testing.T, dir string) { copyStore(t, dir); remove(t, dir, "db") }, store.ErrCorrupt, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			tc.make(t, dir)
			before := fingerprint(t, vfs.Default, dir)
			wantOpenError(t, pebble.Options{Dir: dir}, tc.want)
			wantOpenError(t, pebble.Options{Dir: dir, AcceptDataLoss: true}, tc.want)
			wantOpenError(t, pebble.Options{Dir: dir, Mode: pebble.Look}, tc.want)
			if !tc.free {
				wantOpenError(t, pebble.Options{Dir: dir, Create: true}, tc.want)
				if err := pebble.Init(dir); err == nil {
					t.Error("init: no error")
				}
			}
			if after := fingerprint(t, vfs.Default, dir); after != before {
				t.Errorf("the directory changed\nbefore:\n%s\nafter:\n%s", before, after)
			}
			if tc.free {
				mustOpen(t, pebble.Options{Dir: dir, Create: true})
			}
		})
	}
}

// emptyPebble makes a database without a row, as creation does first.
func emptyPebble(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	db, err := rawdb.Open(dir, &rawdb.Options{FormatMajorVersion: pebbleV6, Logger: silent{}})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

const pebbleV6 = rawdb.FormatTableFormatV6

// copyStore makes dir a whole, closed store.
func copyStore(t *testing.T, dir string) {
	t.Helper()
	mustClose(t, mustOpen(t, pebble.Options{Dir: dir, Create: true}))
}

// flip changes one bit of a file; a negative offset counts from its end.
func flip(t testing.TB, name string, at int) {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	content[(at+len(content))%len(content)] ^= 0x10
	if err := os.WriteFile(name, content, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestLookChangesNothing reads a whole store, also one whose log must be
// replayed, and a copy without owner.lock.
func TestLookChangesNothing(t *testing.T) {
	dir := madeStore(t)
	for _, withLock := range []bool{true, false} {
		if !withLock {
			remove(t, dir, "owner.lock")
		}
		before := fingerprint(t, vfs.Default, dir)
		first := mustOpen(t, pebble.Options{Dir: dir, Mode: pebble.Look})
		second := mustOpen(t, pebble.Options{Dir: dir, Mode: pebble.Look})
		for _, s := range []*pebble.Store{first, second} {
			if v, err := s.Get([]byte("k")); string(v) != "1" || err != nil {
				t.Errorf("get: %q, %v", v, err)
			}
			if _, err := put(s, "k", "2"); !errors.Is(err, store.ErrReadOnly) {
				t.Errorf("commit: %v, want ErrReadOnly", err)
			}
			if !s.Info().ReadOnly {
				t.Error("Info does not say read-only")
			}
			if _, err := s.Check(); err != nil {
				t.Errorf("check: %v", err)
			}
			mustClose(t, s)
		}
		if after := fingerprint(t, vfs.Default, dir); after != before {
			t.Errorf("the directory changed\nbefore:\n%s\nafter:\n%s", before, after)
		}
	}
}

// TestLookReplaysLog reads what was in the log only when the power went.
func TestLookReplaysLog(t *testing.T) {
	mem := vfs.NewCrashableMem()
	s := mustOpen(t, pebble.Options{Dir: "/data", Create: true, FS: mem})
	mustPut(t, s, "k", "1")
	after := mem.CrashClone(vfs.CrashCloneCfg{})
	before := fingerprint(t, after, "/data")
	look := mustOpen(t, pebble.Options{Dir: "/data", Mode: pebble.Look, FS: after})
	if v, err := look.Get([]byte("k")); string(v) != "1" || err != nil {
		t.Errorf("get: %q, %v", v, err)
	}
	mustClose(t, look)
	if now := fingerprint(t, after, "/data"); now != before {
		t.Errorf("the directory changed\nbefore:\n%s\nafter:\n%s", before, now)
	}
}

// TestDeniedIsTold has the system refuse access, at every kind of operation
// that an open begins with.
func TestDeniedIsTold(t *testing.T) {
	for _, cause := range []error{fs.ErrPermission, syscall.EACCES, syscall.EROFS} {
		for _, part := range []string{"/data", "/data/FORMAT", "/data/owner.lock", "/data/db", "/data/high-water"} {
			mem := vfs.NewMem()
			mustClose(t, mustOpen(t, pebble.Options{Dir: "/data", Create: true, FS: mem}))
			denied := errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
				if op.Path == part || op.Path == part+".new" || strings.HasPrefix(op.Path, part) && part == "/data/db" {
					return cause
				}
				return nil
			}))
			wantOpenError(t, pebble.Options{Dir: "/data", FS: denied}, store.ErrDenied)
		}
	}
}

// TestTooLittleRoom refuses to open for writing what could hang, and lets it be
// read.
func TestTooLittleRoom(t *testing.T) {
	mem := vfs.NewMem()
	mustClose(t, mustOpen(t, pebble.Options{Dir: "/data", Create: true, FS: mem}))
	mem.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: 100 << 20, TotalBytes: 1 << 30})
	before := fingerprint(t, mem, "/data")
	wantOpenError(t, pebble.Options{Dir: "/data", FS: mem}, store.ErrFull)
	if after := fingerprint(t, mem, "/data"); after != before {
		t.Errorf("the directory changed\nbefore:\n%s\nafter:\n%s", before, after)
	}
	mustClose(t, mustOpen(t, pebble.Options{Dir: "/data", FS: mem, Mode: pebble.Look}))
	mustClose(t, mustOpen(t, pebble.Options{Dir: "/data", FS: mem, MinFree: 50 << 20}))
}
