package engine_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"weft/engine"
	"weft/flow"
)

// TestF050ADeadlineEndsARun wherever it stands, at its instant or as soon as an
// engine is there, and owes the finalizer (F050).
func TestF050ADeadlineEndsARun(t *testing.T) {
	busy := engine.Activity[int, int]{Name: "busy", Do: func(ctx context.Context, _ int) (int, error) { <-ctx.Done(); return 0, ctx.Err() }}
	codes := map[string]func(*engine.Context) error{
		"parked on a signal": func(ctx *engine.Context) error { _, err := paid.Wait(ctx); return err },
		"asleep":             func(ctx *engine.Context) error { return ctx.Sleep(100 * time.Hour) },
		"in an activity":     func(ctx *engine.Context) error { _, err := busy.Run(ctx, 1); return err },
		"always busy": func(ctx *engine.Context) error {
			for {
				if err := ctx.Sleep(70 * time.Second); err != nil {
					return err
				}
			}
		},
	}
	betweens := map[string]func(*env){
		"in one life":              func(*env) {},
		"over a restart":           (*env).restart,
		"over a crash":             (*env).crash,
		"over a restart, too late": func(v *env) { v.close(); v.reopen(); time.Sleep(2 * time.Hour); v.open() },
	}
	for where, code := range codes {
		for when, between := range betweens {
			t.Run(where+", "+when, func(t *testing.T) {
				var released notes[string]
				release := releases(&released)
				w := flowOf(func(ctx *engine.Context, in string) (string, error) { holds(ctx, release, in); return "", code(ctx) })
				w.Finalizer = release
				bubble(t, typed(w), func(v *env) {
					at := time.Now().Add(time.Hour)
					if _, err := w.Start(v.ctx, v.e, "box", engine.StartOptions{ID: "a", Deadline: time.Hour}); err != nil {
						v.Fatal(err)
					}
					time.Sleep(10 * time.Minute)
					between(v)
					if late := time.Now(); late.After(at) {
						at = late
					}
					_, err := ending[string](v, "a")
					var ended *flow.EndedError
					if !errors.As(err, &ended) || ended.Status != flow.TimedOut || time.Since(at) > time.Second || time.Now().Before(at) {
						v.Errorf("%v, %v after the deadline", err, time.Since(at))
					}
					time.Sleep(time.Minute)
					if released.len() != 1 {
						v.Errorf("released %v", released.all())
					}
				})
			})
		}
	}
}

// TestADeadlineFollowsTheWallClock: it fires when the clock says so, also after
// steps of the clock, and a clock that is set back just then delays it.
func TestADeadlineFollowsTheWallClock(t *testing.T) {
	for name, tc := range map[string]struct {
		step time.Duration
		want time.Duration // of real time, from the step on
	}{
		"forward": {2 * time.Hour, 0},
		"back":    {-2 * time.Hour, 150 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			var shift atomic.Int64
			s := newSandbox(0)
			o := typed(s.w)
			o.Now = func() time.Time { return time.Now().Add(time.Duration(shift.Load())) }
			bubble(t, o, func(v *env) {
				if _, err := s.w.Start(v.ctx, v.e, "box", engine.StartOptions{ID: "a", Deadline: time.Hour}); err != nil {
					v.Fatal(err)
				}
				time.Sleep(30 * time.Minute)
				shift.Store(int64(tc.step))
				stepped := time.Now()
				_, err := ending[string](v, "a")
				var ended *flow.EndedError
				if d := time.Since(stepped); !errors.As(err, &ended) || ended.Status != flow.TimedOut || d < tc.want || d > tc.want+2*time.Second {
					v.Errorf("%v, %v after the step", err, d)
				}
				time.Sleep(time.Minute)
			})
		})
	}
}

// TestAClockSetBackAsADeadlineFires: the deadline is not lost.
func TestAClockSetBackAsADeadlineFires(t *testing.T) {
	var shift atomic.Int64
	var way chan struct{}
	w := flowOf(func(ctx *engine.Context, _ int) (int, error) { <-way; return 0, ctx.Sleep(100 * time.Hour) })
	o := typed(w)
	o.Now = func() time.Time { return time.Now().Add(time.Duration(shift.Load())) }
	bubble(t, o, func(v *env) {
		way = make(chan struct{})
		if _, err := w.Start(v.ctx, v.e, 1, engine.StartOptions{ID: "a", Deadline: time.Hour}); err != nil {
			v.Fatal(err)
		}
		// The act waits for the block point when the clock goes back.
		time.Sleep(time.Hour + time.Second)
		shift.Store(-int64(time.Hour))
		close(way)
		time.Sleep(30 * time.Minute)
		_, err := ending[int](v, "a")
		var ended *flow.EndedError
		if !errors.As(err, &ended) || ended.Status != flow.TimedOut {
			v.Errorf("%v", err)
		}
	})
}

// TestAHeldRunHasNoDeadline until a build knows it again.
func TestAHeldRunHasNoDeadline(t *testing.T) {
	s := newSandbox(0)
	newer := s.w
	newer.Version = "2"
	for name, defs := range map[string][]engine.Definition{"unknown type": nil, "another version": {newer}} {
		t.Run(name, func(t *testing.T) {
			bubble(t, typed(s.w), func(v *env) {
				s.released.list = nil
				startLater(v, s, engine.StartOptions{ID: "a", Deadline: time.Hour})
				time.Sleep(time.Minute)
				v.close()
				v.reopen()
				v.opts.Workflows, v.opts.AcknowledgeUnknownTypes = defs, true
				v.open()
				before := v.dump()
				time.Sleep(3 * time.Hour)
				same(v, before)
				v.close()
				v.reopen()
				v.opts.Workflows = []engine.Definition{s.w}
				v.open()
				time.Sleep(time.Minute)
				if v.status("a") != flow.TimedOut || s.released.len() != 1 {
					v.Errorf("run is %s, released %v", v.status("a"), s.released.all())
				}
			})
		})
	}
}
