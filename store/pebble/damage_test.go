package pebble_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"weft/store"
	"weft/store/pebble"

	rawdb "github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

const damagedRows = 400

// powerCut is the disk of a store that lost power: tables, two logs that were
// needed, and a high-water mark that covers all of its rows.
func powerCut(t *testing.T) *vfs.MemFS {
	t.Helper()
	mem := vfs.NewCrashableMem()
	var after *vfs.MemFS
	synctest.Test(t, func(t *testing.T) {
		slow := &slowTables{FS: mem}
		s := mustOpen(t, pebble.Options{Dir: "/data", Create: true, FS: slow, Tune: func(po *rawdb.Options) {
			small(po)
			po.MemTableStopWritesThreshold = 8
		}})
		for i := range damagedRows {
			if i == damagedRows*3/4 {
				synctest.Wait()
				slow.block = make(chan struct{}) // from here on logs pile up
			}
			mustPut(t, s, rowKey(i), rowValue(i))
		}
		time.Sleep(5 * time.Second) // high-water follows
		after = mem.CrashClone(vfs.CrashCloneCfg{})
		close(slow.block)
		mustClose(t, s)
	})
	return after
}

// slowTables holds the creation of tables, so that memtables are not flushed.
type slowTables struct {
	vfs.FS
	block chan struct{}
}

func (f *slowTables) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if strings.HasSuffix(name, ".sst") && f.block != nil {
		<-f.block
	}
	return f.FS.Create(name, c)
}

func (f *slowTables) Unwrap() vfs.FS { return f.FS }

func rowKey(i int) string   { return fmt.Sprintf("row%04d", i) }
func rowValue(i int) string { return strings.Repeat(fmt.Sprint(i, "."), 200) }

func clone(t testing.TB, from vfs.FS) *vfs.MemFS {
	t.Helper()
	to := vfs.NewMem()
	if _, err := vfs.Clone(from, to, "/data", "/data"); err != nil {
		t.Fatal(err)
	}
	return to
}

// rowsIn counts whole rows. An unreadable row is an error, a wrong one fails.
func rowsIn(t testing.TB, s store.Store) (n int, err error) {
	for i := range damagedRows {
		v, err := s.Get([]byte(rowKey(i)))
		if err != nil {
			return n, err
		}
		if v != nil && string(v) != rowValue(i) {
			t.Errorf("row %d is wrong: %.20q", i, v)
		}
		if v != nil {
			n++
		}
	}
	return n, nil
}

// edit changes the content of a file.
func edit(name string, change func(content []byte) []byte) func(*testing.T, vfs.FS) {
	return func(t *testing.T, fs vfs.FS) {
		file := newest(t, fs, "/data/db", name)
		mustWrite(t, fs, file, change(mustRead(t, fs, file)))
	}
}

func drop(pattern string) func(*testing.T, vfs.FS) {
	return func(t *testing.T, fs vfs.FS) {
		if err := fs.Remove(newest(t, fs, "/data/db", pattern)); err != nil {
			t.Fatal(err)
		}
	}
}

// errTold stands for either name of a damage: which one fits depends on where
// in a block it lies.
var errTold = errors.New("told")

// TestF015DamageIsTold damages each kind of file in each way that was seen in the
// field. Whatever loses an acknowledged row must be told, by the right name,
// without changing a byte; reading what is left must stay possible where Pebble
// can (F015b).
func TestF015DamageIsTold(t *testing.T) {
	whole := powerCut(t)
	// Logs are allocated ahead and reused, so what they hold ends anywhere.
	last := func(b []byte) int { return bytes.LastIndex(b, []byte(rowKey(damagedRows-1))) }
	early := func(b []byte) []byte { return b[:last(b)] }
	flipRow := func(b []byte) []byte { b[bytes.Index(b, []byte("row0"))+500] ^= 1; return b }
	zeroTail := func(b []byte) []byte { clear(b[last(b):]); return b }
	half := func(b []byte) []byte { return b[:len(b)/2] }
	flipHalf := func(b []byte) []byte { b[len(b)/2] ^= 1; return b }
	cutTail := func(b []byte) []byte { return b[:len(b)-20] }
	middleLog := func(t *testing.T, fs vfs.FS) string { // the last but one
		names, err := fs.List("/data/db")
		if err != nil {
			t.Fatal(err)
		}
		logs := slices.DeleteFunc(sorted(names), func(name string) bool { return !isLog(name) })
		if len(logs) < 3 {
			t.Fatalf("too few logs: %q", logs)
		}
		return "/data/db/" + logs[len(logs)-2]
	}
	tests := map[string]struct {
		damage func(*testing.T, vfs.FS)
		want   error // of opening; nil: opens whole; errTold: either kind
		look   bool  // Look still opens; not looked at with errTold
	}{
		"none":                 {func(*testing.T, vfs.FS) {}, nil, true},
		"table byte flipped":   {edit("*.sst", flipHalf), store.ErrCorrupt, true}, // told when read
		"table footer damaged": {edit("*.sst", func(b []byte) []byte { b[len(b)-4] ^= 1; return b }), store.ErrCorrupt, false},
		"table truncated":      {edit("*.sst", half), store.ErrCorrupt, false},
		"table deleted":        {drop("*.sst"), store.ErrCorrupt, false},
		"log truncated":        {edit("*.log", early), store.ErrDataLoss, true},
		"log tail zeroed":      {edit("*.log", zeroTail), store.ErrDataLoss, true},
		"log emptied":          {edit("*.log", func([]byte) []byte { return nil }), store.ErrDataLoss, true},
		"log byte flipped":     {edit("*.log", flipRow), errTold, false},
		"newest log deleted":   {drop("*.log"), store.ErrDataLoss, true},
		"older log deleted": {func(t *testing.T, fs vfs.FS) {
			if err := fs.Remove(middleLog(t, fs)); err != nil {
				t.Fatal(err)
			}
		}, store.ErrDataLoss, true},
		"older log truncated": {func(t *testing.T, fs vfs.FS) {
			name := middleLog(t, fs)
			mustWrite(t, fs, name, half(mustRead(t, fs, name)))
		}, store.ErrCorrupt, false},
		"older log flipped": {func(t *testing.T, fs vfs.FS) {
			name := middleLog(t, fs)
			content := mustRead(t, fs, name)
			content[bytes.Index(content, []byte("row0"))+500] ^= 1
			mustWrite(t, fs, name, content)
		}, store.ErrCorrupt, false},
		"manifest deleted":        {drop("MANIFEST-*"), store.ErrCorrupt, false},
		"manifest cut by 20":      {edit("MANIFEST-*", cutTail), errTold, true},
		"manifest marker deleted": {drop("marker.manifest.*"), store.ErrCorrupt, false},
		"format marker deleted":   {drop("marker.format-version.*"), store.ErrCorrupt, false},
		"options garbage":         {edit("OPTIONS-*", func([]byte) []byte { return []byte("garbage") }), store.ErrCorrupt, false},
		"options deleted":         {drop("OPTIONS-*"), nil, true},
		"high-water damaged": {func(t *testing.T, fs vfs.FS) {
			mustWrite(t, fs, "/data/high-water", []byte("{}"))
		}, store.ErrCorrupt, true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			fs := clone(t, whole)
			tc.damage(t, fs)
			before := fingerprint(t, fs, "/data")
			s, err := pebble.Open(pebble.Options{Dir: "/data", FS: fs, Mode: pebble.Look})
			if (err == nil) != tc.look && tc.want != errTold {
				t.Errorf("look: %v, want it to open: %t", err, tc.look)
			}
			if err == nil {
				mustClose(t, s)
			}
			if tc.want == nil || name == "table byte flipped" {
				wantToldOrWhole(t, fs, tc.want)
				return
			}
			if tc.want == errTold {
				if damaged(t, fs, name) != "refused" {
					t.Error("opened")
				}
				return
			}
			wantOpenError(t, pebble.Options{Dir: "/data", FS: fs}, tc.want)
			if after := fingerprint(t, fs, "/data"); after != before {
				t.Errorf("the directory changed\nbefore:\n%s\nafter:\n%s", before, after)
			}
		})
	}
}

// wantToldOrWhole opens a damaged store that opens, and wants all rows, or what
// Check says.
func wantToldOrWhole(t *testing.T, fs vfs.FS, want error) {
	s := mustOpen(t, pebble.Options{Dir: "/data", FS: fs})
	n, err := rowsIn(t, s)
	_, checkErr := s.Check()
	if !errors.Is(checkErr, want) || want == nil && checkErr != nil {
		t.Errorf("check: %v, want %v", checkErr, want)
	}
	if err == nil && n != damagedRows && want == nil {
		t.Errorf("%d rows, want %d", n, damagedRows)
	}
	if want != nil {
		if len(s.Events()) == 0 {
			t.Error("no event tells of the damage")
		}
		for range s.Scan(store.Range{}) { // must end, not exit the process
		}
	}
}

// TestF103DamageAnywhere damages random places and every place of the manifest.
// There is no silent loss: an open that accepted nothing has every row, or says
// which it cannot read.
func TestF103DamageAnywhere(t *testing.T) {
	whole := powerCut(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	names, err := whole.List("/data/db")
	if err != nil {
		t.Fatal(err)
	}
	manifest := newest(t, whole, "/data/db", "MANIFEST-*")
	outcomes := map[string]int{}
	for i := range len(mustRead(t, whole, manifest)) {
		fs := clone(t, whole)
		edit("MANIFEST-*", func(b []byte) []byte { b[i] ^= 1 << (i % 8); return b })(t, fs)
		outcomes[damaged(t, fs, fmt.Sprintf("manifest byte %d", i))]++
	}
	for range 150 {
		fs := clone(t, whole)
		name := "/data/db/" + sorted(names)[rng.IntN(len(names))]
		content := mustRead(t, fs, name)
		at := rng.IntN(len(content) + 1)
		what := fmt.Sprintf("seed %d: %s at %d of %d", seed, name, at, len(content))
		switch kind := rng.IntN(4); {
		case kind == 0 || len(content) == 0:
			_ = fs.Remove(name)
		case kind == 1:
			mustWrite(t, fs, name, content[:at])
		case kind == 2:
			clear(content[at:min(at+4096, len(content))])
			mustWrite(t, fs, name, content)
		default:
			content[at%len(content)] ^= 1 << rng.IntN(8)
			mustWrite(t, fs, name, content)
		}
		outcomes[damaged(t, fs, what)]++
	}
	t.Logf("%v", outcomes)
}

func damaged(t *testing.T, fs vfs.FS, what string) string {
	before := fingerprint(t, fs, "/data")
	s, err := pebble.Open(pebble.Options{Dir: "/data", FS: fs})
	if err != nil {
		if !errors.Is(err, store.ErrCorrupt) && !errors.Is(err, store.ErrDataLoss) && !errors.Is(err, store.ErrNewer) {
			t.Errorf("%s: %v", what, err)
		}
		if fingerprint(t, fs, "/data") != before {
			t.Errorf("%s: the refusal changed the directory: %v", what, err)
		}
		return "refused"
	}
	defer s.Close()
	n, err := rowsIn(t, s)
	switch {
	case err != nil && errors.Is(err, store.ErrCorrupt):
		return "told when read"
	case err != nil:
		t.Errorf("%s: read: %v", what, err)
	case n != damagedRows:
		t.Errorf("%s: %d of %d rows, and nobody was told", what, n, damagedRows)
	}
	return "whole"
}

// TestAcceptedLoss opens a store that lost groups, once asked to, tells so, and
// goes on above every number that was acknowledged.
func TestAcceptedLoss(t *testing.T) {
	fs := clone(t, powerCut(t))
	drop("*.log")(t, fs)
	wantOpenError(t, pebble.Options{Dir: "/data", FS: fs}, store.ErrDataLoss)
	s := mustOpen(t, pebble.Options{Dir: "/data", FS: fs, AcceptDataLoss: true})
	if s.Info().Accepted == "" {
		t.Error("Info does not tell of the loss")
	}
	if g := mustPut(t, s, "k", "1"); g <= damagedRows {
		t.Errorf("group %d was given out before", g)
	}
	if _, err := s.Check(); err != nil {
		t.Errorf("check: %v", err)
	}
	mustClose(t, s)
	s = mustOpen(t, pebble.Options{Dir: "/data", FS: fs}) // accepted once is enough
	if got := s.Info().Accepted; got != "" {
		t.Errorf("accepted again: %s", got)
	}
	if _, err := s.Check(); err != nil {
		t.Errorf("check: %v", err)
	}
}

// TestMissingHighWater is accepted once, and told.
func TestMissingHighWater(t *testing.T) {
	fs := clone(t, powerCut(t))
	if err := fs.Remove("/data/high-water"); err != nil {
		t.Fatal(err)
	}
	s := mustOpen(t, pebble.Options{Dir: "/data", FS: fs})
	if s.Info().Accepted == "" {
		t.Error("Info does not tell")
	}
	mustClose(t, s)
	s = mustOpen(t, pebble.Options{Dir: "/data", FS: fs})
	if got := s.Info().Accepted; got != "" {
		t.Errorf("told again: %s", got)
	}
}
