package teardown_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"

	rawdb "github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"weft/store"
	"weft/store/memory"
	"weft/store/pebble"
)

// onMemory is a life on a store in memory that a crash leaves as it was.
func onMemory(t *testing.T) (*life, **memory.Store) {
	last := memory.New(memory.Options{Exclusive: true})
	first := true
	l := &life{T: t, o: newOutside(), open: func() (store.Store, error) {
		if first {
			first = false
			return last, nil
		}
		s, err := last.Reopen()
		if err == nil {
			last = s
		}
		return s, err
	}}
	return l, &last
}

// TestCrashBetweenAllWrites makes each commit of the life the last one of its
// process, applied or not, and once more while what is left goes on.
func TestCrashBetweenAllWrites(t *testing.T) {
	cuts := 0
	for _, moment := range []memory.Moment{memory.Before, memory.After} {
		for at := 1; ; at++ {
			cut := false
			synctest.Test(t, func(t *testing.T) { cut = cutAt(t, at, moment) })
			if !cut {
				break
			}
			cuts++
		}
	}
	t.Logf("%d cuts", cuts)
	if cuts < 50 {
		t.Errorf("only %d cuts", cuts)
	}
}

// cutAt runs the life with a cut at its n-th commit; false when it has fewer.
func cutAt(t *testing.T, n int, moment memory.Moment) bool {
	l, last := onMemory(t)
	t.Cleanup(func() { _ = l.halt() })
	when := fmt.Sprintf("cut %d at commit %d", moment, n)
	// Reopening clears the order to fail: count across openings.
	seen, open := uint64(0), l.open
	l.open = func() (store.Store, error) {
		if l.s == nil {
			seen += (*last).Health().Batches
		}
		s, err := open()
		if left := n - int(seen); err == nil && left > 0 {
			s.(*memory.Store).FailCommit(left, moment)
		}
		return s, err
	}
	err := l.begin()
	if err == nil {
		err = l.run()
	}
	if err == nil {
		l.over(when+", which never came", 0)
		return false
	}
	for again := range 3 {
		crash(l, last)
		l.open = open
		if err := l.begin(); err != nil {
			t.Fatalf("%s: %v", when, err)
		}
		l.holds(when)
		if again < 2 { // and cut again soon
			(*last).FailCommit(1+(n+again)%3, moment)
		}
		if err := l.run(); err == nil {
			l.over(when, again+1)
			return true
		}
	}
	t.Errorf("%s: the life did not end", when)
	return true
}

// crash ends the process: its goroutines find the store dead.
func crash(l *life, last **memory.Store) {
	s := (*last).Crash()
	if l.d != nil {
		close(l.closing)
		<-l.ended
		l.d = nil
	}
	l.s = nil
	*last = s
	_ = s.Close() // the next opening is a reopening
}

// tuned makes Pebble flush and compact within few rows, without tickers.
func tuned(o *rawdb.Options) {
	o.MemTableSize = 64 << 10
	o.Experimental.CompactionScheduler = rawdb.NewConcurrencyLimitSchedulerWithNoPeriodicGrantingForTest()
}

// cutter clones the disk, and what is outside, just before the n-th change of
// the disk.
type cutter struct {
	disk  *vfs.MemFS
	o     *outside
	cfg   vfs.CrashCloneCfg
	at    int
	mu    sync.Mutex
	seen  int
	after *vfs.MemFS
	then  *outside
}

func (c *cutter) fs() vfs.FS {
	return errorfs.Wrap(c.disk, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind.ReadOrWrite() == errorfs.OpIsWrite {
			c.mu.Lock()
			defer c.mu.Unlock()
			if c.seen == c.at {
				c.then = c.o.copy()
				c.after = c.disk.CrashClone(c.cfg)
			}
			c.seen++
		}
		return nil
	}))
}

func onPebble(t *testing.T, o *outside, fs vfs.FS) *life {
	l := &life{T: t, o: o, open: func() (store.Store, error) {
		return pebble.Open(pebble.Options{Dir: "/data", Create: true, FS: fs, Tune: tuned})
	}}
	t.Cleanup(func() { _ = l.halt() })
	return l
}

// TestCrashAtEveryFileOperation pulls the plug before each change of the disk
// from the opening of the store on, and goes on with what survived.
func TestCrashAtEveryFileOperation(t *testing.T) {
	stride := 1
	if testing.Short() {
		stride = 7
	}
	total, cuts, unmade := 0, 0, 0
	for at := 0; at == 0 || at < total; at += stride {
		synctest.Test(t, func(t *testing.T) {
			c := &cutter{disk: vfs.NewCrashableMem(), o: newOutside(), at: at,
				cfg: vfs.CrashCloneCfg{UnsyncedDataPercent: 50 * (at % 3), RNG: rand.New(rand.NewPCG(uint64(at), 0))}}
			l := onPebble(t, c.o, c.fs())
			if err := l.begin(); err != nil {
				t.Fatal(err)
			}
			if err := l.run(); err != nil {
				t.Fatal(err)
			}
			l.over("without a cut", 0)
			total = max(total, c.seen)
			if c.after == nil {
				return // this life took fewer operations
			}
			cuts++
			again := onPebble(t, c.then, c.after)
			again.skew = l.skew
			if err := again.begin(); err != nil {
				if errors.Is(err, store.ErrHalfMade) && len(c.then.owed) == 0 {
					unmade++
					return
				}
				t.Fatalf("cut at operation %d: %v", at, err)
			}
			again.holds(fmt.Sprintf("cut at operation %d", at))
			if err := again.run(); err != nil {
				t.Fatalf("cut at operation %d: %v", at, err)
			}
			again.over(fmt.Sprintf("cut at operation %d", at), 1)
		})
		if t.Failed() {
			break
		}
	}
	t.Logf("%d file operations, %d power cuts, %d of them before there was a store", total, cuts, unmade)
}
