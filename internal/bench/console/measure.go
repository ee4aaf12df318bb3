package main

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// measureKeys presses keys while the engine works at the given rate.
func measureKeys(ctx context.Context, n *node, s settings) error {
	scr, err := openScreen(ctx, n)
	if err != nil {
		return err
	}
	load, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	var rate float64
	go func() {
		defer close(done)
		rate, err = n.work(load, s.rate)
	}()
	var views, bytes []time.Duration
	began, asked := time.Now(), scr.door.pages.Load()
	for i := range s.keys {
		time.Sleep(time.Duration(20+i%7*10) * time.Millisecond)
		v, b, perr := scr.press([]string{"j", "j", "j", "k"}[i%4])
		if perr != nil {
			stop()
			return perr
		}
		views, bytes = append(views, v), append(bytes, b)
	}
	perSecond := float64(scr.door.pages.Load()-asked) / time.Since(began).Seconds()
	stop()
	<-done
	if err != nil {
		return err
	}
	at := fmt.Sprintf(" at %.0f steps/s", rate)
	row("key → View returned, p99"+at, percentiles(views), "≤ 8 ms")
	row("key → bytes, p99"+at, percentiles(bytes), "≤ 25 ms")
	row("pages read per second, keys included"+at, fmt.Sprintf("%.1f", perSecond), "")
	return scr.close()
}

func percentiles(all []time.Duration) string {
	slices.Sort(all)
	at := func(p int) time.Duration { return all[min(len(all)-1, len(all)*p/100)].Round(10 * time.Microsecond) }
	return fmt.Sprintf("%v (p50 %v, worst %v, %d keys)", at(99), at(50), all[len(all)-1].Round(10*time.Microsecond), len(all))
}

// measurePairs compares the engine at full speed without and with the console,
// interleaved, in turned order each time.
func measurePairs(ctx context.Context, n *node, s settings) error {
	var ratios, speeds []float64
	var lists int64
	for i := range s.pairs {
		var rates [2]float64 // without, with
		for j := range 2 {
			with := (i + j) % 2
			read, err := fullSpeed(ctx, n, s.each, with == 1, &rates[with])
			if err != nil {
				return err
			}
			lists += read
		}
		ratios, speeds = append(ratios, rates[1]/rates[0]), append(speeds, rates[1])
	}
	slices.Sort(ratios)
	slices.Sort(speeds)
	perSecond := float64(lists) / (float64(s.pairs) * s.each.Seconds())
	row("engine throughput with console ÷ without, median",
		fmt.Sprintf("%.3f (%.3f to %.3f; %.0f steps/s with it)", middle(ratios), ratios[0], ratios[len(ratios)-1], middle(speeds)), "≥ 0.97")
	row("refetches of the list per second at full speed", fmt.Sprintf("%.1f", perSecond), "≤ 5")
	return nil
}

// middle is the median of sorted figures.
func middle(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

func fullSpeed(ctx context.Context, n *node, each time.Duration, console bool, rate *float64) (lists int64, err error) {
	var scr *screen
	if console {
		if scr, err = openScreen(ctx, n); err != nil {
			return 0, err
		}
		time.Sleep(time.Second) // what it reads at first is no refetch
		lists = -scr.door.lists.Load()
	}
	limited, cancel := context.WithTimeout(ctx, each)
	defer cancel()
	*rate, err = n.work(limited, 0)
	if scr != nil {
		lists += scr.door.lists.Load()
		if cerr := scr.close(); err == nil {
			err = cerr
		}
	}
	return lists, err
}

// measureIdle counts what is written while nothing happens.
func measureIdle(ctx context.Context, n *node, s settings) error {
	scr, err := openScreen(ctx, n)
	if err != nil {
		return err
	}
	perSecond := func() float64 {
		time.Sleep(2 * time.Second) // to come to rest
		before := scr.bytes.Load()
		time.Sleep(2 * s.each)
		return float64(scr.bytes.Load()-before) / (2 * s.each).Seconds()
	}
	live := perSecond()
	if _, _, err := scr.press("z"); err != nil {
		return err
	}
	frozen := perSecond()
	row("bytes per second to the terminal, idle", fmt.Sprintf("%.0f", live), "≤ 2048")
	row("bytes per second to the terminal, frozen", fmt.Sprintf("%.0f", frozen), "0")
	return scr.close()
}
