package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"weft/engine"
	"weft/flow"
)

// family is a parent that runs n children side by side, each of which waits
// for a while, or for a signal.
func family(close flow.ParentClose) (parent engine.Workflow[int, string], child engine.Workflow[time.Duration, string]) {
	child = engine.Workflow[time.Duration, string]{Name: "child", Do: func(ctx *engine.Context, d time.Duration) (string, error) {
		switch {
		case d < 0:
			return "", engine.Fail("too-short", "%v is too short", d)
		case d == 0:
			return paid.Wait(ctx)
		}
		return d.String(), ctx.Sleep(d)
	}}
	parent = engine.Workflow[int, string]{Name: "parent", Do: func(ctx *engine.Context, n int) (string, error) {
		got, err := engine.Map(ctx, 0, make([]int, n), func(ctx *engine.Context, _ int) (string, error) {
			return child.RunChild(ctx, time.Hour, engine.ChildOptions{})
		})
		if err != nil {
			return "", err
		}
		c, err := child.StartChild(ctx, 0, engine.ChildOptions{ID: "waiting", OnParentEnd: close})
		if err != nil {
			return "", err
		}
		_, failed := child.RunChild(ctx, -1, engine.ChildOptions{})
		_, exists := child.StartChild(ctx, 0, engine.ChildOptions{ID: "waiting"})
		last, err := c.Await(ctx)
		return fmt.Sprint(len(got), failed, errors.Is(failed, engine.Code("too-short")), exists, last), err
	}}
	return parent, child
}

func TestParentsAwaitTheirChildrenOverCrashes(t *testing.T) {
	parent, child := family(flow.CloseWithParent)
	bubble(t, typed(parent, child), func(v *env) {
		begin(v, parent, "p", 5)
		time.Sleep(time.Second)
		v.crash()
		time.Sleep(time.Hour)
		v.crash()
		time.Sleep(time.Minute)
		if r := v.detail("waiting", flow.PartSummary).Run; r.Parent == nil || r.Parent.ID != "p" {
			t.Errorf("the child's parent is %v", r.Parent)
		}
		sends(v, paid, "waiting", "x")
		got, err := ending[string](v, "p")
		want := []string{"5", "child failed: -1ns is too short", "true", `"waiting" already exists`, "x"}
		for _, w := range want {
			if err != nil || !strings.Contains(got, w) {
				t.Errorf("%q, %v; lacks %q", got, err, w)
			}
		}
		if c := v.info().Counts; c.Completed != 7 || c.Failed != 1 {
			t.Errorf("counts %+v", c)
		}
		v.do(flow.PurgeRun{Target: flow.Ref{ID: "p"}})
	})
}

func TestTheEndOfAParentReachesItsChildren(t *testing.T) {
	for _, close := range []flow.ParentClose{flow.CloseWithParent, flow.Abandon} {
		t.Run(string(close), func(t *testing.T) {
			parent, child := family(close)
			bubble(t, typed(parent, child), func(v *env) {
				begin(v, parent, "p", 1)
				time.Sleep(2 * time.Hour)
				v.do(flow.CancelRun{Target: flow.Ref{ID: "p"}})
				time.Sleep(time.Second)
				want := flow.Cancelled
				if close == flow.Abandon {
					want = flow.Running
				}
				if got := v.detail("waiting", flow.PartSummary).Run; got.Status != want {
					t.Errorf("the child is %s, want %s", got.Status, want)
				}
			})
		})
	}
}

func TestACascadeGoesOnAfterACrash(t *testing.T) {
	parent, child := family(flow.CloseWithParent)
	bubble(t, typed(parent, child), func(v *env) {
		begin(v, parent, "p", 1)
		time.Sleep(2 * time.Hour)
		v.do(flow.CancelRun{Target: flow.Ref{ID: "p"}})
		v.crash() // the cascade has hardly begun
		time.Sleep(time.Second)
		if got := v.detail("waiting", flow.PartSummary).Run; got.Status != flow.Cancelled {
			t.Errorf("the child is %s", got.Status)
		}
		if v.rows("cascade:") != 0 {
			t.Error("the row of the cascade is still there")
		}
	})
}
