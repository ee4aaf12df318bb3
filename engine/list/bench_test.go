package list_test

import (
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"weft/engine/list"
	"weft/engine/row"
	"weft/flow"
	"weft/store"
	"weft/store/pebble"
)

var benchRuns = flag.Int("runs", 1_000_000, "runs in the store that the benchmarks list")

// BenchmarkPage reads pages of 50 rows from a Pebble store with many runs, nine
// of ten of which wait, and reports the median and the 99th percentile.
func BenchmarkPage(b *testing.B) {
	s := crowd(b, *benchRuns)
	middle := func(q flow.Query) flow.Query {
		q.Backward, q.Limit = !q.Backward, flow.MaxLimit
		p, err := list.Runs(s, q, nil)
		if err != nil {
			b.Fatal(err)
		}
		q.Backward, q.Limit, q.After = !q.Backward, 0, p.Cursors[len(p.Cursors)-1]
		return q
	}
	running := flow.Filter{Statuses: []flow.Status{flow.Running}}
	queries := []struct {
		name  string
		query flow.Query
	}{
		{"newest", flow.Query{}},
		{"newest of one status", flow.Query{Filter: running}},
		{"newest of one type", flow.Query{Filter: flow.Filter{Type: "type-3"}}},
		{"a page far behind", middle(flow.Query{Filter: running})},
		{"by end", flow.Query{Sort: flow.ByClosed}},
		{"by id", flow.Query{Sort: flow.ByID}},
		{"an id prefix", flow.Query{Filter: flow.Filter{IDPrefix: "run-0004"}}},
		{"a wide id prefix", flow.Query{Filter: flow.Filter{IDPrefix: "run-"}}},
		{"a search that finds nothing", flow.Query{Filter: flow.Filter{Contains: "nothing"}}},
	}
	for _, q := range queries {
		b.Run(q.name, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				start := time.Now()
				snap, err := s.Snapshot()
				if err != nil {
					b.Fatal(err)
				}
				if _, err := list.Runs(snap, q.query, nil); err != nil {
					b.Fatal(err)
				}
				snap.Close()
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
		})
	}
}

// crowd is a store with n runs of ten types.
func crowd(b *testing.B, n int) store.Store {
	s, err := pebble.Open(pebble.Options{Dir: filepath.Join(b.TempDir(), "store"), Create: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	const batch = 1000
	for from := 0; from < n; from += batch {
		commit(b, s, func(bt *store.Batch) {
			for i := from; i < min(from+batch, n); i++ {
				passer(i).put(bt)
			}
		})
	}
	settle(s)
	return s
}

// settle waits until the store has stopped rearranging what was written.
func settle(s store.Store) {
	for size, calm := int64(-1), 0; calm < 6; time.Sleep(500 * time.Millisecond) {
		calm++
		if now := s.Health().Size; now != size {
			size, calm = now, 0
		}
	}
}

// passer is one run of the crowd.
func passer(i int) run {
	r := run{
		id: flow.WorkflowID(fmt.Sprintf("run-%08d", i*7919%100_000_000)), typ: fmt.Sprintf("type-%d", i%10), version: "1",
		status: flow.Running, created: flow.Instant(1_772_366_400_000 + i/3),
		events: []flow.Event{{Kind: flow.EventStep, Step: "1", StepKind: flow.StepActivity, Name: "reserve", Output: flow.Payload(`{"ok":true}`)}},
	}
	if i%10 == 7 {
		r.status, r.closed = flow.Completed, r.created+5
		r.events = append(r.events, flow.Event{Kind: flow.EventEnded, Status: flow.Completed, Output: flow.Payload(`7`)})
		return r
	}
	r.waits = map[flow.StepPath]row.Wait{"2": {Kind: flow.StepSignal, Name: "approved", StartedAt: r.created}}
	return r
}
