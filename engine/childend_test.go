package engine_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"weft/engine"
	"weft/flow"
)

// kinPair is a parent that awaits a child which sleeps.
func kinPair() (parent, child engine.Workflow[time.Duration, string]) {
	child = engine.Workflow[time.Duration, string]{Name: "child", Do: func(ctx *engine.Context, d time.Duration) (string, error) {
		return "slept", ctx.Sleep(d)
	}}
	parent = engine.Workflow[time.Duration, string]{Name: "parent", Do: func(ctx *engine.Context, d time.Duration) (string, error) {
		return child.RunChild(ctx, d, engine.ChildOptions{ID: "c"})
	}}
	return parent, child
}

// Also a parent that is still in memory need not look by itself.
func TestAParentHearsAtOnceThatItsChildHasEnded(t *testing.T) {
	parent, child := kinPair()
	for _, d := range []time.Duration{0, 2 * time.Second, time.Hour} {
		t.Run(d.String(), func(t *testing.T) {
			bubble(t, typed(parent, child), func(v *env) {
				begin(v, parent, "p", d)
				time.Sleep(d + time.Second/2)
				if got := v.status("p"); got != flow.Completed {
					t.Errorf("half a second after the end of its child the parent is %s", got)
				}
			})
		})
	}
}

func TestASuspendedParentTakesItsChildsEndWhenItIsResumed(t *testing.T) {
	parent, child := kinPair()
	for name, early := range map[string]time.Duration{"in memory": time.Second, "parked": time.Minute} {
		t.Run(name, func(t *testing.T) {
			bubble(t, typed(parent, child), func(v *env) {
				begin(v, parent, "p", time.Hour)
				time.Sleep(early)
				v.do(flow.SuspendRun{Target: flow.Ref{ID: "p"}})
				time.Sleep(2 * time.Hour)
				v.crash()
				if p, c := v.status("p"), v.status("c"); p != flow.Suspended || c != flow.Completed {
					t.Errorf("the parent is %s, the child %s", p, c)
				}
				v.do(flow.ResumeRun{Target: flow.Ref{ID: "p"}})
				wants(v, "p", "slept")
			})
		})
	}
}

func TestAParentLearnsWhyItsChildWasEnded(t *testing.T) {
	parent, child := kinPair()
	bubble(t, typed(parent, child), func(v *env) {
		begin(v, parent, "p", time.Hour)
		time.Sleep(time.Minute)
		v.do(flow.CancelRun{Target: flow.Ref{ID: "c"}})
		_, err := ending[string](v, "p")
		if !errors.Is(err, engine.Code("child-cancelled")) || !strings.Contains(err.Error(), "because") {
			t.Errorf("got %v", err)
		}
	})
}

func TestAChildHasItsOwnDeadline(t *testing.T) {
	for name, between := range map[string]func(*env){"in memory": func(*env) {}, "after a crash": (*env).crash} {
		t.Run(name, func(t *testing.T) {
			_, child := kinPair()
			parent := flowOf(func(ctx *engine.Context, _ int) (string, error) {
				return child.RunChild(ctx, 10*time.Hour, engine.ChildOptions{Deadline: 20 * time.Second})
			})
			bubble(t, typed(parent, child), func(v *env) {
				begin(v, parent, "p", 0)
				time.Sleep(time.Second)
				between(v)
				time.Sleep(20 * time.Second)
				if got := v.status("p"); got != flow.Failed {
					t.Errorf("a second after its child's deadline the parent is %s", got)
				}
				if _, err := ending[string](v, "p"); !errors.Is(err, engine.Code("child-timed-out")) {
					t.Errorf("got %v", err)
				}
			})
		})
	}
}

// What a child must not be given is refused before there is one.
func TestAChildThatCannotBeIsRefused(t *testing.T) {
	_, child := kinPair()
	w := flowOf(func(ctx *engine.Context, _ int) (int, error) {
		for _, o := range []engine.ChildOptions{{OnParentEnd: "whatever"}, {Tags: []string{""}}, {Deadline: -1},
			{ID: flow.WorkflowID(strings.Repeat("x", flow.MaxName+1))}} {
			if _, err := child.StartChild(ctx, 0, o); !errors.Is(err, engine.Code("bad-child")) {
				return 0, errors.Join(errors.New("not refused"), err)
			}
		}
		return 1, nil
	})
	bubble(t, typed(w, child), func(v *env) {
		begin(v, w, "p", 0)
		wants(v, "p", 1)
		if c := v.info().Counts; c.Runs() != 1 {
			t.Errorf("counts %+v", c)
		}
	})
}

// Parents, and somebody outside, who all take the same name: one gets it.
func TestANameIsGivenToOneChild(t *testing.T) {
	_, child := kinPair()
	w := flowOf(func(ctx *engine.Context, _ int) (string, error) {
		_, err := child.StartChild(ctx, time.Hour, engine.ChildOptions{ID: "c", OnParentEnd: flow.Abandon})
		if err != nil && !errors.Is(err, engine.Code("exists")) {
			return "", err
		}
		return map[bool]string{true: "it is mine", false: "it was taken"}[err == nil], nil
	})
	lateBubble(t, typed(w, child), func(v *env) {
		for range 10 {
			got := map[string]int{}
			ids := []flow.WorkflowID{"p", "q", "r"}
			for _, id := range ids {
				begin(v, w, id, 0)
			}
			_, err := child.Start(v.ctx, v.e, 0, engine.StartOptions{ID: "c"})
			if err == nil {
				got["it is mine"]++
			}
			for _, id := range ids {
				word, err := ending[string](v, id)
				if err != nil {
					t.Error(err)
				}
				got[word]++
			}
			if got["it is mine"] != 1 {
				t.Fatalf("%v; start outside: %v", got, err)
			}
			for _, id := range append(ids, "c") {
				if id == "c" && err != nil {
					v.do(flow.CancelRun{Target: flow.Ref{ID: "c"}})
				}
				_, _ = ending[string](v, id)
				time.Sleep(time.Second)
				v.do(flow.PurgeRun{Target: flow.Ref{ID: id}})
			}
		}
	})
}
