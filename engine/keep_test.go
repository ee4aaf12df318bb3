package engine_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"weft/engine"
	"weft/engine/row"
	"weft/flow"
)

// busyWaiter waits beside an activity that works for hours, so that the run
// cannot park.
func busyWaiter(kind string) engine.Workflow[int, string] {
	work := engine.Activity[int, string]{Name: "work", Do: func(ctx context.Context, _ int) (string, error) {
		select {
		case <-time.After(100 * time.Hour):
			return "worked", nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}}
	return engine.Workflow[int, string]{Name: "busy", Do: func(ctx *engine.Context, _ int) (string, error) {
		n, _, err := engine.Race(ctx,
			func(ctx *engine.Context) (string, error) { return work.Run(ctx, 1) },
			func(ctx *engine.Context) (string, error) {
				if kind == "sleep" {
					return "slept", ctx.Sleep(100 * time.Minute)
				}
				_, ok, err := paid.WaitFor(ctx, 100*time.Minute)
				return fmt.Sprint("paid ", ok), err
			})
		return n, err
	}}
}

// The end of a wait counts from when it was first reached, whatever else the run
// does meanwhile and however often the process dies.
func TestAWaitBesideWorkKeepsItsEndOverCrashes(t *testing.T) {
	for kind, want := range map[string]string{"sleep": "slept", "wait": "paid false"} {
		t.Run(kind, func(t *testing.T) {
			w := busyWaiter(kind)
			inRig(t, func(r *rig) {
				r.open(w)
				began := time.Now()
				r.begin(w, "w")
				time.Sleep(1100 * time.Millisecond) // Grace
				commits := r.mem.Health().Batches
				time.Sleep(time.Minute)
				if n := r.mem.Health().Batches - commits; n > 20 { // renewals
					r.Errorf("%d commits in a minute at rest", n)
				}
				for range 3 {
					r.die()
					time.Sleep(10 * time.Minute)
					r.open(w)
					time.Sleep(20 * time.Minute)
				}
				got, err := within[string](r, 24*time.Hour, "w")
				if took := time.Since(began); err != nil || got != want || took < 100*time.Minute || took > 100*time.Minute+2*time.Second {
					r.Errorf("%q, %v after %v; want %q after 100m", got, err, took, want)
				}
				if n := len(r.rows([]byte(row.FamilyWait), []byte(row.FamilyTimer))); n != 0 {
					r.Errorf("%d rows of waits are left", n)
				}
			})
		})
	}
}

// A wait that has an end within Grace costs no commit of its own, nor does one
// without an end.
func TestAShortWaitBesideWorkIsNotRegistered(t *testing.T) {
	w := engine.Workflow[int, string]{Name: "short", Do: func(ctx *engine.Context, _ int) (string, error) {
		work := engine.Activity[int, string]{Name: "work", Do: func(context.Context, int) (string, error) {
			time.Sleep(30 * time.Second)
			return "worked", nil
		}}
		_, err := engine.All(ctx,
			func(ctx *engine.Context) (string, error) { return work.Run(ctx, 1) },
			func(ctx *engine.Context) (string, error) {
				for range 20 {
					if err := ctx.Sleep(900 * time.Millisecond); err != nil {
						return "", err
					}
				}
				return paid.Wait(ctx)
			})
		return "", err
	}}
	inRig(t, func(r *rig) {
		r.opts.LeaseTTL, r.opts.LeaseRenew = 24*time.Hour, time.Hour
		r.open(w)
		r.begin(w, "w")
		before := r.mem.Health().Batches
		time.Sleep(25 * time.Second)
		if n := r.mem.Health().Batches - before; n != 20 {
			r.Errorf("%d commits for 20 sleeps", n)
		}
		if err := paid.Send(r.Context(), r.eng, flow.WorkflowID("w"), "x"); err != nil {
			r.Error(err)
		}
		time.Sleep(time.Minute)
	})
}
