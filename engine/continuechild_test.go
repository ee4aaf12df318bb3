package engine_test

import (
	"fmt"
	"testing"
	"time"

	"weft/engine"
	"weft/flow"
)

// TestAParentAwaitsTheLastRunOfAChild.
func TestAParentAwaitsTheLastRunOfAChild(t *testing.T) {
	child := counter(5, 0)
	parent := engine.Workflow[int, int]{Name: "parent", Do: func(ctx *engine.Context, _ int) (int, error) {
		got, err := child.RunChild(ctx, tally{}, engine.ChildOptions{})
		return got.Runs, err
	}}
	cutEverywhere(t, typed(parent, child), 2, func(v *env) bool {
		if !startOnce(v, parent, "p", 0, engine.StartOptions{}) || !v.settles("p", flow.Completed) {
			return false
		}
		wants(v, "p", 5)
		return true
	})
}

// TestF119LaterGenerationsFollowTheirPolicy ends a parent whose children, and theirs, are on later generations
// than those it started.
func TestF119LaterGenerationsFollowTheirPolicy(t *testing.T) {
	self := engine.WorkflowRef[int, int]{Name: "child"}
	child := engine.Workflow[int, int]{Name: "child", Do: func(ctx *engine.Context, n int) (int, error) {
		if n == 3 { // the grandchild belongs to a generation in the middle
			o := engine.ChildOptions{ID: ctx.Ref().ID + "-sub", OnParentEnd: flow.Terminate}
			if _, err := self.StartChild(ctx, 1000, o); err != nil {
				return n, err
			}
		}
		if err := ctx.Sleep(10 * time.Minute); err != nil {
			return n, err
		}
		return self.ContinueAsNew(ctx, n+1, engine.ContinueOptions{})
	}}
	parent := engine.Workflow[string, int]{Name: "parent", Do: func(ctx *engine.Context, how string) (int, error) {
		for _, p := range policies {
			if _, err := child.StartChild(ctx, 0, engine.ChildOptions{ID: flow.WorkflowID("c" + p), OnParentEnd: p}); err != nil {
				return 0, err
			}
		}
		if err := ctx.Sleep(65 * time.Minute); err != nil {
			return 0, err
		}
		switch how {
		case "fail":
			return 0, fmt.Errorf("no")
		case "complete":
			return 0, nil
		}
		return 0, ctx.Sleep(time.Hour)
	}}
	for how, end := range map[string]flow.Status{"complete": flow.Completed, "fail": flow.Failed,
		"cancel": flow.Cancelled, "time out": flow.TimedOut} {
		t.Run(how, func(t *testing.T) {
			bubble(t, typed(parent, child), func(v *env) {
				if _, err := parent.Start(v.ctx, v.e, how, engine.StartOptions{ID: "p", Deadline: 80 * time.Minute}); err != nil {
					t.Fatal(err)
				}
				time.Sleep(70 * time.Minute)
				if how == "cancel" {
					v.do(flow.CancelRun{Target: flow.Ref{ID: "p"}})
				}
				v.crash()
				time.Sleep(15 * time.Minute)
				for _, p := range policies {
					want := flow.Running
					if p.Reached(end) {
						want = flow.Cancelled
					}
					for _, id := range []flow.WorkflowID{flow.WorkflowID("c" + p), flow.WorkflowID("c"+p) + "-sub"} {
						if r := v.detail(id, flow.PartSummary).Run; r.Status != want || r.Generation < 3 {
							t.Errorf("%s: %s in generation %d, want %s", id, r.Status, r.Generation, want)
						}
					}
				}
			})
		})
	}
}

// TestChildrenOfAnEarlierRunBelongToTheChain: the end of a later run takes them.
func TestChildrenOfAnEarlierRunBelongToTheChain(t *testing.T) {
	child := engine.Workflow[int, int]{Name: "child", Do: func(ctx *engine.Context, _ int) (int, error) { return 0, ctx.Sleep(100 * time.Hour) }}
	self := engine.WorkflowRef[int, int]{Name: "w"}
	w := flowOf(func(ctx *engine.Context, n int) (int, error) {
		for _, p := range policies {
			if _, err := child.StartChild(ctx, 0, engine.ChildOptions{ID: flow.WorkflowID(fmt.Sprint("c", n, p)), OnParentEnd: p}); err != nil {
				return 0, err
			}
		}
		if n == 3 {
			return n, ctx.Sleep(time.Hour)
		}
		return self.ContinueAsNew(ctx, n+1, engine.ContinueOptions{})
	})
	bubble(t, typed(w, child), func(v *env) {
		begin(v, w, "p", 0)
		time.Sleep(time.Minute)
		if c := v.info().Counts; c.Running != 17 || v.rows("child-by-parent:") != 13 {
			t.Errorf("%d runs, %d links: an abandoned child needs none after the run that started it", c.Running, v.rows("child-by-parent:"))
		}
		time.Sleep(time.Hour)
		for n := range 4 {
			for _, p := range policies {
				want := flow.Running
				if p.Reached(flow.Completed) {
					want = flow.Cancelled
				}
				if r := v.detail(flow.WorkflowID(fmt.Sprint("c", n, p)), flow.PartSummary).Run; r.Status != want {
					t.Errorf("the child of run %d with policy %q is %s", n, p, r.Status)
				}
			}
		}
	})
}
