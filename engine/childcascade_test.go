package engine_test

import (
	"fmt"
	"testing"
	"time"

	"weft/engine"
	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// brood is a parent that starts n children, which do what each is told, and then
// waits.
func brood(close flow.ParentClose, do func(*engine.Context, int) (string, error)) (parent, child engine.Workflow[int, string]) {
	child = engine.Workflow[int, string]{Name: "child", Do: do}
	parent = engine.Workflow[int, string]{Name: "parent", Do: func(ctx *engine.Context, n int) (string, error) {
		for i := range n {
			o := engine.ChildOptions{ID: flow.WorkflowID(fmt.Sprint("c", i)), OnParentEnd: close}
			if _, err := child.StartChild(ctx, i, o); err != nil {
				return "", err
			}
		}
		return paid.Wait(ctx)
	}}
	return parent, child
}

func untilPaid(ctx *engine.Context, _ int) (string, error) { return paid.Wait(ctx) }

// More children than one look takes in: none is left out.
func TestTheEndOfAParentReachesEachOfManyChildren(t *testing.T) {
	const n = 600
	parent, child := brood(flow.Terminate, untilPaid)
	bubble(t, typed(parent, child), func(v *env) {
		begin(v, parent, "p", n)
		time.Sleep(time.Minute)
		v.do(flow.CancelRun{Target: flow.Ref{ID: "p"}})
		time.Sleep(time.Minute)
		if c := v.info().Counts; c.Cancelled != n+1 || c.Running != 0 || v.rows("cascade:") != 0 {
			t.Errorf("counts %+v; %d cascades", c, v.rows("cascade:"))
		}
	})
}

// A process that closes while children are being ended leaves the rest to the
// next one.
func TestACloseDoesNotCutACascadeShort(t *testing.T) {
	const n = 200
	parent, child := brood(flow.RequestCancel, func(ctx *engine.Context, _ int) (string, error) {
		<-ctx.Done() // each is waited for, for seconds
		return "", ctx.Sleep(1)
	})
	bubble(t, typed(parent, child), func(v *env) {
		begin(v, parent, "p", n)
		time.Sleep(time.Minute)
		v.do(flow.CancelRun{Target: flow.Ref{ID: "p"}})
		time.Sleep(2 * time.Second)
		v.restart()
		time.Sleep(time.Minute)
		if c := v.info().Counts; c.Cancelled != n+1 || v.rows("cascade:") != 0 {
			t.Errorf("counts %+v; %d cascades", c, v.rows("cascade:"))
		}
	})
}

// A child that cannot be ended now, because its head cannot be read, is ended
// later, and the others at once.
func TestACascadeThatDidNotReachAllIsRepeated(t *testing.T) {
	parent, child := brood(flow.Terminate, untilPaid)
	bubble(t, typed(parent, child), func(v *env) {
		begin(v, parent, "p", 3)
		time.Sleep(time.Minute)
		key := row.HeadKey("c1")
		whole, err := v.s.Get(key)
		if err != nil {
			t.Fatal(err)
		}
		put := func(head []byte) {
			var b store.Batch
			b.Put(key, head)
			if _, err := v.s.Commit(v.ctx, &b); err != nil {
				t.Fatal(err)
			}
		}
		put([]byte("\x01\xff"))
		v.do(flow.CancelRun{Target: flow.Ref{ID: "p"}})
		time.Sleep(10 * time.Second)
		if a, c := v.status("c0"), v.status("c2"); a != flow.Cancelled || c != flow.Cancelled {
			t.Errorf("the others are %s and %s", a, c)
		}
		if !v.problem("did not reach all its children") {
			t.Errorf("nobody is told: %+v", v.info().Problems)
		}
		put(whole)
		time.Sleep(time.Minute)
		if got := v.status("c1"); got != flow.Cancelled {
			t.Errorf("the child is %s after its head was mended", got)
		}
	})
}

// The name of a child that is gone may be another's: the parent has no power
// over that one.
func TestAParentEndsNobodyWhoHasTheNameOfItsChild(t *testing.T) {
	parent, child := brood(flow.Terminate, untilPaid)
	bubble(t, typed(parent, child), func(v *env) {
		begin(v, parent, "p", 1)
		time.Sleep(time.Minute)
		sends(v, paid, "c0", "x")
		wants(v, "c0", "x")
		v.do(flow.PurgeRun{Target: flow.Ref{ID: "c0"}})
		begin(v, child, "c0", 0)
		v.do(flow.CancelRun{Target: flow.Ref{ID: "p"}})
		time.Sleep(time.Minute)
		if got := v.status("c0"); got != flow.Running || v.rows("cascade:") != 0 {
			t.Errorf("the run is %s; %d cascades", got, v.rows("cascade:"))
		}
	})
}

// A chain hands its living children on: the end of its last run reaches them,
// also when that started none and completes.
func TestTheEndOfAChainReachesTheChildrenOfItsFirstRun(t *testing.T) {
	child := engine.Workflow[int, string]{Name: "child", Do: untilPaid}
	self := engine.WorkflowRef[int, int]{Name: "w"}
	w := flowOf(func(ctx *engine.Context, n int) (int, error) {
		if n == 0 {
			for _, p := range []flow.ParentClose{flow.Terminate, flow.CloseWithParent, flow.Abandon} {
				if _, err := child.StartChild(ctx, 0, engine.ChildOptions{ID: flow.WorkflowID("c" + p), OnParentEnd: p}); err != nil {
					return 0, err
				}
			}
		}
		if err := ctx.Sleep(time.Hour); err != nil || n == 3 {
			return n, err
		}
		return self.ContinueAsNew(ctx, n+1, engine.ContinueOptions{})
	})
	for when, between := range map[string]func(*env){"undisturbed": func(*env) {}, "after a crash": (*env).crash} {
		t.Run(when, func(t *testing.T) {
			bubble(t, typed(w, child), func(v *env) {
				begin(v, w, "p", 0)
				time.Sleep(150 * time.Minute)
				between(v)
				wants(v, "p", 3)
				time.Sleep(time.Minute)
				for p, want := range map[flow.ParentClose]flow.Status{flow.Terminate: flow.Cancelled,
					flow.CloseWithParent: flow.Running, flow.Abandon: flow.Running} {
					if got := v.status(flow.WorkflowID("c" + p)); got != want {
						t.Errorf("%q: the child is %s, want %s", p, got, want)
					}
				}
			})
		})
	}
}

// A chain that never ends does not drag along the children that have ended.
func TestAChainForgetsChildrenThatHaveEnded(t *testing.T) {
	child := engine.Workflow[int, int]{Name: "child", Do: func(ctx *engine.Context, n int) (int, error) { return n, nil }}
	self := engine.WorkflowRef[int, int]{Name: "w"}
	w := flowOf(func(ctx *engine.Context, n int) (int, error) {
		for i := range 300 { // more rows than are removed one by one
			if _, err := child.RunChild(ctx, i, engine.ChildOptions{}); err != nil {
				return 0, err
			}
		}
		if n == 2 {
			return n, ctx.Sleep(time.Hour)
		}
		return self.ContinueAsNew(ctx, n+1, engine.ContinueOptions{})
	})
	bubble(t, typed(w, child), func(v *env) {
		begin(v, w, "p", 0)
		time.Sleep(time.Minute)
		if n := v.rows(row.FamilyChild); n != 300 {
			t.Errorf("%d rows of children, want those of the last run", n)
		}
		wants(v, "p", 2)
	})
}
