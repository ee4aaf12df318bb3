package engine_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"weft/engine"
	"weft/flow"
)

// busy is an activity that takes an hour, or until its context ends.
var busy = engine.Activity[string, string]{Name: "busy", Do: func(ctx context.Context, s string) (string, error) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Hour):
	}
	return s, ctx.Err()
}}

// asks is code that asks for handlers in the main branch and in another one
// that has ended, then waits in memory, or parked.
func asks(called *notes[string], bad func(*engine.Context)) engine.Workflow[string, string] {
	return flowOf(func(ctx *engine.Context, how string) (string, error) {
		defer func() { called.add("unwound") }()
		ctx.OnCancel(func() { called.add("first") })
		side := engine.Go(ctx, func(ctx *engine.Context) (string, error) {
			ctx.OnCancel(func() { called.add("branch") })
			return "", nil
		})
		if _, err := side.Await(ctx); err != nil {
			return "", err
		}
		if bad != nil {
			ctx.OnCancel(func() { bad(ctx) })
		}
		ctx.OnCancel(func() { called.add("last") })
		switch how {
		case "busy":
			return busy.Run(ctx, how)
		case "through":
			return how, ctx.Sleep(time.Millisecond)
		}
		return paid.Wait(ctx)
	})
}

// counted demands how often a problem has occurred, 0 for never.
func (v *env) counted(text string, want int) {
	v.Helper()
	n := 0
	for _, p := range v.info().Problems {
		if p.Text == text {
			n = p.Count
		}
	}
	if n != want {
		v.Errorf("%q occurred %d times, want %d; all: %+v", text, n, want, v.info().Problems)
	}
}

const (
	handlersFailed = "cancel handlers of type w failed"
	handlersParked = "cancel handlers of type w were skipped: the run was not in memory"
	handlersStuck  = "cancel handlers of type w were skipped: the run's code does not leave memory"
)

// TestCancelHandlersAreCalledInOrderOnce: when the end is durable and the code
// has unwound. One that panics, or ends its goroutine, is counted and does not
// stop the others.
func TestCancelHandlersAreCalledInOrderOnce(t *testing.T) {
	for name, bad := range map[string]func(*engine.Context){
		"all well":          nil,
		"one panics":        func(*engine.Context) { panic("no") },
		"one panics by nil": func(ctx *engine.Context) { ctx.SetSummary("%s", missing("x")) },
		"one uses the context": func(ctx *engine.Context) {
			if _, err := busy.Run(ctx, "x"); err == nil {
				panic("the activity ran")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			var called notes[string]
			w := asks(&called, bad)
			bubble(t, typed(w), func(v *env) {
				begin(v, w, "a", "busy")
				time.Sleep(time.Minute)
				v.cancels("a")
				if got, want := called.all(), []string{"unwound", "first", "branch", "last"}; !slices.Equal(got, want) {
					v.Errorf("called %v, want %v", got, want)
				}
				if bad == nil {
					v.counted(handlersFailed, 0)
				} else {
					v.counted(handlersFailed, 1)
				}
				v.refused(flow.CancelRun{Target: flow.Ref{ID: "a"}}, flow.ErrFinished)
				v.restart()
				time.Sleep(time.Minute)
				if n := called.len(); n != 4 {
					v.Errorf("called %v", called.all())
				}
			})
		})
	}
}

// TestCancelHandlersSeeTheEnd: the run is cancelled for whoever asks.
func TestCancelHandlersSeeTheEnd(t *testing.T) {
	var seen notes[flow.Status]
	var v *env
	w := flowOf(func(ctx *engine.Context, how string) (string, error) {
		ctx.OnCancel(func() { seen.add(v.status("a")) })
		return busy.Run(ctx, how)
	})
	bubble(t, typed(w), func(at *env) {
		v = at
		begin(v, w, "a", "busy")
		time.Sleep(time.Minute)
		v.cancels("a")
		if got := seen.all(); !slices.Equal(got, []flow.Status{flow.Cancelled}) {
			v.Errorf("seen %v", got)
		}
	})
}

// TestReplayedCodeAsksForItsHandlersAnew: after a crash the new life's handlers
// are called, each once.
func TestReplayedCodeAsksForItsHandlersAnew(t *testing.T) {
	var called notes[string]
	w := asks(&called, nil)
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", "busy")
		time.Sleep(time.Minute)
		v.crash()
		before := called.len() // the crash unwound the code
		v.cancels("a")
		if got, want := called.all()[before:], []string{"unwound", "first", "branch", "last"}; !slices.Equal(got, want) {
			v.Errorf("called %v, want %v", got, want)
		}
	})
}

// TestHandlersOfRunsThatAreNotInMemoryAreCounted: they are not called, whatever
// process parked or suspended the run.
func TestHandlersOfRunsThatAreNotInMemoryAreCounted(t *testing.T) {
	none := func(*env) {}
	for name, tc := range map[string]struct {
		how     string
		prepare func(*env)
		end     func(*env)
		want    int
	}{
		"parked":                       {"wait", none, nil, 3},
		"parked by an earlier process": {"wait", (*env).crash, nil, 3},
		"parked, with now": {"wait", none, func(v *env) {
			v.do(flow.CancelRun{Target: flow.Ref{ID: "a"}, Now: true})
		}, 3},
		"suspended":                   {"wait", func(v *env) { v.suspends("a") }, nil, 3},
		"suspended before the crash":  {"wait", func(v *env) { v.suspends("a"); v.crash() }, nil, 3},
		"suspended, an attempt lasts": {"busy", func(v *env) { v.suspends("a") }, nil, 3},
		"has completed":               {"through", none, none, 0},
	} {
		t.Run(name, func(t *testing.T) {
			var called notes[string]
			w := asks(&called, nil)
			bubble(t, typed(w), func(v *env) {
				begin(v, w, "a", tc.how)
				time.Sleep(time.Minute)
				tc.prepare(v)
				if tc.end == nil {
					v.cancels("a")
				} else {
					tc.end(v)
				}
				time.Sleep(time.Minute)
				for _, c := range called.all() {
					if c != "unwound" {
						v.Errorf("handler %s was called", c)
					}
				}
				v.counted(handlersParked, tc.want)
			})
		})
	}
}

// TestAHandlerThatIsAskedForLateIsCountedToo: by another branch, after the wait
// was registered.
func TestAHandlerThatIsAskedForLateIsCountedToo(t *testing.T) {
	w := flowOf(func(ctx *engine.Context, _ string) (string, error) {
		side := engine.Go(ctx, func(ctx *engine.Context) (string, error) {
			err := ctx.Sleep(time.Minute)
			ctx.OnCancel(func() {})
			return "", err
		})
		if _, err := paid.Wait(ctx); err != nil {
			return "", err
		}
		return side.Await(ctx)
	})
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", "")
		time.Sleep(time.Hour)
		v.cancels("a")
		v.counted(handlersParked, 1)
	})
}

// TestOnlyACancelCallsHandlers: a run that times out calls none, and one that
// has not begun has none.
func TestOnlyACancelCallsHandlers(t *testing.T) {
	var called notes[string]
	w := asks(&called, nil)
	bubble(t, typed(w), func(v *env) {
		if _, err := w.Start(v.ctx, v.e, "busy", engine.StartOptions{ID: "late", Deadline: time.Minute}); err != nil {
			v.Fatal(err)
		}
		if _, err := w.Start(v.ctx, v.e, "busy", engine.StartOptions{ID: "pending", StartAt: time.Now().Add(time.Hour)}); err != nil {
			v.Fatal(err)
		}
		v.cancels("pending")
		time.Sleep(2 * time.Minute)
		if got := v.status("late"); got != flow.TimedOut {
			v.Errorf("late is %s", got)
		}
		if got := called.all(); !slices.Equal(got, []string{"unwound"}) {
			v.Errorf("called %v", got)
		}
		v.counted(handlersParked, 0)
	})
}

// TestHandlersOfCodeThatDoesNotLeaveAreSkipped: they share its variables, so
// they are not called beside it; and a handler that hangs holds up its cancel
// for a bounded time.
func TestHandlersOfCodeThatDoesNotLeaveAreSkipped(t *testing.T) {
	var called notes[string]
	w := flowOf(func(ctx *engine.Context, how string) (string, error) {
		ctx.OnCancel(func() { called.add("handler"); time.Sleep(time.Minute) })
		if how == "stuck" {
			time.Sleep(time.Minute)
		}
		return busy.Run(ctx, how)
	})
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "stuck", "stuck")
		begin(v, w, "hangs", "busy")
		time.Sleep(time.Second)
		for _, id := range []flow.WorkflowID{"stuck", "hangs"} {
			from := time.Now()
			v.cancels(id)
			if d := time.Since(from); d > 11*time.Second {
				v.Errorf("the cancel of %s took %v", id, d)
			}
		}
		v.counted(handlersStuck, 1)
		if !v.problem("cancel handlers of run hangs") {
			v.Errorf("problems %+v", v.info().Problems)
		}
		time.Sleep(2 * time.Minute)
		if got := called.all(); !slices.Equal(got, []string{"handler"}) {
			v.Errorf("called %v", got)
		}
	})
}

// TestAnEndOfAParentCallsTheHandlersOfItsChildren, and the child that is parked
// is counted.
func TestAnEndOfAParentCallsTheHandlersOfItsChildren(t *testing.T) {
	var called notes[string]
	child := asks(&called, nil)
	parent := engine.Workflow[string, string]{Name: "parent", Do: func(ctx *engine.Context, _ string) (string, error) {
		got, err := engine.Map(ctx, 0, []string{"busy", "wait"}, func(ctx *engine.Context, how string) (string, error) {
			return child.RunChild(ctx, how, engine.ChildOptions{ID: flow.WorkflowID(how)})
		})
		return fmt.Sprint(got), err
	}}
	bubble(t, typed(parent, child), func(v *env) {
		begin(v, parent, "p", "")
		time.Sleep(time.Minute)
		v.cancels("p")
		time.Sleep(time.Minute)
		// The parked one unwound first.
		if got := called.all(); !slices.Equal(got, []string{"unwound", "unwound", "first", "branch", "last"}) {
			v.Errorf("called %v", got)
		}
		v.counted(handlersParked, 3)
		if got := v.status("busy"); got != flow.Cancelled {
			v.Errorf("the child is %s", got)
		}
	})
}
