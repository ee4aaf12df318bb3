package pebble_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"weft/store"
	"weft/store/pebble"
	"weft/store/storetest"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

var (
	_ store.Store = (*pebble.Store)(nil)
	_ store.Owner = (*pebble.Store)(nil)
)

func TestContract(t *testing.T) { storetest.Run(t, newSubject) }

// newSubject is a store on a memory file system that can be crashed and made
// to fail.
func newSubject(t testing.TB) storetest.Subject {
	d := &disk{mem: vfs.NewCrashableMem()}
	open := func() (store.Store, error) {
		s, err := pebble.Open(pebble.Options{Dir: "/data", Create: true, FS: d.fs()})
		if err != nil {
			return nil, err // not a typed nil
		}
		return s, nil
	}
	return storetest.Subject{
		Open: open,
		Fail: func(store.Store) { d.breakLog.Store(true) },
		Crash: func(s store.Store) (store.Store, error) {
			d.crash(vfs.CrashCloneCfg{})
			_ = s.Close()
			return open()
		},
	}
}

// disk is a memory file system whose log files can be made unwritable.
type disk struct {
	mu       sync.Mutex
	mem      *vfs.MemFS
	breakLog atomic.Bool
}

var errDisk = errors.New("the disk says no")

func (d *disk) fs() vfs.FS {
	d.mu.Lock()
	defer d.mu.Unlock()
	return errorfs.Wrap(d.mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if d.breakLog.Load() && isLog(op.Path) &&
			(op.Kind == errorfs.OpFileWrite || op.Kind == errorfs.OpFileSync || op.Kind == errorfs.OpFileSyncData) {
			return errors.Join(errDisk, syscall.EIO)
		}
		return nil
	}))
}

// crash replaces the file system by what survives a power cut.
func (d *disk) crash(cfg vfs.CrashCloneCfg) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.mem = d.mem.CrashClone(cfg)
}

func isLog(path string) bool { return len(path) > 4 && path[len(path)-4:] == ".log" }
