package timers_test

import (
	"errors"
	"flag"
	"fmt"
	"iter"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
	"weft/store/memory"
)

var seedFlag = flag.Uint64("seed", 0, "seed of randomised tests; 0 chooses one")

func dice(t *testing.T) *rand.Rand {
	t.Helper()
	seed := *seedFlag
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("run again with -seed %d", seed)
		}
	})
	return rand.New(rand.NewPCG(seed, 1))
}

// While 20,000 that were due at once are worked off, at 1,600 a second, one that
// is due alone does not wait for them; and they do not wait for it.
func TestALoneTimerIsInTimeWhileManyAreLate(t *testing.T) {
	const backlog, lone = 20_000, 100
	tests := map[string]struct {
		due    time.Duration // of the many, from the open
		before bool          // the rows are there before the open
	}{
		"due at the open":        {0, true},
		"due long before it":     {-time.Hour, true},
		"due later, set before":  {time.Hour, true},
		"due soon, set before":   {2 * time.Second, true},
		"due soon, set after":    {2 * time.Second, false},
		"due already, set after": {-time.Second, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			bubble(t, 16, 10*time.Millisecond, func(w *world) {
				at := time.Now().Add(tc.due)
				from := at
				if tc.due < 0 {
					from = time.Now()
				}
				var all []row.Timer
				all = append(all, many(backlog, at)...)
				for i := range lone {
					all = append(all, timer(fmt.Sprintf("lone-%d", i), from.Add(time.Duration(i)*113*time.Millisecond)))
				}
				if tc.before {
					w.put(all...)
				}
				w.open()
				if !tc.before {
					w.put(all...)
				}
				time.Sleep(time.Until(from) + 11*time.Second + lone)
				if done, _, _ := w.seen(); done < 17_000 || done >= backlog {
					t.Errorf("%d fired after 11 s: the backlog should be nearly through", done)
				}
				for i := 1; i < lone-5; i++ {
					w.inTime(fmt.Sprintf("lone-%d", i), 20*time.Millisecond)
				}
				time.Sleep(10 * time.Second)
				w.once(backlog + lone)
			})
		})
	}
}

// More keep becoming due than can be served: the oldest get their turn all the
// same.
func TestTheOldestAreServedHoweverManyKeepComing(t *testing.T) {
	bubble(t, 16, 10*time.Millisecond, func(w *world) {
		now := time.Now()
		old := many(500, now.Add(-time.Minute))
		w.put(old...)
		var fresh []row.Timer
		for i := range 20_000 { // 2,000 a second
			fresh = append(fresh, timer(fmt.Sprintf("fresh-%d", i), now.Add(time.Duration(i)*time.Second/2000)))
		}
		w.put(fresh...)
		w.open()
		time.Sleep(time.Second)
		for i := range old {
			if len(w.fired(fmt.Sprintf("many-%d", i))) != 1 {
				t.Fatalf("after a second number %d of 500 has not been served", i)
			}
		}
		time.Sleep(20 * time.Second)
		w.once(20_500)
	})
}

// What is on disk becomes due while very many short waits come and go, which are
// all in memory.
func TestShortWaitsDoNotKeepOthersOnDisk(t *testing.T) {
	bubble(t, 1000, time.Millisecond, func(w *world) {
		from := time.Now()
		for i := range 20 {
			w.put(timer(fmt.Sprintf("disk-%d", i), from.Add(time.Duration(i)*time.Second)))
		}
		w.open()
		const short = 20 * 1500
		for i := range short {
			if i%15 == 0 {
				time.Sleep(10 * time.Millisecond)
			}
			w.put(timer(fmt.Sprintf("short-%d", i), time.Now().Add(3*time.Second)))
		}
		time.Sleep(5 * time.Second)
		for i := range 20 {
			w.inTime(fmt.Sprintf("disk-%d", i), 20*time.Millisecond)
		}
		w.once(short + 20)
	})
}

// The process dies and starts again while the backlog is worked off, several
// times: only what was under way then fires twice.
func TestRestartsInTheMidstOfABacklog(t *testing.T) {
	const backlog, slots = 12_000, 16
	bubble(t, slots, 10*time.Millisecond, func(w *world) {
		from := time.Now()
		w.put(many(backlog, from)...)
		for i := range 20 {
			w.put(timer(fmt.Sprintf("lone-%d", i), from.Add(time.Duration(i)*300*time.Millisecond+50*time.Millisecond)))
		}
		for range 4 {
			w.open()
			time.Sleep(1499 * time.Millisecond)
			w.close()
		}
		w.open()
		time.Sleep(5 * time.Second)
		again := 0
		_, fires, _ := w.seen()
		for id, f := range fires {
			again += len(f) - 1
			if len(f) > 3 {
				t.Errorf("%s fired %d times", id, len(f))
			}
		}
		if again > 4*slots || len(fires) != backlog+20 {
			t.Errorf("%d timers fired, %d times again; want %d, at most %d", len(fires), again, backlog+20, 4*slots)
		}
		for i := range 20 {
			if f := w.fired(fmt.Sprintf("lone-%d", i)); f[0].late > 20*time.Millisecond {
				t.Errorf("lone-%d was late by %v", i, f[0].late)
			}
		}
	})
}

// The wall clock is stepped while a backlog is worked off: nothing fires early,
// twice or never, and a lone timer follows the clock within a look.
func TestClockStepsInTheMidstOfABacklog(t *testing.T) {
	const backlog = 10_000
	for name, by := range map[string]time.Duration{"back 10 s": -10 * time.Second, "back an hour": -time.Hour,
		"on 10 s": 10 * time.Second, "on a day": 24 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			bubble(t, 16, 10*time.Millisecond, func(w *world) {
				from := time.Now().Add(time.Hour)
				w.put(many(backlog, from)...)
				for i := range 30 {
					w.put(timer(fmt.Sprintf("lone-%d", i), from.Add(time.Duration(i)*time.Second)))
				}
				w.open()
				time.Sleep(time.Hour + 2*time.Second)
				w.step(by)
				w.put(timer("after", w.now().Add(time.Second))) // alone, by the new clock
				time.Sleep(2100 * time.Millisecond)
				w.inTime("after", time.Second)
				time.Sleep(max(0, -by) + 40*time.Second)
				w.once(backlog + 31)
			})
		})
	}
}

// Timers are added in any order, below and above the edge, while others are read.
func TestTimersAddedInAnyOrder(t *testing.T) {
	dice := dice(t)
	bubble(t, 200, time.Millisecond, func(w *world) {
		from := time.Now()
		const n = 9000
		for i := range n / 3 {
			w.put(timer(fmt.Sprintf("before-%d", i), from.Add(time.Duration(dice.Int64N(int64(20*time.Second))))))
		}
		w.open()
		for i := range 2 * n / 3 {
			if dice.IntN(4) == 0 {
				time.Sleep(time.Duration(dice.Int64N(int64(8 * time.Millisecond))))
			}
			w.put(timer(fmt.Sprintf("after-%d", i), time.Now().Add(time.Duration(dice.Int64N(int64(12*time.Second))))))
		}
		time.Sleep(20 * time.Second)
		w.once(n)
		for id := range w.fires {
			w.inTime(string(id), 5*time.Millisecond)
		}
	})
}

// Actions that do not end keep their slots, but not the others from beginning;
// when they end at last, no more than before are under way at once.
func TestStuckActionsDoNotStopTheOthers(t *testing.T) {
	for name, patience := range map[string]time.Duration{"with patience": time.Second, "for ever": 0} {
		t.Run(name, func(t *testing.T) {
			bubble(t, 4, time.Millisecond, func(w *world) {
				w.c.Patience = patience
				w.stuck, w.free = map[flow.WorkflowID]bool{}, make(chan struct{})
				from := time.Now()
				for i := range 8 {
					id := fmt.Sprintf("stuck-%d", i)
					w.stuck[flow.WorkflowID(id)] = true
					w.put(timer(id, from))
				}
				w.put(many(1000, from.Add(10*time.Second))...)
				w.open()
				time.Sleep(10*time.Second + 100*time.Millisecond)
				if n, _, _ := w.seen(); patience == 0 && n != 4 || patience > 0 && (n <= 100 || n >= 1000) {
					t.Errorf("%d actions began", n)
				}
				close(w.free)
				time.Sleep(10 * time.Second)
				w.once(1008)
				if _, _, most := w.seen(); most != 4 {
					t.Errorf("%d actions were under way at once, want 4", most)
				}
			})
		})
	}
}

// A queue at rest hears of a timer that is due before its next look.
func TestATimerThatIsDueFirstWakesTheLoop(t *testing.T) {
	bubble(t, 1, 0, func(w *world) {
		w.open()
		for i := range 10 {
			time.Sleep(1700 * time.Millisecond)
			w.put(timer(fmt.Sprint("b", i), time.Now().Add(200*time.Millisecond)))
			w.put(timer(fmt.Sprint("a", i), time.Now().Add(100*time.Millisecond)))
			time.Sleep(300 * time.Millisecond)
			w.inTime(fmt.Sprint("a", i), 0)
			w.inTime(fmt.Sprint("b", i), 0)
		}
	})
}

// flaky fails some scans.
type flaky struct {
	*memory.Store
	fail atomic.Bool
}

func (f *flaky) Scan(r store.Range) iter.Seq2[store.Row, error] {
	return func(yield func(store.Row, error) bool) {
		n := 0
		for kv, err := range f.Store.Scan(r) {
			if n++; n > 10 && f.fail.Load() {
				yield(store.Row{}, errors.New("the disk is sick"))
				return
			}
			if !yield(kv, err) {
				return
			}
		}
	}
}

// Rows that cannot be read now are read later, each once.
func TestRowsThatCannotBeReadAreReadLater(t *testing.T) {
	bubble(t, 16, time.Millisecond, func(w *world) {
		f := &flaky{Store: w.s}
		f.fail.Store(true)
		var problems atomic.Int64
		w.c.Store, w.c.Problem = f, func(error) { problems.Add(1) }
		from := time.Now()
		w.put(many(9000, from)...)
		w.put(timer("later", from.Add(time.Minute)))
		w.open()
		time.Sleep(10 * time.Second)
		if fired, _, _ := w.seen(); fired != 0 || problems.Load() < 5 || problems.Load() > 50 {
			t.Errorf("%d fired, %d problems", fired, problems.Load())
		}
		f.fail.Store(false)
		time.Sleep(time.Minute)
		w.inTime("later", time.Millisecond)
		w.once(9001)
	})
}
