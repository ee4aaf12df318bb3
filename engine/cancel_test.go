package engine_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine"
	"weft/flow"
	"weft/store"
)

// cancels cancels the run that has the id.
func (v *env) cancels(id flow.WorkflowID) flow.Receipt {
	v.Helper()
	return v.do(flow.CancelRun{Target: flow.Ref{ID: id}})
}

// status is what is stored of the run that has the id.
func (v *env) status(id flow.WorkflowID) flow.Status {
	v.Helper()
	return v.detail(id, flow.PartSummary).Run.Status
}

// reason is why the run that has the id ended, or was suspended.
func (v *env) reason(id flow.WorkflowID) string {
	v.Helper()
	return v.detail(id, flow.PartSummary).Run.Reason
}

// releases is a finalizer that notes what it gets.
func releases(got *notes[string]) engine.Activity[string, engine.Void] {
	return engine.Activity[string, engine.Void]{Name: "release", Timeout: time.Minute,
		Do: func(_ context.Context, s string) (engine.Void, error) { got.add(s); return engine.Void{}, nil }}
}

// holds records state for a finalizer.
func holds(ctx *engine.Context, f engine.Activity[string, engine.Void], s string) {
	if err := engine.SetFinalizerState(ctx, f, s); err != nil {
		panic(err)
	}
}

// TestF079CancelsOfOneRunAtOnce: one ends it, the others are told that it has ended,
// in memory or not (F079).
func TestF079CancelsOfOneRunAtOnce(t *testing.T) {
	for name, parked := range map[string]time.Duration{"in memory": 0, "parked": time.Hour} {
		t.Run(name, func(t *testing.T) {
			s := newSandbox(0)
			lateBubble(t, typed(s.w), func(v *env) {
				begin(v, s.w, "a", "box")
				time.Sleep(parked)
				var done, finished notes[error]
				var all sync.WaitGroup
				for range 10 {
					all.Go(func() {
						_, err := v.e.Operator().Do(v.ctx, flow.Act{Deed: flow.CancelRun{Target: flow.Ref{ID: "a"}}})
						if err == nil {
							done.add(err)
						} else if errors.Is(err, flow.ErrFinished) {
							finished.add(err)
						} else {
							v.Error(err)
						}
					})
				}
				all.Wait()
				if done.len() != 1 || finished.len() != 9 {
					v.Errorf("%d cancelled the run, %d found it cancelled", done.len(), finished.len())
				}
				time.Sleep(time.Hour)
				if s.released.len() != 1 {
					v.Errorf("released %v", s.released.all())
				}
				if n := len(audited(v, "cancel")); n != 1 {
					v.Errorf("%d records of the cancel", n)
				}
			})
		})
	}
}

// audited are the records of a verb, newest first.
func audited(v *env, verb string) (out []flow.Audit) {
	v.Helper()
	p, err := v.e.Operator().Page(v.ctx, flow.Query{Of: flow.ListAudit, Limit: flow.MaxLimit})
	if err != nil {
		v.Fatal(err)
	}
	for _, a := range p.Audit {
		if a.Verb == verb {
			out = append(out, a)
		}
	}
	return out
}

// TestCodeThatComesToNoBlockPointIsEndedAllTheSame: after a while, and the
// record says that something may be missing.
func TestCodeThatComesToNoBlockPointIsEndedAllTheSame(t *testing.T) {
	var way chan struct{}
	w := flowOf(func(ctx *engine.Context, _ int) (int, error) {
		if err := ctx.Sleep(time.Millisecond); err != nil {
			return 0, err
		}
		<-way
		return 0, ctx.Sleep(time.Millisecond)
	})
	bubble(t, typed(w), func(v *env) {
		way = make(chan struct{})
		begin(v, w, "a", 1)
		time.Sleep(time.Second)
		began := time.Now()
		v.cancels("a")
		if d := time.Since(began); d != 5*time.Second {
			v.Errorf("the cancel took %v", d)
		}
		if got := v.reason("a"); got != "because: staged state unknown" {
			v.Errorf("reason %q", got)
		}
		before := v.rows("")
		close(way)
		time.Sleep(time.Minute)
		if after := v.rows(""); after != before || v.status("a") != flow.Cancelled {
			v.Errorf("%d rows became %d, run is %s", before, after, v.status("a"))
		}
	})
}

// TestStuckCodeIsSuspendedThenCancelled: the acts that follow do not wait for
// code that was told to leave.
func TestStuckCodeIsSuspendedThenCancelled(t *testing.T) {
	var way chan struct{}
	w := flowOf(func(*engine.Context, int) (int, error) { <-way; return 0, nil })
	for name, deeds := range map[string][]flow.Deed{
		"cancel":                     {flow.CancelRun{Target: flow.Ref{ID: "a"}}},
		"cancel now":                 {flow.CancelRun{Target: flow.Ref{ID: "a"}, Now: true}},
		"resume, cancel":             {flow.ResumeRun{Target: flow.Ref{ID: "a"}}, flow.CancelRun{Target: flow.Ref{ID: "a"}}},
		"resume, suspend and cancel": {flow.ResumeRun{Target: flow.Ref{ID: "a"}}, flow.SuspendRun{Target: flow.Ref{ID: "a"}}, flow.CancelRun{Target: flow.Ref{ID: "a"}}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, typed(w), func(v *env) {
				way = make(chan struct{})
				defer close(way)
				begin(v, w, "a", 1)
				synctest.Wait()
				v.do(flow.SuspendRun{Target: flow.Ref{ID: "a"}})
				for _, d := range deeds {
					v.do(d)
				}
				if got := v.status("a"); got != flow.Cancelled {
					v.Errorf("run is %s", got)
				}
			})
		})
	}
}

// TestNoRoomNeedNotKeepARunFromItsBlockPoint: a run of the ready set is brought
// to its block point by a cancel also when no place is free, because it may
// hold what it has not recorded.
func TestNoRoomNeedNotKeepARunFromItsBlockPoint(t *testing.T) {
	var released notes[string]
	release := releases(&released)
	w := flowOf(func(ctx *engine.Context, in string) (string, error) {
		holds(ctx, release, in)
		return "", ctx.Sleep(48 * time.Hour)
	})
	w.Finalizer = release
	busy := flowOf(func(ctx *engine.Context, _ int) (int, error) {
		return engine.Activity[int, int]{Name: "long", Do: func(ctx context.Context, _ int) (int, error) {
			<-ctx.Done()
			return 0, ctx.Err()
		}}.Run(ctx, 1)
	})
	busy.Name = "busy"
	o := typed(w, busy)
	o.MaxLive = 1
	bubble(t, o, func(v *env) {
		begin(v, busy, "busy", 1)
		synctest.Wait()
		begin(v, w, "a", "box")
		r := v.cancels("a")
		time.Sleep(time.Minute)
		if got := released.all(); !slices.Equal(got, []string{"box"}) || strings.Contains(r.Text, "unknown") {
			v.Errorf("released %v, %+v", got, r)
		}
		v.cancels("busy")
	})
}

// TestACancelDuringCloseLosesNothing: it ends the run with all it holds, or is
// refused.
func TestACancelDuringCloseLosesNothing(t *testing.T) {
	var released notes[string]
	release := releases(&released)
	long := engine.Activity[int, int]{Name: "long", Do: func(ctx context.Context, _ int) (int, error) {
		<-ctx.Done()
		time.Sleep(time.Second)
		return 0, ctx.Err()
	}}
	w := flowOf(func(ctx *engine.Context, in string) (int, error) {
		holds(ctx, release, in)
		return long.Run(ctx, 1)
	})
	w.Finalizer = release
	bubble(t, typed(w), func(v *env) {
		for _, wait := range []time.Duration{0, 500 * time.Millisecond} {
			released.list = nil
			begin(v, w, "a", "box")
			synctest.Wait()
			e := v.e
			gone, cancel := context.WithCancel(v.ctx)
			cancel()
			release := v.s.Hold()
			var all sync.WaitGroup
			all.Go(func() {
				_, err := e.Operator().Do(v.ctx, flow.Act{Deed: flow.CancelRun{Target: flow.Ref{ID: "a"}}})
				if err != nil && !errors.Is(err, flow.ErrClosed) {
					v.Error(err)
				}
			})
			all.Go(func() { _ = e.Close(gone) })
			time.Sleep(wait)
			release()
			all.Wait()
			v.close()
			v.reopen()
			v.open()
			if v.status("a") == flow.Running {
				v.cancels("a")
			}
			time.Sleep(time.Minute)
			if got := released.all(); !slices.Equal(got, []string{"box"}) {
				v.Errorf("released %v", got)
			}
			v.do(flow.PurgeRun{Target: flow.Ref{ID: "a"}})
		}
	})
}

// TestF009AFullStoreRefusesACancel, which then has changed nothing (F009).
func TestF009AFullStoreRefusesACancel(t *testing.T) {
	for name, parked := range map[string]time.Duration{"in memory": 0, "parked": time.Hour} {
		t.Run(name, func(t *testing.T) {
			s := newSandbox(0)
			bubble(t, typed(s.w), func(v *env) {
				begin(v, s.w, "a", "box")
				time.Sleep(parked)
				synctest.Wait()
				v.s.Refuse(store.ErrFull)
				began := time.Now()
				for _, d := range []flow.Deed{flow.CancelRun{Target: flow.Ref{ID: "a"}}, flow.SuspendRun{Target: flow.Ref{ID: "a"}}} {
					v.refused(d, store.ErrFull)
				}
				if d := time.Since(began); d > 20*time.Second || v.status("a") != flow.Running {
					v.Errorf("refused after %v, run is %s", d, v.status("a"))
				}
				v.s.Refuse(nil)
				sends(v, paid, "a", "x")
				wants(v, "a", "x")
			})
		})
	}
}

// TestACancelWaitsForTheOneBefore of a parked run, and is told what that did.
func TestACancelWaitsForTheOneBefore(t *testing.T) {
	s := newSandbox(0)
	bubble(t, typed(s.w), func(v *env) {
		begin(v, s.w, "a", "box")
		time.Sleep(time.Minute)
		free := v.s.Hold()
		began := time.Now()
		var told notes[error]
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				_, err := v.e.Operator().Do(v.ctx, flow.Act{Deed: flow.CancelRun{Target: flow.Ref{ID: "a"}}})
				told.add(err)
			})
			synctest.Wait()
		}
		time.Sleep(time.Second)
		free()
		all.Wait()
		if d, got := time.Since(began), told.all(); d > 2*time.Second || got[0] != nil || !errors.Is(got[1], flow.ErrFinished) {
			v.Errorf("told %v after %v", got, d)
		}
		time.Sleep(time.Minute)
	})
}

// TestARunIsNotLaunchedUnderAnAct: while a cancel is under way, a timer that
// comes due wakes nothing, even though the body has left memory meanwhile.
func TestARunIsNotLaunchedUnderAnAct(t *testing.T) {
	var lives notes[int]
	w := flowOf(func(ctx *engine.Context, _ int) (int, error) {
		lives.add(1)
		defer time.Sleep(time.Second) // leaves slowly
		return 0, ctx.Sleep(5 * time.Second)
	})
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 1)
		time.Sleep(500 * time.Millisecond) // parked, but not gone
		free := v.s.Hold()
		go func() { time.Sleep(20 * time.Second); free() }()
		v.cancels("a")
		time.Sleep(time.Minute)
		if lives.len() != 1 || v.status("a") != flow.Cancelled {
			v.Errorf("%d lives, run is %s", lives.len(), v.status("a"))
		}
	})
}

// TestACloseThatOvertakesACancel: the code holds something it could not record
// before the engine closed, so the cancel is refused and done again later.
func TestACloseThatOvertakesACancel(t *testing.T) {
	var released notes[string]
	release := releases(&released)
	var way chan struct{}
	w := flowOf(func(ctx *engine.Context, in string) (string, error) {
		<-way
		holds(ctx, release, in)
		return paid.Wait(ctx)
	})
	w.Finalizer = release
	bubble(t, typed(w), func(v *env) {
		way = make(chan struct{})
		begin(v, w, "a", "box")
		synctest.Wait()
		var all sync.WaitGroup
		e := v.e
		all.Go(func() {
			_, err := e.Operator().Do(v.ctx, flow.Act{Deed: flow.CancelRun{Target: flow.Ref{ID: "a"}}})
			if !errors.Is(err, flow.ErrClosed) {
				v.Errorf("the cancel was told %v", err)
			}
		})
		synctest.Wait()
		all.Go(func() { time.Sleep(2 * time.Second); close(way) })
		v.close()
		all.Wait()
		v.reopen()
		v.open()
		v.cancels("a")
		time.Sleep(time.Minute)
		if got := released.all(); !slices.Equal(got, []string{"box"}) {
			v.Errorf("released %v", got)
		}
	})
}
