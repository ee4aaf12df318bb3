package engine_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine"
	"weft/engine/row"
	"weft/flow"
	"weft/store"
	"weft/store/memory"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// idlers are runs that wait in memory when the engine closes, each for something
// else. work ends during the close, if it is given the time.
func idlers(work time.Duration) (engine.Workflow[string, string], map[flow.WorkflowID]string) {
	act := engine.Activity[string, string]{Name: "act", Retry: engine.Retry{MaxAttempts: 2, Initial: 500 * time.Millisecond},
		Do: func(ctx context.Context, how string) (string, error) {
			if how == "retry" && engine.InfoOf(ctx).Attempt == 1 {
				return "", errors.New("not yet")
			}
			if how == "works" {
				select {
				case <-ctx.Done():
					return "", ctx.Err()
				case <-time.After(work):
				}
			}
			return how, nil
		}}
	w := engine.Workflow[string, string]{Name: "idler", Signals: []engine.Message{paid}, Do: func(ctx *engine.Context, how string) (string, error) {
		switch how {
		case "sleeps":
			if err := ctx.Sleep(900 * time.Millisecond); err != nil {
				return "", err
			}
		case "retry", "works":
			if _, err := act.Run(ctx, how); err != nil {
				return "", err
			}
		case "limit":
			_, ok, err := paid.WaitFor(ctx, time.Hour)
			return fmt.Sprint(ok), err
		case "computes":
			time.Sleep(300 * time.Millisecond)
		case "child":
			return engine.WorkflowRef[string, string]{Name: "idler"}.RunChild(ctx, "waits", engine.ChildOptions{ID: "grandchild"})
		}
		return paid.Wait(ctx)
	}}
	ids := map[flow.WorkflowID]string{}
	for _, how := range []string{"waits", "sleeps", "retry", "works", "limit", "child", "computes"} {
		ids[flow.WorkflowID(how)] = how
	}
	return w, ids
}

// onBoth runs a test on either store, in a bubble; open opens its data anew.
func onBoth(t *testing.T, f func(r *rig, reopen func())) {
	t.Run("memory", func(t *testing.T) {
		inRig(t, func(r *rig) {
			f(r, func() {
				r.store.Close()
				mem, err := r.mem.Reopen()
				if err != nil {
					r.Fatal(err)
				}
				r.mem, r.store = mem, mem
			})
		})
	})
	t.Run("pebble", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			disk := vfs.NewMem()
			first, err := openDisk(disk)
			if err != nil {
				t.Fatal(err)
			}
			r := &rig{TB: t, store: first}
			defer r.over()
			f(r, func() {
				r.store.Close()
				if r.store, err = openDisk(disk); err != nil {
					r.Fatal(err)
				}
			})
		})
	})
}

// ready are the runs of the ready set.
func (r *rig) readySet() (ids []flow.WorkflowID) {
	r.Helper()
	for key := range r.rows([]byte(row.FamilyReady)) {
		ref, ok := row.ParseReady([]byte(key))
		if !ok {
			r.Fatalf("key %q", key)
		}
		ids = append(ids, ref.ID)
	}
	return ids
}

// What merely waits when the engine closes is not in the ready set afterwards:
// the next owner need not replay it, and one without code can cancel it.
func TestACleanCloseParksWhatMerelyWaits(t *testing.T) {
	for name, tc := range map[string]struct {
		work  time.Duration
		limit time.Duration // of the close
		ready int
	}{
		"all come to rest":        {3 * time.Second, time.Minute, 0},
		"no attempt is under way": {0, time.Minute, 0},
		"one is called off":       {time.Hour, 2 * time.Second, 1},
		"there is no time at all": {time.Hour, 0, 8},
	} {
		t.Run(name, func(t *testing.T) {
			onBoth(t, func(r *rig, reopen func()) {
				w, ids := idlers(tc.work)
				r.open(w)
				for id, how := range ids {
					if _, err := w.Start(r.Context(), r.eng, how, engine.StartOptions{ID: id}); err != nil {
						r.Fatal(err)
					}
				}
				time.Sleep(100 * time.Millisecond) // within Grace
				began := time.Now()
				ctx, cancel := context.WithTimeout(r.Context(), tc.limit)
				defer cancel()
				if err := r.eng.Close(ctx); err != nil {
					r.Fatal(err)
				}
				if took := time.Since(began); took > max(min(tc.work, tc.limit), 200*time.Millisecond)+100*time.Millisecond {
					r.Errorf("the close took %v", took)
				}
				if got := r.readySet(); len(got) != tc.ready || tc.ready == 1 && got[0] != "works" {
					r.Errorf("ready: %q, want %d", got, tc.ready)
				}
				r.sound()
				reopen()
				if tc.ready == 0 {
					r.cancelsHeadless("waits")
					delete(ids, "waits")
				}
				r.open(w)
				r.idlersGoOn(ids, tc.work)
			})
		})
	}
}

// cancelsHeadless cancels a run from an engine that runs no code, without force.
func (r *rig) cancelsHeadless(id flow.WorkflowID) {
	r.Helper()
	r.opts.Mode = flow.ModeOperate
	e := r.open()
	r.opts.Mode = flow.ModeRun
	if _, err := e.Operator().Do(r.Context(), flow.Act{Deed: flow.CancelRun{Target: flow.Ref{ID: id}}}); err != nil {
		r.Errorf("cancel without force: %v", err)
	}
	r.leave()
	if s := r.head(id).Status; s != flow.Cancelled {
		r.Errorf("%s is %s", id, s)
	}
}

// idlersGoOn sends what they wait for and demands that each ends as it should.
func (r *rig) idlersGoOn(ids map[flow.WorkflowID]string, work time.Duration) {
	r.Helper()
	time.Sleep(work + time.Minute)
	for id, how := range ids {
		want := "ana"
		switch how {
		case "limit":
			want = "true"
			if work > time.Hour-time.Minute {
				want = "false"
			}
		case "child":
			id = "grandchild"
		}
		if err := paid.Send(r.Context(), r.eng, id, "ana"); err != nil && want != "false" {
			r.Errorf("send to %s: %v", id, err)
		}
		if got, err := within[string](r, time.Hour, flow.WorkflowID(how)); err != nil || got != want {
			r.Errorf("%s: %q, %v; want %q", how, got, err, want)
		}
	}
}

// CRASH at each commit of a close that parks: the runs are whole, in the ready
// set or out of it, and go on.
func TestACrashWhileTheCloseParksLosesNothing(t *testing.T) {
	for k := 1; k <= 8; k++ {
		for _, when := range []memory.Moment{memory.Before, memory.After} {
			inRig(t, func(r *rig) {
				w, ids := idlers(200 * time.Millisecond)
				r.open(w)
				for id, how := range ids {
					if _, err := w.Start(r.Context(), r.eng, how, engine.StartOptions{ID: id}); err != nil {
						r.Fatal(err)
					}
				}
				time.Sleep(100 * time.Millisecond)
				r.mem.FailCommit(k, when)
				_ = r.eng.Close(r.Context()) // the process does not survive it
				r.die()
				r.open(w)
				r.idlersGoOn(ids, 200*time.Millisecond)
			})
		}
	}
}

// Signals are sent while the engine closes: what was acknowledged is not lost,
// whether it came before, during or after the parking.
func TestNothingAcknowledgedDuringAParkingCloseIsLost(t *testing.T) {
	w := engine.Workflow[int, string]{Name: "waiting", Do: waiting}
	lateBubble(t, typed(w), func(v *env) {
		const runs = 200
		id := func(i int) flow.WorkflowID { return flow.WorkflowID(fmt.Sprint("w-", i)) }
		for i := range runs {
			if _, err := w.Start(v.ctx, v.e, 1, engine.StartOptions{ID: id(i)}); err != nil {
				t.Fatal(err)
			}
		}
		var sent notes[int]
		var wg sync.WaitGroup
		for i := range runs {
			pause := v.dice(8 * time.Millisecond)
			wg.Go(func() {
				time.Sleep(pause)
				if err := paid.Send(v.ctx, v.e, id(i), "ana"); err == nil {
					sent.add(i)
				} else if !errors.Is(err, flow.ErrClosed) {
					t.Errorf("send: %v", err)
				}
			})
		}
		time.Sleep(3 * time.Millisecond)
		if err := v.e.Close(v.ctx); err != nil {
			t.Error(err)
		}
		wg.Wait()
		v.e = nil
		v.check()
		for kv := range v.s.Scan(store.Prefix([]byte(row.FamilyReady))) {
			ref, _ := row.ParseReady(kv.Key)
			if h, err := v.s.Get(row.HeadKey(ref.ID)); err != nil || h == nil {
				t.Errorf("ready row of %s without a run", ref)
			}
		}
		v.reopen()
		v.open()
		for _, i := range sent.all() {
			wants(v, id(i), "ana")
		}
		if n := sent.len(); n == 0 || n == runs {
			t.Errorf("%d of %d signals were acknowledged: the close met none of them", n, runs)
		}
	})
}
