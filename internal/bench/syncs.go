package main

import (
	"context"
	"fmt"
	"time"

	"weft/engine"
)

// measureSyncs counts the synced groups of one run at a time. The holder of
// nothing else writes meanwhile, so the counts are exact.
func measureSyncs(s settings) error {
	n, end, err := fresh(s.dir)
	if err != nil {
		return err
	}
	ctx := context.Background()
	var tenCost, start, sleep, wait uint64
	tenCost, err = n.syncs(func() error { return n.runTen(ctx) })
	if err == nil {
		start, sleep, err = n.sleepCost(ctx)
	}
	if err == nil {
		wait, err = n.signalCost(ctx)
	}
	if err != nil {
		return err
	}
	fmt.Println("| syncs | count | must reach |")
	fmt.Println("|---|---|---|")
	fmt.Printf("| per sequential 10-step workflow, start and end included | %d | <= 12 |\n", tenCost)
	fmt.Printf("| per start | %d | <= 2 |\n", start)
	fmt.Printf("| per sleep (parked, woken by its timer) | %d | <= 2 |\n", sleep)
	fmt.Printf("| per signal wait (parked, woken by the signal) | %d | <= 2 |\n\n", wait)
	return end()
}

func (n *node) syncs(f func() error) (uint64, error) {
	before := n.store.Health().Syncs
	err := f()
	return n.store.Health().Syncs - before, err
}

// sleepCost runs start, sleep, end: the sleep is what is left when a start and
// an end are taken off.
func (n *node) sleepCost(ctx context.Context) (start, sleep uint64, err error) {
	var r engine.Run[int]
	start, err = n.syncs(func() (err error) {
		r, err = nap.Start(ctx, n.Engine, 1500, engine.StartOptions{})
		return err
	})
	if err != nil {
		return 0, 0, err
	}
	rest, err := n.syncs(func() error { _, err := r.Result(ctx); return err })
	return start, rest - 1, err
}

func (n *node) signalCost(ctx context.Context) (uint64, error) {
	const end, send = 1, 1
	all, err := n.syncs(func() error {
		r, err := gate.Start(ctx, n.Engine, 0, engine.StartOptions{ID: "gate"})
		if err != nil {
			return err
		}
		for n.live(ctx) > 0 { // until it has parked
			time.Sleep(10 * time.Millisecond)
		}
		if err := goOn.Send(ctx, n.Engine, "gate", 7); err != nil {
			return err
		}
		_, err = r.Result(ctx)
		return err
	})
	return all - 1 - send - end, err
}

func (n *node) live(ctx context.Context) int {
	info, err := n.Operator().Info(ctx)
	if err != nil {
		return 0
	}
	return info.Live
}
