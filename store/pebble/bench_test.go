package pebble_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"weft/store"
	"weft/store/pebble"

	rawdb "github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// valueSize is that of a usual journal entry.
const valueSize = 300

// BenchmarkCommit compares commits through the store with plain synced Pebble
// commits. Raw and ours alternate within one run, because the disk changes by
// more than what is measured; "ratio" is the median of the rounds.
func BenchmarkCommit(b *testing.B) {
	for _, callers := range []int{1, 16, 256, 1024} {
		for _, conditions := range []int{0, 2} {
			b.Run(fmt.Sprintf("callers=%d/conditions=%d", callers, conditions), func(b *testing.B) {
				compare(b, callers, conditions)
			})
		}
	}
}

func compare(b *testing.B, callers, conditions int) {
	raw := openRaw(b)
	ours, err := pebble.Open(pebble.Options{Dir: b.TempDir(), Create: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = ours.Close() })
	const round = 400 * time.Millisecond
	var rates [2][]float64
	for b.Loop() {
		rates[0] = append(rates[0], rate(callers, round, rawCaller(b, raw)))
		rates[1] = append(rates[1], rate(callers, round, ourCaller(b, ours, conditions)))
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(rates[0]), "raw/s")
	b.ReportMetric(median(rates[1]), "ours/s")
	ratios := make([]float64, len(rates[0]))
	for i := range ratios {
		ratios[i] = rates[1][i] / rates[0][i]
	}
	b.ReportMetric(median(ratios), "ratio")
	h := ours.Health()
	b.ReportMetric(float64(h.Batches)/float64(h.Syncs), "batches/sync")
}

// rate runs commit in so many goroutines for a while.
func rate(callers int, round time.Duration, caller func(i int) (commit func())) float64 {
	var n atomic.Int64
	var wg sync.WaitGroup
	begin := time.Now()
	for i := range callers {
		wg.Go(func() {
			commit := caller(i)
			for time.Since(begin) < round {
				commit()
				n.Add(1)
			}
		})
	}
	wg.Wait()
	return float64(n.Load()) / time.Since(begin).Seconds()
}

func openRaw(b *testing.B) *rawdb.DB {
	opts := &rawdb.Options{
		FormatMajorVersion: rawdb.FormatTableFormatV6, MemTableSize: 16 << 20,
		L0StopWritesThreshold: 24, Logger: silent{},
	}
	for i := range opts.Levels {
		opts.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	db, err := rawdb.Open(b.TempDir(), opts)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	return db
}

type silent struct{}

func (silent) Infof(string, ...any)      {}
func (silent) Errorf(string, ...any)     {}
func (silent) Fatalf(f string, a ...any) { panic(fmt.Sprintf(f, a...)) }

func rawCaller(b *testing.B, db *rawdb.DB) func(i int) func() {
	return func(i int) func() {
		value, n := make([]byte, valueSize), 0
		return func() {
			n++
			batch := db.NewBatch()
			err := batch.Set(fmt.Appendf(nil, "ev:run-%06d:%010d", i, n), value, nil)
			if err == nil {
				err = db.ApplyNoSyncWait(batch, rawdb.Sync)
			}
			if err == nil {
				err = batch.SyncWait()
			}
			if err != nil {
				b.Error(err)
			}
			_ = batch.Close()
		}
	}
}

// ourCaller does what a step of a run does: one put, conditional on the epoch
// and on the run's head.
func ourCaller(b *testing.B, s store.Store, conditions int) func(i int) func() {
	return func(i int) func() {
		ctx := context.Background()
		value, n := make([]byte, valueSize), 0
		epoch, head, headValue := []byte("lease:epoch"), fmt.Appendf(nil, "wf:run-%06d", i), make([]byte, 200)
		setup := new(store.Batch)
		setup.Put(epoch, []byte("12345678"))
		setup.Put(head, headValue)
		res, err := s.Commit(ctx, setup)
		if err != nil {
			b.Error(err)
		}
		at := res.Group
		return func() {
			n++
			batch := new(store.Batch)
			if conditions > 0 {
				batch.Expect(epoch, []byte("12345678"), at)
				batch.Expect(head, headValue, at)
			}
			batch.Put(fmt.Appendf(nil, "ev:run-%06d:%010d", i, n), value)
			res, err := s.Commit(ctx, batch)
			if err != nil || !res.Applied {
				b.Errorf("%+v, %v", res, err)
			}
			at = res.Group
		}
	}
}

func median(v []float64) float64 { return slices.Sorted(slices.Values(v))[len(v)/2] }

// BenchmarkOpen opens a store of 100,000 rows that was closed, and one that was
// killed with so many rows in its log as fit.
func BenchmarkOpen(b *testing.B) {
	live := filepath.Join(b.TempDir(), "live")
	s, err := pebble.Open(pebble.Options{Dir: live, Create: true})
	if err != nil {
		b.Fatal(err)
	}
	for i := range 100 {
		batch := new(store.Batch)
		for n := range 1000 {
			batch.Put(fmt.Appendf(nil, "ev:%06d:%06d", n, i), make([]byte, valueSize))
		}
		if _, err := s.Commit(b.Context(), batch); err != nil {
			b.Fatal(err)
		}
	}
	killed := b.TempDir()
	if _, err := vfs.Clone(vfs.Default, vfs.Default, live, filepath.Join(killed, "data")); err != nil {
		b.Fatal(err)
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	for name, dir := range map[string]string{"closed": live, "killed": filepath.Join(killed, "data")} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				fresh := filepath.Join(b.TempDir(), "data")
				if _, err := vfs.Clone(vfs.Default, vfs.Default, dir, fresh); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				s, err := pebble.Open(pebble.Options{Dir: fresh})
				if err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				_ = s.Close()
				b.StartTimer()
			}
		})
	}
}
