package main

import (
	"context"
	"fmt"
	"os"
	"runtime/pprof"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"weft/engine"
)

// figure is one row of the table: what the engine does per second, and what of
// raw@n that is.
type figure struct {
	name      string
	rawAt     int
	must, aim float64
	measure   func(s settings) (perSecond float64, err error)
	// ratio relates the engine's number to raw's.
	ratio func(engine, raw float64) float64
}

func figures() []figure {
	plain := func(engine, raw float64) float64 { return engine / raw }
	return []figure{
		{"sequential 10-step workflows/s ÷ (raw@1 ÷ 12)", 1, 0.85, 0.95, sequential,
			func(engine, raw float64) float64 { return engine / (raw / 12) }},
		{"1,000 concurrent × 10 steps: steps/s ÷ raw@256", 256, 0.4, 0.6, concurrent, plain},
		{"starts/s of waiting runs, 256 callers ÷ raw@256", 256, 0.12, 0.3, waitingStarts, plain},
	}
}

// round is one raw – engine – raw.
type round struct{ before, engine, after float64 }

func (r round) raw() float64 { return (r.before + r.after) / 2 }

func (r round) void() bool {
	lo, hi := min(r.before, r.after), max(r.before, r.after)
	return hi > 1.15*lo
}

func measureRates(s settings) error {
	fmt.Println("| figure | ratio (median) | must reach | aim | engine/s | raw/s | rounds, void |")
	fmt.Println("|---|---|---|---|---|---|---|")
	for _, f := range figures() {
		if !strings.Contains(f.name, s.only) {
			continue
		}
		rounds, void, err := f.rounds(s)
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		if len(rounds) == 0 {
			fmt.Printf("| %s | no valid round | %.2f | %.2f | | | 0, %d |\n", f.name, f.must, f.aim, void)
			continue
		}
		sort.Slice(rounds, func(i, j int) bool {
			return f.ratio(rounds[i].engine, rounds[i].raw()) < f.ratio(rounds[j].engine, rounds[j].raw())
		})
		m := rounds[len(rounds)/2]
		fmt.Printf("| %s | %.2f | %.2f | %.2f | %.0f | raw@%d %.0f | %d, %d |\n",
			f.name, f.ratio(m.engine, m.raw()), f.must, f.aim, m.engine, f.rawAt, m.raw(), len(rounds), void)
	}
	fmt.Println()
	return nil
}

func (f figure) rounds(s settings) (valid []round, void int, err error) {
	for len(valid) < s.rounds && void < 4*s.rounds {
		var r round
		if r.before, err = raw(s.dir, f.rawAt, s.each); err != nil {
			return nil, 0, err
		}
		if r.engine, err = f.measure(s); err != nil {
			return nil, 0, err
		}
		if r.after, err = raw(s.dir, f.rawAt, s.each); err != nil {
			return nil, 0, err
		}
		if r.void() {
			void++
			continue
		}
		valid = append(valid, r)
	}
	return valid, void, nil
}

func sequential(s settings) (float64, error) {
	return onFresh(s, 1, func(n *node) error { return n.runTen(context.Background()) })
}

func concurrent(s settings) (float64, error) {
	if s.profile != "" {
		f, err := os.Create(s.profile)
		if err != nil {
			return 0, err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return 0, err
		}
		defer pprof.StopCPUProfile()
	}
	perSecond, err := onFresh(s, 1000, func(n *node) error { return n.runTen(context.Background()) })
	return 10 * perSecond, err
}

func waitingStarts(s settings) (float64, error) {
	return onFresh(s, 256, func(n *node) error {
		_, err := nap.Start(context.Background(), n.Engine, 86_400_000, engine.StartOptions{})
		return err
	})
}

// onFresh repeats f from so many callers on a fresh store for the length of one
// measurement and answers how many were done per second.
func onFresh(s settings, callers int, f func(*node) error) (float64, error) {
	n, end, err := fresh(s.dir)
	if err != nil {
		return 0, err
	}
	var done atomic.Int64
	var failed atomic.Pointer[error]
	var wg sync.WaitGroup
	began := time.Now()
	for range callers {
		wg.Go(func() {
			for time.Since(began) < s.each && failed.Load() == nil {
				if err := f(n); err != nil {
					failed.Store(&err)
					return
				}
				done.Add(1)
			}
		})
	}
	wg.Wait()
	perSecond := float64(done.Load()) / time.Since(began).Seconds()
	if p := failed.Load(); p != nil {
		return 0, *p
	}
	return perSecond, end()
}
