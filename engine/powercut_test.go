package engine_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"weft/engine"
	"weft/store"
	"weft/store/pebble"

	rawdb "github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// powerCut keeps the disk as it was just before a change of it: what was synced,
// and a share of what was not.
type powerCut struct {
	disk  *vfs.MemFS
	cfg   vfs.CrashCloneCfg
	at    int // which change; -1: never
	mu    sync.Mutex
	seen  int
	after *vfs.MemFS
	hit   chan struct{} // closed then
	do    func()        // called then
}

func newPowerCut(at int, cfg vfs.CrashCloneCfg) *powerCut {
	return &powerCut{disk: vfs.NewCrashableMem(), at: at, cfg: cfg, do: func() {}}
}

func (c *powerCut) fs() vfs.FS {
	return errorfs.Wrap(c.disk, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind.ReadOrWrite() != errorfs.OpIsWrite {
			return nil
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.seen == c.at {
			c.do()
			c.after = c.disk.CrashClone(c.cfg)
			close(c.hit)
		}
		c.seen++
		return nil
	}))
}

func openDisk(fs vfs.FS) (store.Store, error) {
	return pebble.Open(pebble.Options{Dir: "/data", Create: true, FS: fs, Tune: func(o *rawdb.Options) {
		o.MemTableSize = 64 << 10 // many flushes
		o.Experimental.CompactionScheduler = rawdb.NewConcurrencyLimitSchedulerWithNoPeriodicGrantingForTest()
	}})
}

// player plays something on stores that outlive its processes.
type player struct {
	*rig
	crashes int
	// late is set when what is acknowledged does not count any more, because
	// the disk that the next process finds is of an earlier moment.
	late   atomic.Bool
	opened func(*engine.Engine) // told of each engine; may be nil
}

// piece is what a player plays.
type piece struct {
	act   func() bool // one tenure; false when the process died
	judge func()      // looks at what is left
	// anew reports that nothing was acknowledged, so that the store may be one
	// whose creation the cut interrupted.
	anew func() bool
}

// cutPower lets the power go at a change of the disk, and goes on with what the
// disk has kept.
func cutPower(t *testing.T, cut *powerCut, stage func(*rig) (*player, piece)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		cut.hit = make(chan struct{}) // of this bubble
		first, err := openDisk(cut.fs())
		if err != nil {
			t.Fatal(err)
		}
		r := &rig{TB: t, store: first}
		defer r.over()
		p, play := stage(r)
		cut.mu.Lock() // the store has begun to write by itself
		cut.do = func() { p.late.Store(true) }
		cut.mu.Unlock()
		select {
		case <-cut.hit: // while the store was made
			p.late.Store(true)
		default:
		}
		if untilPowerCut(cut.hit, &p.opened, play.act) {
			r.leave()
			play.judge()
			return
		}
		r.next = func() store.Store {
			s, err := openDisk(cut.after)
			if errors.Is(err, store.ErrHalfMade) && play.anew() {
				s, err = openDisk(vfs.NewMem())
			}
			if err != nil {
				t.Fatalf("open after the power cut: %v", err)
			}
			return s
		}
		p.crashes++
		r.die()
		p.late.Store(false)
		if !play.act() {
			t.Fatalf("the process died by itself: %v", r.eng.Err())
		}
		r.leave()
		play.judge()
	})
}

// untilPowerCut is act, ended early when the power goes: opened is told of each
// engine.
func untilPowerCut(cut <-chan struct{}, opened *func(*engine.Engine), act func() bool) bool {
	over := make(chan struct{})
	var watch sync.WaitGroup
	defer watch.Wait()
	defer close(over)
	*opened = func(e *engine.Engine) {
		watch.Go(func() {
			select {
			case <-cut:
				gone, cancel := context.WithCancel(context.Background())
				cancel()
				_ = e.Close(gone)
			case <-over:
			}
		})
	}
	defer func() { *opened = nil }()
	return act()
}

// cutDrama plays programs.
func cutDrama(t *testing.T, rng *rand.Rand, programs []program, cut *powerCut) {
	t.Helper()
	cutPower(t, cut, func(r *rig) (*player, piece) {
		d := newDrama(r, programs)
		return &d.player, piece{act: func() bool { return d.act(rng) }, judge: d.judge,
			anew: func() bool { return len(d.started) == 0 }}
	})
}

// TestAPowerCutAtEveryFileOperationChangesNothing plays the script on Pebble.
// Unsynced data is kept wholly, not at all, or in part.
func TestAPowerCutAtEveryFileOperationChangesNothing(t *testing.T) {
	count := newPowerCut(-1, vfs.CrashCloneCfg{})
	cutDrama(t, rand.New(rand.NewPCG(1, 1)), script, count)
	stride := 1
	if testing.Short() {
		stride = 7
	}
	rng := rand.New(rand.NewPCG(2, 2))
	cuts := 0
	for at := 0; at < count.seen; at += stride {
		cuts++
		kept := []int{0, 100, rng.IntN(101)}[cuts%3]
		cutDrama(t, rand.New(rand.NewPCG(1, 1)), script,
			newPowerCut(at, vfs.CrashCloneCfg{UnsyncedDataPercent: kept, RNG: rand.New(rand.NewPCG(uint64(at), 3))}))
		if t.Failed() {
			t.Fatalf("cut at change %d of %d, %d %% of what was not synced kept", at, count.seen, kept)
		}
	}
	t.Logf("%d changes of the disk, %d power cuts", count.seen, cuts)
}

// TestAPowerCutChangesNoProgram does so at a random moment of random programs.
func TestAPowerCutChangesNoProgram(t *testing.T) {
	seeds(t, 150, func(t *testing.T, rng *rand.Rand) {
		programs := make([]program, 1+rng.IntN(4))
		for i := range programs {
			programs[i] = randomProgram(rng, 1+rng.IntN(9))
		}
		cutDrama(t, rng, programs, newPowerCut(rng.IntN(300),
			vfs.CrashCloneCfg{UnsyncedDataPercent: rng.IntN(101), RNG: rand.New(rand.NewPCG(rng.Uint64(), 3))}))
		if t.Failed() {
			t.Logf("%+v", programs)
		}
	})
}
