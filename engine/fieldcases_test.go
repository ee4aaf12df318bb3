package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/engine"
	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// TestF026NoChildOfAnOldRunReachesANewOne: a parent is ended and started anew
// under its id while abandoned children of the old run live, one of which holds
// an id that the new run asks for. That is refused, naming the child, and what
// the old children bring stays with the old run, also over a crash.
func TestF026NoChildOfAnOldRunReachesANewOne(t *testing.T) {
	child := engine.Workflow[string, string]{Name: "child", Do: func(ctx *engine.Context, in string) (string, error) {
		word, err := paid.Wait(ctx)
		return in + "-" + word, err
	}}
	parent := engine.Workflow[string, string]{Name: "parent", Do: func(ctx *engine.Context, in string) (string, error) {
		_, taken := child.StartChild(ctx, in, engine.ChildOptions{ID: "named", OnParentEnd: flow.Abandon})
		got, err := engine.Map(ctx, 0, []int{1, 2}, func(ctx *engine.Context, n int) (string, error) {
			return child.RunChild(ctx, fmt.Sprint(in, n), engine.ChildOptions{OnParentEnd: flow.Abandon})
		})
		return fmt.Sprint(got, taken), err
	}}
	for name, between := range map[string]func(*env){"in one life": func(*env) {}, "over crashes": (*env).crash} {
		t.Run(name, func(t *testing.T) {
			bubble(t, typed(parent, child), func(v *env) {
				begin(v, parent, "p", "old")
				time.Sleep(time.Minute)
				v.cancels("p")
				between(v)
				time.Sleep(time.Minute)
				old := v.running("child")
				if len(old) != 3 {
					v.Fatalf("children %v", old)
				}
				run, err := parent.Start(v.ctx, v.e, "new", engine.StartOptions{ID: "p", OnTerminalConflict: flow.StartNew})
				if err != nil {
					v.Fatal(err)
				}
				time.Sleep(time.Minute)
				between(v)
				for _, id := range old {
					sends(v, paid, id, "stale")
				}
				time.Sleep(time.Minute)
				if got := v.status("p"); got != flow.Running || v.rows(row.FamilyChildEnd) != 0 {
					v.Errorf("the new run is %s, with %d ends of children", got, v.rows(row.FamilyChildEnd))
				}
				between(v)
				fresh := v.running("child")
				if len(fresh) != 2 || slices.ContainsFunc(fresh, func(id flow.WorkflowID) bool { return slices.Contains(old, id) }) {
					v.Errorf("children %v, old ones %v", fresh, old)
				}
				for _, id := range fresh {
					sends(v, paid, id, "fresh")
				}
				got, err := ending[string](v, "p")
				if err != nil || !strings.HasPrefix(got, "[new1-fresh new2-fresh] ") || !strings.Contains(got, `"named" already exists`) {
					v.Errorf("%q, %v", got, err)
				}
				if d := v.detail("p", flow.PartSummary).Run; d.Run != run.Ref().Run {
					v.Errorf("p is run %s, was started as %s", d.Run, run.Ref().Run)
				}
			})
		})
	}
}

// running are the ids of the running runs of a type.
func (v *env) running(typ string) (ids []flow.WorkflowID) {
	v.Helper()
	page, err := v.e.Operator().Page(v.ctx, flow.Query{Of: flow.ListRuns,
		Filter: flow.Filter{Type: typ, Statuses: []flow.Status{flow.Running}}})
	if err != nil {
		v.Fatal(err)
	}
	for _, r := range page.Runs {
		ids = append(ids, r.ID)
	}
	return ids
}

// TestF076ACancelledRunIsNotAFailedOne, whatever its activity makes of the
// cancel: in list, detail, counts and journal.
func TestF076ACancelledRunIsNotAFailedOne(t *testing.T) {
	for name, answer := range map[string]func(context.Context) error{
		"idle":                   nil,
		"returns the error":      func(ctx context.Context) error { return ctx.Err() },
		"returns its cause":      context.Cause,
		"wraps the error":        func(ctx context.Context) error { return fmt.Errorf("fetch: %w", ctx.Err()) },
		"returns another error":  func(context.Context) error { return errors.New("broken pipe") },
		"returns success":        func(context.Context) error { return nil },
		"panics":                 func(context.Context) error { panic("cancelled") },
		"returns a permanent no": func(context.Context) error { return engine.Permanent(errors.New("no")) },
	} {
		t.Run(name, func(t *testing.T) {
			act := engine.Activity[string, string]{Name: "act", Do: func(ctx context.Context, _ string) (string, error) {
				<-ctx.Done()
				return "", answer(ctx)
			}}
			w := flowOf(func(ctx *engine.Context, in string) (string, error) {
				if answer == nil {
					return paid.Wait(ctx)
				}
				return act.Run(ctx, in)
			})
			bubble(t, typed(w), func(v *env) {
				begin(v, w, "a", "")
				time.Sleep(time.Minute)
				v.cancels("a")
				time.Sleep(time.Hour)
				v.restart()
				time.Sleep(time.Hour)
				if c := v.info().Counts; c != (flow.Counts{Cancelled: 1}) {
					v.Errorf("counts %+v", c)
				}
				page, err := v.e.Operator().Page(v.ctx, flow.Query{Of: flow.ListRuns})
				if err != nil || len(page.Runs) != 1 || page.Runs[0].Status != flow.Cancelled || page.Runs[0].Failure != nil {
					v.Errorf("list %+v, %v", page.Runs, err)
				}
				ends := 0
				for _, ev := range v.detail("a", flow.PartEvents).Events {
					if ev.Failure != nil || ev.Kind == flow.EventStep {
						v.Errorf("the journal has %+v", ev)
					}
					if ev.Kind == flow.EventEnded && ev.Status == flow.Cancelled {
						ends++
					}
				}
				if ends != 1 {
					v.Errorf("%d ends", ends)
				}
			})
		})
	}
}

// TestF074CodeThatIgnoresACancelHoldsNothing: runs whose activities go on after
// the cancel are cancelled at once, others get the slots after a while, what
// comes late is dropped, and a close ends at its limit and names them.
func TestF074CodeThatIgnoresACancelHoldsNothing(t *testing.T) {
	deaf := engine.Activity[string, string]{Name: "deaf", Do: func(context.Context, string) (string, error) {
		time.Sleep(24 * time.Hour)
		return "late", nil
	}}
	quick := engine.Activity[string, string]{Name: "quick", Do: func(_ context.Context, in string) (string, error) { return in, nil }}
	bad := engine.Workflow[string, string]{Name: "bad", Do: func(ctx *engine.Context, in string) (string, error) { return deaf.Run(ctx, in) }}
	good := engine.Workflow[string, string]{Name: "good", Do: func(ctx *engine.Context, in string) (string, error) { return quick.Run(ctx, in) }}
	o := typed(bad, good)
	o.ActivitySlots, o.ClockEvery = 5, time.Second
	bubble(t, o, func(v *env) {
		for i := range 5 {
			begin(v, bad, flow.WorkflowID(fmt.Sprint("bad-", i)), "")
		}
		time.Sleep(time.Minute)
		for i := range 5 {
			began := time.Now()
			v.cancels(flow.WorkflowID(fmt.Sprint("bad-", i)))
			if d := time.Since(began); d > time.Second {
				t.Errorf("the cancel took %v", d)
			}
		}
		ended := time.Now()
		for i := range 5 {
			id := flow.WorkflowID(fmt.Sprint("good-", i))
			begin(v, good, id, "in")
			wants(v, id, "in")
		}
		if d := time.Since(ended); d > 20*time.Second {
			t.Errorf("the slots were free after %v", d)
		}
		if c := v.info().Counts; c != (flow.Counts{Cancelled: 5, Completed: 5}) || !v.problem("was asked to leave memory and does not end") {
			t.Errorf("counts %+v, problems %+v", c, v.info().Problems)
		}
		ctx, cancel := context.WithTimeout(v.ctx, 2*time.Second)
		defer cancel()
		began := time.Now()
		var stuck *engine.StuckError
		if err := v.e.Close(ctx); !errors.As(err, &stuck) || stuck.Attempts != 5 || !strings.Contains(err.Error(), "bad-3") {
			t.Errorf("close: %v", err)
		}
		if d := time.Since(began); d > 13*time.Second {
			t.Errorf("close took %v", d)
		}
		v.e = nil
		time.Sleep(48 * time.Hour)
		v.reopen()
		v.open()
		if c := v.info().Counts; c != (flow.Counts{Cancelled: 5, Completed: 5}) {
			t.Errorf("after the late results: counts %+v", c)
		}
	})
}

// TestF101APurgeOnAFullDiskSaysWhatIsWrong and changes nothing; with room again
// it is done.
func TestF101APurgeOnAFullDiskSaysWhatIsWrong(t *testing.T) {
	w := flowOf(func(_ *engine.Context, in string) (string, error) { return in, nil })
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", "x")
		wants(v, "a", "x")
		v.s.Refuse(store.ErrFull)
		v.refused(flow.PurgeRun{Target: flow.Ref{ID: "a"}}, store.ErrFull)
		p := v.previews(flow.Bulk{Verb: "purge"})
		for _, r := range v.do(flow.BulkAct{Token: p.Token}).Results {
			if r.Outcome != flow.BulkFailed || !strings.Contains(r.Text, store.ErrFull.Error()) {
				v.Errorf("%+v", r)
			}
		}
		if i := v.info(); i.Health != "full" || i.Counts.Completed != 1 {
			v.Errorf("health %s, counts %+v", i.Health, i.Counts)
		}
		v.s.Refuse(nil)
		v.do(flow.PurgeRun{Target: flow.Ref{ID: "a"}})
		if c := v.info().Counts; c != (flow.Counts{}) {
			v.Errorf("counts %+v", c)
		}
	})
}
