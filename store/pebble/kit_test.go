package pebble_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"weft/store"
	"weft/store/pebble"

	rawdb "github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// mustOpen opens a store that is closed when the test ends.
func mustOpen(t testing.TB, opts pebble.Options) *pebble.Store {
	t.Helper()
	s, err := pebble.Open(opts)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func mustClose(t testing.TB, s *pebble.Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
}

func put(s store.Store, key, value string) (store.Result, error) {
	b := new(store.Batch)
	b.Put([]byte(key), []byte(value))
	return s.Commit(context.Background(), b)
}

func mustPut(t testing.TB, s store.Store, key, value string) store.Group {
	t.Helper()
	res, err := put(s, key, value)
	if err != nil {
		t.Fatalf("put %q: %v", key, err)
	}
	return res.Group
}

// wantOpenError opens, and wants a refusal that unwraps to want and that a
// person understands.
func wantOpenError(t testing.TB, opts pebble.Options, want error) {
	t.Helper()
	s, err := pebble.Open(opts)
	if err == nil {
		_ = s.Close()
		t.Errorf("open %s: no error, want %v", opts.Dir, want)
		return
	}
	var refused *store.OpenError
	switch {
	case !errors.Is(err, want):
		t.Errorf("open %s: %v, want %v", opts.Dir, err, want)
	case !errors.As(err, &refused) || refused.Advice == "":
		t.Errorf("open %s: %v: no advice", opts.Dir, err)
	case strings.Contains(err.Error(), "\n"):
		t.Errorf("open %s: more than a sentence: %v", opts.Dir, err)
	}
}

// small makes Pebble flush and compact within few rows.
func small(po *rawdb.Options) {
	po.MemTableSize = 64 << 10
	po.Experimental.CompactionScheduler = rawdb.NewConcurrencyLimitSchedulerWithNoPeriodicGrantingForTest()
}

// fingerprint is every file below dir with the time of its last change and the
// sum of its content.
func fingerprint(t testing.TB, fs vfs.FS, dir string) string {
	t.Helper()
	var out strings.Builder
	var walk func(name string)
	walk = func(name string) {
		info, err := fs.Stat(name)
		if errors.Is(err, os.ErrNotExist) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if !info.IsDir() {
			fmt.Fprintf(&out, "%s %s %x\n", name, info.ModTime(), sha256.Sum256(mustRead(t, fs, name)))
			return
		}
		fmt.Fprintf(&out, "%s/ %s\n", name, info.ModTime())
		names, err := fs.List(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, child := range sorted(names) {
			walk(fs.PathJoin(name, child))
		}
	}
	walk(dir)
	return out.String()
}

func sorted(names []string) []string { slices.Sort(names); return names }

func mustRead(t testing.TB, fs vfs.FS, name string) []byte {
	t.Helper()
	f, err := fs.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	content, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func mustWrite(t testing.TB, fs vfs.FS, name string, content []byte) {
	t.Helper()
	f, err := fs.Create(name, vfs.WriteCategoryUnspecified)
	if err == nil {
		_, err = f.Write(content)
	}
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
}

// newest returns the file with the greatest name that matches; the last of a
// kind, as Pebble numbers them.
func newest(t testing.TB, fs vfs.FS, dir, pattern string) string {
	t.Helper()
	names, err := fs.List(dir)
	if err != nil {
		t.Fatal(err)
	}
	found := ""
	for _, name := range sorted(names) {
		if ok, _ := filepath.Match(pattern, name); ok {
			found = name
		}
	}
	if found == "" {
		t.Fatalf("no %s among %q", pattern, names)
	}
	return fs.PathJoin(dir, found)
}

func scanAll(r store.Reader) (keys []string, err error) {
	for row, rowErr := range r.Scan(store.Range{}) {
		if rowErr != nil {
			return keys, rowErr
		}
		keys = append(keys, string(row.Key))
	}
	return keys, nil
}
