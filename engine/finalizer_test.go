package engine_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine"
	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// TestAFinalizerThatWasTakenOutIsOwedAllTheSame: what counts is what the run
// recorded, not what this build knows.
func TestAFinalizerThatWasTakenOutIsOwedAllTheSame(t *testing.T) {
	for name, parked := range map[string]bool{"in memory": false, "parked": true} {
		t.Run(name, func(t *testing.T) {
			s := newSandbox(0)
			bubble(t, typed(s.w), func(v *env) {
				begin(v, s.w, "a", "box")
				time.Sleep(time.Minute)
				with, without := s.w, s.w
				without.Finalizer = nil
				without.Do = func(ctx *engine.Context, in string) (string, error) {
					if _, err := (engine.Activity[string, string]{Name: "make", Do: func(context.Context, string) (string, error) { return in, nil }}).Run(ctx, in); err != nil {
						return "", err
					}
					return paid.Wait(ctx)
				}
				v.close()
				v.reopen()
				v.opts.Workflows = []engine.Definition{without}
				v.open()
				if !parked {
					sends(v, engine.Signal[string]{Name: "other"}, "a", "wake")
				}
				synctest.Wait()
				v.cancels("a")
				if c := v.info().Counts; c.Owed != 1 {
					v.Errorf("counts %+v", c)
				}
				v.close()
				v.reopen()
				v.opts.Workflows = []engine.Definition{with}
				v.open()
				time.Sleep(time.Minute)
				if got := s.released.all(); !slices.Equal(got, []string{"box"}) {
					v.Errorf("released %v", got)
				}
			})
		})
	}
}

// TestTheOldestOwedIsKnown: since when, also while others come and go.
func TestTheOldestOwedIsKnown(t *testing.T) {
	s := newSandbox(3) // the first attempt of each
	bubble(t, typed(s.w), func(v *env) {
		if since := v.info().OwedSince; since != 0 {
			v.Errorf("owed since %s", since)
		}
		var ended []flow.Instant
		for _, id := range []flow.WorkflowID{"z", "m", "a"} {
			begin(v, s.w, id, "box")
			time.Sleep(10 * time.Second)
			v.cancels(id)
			ended = append(ended, flow.InstantOf(time.Now()))
			synctest.Wait()
			if since := v.info().OwedSince; since != ended[0] {
				v.Errorf("owed since %s, want %s", since, ended[0])
			}
		}
		for i, wait := range []time.Duration{45 * time.Second, 10 * time.Second, 10 * time.Second} { // a minute after each end
			if since := v.info().OwedSince; since != ended[i] {
				v.Errorf("%d gone: owed since %s, want %s", i, since, ended[i])
			}
			time.Sleep(wait)
		}
		if i := v.info(); i.OwedSince != 0 || i.Counts.Owed != 0 {
			v.Errorf("owed %d since %s", i.Counts.Owed, i.OwedSince)
		}
	})
}

// TestWhatAPanicSuspendsKeepsItsState: a cancel of the suspended run releases
// what the code had staged before it panicked.
func TestWhatAPanicSuspendsKeepsItsState(t *testing.T) {
	var released notes[string]
	release := releases(&released)
	w := flowOf(func(ctx *engine.Context, in string) (string, error) {
		holds(ctx, release, in)
		panic("no way")
	})
	w.Finalizer, w.OnPanic = release, engine.PanicSuspends
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", "box")
		time.Sleep(time.Minute)
		v.restart()
		v.cancels("a")
		time.Sleep(time.Minute)
		if got := released.all(); !slices.Equal(got, []string{"box"}) {
			v.Errorf("released %v", got)
		}
	})
}

// TestARunThatCannotBeReadKeepsTheRulesOfItsState: failing owes nothing, unless
// the definition says so.
func TestARunThatCannotBeReadKeepsTheRulesOfItsState(t *testing.T) {
	for name, on := range map[string][]flow.Status{"by default": nil, "finalized on failure": {flow.Failed}} {
		t.Run(name, func(t *testing.T) {
			s := newSandbox(0)
			s.w.FinalizeOn = on
			bubble(t, typed(s.w), func(v *env) {
				run := begin(v, s.w, "a", "box")
				time.Sleep(time.Minute)
				v.close()
				b := &store.Batch{}
				b.Put(row.EventKey(run.Ref(), 2), []byte("\x01damage"))
				if _, err := v.s.Commit(v.ctx, b); err != nil {
					v.Fatal(err)
				}
				v.reopen()
				v.open()
				sends(v, paid, "a", "x")
				time.Sleep(time.Minute)
				_, err := ending[string](v, "a")
				failureIn(v, err)
				time.Sleep(time.Minute)
				if got := s.released.len(); got != len(on) || v.rows(row.FamilyState) != 0 {
					v.Errorf("released %v, %d rows of state left", s.released.all(), v.rows(row.FamilyState))
				}
				v.dirty = true // the damaged entry stays
			})
		})
	}
}

// TestADamagedLastEntryDoesNotMakeARunImmortal: a parked run is cancelled
// without its code.
func TestADamagedLastEntryDoesNotMakeARunImmortal(t *testing.T) {
	s := newSandbox(0)
	bubble(t, typed(s.w), func(v *env) {
		run := begin(v, s.w, "a", "box")
		time.Sleep(time.Minute)
		v.close()
		b := &store.Batch{}
		b.Put(row.EventKey(run.Ref(), 2), []byte("\x01damage"))
		if _, err := v.s.Commit(v.ctx, b); err != nil {
			v.Fatal(err)
		}
		v.reopen()
		v.open()
		v.cancels("a")
		time.Sleep(time.Minute)
		if got := s.released.all(); !slices.Equal(got, []string{"box"}) {
			v.Errorf("released %v", got)
		}
		v.dirty = true
	})
}

// TestWhatIsStagedNeedNotWaitForItsCommit: state of an outcome that was not yet
// committed when the cancel came.
func TestTheOutcomeThatCameBeforeTheCancelIsSeenFirst(t *testing.T) {
	var released notes[string]
	release := releases(&released)
	made := engine.Activity[string, string]{Name: "make", Do: func(_ context.Context, s string) (string, error) { return s, nil }}
	w := flowOf(func(ctx *engine.Context, in string) (string, error) {
		other := engine.Go(ctx, func(ctx *engine.Context) (string, error) { return made.Run(ctx, "other") })
		got, err := made.Run(ctx, in)
		if err != nil {
			return "", err
		}
		holds(ctx, release, got)
		if _, err := other.Await(ctx); err != nil {
			return "", err
		}
		holds(ctx, release, "both")
		return paid.Wait(ctx)
	})
	w.Finalizer = release
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", "box")
		free := v.s.Hold() // the commit of one outcome; the other waits behind it
		synctest.Wait()
		go func() {
			time.Sleep(time.Second)
			free()
		}()
		v.cancels("a")
		time.Sleep(time.Minute)
		if got := released.all(); !slices.Equal(got, []string{"both"}) {
			v.Errorf("released %v", got)
		}
	})
}

// TestTheWrongFinalizerIsRefused, with a sentence.
func TestTheWrongFinalizerIsRefused(t *testing.T) {
	var released notes[string]
	right, wrong := releases(&released), releases(&released)
	wrong.Name = "other"
	for name, tc := range map[string]struct {
		declared engine.Finalizer
		used     engine.Activity[string, engine.Void]
		want     string
	}{
		"another": {right, wrong, "release"},
		"none":    {nil, wrong, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := flowOf(func(ctx *engine.Context, in string) (string, error) {
				err := engine.SetFinalizerState(ctx, tc.used, in)
				var bad *engine.WrongFinalizerError
				if !errors.As(err, &bad) || bad.Want != tc.want || bad.Got != "other" {
					t.Errorf("%v", err)
				}
				return in, nil
			})
			w.Finalizer = tc.declared
			bubble(t, typed(w), func(v *env) { begin(v, w, "a", "x"); wants(v, "a", "x") })
		})
	}
}
