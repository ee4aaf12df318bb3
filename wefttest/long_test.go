package wefttest_test

import (
	"testing"
	"time"

	"weft/engine"
	"weft/flow"
	"weft/wefttest"
)

// TestAYearTakesNoTime: nothing ticks while a run sleeps, and timers that are set
// meanwhile are not overlooked.
func TestAYearTakesNoTime(t *testing.T) {
	const day = 24 * time.Hour
	w := engine.Workflow[int, string]{Name: "calendar", Do: func(ctx *engine.Context, months int) (string, error) {
		begin := ctx.Now()
		for range months {
			if err := ctx.Sleep(30*day + time.Minute); err != nil {
				return "", err
			}
			if err := ctx.Sleep(3 * time.Second); err != nil {
				return "", err
			}
		}
		return ctx.Now().Sub(begin).String(), nil
	}}
	wefttest.Test(t, wefttest.Options{Workflows: []engine.Definition{w}}, func(v *wefttest.Env) {
		run := wefttest.Start(v, w, "year", 12)
		other := wefttest.StartWith(v, w, 1, engine.StartOptions{ID: "late", StartAt: time.Now().Add(7*day + time.Second), Deadline: 40 * day})
		v.At(100*day, v.Crash)
		v.Advance(7 * day)
		other.WantStatus(flow.Pending)
		v.Advance(time.Minute)
		other.WantStatus(flow.Running)
		other.Want((30*day + time.Minute + 3*time.Second).String())
		run.Want((12 * (30*day + time.Minute + 3*time.Second)).String())
	})
}
