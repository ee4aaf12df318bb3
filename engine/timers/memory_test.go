package timers

import (
	"context"
	"fmt"
	"testing"
	"time"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
	"weft/store/memory"
)

// Whatever is stored, a queue has a few pages of it in memory.
func TestAQueueHasPagesInMemoryNotAll(t *testing.T) {
	now := time.Now()
	for name, due := range map[string]time.Duration{"all late": -time.Hour, "all in a day": 24 * time.Hour, "all soon": 3 * time.Second} {
		s := memory.New(memory.Options{})
		q := New(Config[row.Timer]{Store: s, Slots: 1,
			Family: Family[row.Timer]{Prefix: row.FamilyTimer, From: row.TimersFrom, Parse: row.ParseTimer}})
		var b store.Batch
		var all []row.Timer
		for i := range 9000 {
			t := row.Timer{Due: flow.InstantOf(now.Add(due)), Step: "1",
				Ref: flow.Ref{ID: flow.WorkflowID(fmt.Sprint(i)), Run: "01J00000000000000000000000"}}
			all = append(all, t)
			b.Put(t.Key(), nil)
		}
		if _, err := s.Commit(context.Background(), &b); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if err := q.load(now); err != nil {
				t.Fatal(err)
			}
		}
		q.Added(all...) // late: their rows were found already, or will be
		if n := len(q.known); n > page || (due > time.Hour) != (n == 0) {
			t.Errorf("%s: %d timers in memory", name, n)
		}
		s.Close()
	}
}
