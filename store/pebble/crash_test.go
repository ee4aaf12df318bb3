package pebble_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"weft/store"
	"weft/store/pebble"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// ledger is what a store must still know after a crash: one writer per lane
// writes 1, 2, 3 … each whole in two rows and a counter.
type ledger struct {
	mu    sync.Mutex
	acked map[int]int64 // by lane
	group store.Group   // the newest acknowledged
}

func newLedger() *ledger { return &ledger{acked: map[int]int64{}} }

func (l *ledger) ack(lane int, n int64, g store.Group) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.acked[lane] = n
	l.group = max(l.group, g)
}

// copy is what was acknowledged at this instant.
func (l *ledger) copy() *ledger {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := &ledger{acked: map[int]int64{}, group: l.group}
	for lane, n := range l.acked {
		c.acked[lane] = n
	}
	return c
}

// write writes the lane's next number, conditional on the last.
func (l *ledger) write(s store.Store, lane int, pad string) error {
	l.mu.Lock()
	n := l.acked[lane]
	l.mu.Unlock()
	left, right := fmt.Appendf(nil, "lane%d.left", lane), fmt.Appendf(nil, "lane%d.right", lane)
	now, at := lastOf(s, left)
	if now < n {
		return fmt.Errorf("lane %d is at %d, %d was acknowledged", lane, now, n)
	}
	b := new(store.Batch)
	b.Expect(left, encode(now), at)
	b.Put(left, encode(now+1))
	b.Put(right, encode(now+1))
	b.Put(fmt.Appendf(nil, "log%d.%04d", lane, now+1), []byte(pad))
	b.Add([]byte("total"), 1)
	res, err := s.Commit(context.Background(), b)
	if err != nil {
		return err
	}
	if !res.Applied {
		return fmt.Errorf("lane %d: refused although alone", lane)
	}
	l.ack(lane, now+1, res.Group)
	return nil
}

func encode(n int64) []byte {
	if n == 0 {
		return nil
	}
	return store.EncodeCounter(n)
}

func lastOf(s store.Store, key []byte) (int64, store.Group) {
	snap, err := s.Snapshot()
	if err != nil {
		return 0, 0
	}
	defer snap.Close()
	v, err := snap.Get(key)
	if err != nil {
		return 0, 0
	}
	n, _ := store.DecodeCounter(v)
	return n, snap.Group()
}

// verify says what is wrong with s, given what was acknowledged before the
// crash.
func (l *ledger) verify(s *pebble.Store) error {
	report, err := s.Check(store.Range{From: []byte("total"), To: []byte("total\x00")})
	if err != nil {
		return err
	}
	if report.Group < l.group {
		return fmt.Errorf("group %d after %d was acknowledged", report.Group, l.group)
	}
	var sum int64
	for lane := range 8 {
		left, _ := lastOf(s, fmt.Appendf(nil, "lane%d.left", lane))
		right, _ := lastOf(s, fmt.Appendf(nil, "lane%d.right", lane))
		if left != right {
			return fmt.Errorf("lane %d is torn: %d, %d", lane, left, right)
		}
		if left < l.acked[lane] {
			return fmt.Errorf("lane %d is at %d, %d was acknowledged", lane, left, l.acked[lane])
		}
		rows := int64(0)
		for _, err := range s.Scan(store.Prefix(fmt.Appendf(nil, "log%d.", lane))) {
			if err != nil {
				return err
			}
			rows++
		}
		if rows != left {
			return fmt.Errorf("lane %d is at %d with %d rows", lane, left, rows)
		}
		sum += left
	}
	if total, _ := lastOf(s, []byte("total")); total != sum {
		return fmt.Errorf("counter %d, lanes sum to %d", total, sum)
	}
	return nil
}

// seeded returns a random source and prints how to get it again.
func seeded(t *testing.T) *rand.Rand {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

func crashOptions(fs vfs.FS) pebble.Options {
	return pebble.Options{Dir: "/data", Create: true, FS: fs, Tune: small}
}

// TestCrashAtRandom pulls the plug while eight callers write, keeps any share
// of what was not synced, and goes on with what survived.
func TestCrashAtRandom(t *testing.T) {
	rng := seeded(t)
	crashes := 60
	if testing.Short() {
		crashes = 10
	}
	disk, l := vfs.NewCrashableMem(), newLedger()
	for i := range crashes {
		s, err := pebble.Open(crashOptions(disk))
		if err != nil {
			t.Fatalf("crash %d: %v", i, err)
		}
		if err := l.verify(s); err != nil {
			t.Fatalf("crash %d: %v", i, err)
		}
		after, acked := crashUnderLoad(t, s, l, disk, rng)
		_ = s.Close()
		disk, l = after, acked
	}
	t.Logf("%d crashes, %d groups", crashes, l.group)
}

// crashUnderLoad clones the disk while callers write. What was acknowledged
// just before must be in the clone.
func crashUnderLoad(t *testing.T, s *pebble.Store, l *ledger, disk *vfs.MemFS, rng *rand.Rand) (*vfs.MemFS, *ledger) {
	var wg sync.WaitGroup
	stop := make(chan struct{})
	enough := make(chan struct{})
	limit := rng.IntN(60)
	var once sync.Once
	for lane := range 8 {
		wg.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				if n == limit {
					once.Do(func() { close(enough) })
				}
				if err := l.write(s, lane, strings.Repeat("x", n%40*20)); err != nil {
					t.Error(err)
					once.Do(func() { close(enough) })
					return
				}
			}
		})
	}
	<-enough
	acked := l.copy()
	after := disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: rng.IntN(101), RNG: rng})
	close(stop)
	wg.Wait()
	return after, acked
}

// scenario is the life of a store from creation to a second opening, with a
// flush on the way. It returns at the first error.
func scenario(fs vfs.FS, l *ledger) error {
	for range 2 {
		s, err := pebble.Open(crashOptions(fs))
		if err != nil {
			return err
		}
		for n := range 12 {
			if err := l.write(s, n%3, strings.Repeat("y", 9000)); err != nil {
				_ = s.Close()
				return err
			}
		}
		if err := s.Close(); err != nil {
			return err
		}
	}
	return nil
}

// crashPoint clones the disk just before the n-th change of it.
type crashPoint struct {
	disk  *vfs.MemFS
	l     *ledger
	cfg   vfs.CrashCloneCfg
	at    int
	mu    sync.Mutex
	seen  int
	after *vfs.MemFS
	acked *ledger
}

func (c *crashPoint) fs() vfs.FS {
	return errorfs.Wrap(c.disk, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind.ReadOrWrite() == errorfs.OpIsWrite {
			c.mu.Lock()
			defer c.mu.Unlock()
			if c.seen == c.at {
				c.acked = c.l.copy()
				c.after = c.disk.CrashClone(c.cfg)
			}
			c.seen++
		}
		return nil
	}))
}

// TestF015CrashAtEveryOperation pulls the plug before each change of the disk, from
// creating the store to closing it the second time, and again up to twice while
// what survived is being opened (F015a).
func TestF015CrashAtEveryOperation(t *testing.T) {
	rng := seeded(t)
	count := &crashPoint{disk: vfs.NewCrashableMem(), l: newLedger(), at: -1}
	if err := scenario(count.fs(), count.l); err != nil {
		t.Fatal(err)
	}
	stride := 1
	if testing.Short() {
		stride = 7
	}
	cuts, again := 0, 0
	for at := 0; at < count.seen; at += stride {
		c := &crashPoint{disk: vfs.NewCrashableMem(), l: newLedger(), at: at}
		c.cfg = vfs.CrashCloneCfg{UnsyncedDataPercent: []int{0, 100, rng.IntN(101)}[at%3], RNG: rng}
		if err := scenario(c.fs(), c.l); err != nil {
			t.Fatal(err)
		}
		if c.after == nil {
			break // this run did fewer operations
		}
		cuts++
		disk := c.after
		for range at % 3 {
			if next := crashWhileOpening(c.acked, disk, rng); next != nil {
				disk, again = next, again+1
			}
		}
		survived(t, fmt.Sprintf("cut at operation %d", at), disk, c.acked)
	}
	t.Logf("%d operations, %d power cuts, %d more while opening", count.seen, cuts, again)
}

// crashWhileOpening opens the store and returns the disk as of a random change
// during that.
func crashWhileOpening(l *ledger, disk *vfs.MemFS, rng *rand.Rand) *vfs.MemFS {
	c := &crashPoint{disk: disk, l: l, at: rng.IntN(40)}
	c.cfg = vfs.CrashCloneCfg{UnsyncedDataPercent: rng.IntN(101), RNG: rng}
	s, err := pebble.Open(crashOptions(c.fs()))
	if err != nil {
		return nil // half made; survived looks at that
	}
	_ = s.Close()
	return c.after
}

// survived opens the disk and compares it with what was acknowledged. A store
// that was being created is made by the next opening.
func survived(t *testing.T, when string, disk vfs.FS, l *ledger) {
	t.Helper()
	s, err := pebble.Open(crashOptions(disk))
	if err != nil {
		t.Errorf("%s: %v", when, err)
		return
	}
	if err := l.verify(s); err != nil {
		t.Errorf("%s: %v", when, err)
	}
	if err := l.write(s, 0, ""); err != nil {
		t.Errorf("%s: it does not go on: %v", when, err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("%s: %v", when, err)
	}
}
