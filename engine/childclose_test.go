package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"weft/engine"
	"weft/flow"
)

var policies = []flow.ParentClose{flow.CloseWithParent, flow.Abandon, flow.RequestCancel, flow.Terminate}

// policed is a parent with one child of each policy, which then ends as its
// input says.
func policed() (parent engine.Workflow[string, string], child engine.Workflow[string, string]) {
	child = engine.Workflow[string, string]{Name: "child", Do: func(ctx *engine.Context, _ string) (string, error) {
		return paid.Wait(ctx)
	}}
	parent = engine.Workflow[string, string]{Name: "parent", Do: func(ctx *engine.Context, how string) (string, error) {
		for _, p := range policies {
			id := flow.WorkflowID("c" + p)
			if _, err := child.StartChild(ctx, "", engine.ChildOptions{ID: id, OnParentEnd: p}); err != nil {
				return "", err
			}
		}
		if err := ctx.Sleep(time.Hour); err != nil {
			return "", err
		}
		switch how {
		case "fail":
			return "", errors.New("no")
		case "complete":
			return "", nil
		}
		return paid.Wait(ctx)
	}}
	return parent, child
}

// TestF119EachChildFollowsItsPolicy on each way a parent can end (F119).
func TestF119EachChildFollowsItsPolicy(t *testing.T) {
	for how, end := range map[string]flow.Status{"complete": flow.Completed, "fail": flow.Failed,
		"cancel": flow.Cancelled, "time out": flow.TimedOut} {
		t.Run(how, func(t *testing.T) {
			parent, child := policed()
			cutEverywhere(t, typed(parent, child), 4, func(v *env) bool {
				o := engine.StartOptions{}
				if how == "time out" {
					o.Deadline = 2 * time.Hour
				}
				if !startOnce(v, parent, "p", how, o) {
					return false
				}
				time.Sleep(90 * time.Minute)
				if how == "cancel" {
					_, err := v.e.Operator().Do(v.ctx, flow.Act{Deed: flow.CancelRun{Target: flow.Ref{ID: "p"}}})
					if !v.lives(err, flow.ErrFinished) {
						return false
					}
				}
				if !v.settles("p", end) {
					return false
				}
				for _, p := range policies {
					want := flow.Running
					if p.Reached(end) {
						want = flow.Cancelled
					}
					if !v.settles(flow.WorkflowID("c"+p), want) {
						return false
					}
				}
				time.Sleep(time.Second) // the cascade's own last commit follows that of the last child
				if v.e.Err() != nil {
					return false
				}
				if v.rows("cascade:") != 0 {
					v.Error("the cascade is not over")
				}
				return true
			})
		})
	}
}

// TestTerminateDoesNotWaitForBusyCode, request-cancel waits for its block point,
// for a while.
func TestTerminateDoesNotWaitForBusyCode(t *testing.T) {
	child := engine.Workflow[int, int]{Name: "child", Do: func(ctx *engine.Context, _ int) (int, error) {
		<-ctx.Done() // busy until it is told to leave
		return 0, ctx.Sleep(1)
	}}
	parent := engine.Workflow[int, int]{Name: "parent", Do: func(ctx *engine.Context, _ int) (int, error) {
		for _, p := range []flow.ParentClose{flow.RequestCancel, flow.Terminate} {
			if _, err := child.StartChild(ctx, 0, engine.ChildOptions{ID: flow.WorkflowID(p), OnParentEnd: p}); err != nil {
				return 0, err
			}
		}
		return 0, nil
	}}
	bubble(t, typed(parent, child), func(v *env) {
		begin(v, parent, "p", 0)
		time.Sleep(time.Second)
		if got := v.detail("terminate", flow.PartSummary).Run.Status; got != flow.Cancelled {
			t.Errorf("the child to be terminated is %s after a second", got)
		}
		if got := v.detail("request-cancel", flow.PartSummary).Run.Status; got != flow.Running {
			t.Errorf("the child to be cancelled is %s after a second: it was not waited for", got)
		}
		time.Sleep(10 * time.Second)
		if got := v.detail("request-cancel", flow.PartSummary).Run.Status; got != flow.Cancelled {
			t.Errorf("the child to be cancelled is %s in the end", got)
		}
	})
}

func TestAChildTooDeepIsRefused(t *testing.T) {
	self := engine.WorkflowRef[int, int]{Name: "w"}
	w := flowOf(func(ctx *engine.Context, n int) (int, error) { return self.RunChild(ctx, n+1, engine.ChildOptions{}) })
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "root", 0)
		_, err := ending[int](v, "root")
		if err == nil || !strings.Contains(err.Error(), "ancestors of a child") {
			t.Errorf("the error does not name the limit: %v", err)
		}
		if f := failureIn(v, err); f.Code != "child-failed" || !errors.Is(err, engine.Code("child-depth")) {
			t.Errorf("failure %+v", f)
		}
		if n := v.info().Counts.Failed; n != 11 {
			t.Errorf("%d runs, want a root and 10 descendants", n)
		}
	})
}

// TestIDsOfChildrenFit also when the parent's takes all the room, and no two
// steps, runs or parents share one.
func TestIDsOfChildrenFit(t *testing.T) {
	child := engine.Workflow[int, string]{Name: "child", Do: func(ctx *engine.Context, _ int) (string, error) {
		return string(ctx.Ref().ID), nil
	}}
	w := flowOf(func(ctx *engine.Context, _ int) ([]string, error) {
		return engine.Map(ctx, 0, []int{1, 2, 3}, func(ctx *engine.Context, n int) (string, error) {
			return child.RunChild(ctx, n, engine.ChildOptions{})
		})
	})
	bubble(t, typed(w, child), func(v *env) {
		seen := map[string]bool{}
		for _, id := range []flow.WorkflowID{"p", flow.WorkflowID(strings.Repeat("p", 200)), flow.WorkflowID(strings.Repeat("q", 200))} {
			begin(v, w, id, 0)
			got, err := ending[[]string](v, id)
			for _, c := range got {
				if err := flow.CheckName("id", c); err != nil || seen[c] {
					t.Errorf("id %q: seen %t, %v", c, seen[c], err)
				}
				seen[c] = true
			}
			if err != nil || len(got) != 3 {
				t.Errorf("%v, %v", got, err)
			}
		}
		if !seen["p/"+firstOf(seen, "p/")] {
			t.Errorf("a short parent's name is not in its children's: %v", seen)
		}
	})
}

func firstOf(seen map[string]bool, prefix string) string {
	for s := range seen {
		if strings.HasPrefix(s, prefix) {
			return strings.TrimPrefix(s, prefix)
		}
	}
	return ""
}

func TestAParentIsNotPurgedBeforeItsEndReachedItsChildren(t *testing.T) {
	parent, child := policed()
	bubble(t, typed(parent, child), func(v *env) {
		begin(v, parent, "p", "wait")
		time.Sleep(2 * time.Hour)
		v.die()
		v.opts.Mode = flow.ModeOperate // no cascade here
		v.open()
		v.do(flow.CancelRun{Target: flow.Ref{ID: "p"}})
		_, err := v.e.Operator().Do(v.ctx, flow.Act{Deed: flow.PurgeRun{Target: flow.Ref{ID: "p"}}})
		if !errors.Is(err, flow.ErrConflict) || !strings.Contains(fmt.Sprint(err), "children") {
			t.Errorf("purge: %v", err)
		}
		v.opts.Mode = flow.ModeRun
		v.restart()
		time.Sleep(time.Second)
		v.do(flow.PurgeRun{Target: flow.Ref{ID: "p"}})
	})
}

// TestF121AWideAndDeepTreeEnds ends a wide tree, three deep, whose members wait, work, or are busy
// in code that comes to no block point.
func TestF121AWideAndDeepTreeEnds(t *testing.T) {
	wide := 120
	if torture() {
		wide = 1000
	}
	work := engine.Activity[int, int]{Name: "work", Do: func(ctx context.Context, _ int) (int, error) {
		<-ctx.Done()
		return 0, ctx.Err()
	}}
	var node engine.WorkflowRef[int, int]
	node.Name = "w"
	w := flowOf(func(ctx *engine.Context, n int) (int, error) {
		if n < 200 {
			if _, err := node.StartChild(ctx, n+100, engine.ChildOptions{}); err != nil {
				return 0, err
			}
		}
		switch n % 3 {
		case 0:
			return work.Run(ctx, 0)
		case 1:
			<-ctx.Done()
		}
		return 0, ctx.Sleep(1000 * time.Hour)
	})
	root := engine.Workflow[int, int]{Name: "root", Do: func(ctx *engine.Context, n int) (int, error) {
		for i := range n {
			if _, err := node.StartChild(ctx, i%3, engine.ChildOptions{}); err != nil {
				return 0, err
			}
		}
		return 0, ctx.Sleep(1000 * time.Hour)
	}}
	o := typed(root, w)
	o.ActivitySlots = 10_000
	bubble(t, o, func(v *env) {
		begin(v, root, "root", wide)
		time.Sleep(time.Minute)
		if got := v.info().Counts.Running; got != int64(3*wide)+1 {
			t.Fatalf("%d runs, want %d", got, 3*wide+1)
		}
		v.do(flow.CancelRun{Target: flow.Ref{ID: "root"}})
		began := time.Now()
		for v.info().Counts.Running > 0 && time.Since(began) < time.Hour {
			time.Sleep(time.Second)
		}
		// Busy code is given 5 s, 64 children at a time, generation by generation.
		limit := time.Duration(3*wide/64+9) * 6 * time.Second
		if took := time.Since(began); took > limit || v.info().Counts.Cancelled != int64(3*wide)+1 {
			t.Errorf("after %v, at most %v: %+v", took, limit, v.info().Counts)
		}
		time.Sleep(time.Minute)
	})
}
