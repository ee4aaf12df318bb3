package engine_test

import (
	"errors"
	"testing"
	"time"

	"weft/engine"
	"weft/flow"
)

// TestADelayedStart begins at its time, not before: over restarts, with signals
// that came early, with its deadline counted from the beginning.
func TestADelayedStart(t *testing.T) {
	for name, between := range map[string]func(*env){
		"in one life":              func(*env) {},
		"over a restart":           (*env).restart,
		"over a crash":             (*env).crash,
		"over a restart, too late": func(v *env) { v.close(); v.reopen(); time.Sleep(2 * time.Hour); v.open() },
	} {
		t.Run(name, func(t *testing.T) {
			var began notes[time.Time]
			w := flowOf(func(ctx *engine.Context, in string) (string, error) {
				began.add(ctx.Now())
				first, err := paid.Wait(ctx)
				if err != nil {
					return "", err
				}
				return first + in, ctx.Sleep(10 * time.Hour)
			})
			bubble(t, typed(w), func(v *env) {
				began.list = nil
				at := time.Now().Add(time.Hour)
				if _, err := w.Start(v.ctx, v.e, "in", engine.StartOptions{ID: "a", StartAt: at, Deadline: 5 * time.Hour}); err != nil {
					v.Fatal(err)
				}
				sends(v, paid, "a", "early")
				time.Sleep(30 * time.Minute)
				if d := v.detail("a", flow.PartSummary).Run; d.Status != flow.Pending || d.StartedAt != 0 || d.Deadline != 0 ||
					d.StartAt != flow.InstantOf(at) || d.Due != d.StartAt {
					v.Errorf("%+v", d)
				}
				between(v)
				if late := time.Now(); late.After(at) {
					at = late
				}
				_, err := ending[string](v, "a")
				var ended *flow.EndedError
				if !errors.As(err, &ended) || ended.Status != flow.TimedOut || !time.Now().Equal(at.Add(5*time.Hour)) {
					v.Errorf("%v after %v", err, time.Since(at))
				}
				if all := began.all(); len(all) == 0 || !all[0].Equal(at) {
					v.Errorf("began %v, want %v", all, at)
				}
			})
		})
	}
}

// TestAPastStartIsAStart at once.
func TestAPastStartIsAStart(t *testing.T) {
	w := flowOf(func(_ *engine.Context, n int) (int, error) { return n, nil })
	bubble(t, typed(w), func(v *env) {
		for _, at := range []time.Time{time.Now(), time.Now().Add(-time.Hour), {}} {
			run, err := w.Start(v.ctx, v.e, 7, engine.StartOptions{StartAt: at})
			if err != nil {
				v.Fatal(err)
			}
			wants(v, run.Ref().ID, 7)
		}
	})
}

// TestACancelledDelayedStartNeverBegins, and leaves no timer.
func TestACancelledDelayedStartNeverBegins(t *testing.T) {
	w := flowOf(func(_ *engine.Context, n int) (int, error) { t.Error("it began"); return n, nil })
	bubble(t, typed(w), func(v *env) {
		if _, err := w.Start(v.ctx, v.e, 7, engine.StartOptions{ID: "a", StartAt: time.Now().Add(time.Hour), Deadline: time.Hour}); err != nil {
			v.Fatal(err)
		}
		v.cancels("a")
		if n := v.rows("wf-deadline:"); n != 0 {
			v.Errorf("%d timers", n)
		}
		v.restart()
		time.Sleep(3 * time.Hour)
	})
}

// TestAHeldDelayedStartWaits for a build that knows it: its rows are not
// touched when its time comes.
func TestAHeldDelayedStartWaits(t *testing.T) {
	w := flowOf(func(_ *engine.Context, n int) (int, error) { return n, nil })
	newer := w
	newer.Version = "2"
	for name, defs := range map[string][]engine.Definition{"unknown type": nil, "another version": {newer}} {
		t.Run(name, func(t *testing.T) {
			bubble(t, typed(w), func(v *env) {
				if _, err := w.Start(v.ctx, v.e, 7, engine.StartOptions{ID: "a", StartAt: time.Now().Add(time.Hour)}); err != nil {
					v.Fatal(err)
				}
				v.close()
				v.reopen()
				v.opts.Workflows, v.opts.AcknowledgeUnknownTypes = defs, true
				v.open()
				before := v.dump()
				time.Sleep(3 * time.Hour)
				same(v, before)
				v.close()
				v.reopen()
				v.opts.Workflows = []engine.Definition{w}
				v.open()
				wants(v, "a", 7)
			})
		})
	}
}
