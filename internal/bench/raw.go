package main

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"time"

	pdb "github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
)

// rawOptions are what the store opens its own database with.
func rawOptions() *pdb.Options {
	o := &pdb.Options{FormatMajorVersion: pdb.FormatTableFormatV6, MemTableSize: 16 << 20, CacheSize: 48 << 20,
		L0StopWritesThreshold: 24, Logger: silent{}}
	for i := range o.Levels {
		o.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
		o.Levels[i].FilterType = pdb.TableFilter
	}
	o.ApplyCompressionSettings(func() pdb.DBCompressionSettings { return pdb.DBCompressionFastest })
	return o
}

// silent drops what Pebble would print.
type silent struct{}

func (silent) Infof(string, ...any)  {}
func (silent) Errorf(string, ...any) {}
func (silent) Fatalf(format string, args ...any) {
	panic(fmt.Sprintf(format, args...))
}

// raw measures plain synced commits of 300 bytes by n committers on a fresh
// database: what the disk and Pebble give without any engine.
func raw(dir string, n int, d time.Duration) (float64, error) {
	dir, err := os.MkdirTemp(dir, "raw-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	db, err := pdb.Open(dir, rawOptions())
	if err != nil {
		return 0, err
	}
	defer db.Close()
	var count atomic.Int64
	var failed atomic.Pointer[error]
	var wg sync.WaitGroup
	began := time.Now()
	for w := range n {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(w), 1))
			value := make([]byte, 280)
			for i := range value {
				value[i] = byte(rng.Uint32())
			}
			for i := uint64(0); time.Since(began) < d; i++ {
				if err := commitRaw(db, uint64(w), i, value); err != nil {
					failed.Store(&err)
					return
				}
				count.Add(1)
			}
		})
	}
	wg.Wait()
	if p := failed.Load(); p != nil {
		return 0, *p
	}
	return float64(count.Load()) / time.Since(began).Seconds(), nil
}

func commitRaw(db *pdb.DB, w, i uint64, value []byte) error {
	var key [20]byte
	binary.BigEndian.PutUint64(key[:], w)
	binary.BigEndian.PutUint64(key[8:], i)
	b := db.NewBatch()
	defer b.Close()
	if err := b.Set(key[:], value, nil); err != nil {
		return err
	}
	if err := db.ApplyNoSyncWait(b, pdb.Sync); err != nil {
		return err
	}
	return b.SyncWait()
}
