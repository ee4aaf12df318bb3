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

// slice is how long the engine is watched before the console comes or goes. What
// the store does besides, compactions above all, makes the rate of a second differ
// from that of the next by a fifth; slices that short share it out fairly.
const slice = time.Second

// measurePairs compares the engine at full speed without and with the console. A
// pair is one time of work in which the console comes and goes, in turned order
// each time.
func measurePairs(ctx context.Context, n *node, s settings) error {
	var ratios, speeds []float64
	var lists int64
	for range s.pairs {
		rates, read, err := pair(ctx, n, s.each)
		if err != nil {
			return err
		}
		lists += read
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

// pair answers the steps per second without and with the console, each watched
// for as long as each says, and how often the console read its list.
func pair(ctx context.Context, n *node, each time.Duration) (rates [2]float64, lists int64, err error) {
	load, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() {
		_, err := n.work(load, 0)
		done <- err
	}()
	var steps [2]int64
	var took [2]time.Duration
	for i := 0; took[1] < each && err == nil; i++ {
		for j := range 2 {
			with := (i + j) % 2
			did, in, read, serr := watched(ctx, n, with == 1)
			if serr != nil {
				err = serr
				break
			}
			steps[with], took[with], lists = steps[with]+did, took[with]+in, lists+read
		}
	}
	stop()
	if werr := <-done; err == nil {
		err = werr
	}
	for i := range rates {
		rates[i] = float64(steps[i]) / took[i].Seconds()
	}
	return rates, lists, err
}

// watched is a slice. What the console reads at first is no part of it.
func watched(ctx context.Context, n *node, console bool) (steps int64, took time.Duration, lists int64, err error) {
	var scr *screen
	if console {
		if scr, err = openScreen(ctx, n); err != nil {
			return 0, 0, 0, err
		}
	}
	time.Sleep(slice / 2)
	if scr != nil {
		lists = -scr.door.lists.Load()
	}
	began, before := time.Now(), n.steps.Load()
	time.Sleep(slice)
	steps, took = n.steps.Load()-before, time.Since(began)
	if scr != nil {
		lists += scr.door.lists.Load()
		err = scr.close()
	}
	return steps, took, lists, err
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
