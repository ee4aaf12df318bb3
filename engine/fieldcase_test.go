package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine"
	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// TestF044SignalsOfOneInstantAreCollectedAlikeInEveryLife: code takes the first
// signal and whatever else is there. However often it is replayed, its list is
// the same, and what is not in it stays for the next to ask.
func TestF044SignalsOfOneInstantAreCollectedAlikeInEveryLife(t *testing.T) {
	var lists notes[string]
	w := flowOf(func(ctx *engine.Context, _ int) (string, error) {
		first, err := paid.Wait(ctx)
		if err != nil {
			return "", err
		}
		list := []string{first}
		for {
			next, ok, err := paid.WaitFor(ctx, 0)
			if err != nil {
				return "", err
			}
			if !ok {
				break
			}
			list = append(list, next)
		}
		lists.add(fmt.Sprint(list))
		if err := ctx.Sleep(1000 * time.Hour); err != nil {
			return "", err
		}
		for len(list) < 3 {
			next, err := paid.Wait(ctx)
			if err != nil {
				return "", err
			}
			list = append(list, next)
		}
		return fmt.Sprint(list), nil
	})
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 0)
		time.Sleep(time.Minute)
		free := v.s.Hold()
		for i := range 3 {
			go func() { sends(v, paid, "a", fmt.Sprint(i)) }()
		}
		synctest.Wait()
		free()
		time.Sleep(time.Minute)
		for range 100 {
			v.crash()
			sendsLate(v)
		}
		got := lists.all()
		if len(got) < 50 || len(slices.Compact(got)) != 1 {
			t.Errorf("%d lives, lists %q", len(got), slices.Compact(slices.Clone(got)))
		}
		d := v.detail("a", flow.PartSignals)
		if n := strings.Count(got[0], " ") + 1 + len(d.Signals); n != 3+100 {
			t.Errorf("%d signals are in the list or buffered: %s, %d", n, got[0], len(d.Signals))
		}
	})
}

// sendsLate sends a signal that nobody waits for, which makes a parked run be
// loaded and replayed.
func sendsLate(v *env) {
	v.Helper()
	sends(v, paid, "a", "late")
	time.Sleep(time.Second)
}

// TestF050ACancelWhileNothingRunsCodeIsFinal: the timer of the sleep passes
// meanwhile, and means nothing.
func TestF050ACancelWhileNothingRunsCodeIsFinal(t *testing.T) {
	var released notes[string]
	release := releases(&released)
	w := flowOf(func(ctx *engine.Context, in string) (string, error) {
		holds(ctx, release, in)
		return "", ctx.Sleep(10 * time.Second)
	})
	w.Finalizer = release
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", "box")
		time.Sleep(2 * time.Second)
		v.close()
		v.reopen()
		v.opts.Mode = flow.ModeOperate
		v.open()
		v.do(flow.CancelRun{Target: flow.Ref{ID: "a"}})
		time.Sleep(time.Hour)
		v.close()
		v.reopen()
		v.opts.Mode = flow.ModeRun
		before := v.s.Health().Batches
		v.open()
		time.Sleep(time.Hour)
		if got := released.all(); !slices.Equal(got, []string{"box"}) {
			t.Errorf("released %q", got)
		}
		if s := v.detail("a", flow.PartSummary).Run.Status; s != flow.Cancelled {
			t.Errorf("the run is %s", s)
		}
		if n := v.s.Health().Batches - before; n > 10 {
			t.Errorf("%d commits in an hour with nothing to do", n)
		}
		if n := v.rows(row.FamilyTimer); n != 0 {
			t.Errorf("%d timers are left", n)
		}
	})
}

// TestF064ASignalToAnEndedRunIsRefusedAndChangesNothing, whichever end it was
// and whatever of it is still owed.
func TestF064ASignalToAnEndedRunIsRefusedAndChangesNothing(t *testing.T) {
	fails := engine.Activity[string, engine.Void]{Name: "release", Do: func(_ context.Context, s string) (engine.Void, error) {
		if s == "never" {
			return engine.Void{}, errors.New("no")
		}
		return engine.Void{}, nil
	}}
	w := engine.Workflow[string, string]{Name: "w", Finalizer: fails, Do: func(ctx *engine.Context, how string) (string, error) {
		switch how {
		case "completes":
			return "", nil
		case "fails":
			return "", errors.New("no")
		}
		if err := engine.SetFinalizerState(ctx, fails, how); err != nil {
			return "", err
		}
		return engine.Signal[string]{Name: "other"}.Wait(ctx)
	}}
	bubble(t, typed(w), func(v *env) {
		for _, id := range []flow.WorkflowID{"completes", "fails", "cancelled", "never"} {
			begin(v, w, id, string(id))
		}
		if _, err := w.Start(v.ctx, v.e, "times out", engine.StartOptions{ID: "times out", Deadline: time.Minute}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Minute)
		v.do(flow.CancelRun{Target: flow.Ref{ID: "cancelled"}})
		v.do(flow.CancelRun{Target: flow.Ref{ID: "never"}})
		time.Sleep(10 * time.Second)
		for _, owed := range []bool{true, false} { // then it is a dead letter
			commits := v.commits()
			for id, status := range map[flow.WorkflowID]flow.Status{"completes": flow.Completed, "fails": flow.Failed,
				"cancelled": flow.Cancelled, "never": flow.Cancelled, "times out": flow.TimedOut} {
				err := paid.Send(v.ctx, v.e, id, "x")
				var finished *flow.FinishedError
				if !errors.As(err, &finished) || finished.Status != status {
					t.Errorf("signal to %s: %v", id, err)
				}
			}
			if n := commits(); n != 0 {
				t.Errorf("%d commits", n)
			}
			if info := v.info(); (info.Counts.Owed == 1) != owed || (info.Counts.Dead == 1) == owed {
				t.Errorf("counts %+v", info.Counts)
			}
			time.Sleep(24 * time.Hour)
		}
	})
}

// TestF067SignalsBeforeAnybodyListensAreTakenInOrder, over a crash.
func TestF067SignalsBeforeAnybodyListensAreTakenInOrder(t *testing.T) {
	w := flowOf(func(ctx *engine.Context, _ int) (string, error) {
		if _, err := nap.Run(ctx, time.Second); err != nil {
			return "", err
		}
		var list []string
		for range 10 {
			next, err := paid.Wait(ctx)
			if err != nil {
				return "", err
			}
			list = append(list, next)
		}
		return strings.Join(list, " "), nil
	})
	for _, between := range []func(*env){func(*env) {}, (*env).crash, (*env).restart} {
		bubble(t, typed(w), func(v *env) {
			_, started, err := engine.StartOrSignal(v.ctx, v.e, w, 0, engine.StartOptions{ID: "a"}, paid, "1", engine.SendOptions{})
			if err != nil || !started {
				t.Fatalf("%t, %v", started, err)
			}
			for i := 2; i <= 5; i++ {
				sends(v, paid, "a", fmt.Sprint(i))
			}
			time.Sleep(500 * time.Millisecond)
			between(v)
			for i := 6; i <= 10; i++ {
				sends(v, paid, "a", fmt.Sprint(i))
			}
			wants(v, "a", "1 2 3 4 5 6 7 8 9 10")
		})
	}
}

// TestF068ASignalEndsOneWait: that of the run it was sent to, and of two
// branches that wait for the same name, one.
func TestF068ASignalEndsOneWait(t *testing.T) {
	one := engine.Workflow[int, string]{Name: "one", Do: func(ctx *engine.Context, _ int) (string, error) { return paid.Wait(ctx) }}
	two := engine.Workflow[int, string]{Name: "two", Do: func(ctx *engine.Context, _ int) (string, error) {
		got, err := engine.All(ctx, paid.Wait, paid.Wait)
		return fmt.Sprint(got), err
	}}
	for _, between := range []func(*env){func(*env) {}, (*env).crash} {
		bubble(t, typed(one, two), func(v *env) {
			begin(v, one, "w1", 0)
			begin(v, one, "w2", 0)
			begin(v, two, "w3", 0)
			time.Sleep(time.Minute)
			sends(v, paid, "w1", "a")
			sends(v, paid, "w3", "b")
			wants(v, "w1", "a")
			time.Sleep(time.Minute)
			between(v)
			for _, id := range []flow.WorkflowID{"w2", "w3"} {
				if r := v.detail(id, flow.PartSummary).Run; r.Status != flow.Running || !strings.Contains(r.Waiting, "signal paid") {
					t.Errorf("%s is %s: %s", id, r.Status, r.Waiting)
				}
			}
			sends(v, paid, "w3", "c")
			sends(v, paid, "w2", "d")
			wants(v, "w3", "[b c]")
			wants(v, "w2", "d")
		})
	}
}

// TestF128AStoreOfALaterProgramIsRefusedUnchanged, and opens when it is what it
// was.
func TestF128AStoreOfALaterProgramIsRefusedUnchanged(t *testing.T) {
	w := flowOf(func(ctx *engine.Context, _ int) (string, error) { return paid.Wait(ctx) })
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 0)
		time.Sleep(time.Minute)
		v.close()
		v.reopen()
		rewrite := func(version string) {
			var b store.Batch
			b.Put(row.SchemaVersion, []byte(version))
			if res, err := v.s.Commit(v.ctx, &b); err != nil || !res.Applied {
				t.Fatalf("%v, %v", res, err)
			}
		}
		rewrite("2")
		for _, mode := range []flow.Mode{flow.ModeRun, flow.ModeOperate, flow.ModeLook} {
			commits := v.commits()
			o := v.opts
			o.Mode = mode
			_, err := engine.Open(v.ctx, v.s, o)
			if !errors.Is(err, store.ErrNewer) || !strings.Contains(err.Error(), `"2", this program knows "1"`) {
				t.Errorf("mode %s: %v", mode, err)
			}
			if n := commits(); n != 0 {
				t.Errorf("mode %s: %d commits", mode, n)
			}
		}
		rewrite("1")
		v.open()
		sends(v, paid, "a", "x")
		wants(v, "a", "x")
	})
}

// TestF122TheEndOfTheRootReachesGrandchildren, in whatever state they are and
// wherever the process dies.
func TestF122TheEndOfTheRootReachesGrandchildren(t *testing.T) {
	busy := engine.Activity[string, string]{Name: "busy", Retry: engine.Retry{MaxAttempts: 100, Initial: time.Hour},
		Do: func(ctx context.Context, how string) (string, error) {
			if how == "in back-off" {
				return "", errors.New("no")
			}
			<-ctx.Done()
			return "", ctx.Err()
		}}
	grandchild := engine.Workflow[string, string]{Name: "grandchild", Do: func(ctx *engine.Context, how string) (string, error) {
		if how == "waiting" || how == "suspended" {
			return paid.Wait(ctx)
		}
		return busy.Run(ctx, how)
	}}
	child := engine.Workflow[string, string]{Name: "child", Do: func(ctx *engine.Context, how string) (string, error) {
		return grandchild.RunChild(ctx, how, engine.ChildOptions{ID: "grandchild"})
	}}
	top := engine.Workflow[string, string]{Name: "root", Do: func(ctx *engine.Context, how string) (string, error) {
		return child.RunChild(ctx, how, engine.ChildOptions{ID: "child"})
	}}
	family := map[flow.WorkflowID]flow.Status{"child": flow.Cancelled, "grandchild": flow.Cancelled}
	for _, end := range []flow.Status{flow.Cancelled, flow.TimedOut} {
		for _, how := range []string{"waiting", "suspended", "in back-off", "in an activity"} {
			t.Run(fmt.Sprintf("%s, %s", end, how), func(t *testing.T) {
				family["root"] = end
				cutEverywhere(t, typed(top, child, grandchild), 5, func(v *env) bool {
					o := engine.StartOptions{}
					if end == flow.TimedOut {
						o.Deadline = time.Hour
					}
					if !startOnce(v, top, "root", how, o) {
						return false
					}
					time.Sleep(time.Minute)
					act := func(d flow.Deed) bool {
						_, err := v.e.Operator().Do(v.ctx, flow.Act{Deed: d})
						return v.lives(err, flow.ErrFinished, flow.ErrConflict)
					}
					if how == "suspended" && !act(flow.SuspendRun{Target: flow.Ref{ID: "grandchild"}}) {
						return false
					}
					if end == flow.Cancelled && !act(flow.CancelRun{Target: flow.Ref{ID: "root"}}) {
						return false
					}
					time.Sleep(2 * time.Hour)
					if v.e.Err() != nil {
						return false
					}
					for id, want := range family {
						if s := v.detail(id, flow.PartSummary).Run.Status; s != want {
							t.Errorf("%s is %s, want %s", id, s, want)
						}
					}
					return true
				})
			})
		}
	}
}
