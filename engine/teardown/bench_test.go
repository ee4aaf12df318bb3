package teardown_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"weft/engine/row"
	"weft/engine/teardown"
	"weft/flow"
	"weft/store"
	"weft/store/pebble"
)

// BenchmarkDrive drives teardowns that are all due on Pebble: each is a claim
// and a success, two synced commits.
func BenchmarkDrive(b *testing.B) {
	s, err := pebble.Open(pebble.Options{Dir: b.TempDir() + "/store", Create: true})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	due := flow.InstantOf(time.Now())
	for from := 0; from < b.N; from += 1000 {
		batch := new(store.Batch)
		batch.Put(row.LeaseEpoch, binary.BigEndian.AppendUint64(nil, 1))
		for i := from; i < min(from+1000, b.N); i++ {
			r := ref(fmt.Sprint("w", i))
			teardown.PutState(batch, r, row.State{Type: typ, Finalizer: fin, Payload: []byte("1")})
			teardown.Owe(batch, teardown.Debt{Ref: r, Type: typ, Finalizer: fin}, due)
		}
		if _, err := s.Commit(context.Background(), batch); err != nil {
			b.Fatal(err)
		}
	}
	var left atomic.Int64
	left.Store(int64(b.N))
	done := make(chan struct{})
	d, err := teardown.New(teardown.Config{Store: s, Commit: fenced(s, 1),
		Notify: func(n flow.Notice) {
			if n.Kind == flow.NoticeTeardown && n.Text == "teardown destroy-vm done at attempt 1" && left.Add(-1) == 0 {
				close(done)
			}
		},
		Finalizer: func(string, string) (teardown.Finalizer, bool) {
			return teardown.Finalizer{Do: func(context.Context, teardown.Attempt) error { return nil }}, true
		}})
	if err != nil {
		b.Fatal(err)
	}
	closing, ended := make(chan struct{}), make(chan struct{})
	b.ResetTimer()
	go func() { defer close(ended); d.Run(closing) }()
	<-done
	b.StopTimer()
	close(closing)
	<-ended
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "teardowns/s")
}
