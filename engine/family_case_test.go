package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"weft/engine"
	"weft/flow"
)

// TestF026 uses the id of a parent again while its children still end, and after
// a crash: that is refused until they have, and nothing of the old family
// reaches the new one.
func TestF026(t *testing.T) {
	child := engine.Workflow[string, string]{Name: "child", Do: func(ctx *engine.Context, how string) (string, error) {
		if how == "busy" {
			<-ctx.Done()
		}
		got, err := paid.Wait(ctx)
		return how + got, err
	}}
	parent := engine.Workflow[string, string]{Name: "parent", Do: func(ctx *engine.Context, gen string) (string, error) {
		first, err := child.StartChild(ctx, gen, engine.ChildOptions{ID: flow.WorkflowID("kept-" + gen), OnParentEnd: flow.Abandon})
		if err != nil {
			return "", err
		}
		for _, how := range []string{"waits", "busy"} {
			if _, err := child.StartChild(ctx, how, engine.ChildOptions{ID: flow.WorkflowID(how)}); err != nil {
				return "", err
			}
		}
		return first.Await(ctx)
	}}
	for _, crash := range []bool{false, true} {
		t.Run(fmt.Sprint("crash ", crash), func(t *testing.T) {
			bubble(t, typed(parent, child), func(v *env) {
				begin(v, parent, "p", "old")
				time.Sleep(time.Second)
				v.do(flow.CancelRun{Target: flow.Ref{ID: "p"}})
				if crash {
					v.crash()
				}
				again := engine.StartOptions{ID: "p", OnTerminalConflict: flow.StartNew}
				_, err := parent.Start(v.ctx, v.e, "new", again)
				if !errors.Is(err, flow.ErrConflict) || !strings.Contains(err.Error(), "children") {
					t.Errorf("a start in place of it, while a child is busy: %v", err)
				}
				time.Sleep(time.Minute)
				for _, id := range []flow.WorkflowID{"waits", "busy"} {
					if got := v.detail(id, flow.PartSummary).Run.Status; got != flow.Cancelled {
						t.Errorf("child %s is %s", id, got)
					}
					v.do(flow.PurgeRun{Target: flow.Ref{ID: id}})
				}
				if _, err := parent.Start(v.ctx, v.e, "new", again); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Second)
				sends(v, paid, "kept-old", "!") // its end belongs to nobody now
				time.Sleep(time.Minute)
				if got := v.detail("p", flow.PartSummary).Run.Status; got != flow.Running {
					t.Errorf("the new parent is %s by the end of an old child", got)
				}
				sends(v, paid, "kept-new", "?")
				wants(v, "p", "new?")
				v.do(flow.CancelRun{Target: flow.Ref{ID: "busy"}, Now: true})
			})
		})
	}
}

// TestF122TheTreeFollowsWhereverTheProcessDies ends the root of a tree of three levels by each route, and dies
// between the levels: the tree follows, whatever its members are at.
func TestF122TheTreeFollowsWhereverTheProcessDies(t *testing.T) {
	work := engine.Activity[string, int]{Name: "work", Retry: engine.Retry{MaxAttempts: 100, Initial: time.Hour, Max: time.Hour},
		Do: func(ctx context.Context, how string) (int, error) {
			if how == "backoff" {
				return 0, errors.New("not yet")
			}
			<-ctx.Done()
			return 0, ctx.Err()
		}}
	self := engine.WorkflowRef[string, int]{Name: "node"}
	node := engine.Workflow[string, int]{Name: "node", Do: func(ctx *engine.Context, how string) (int, error) {
		rest, deeper := strings.CutPrefix(how, "over ")
		switch {
		case deeper:
			return self.RunChild(ctx, rest, engine.ChildOptions{ID: flow.WorkflowID(rest)})
		case how == "suspended":
			return 0, ctx.Sleep(1000 * time.Hour)
		}
		return work.Run(ctx, how)
	}}
	states := []string{"backoff", "running", "queued", "suspended"}
	root := engine.Workflow[int, int]{Name: "root", Do: func(ctx *engine.Context, _ int) (int, error) {
		_, err := engine.Map(ctx, 0, states, func(ctx *engine.Context, how string) (int, error) {
			return self.RunChild(ctx, "over "+how, engine.ChildOptions{ID: flow.WorkflowID("over-" + how)})
		})
		return 0, err
	}}
	o := typed(root, node)
	o.ActivitySlots = 1
	for _, end := range []flow.Status{flow.Cancelled, flow.TimedOut} {
		t.Run(end.String(), func(t *testing.T) {
			cutEverywhere(t, o, 3, func(v *env) bool {
				deadline := engine.StartOptions{}
				if end == flow.TimedOut {
					deadline.Deadline = 30 * time.Minute
				}
				if !startOnce(v, root, "root", 0, deadline) {
					return false
				}
				time.Sleep(5 * time.Minute)
				for _, deed := range []flow.Deed{flow.SuspendRun{Target: flow.Ref{ID: "suspended"}}, flow.CancelRun{Target: flow.Ref{ID: "root"}}} {
					if end == flow.TimedOut && deed.Verb() == "cancel" {
						break
					}
					_, err := v.e.Operator().Do(v.ctx, flow.Act{Deed: deed})
					if !v.lives(err, flow.ErrConflict, flow.ErrFinished) {
						return false
					}
				}
				if !v.settles("root", end) {
					return false
				}
				for _, how := range states {
					if !v.settles(flow.WorkflowID("over-"+how), flow.Cancelled) || !v.settles(flow.WorkflowID(how), flow.Cancelled) {
						return false
					}
				}
				return true
			})
		})
	}
}

// TestF134 filters by tags while runs with them start, change, end and go.
func TestF134(t *testing.T) {
	w := flowOf(func(ctx *engine.Context, n int) (int, error) {
		if err := ctx.AddTags(fmt.Sprint("t", n%3)); err != nil {
			return 0, err
		}
		if err := ctx.Sleep(time.Duration(n%7) * 10 * time.Millisecond); err != nil {
			return 0, err
		}
		return n, ctx.RemoveTags(fmt.Sprint("t", n%3))
	})
	lateBubble(t, typed(w), func(v *env) {
		seen := 0
		for round := range 4 {
			var all sync.WaitGroup
			for g := range 4 {
				all.Go(func() {
					for i := range 10 {
						n := round*100 + g*10 + i
						id := flow.WorkflowID(fmt.Sprint("r", n))
						_, _ = w.Start(v.ctx, v.e, n, engine.StartOptions{ID: id, Tags: []string{fmt.Sprint("t", v.dice(3))}})
						for _, d := range []flow.Deed{flow.TagRun{Target: flow.Ref{ID: id}, Add: []string{fmt.Sprint("t", v.dice(3))}},
							flow.TagRun{Target: flow.Ref{ID: id}, Remove: []string{fmt.Sprint("t", v.dice(3))}}, flow.PurgeRun{Target: flow.Ref{ID: id}}} {
							_, _ = v.e.Operator().Do(v.ctx, flow.Act{Deed: d}) // some are refused: the run goes on, or has gone
						}
					}
				})
			}
			for range 60 {
				tag := fmt.Sprint("t", v.dice(3))
				p, err := v.e.Operator().Page(v.ctx, flow.Query{Of: flow.ListRuns, Filter: flow.Filter{Tag: tag}})
				if err != nil {
					t.Fatal(err)
				}
				for _, r := range p.Runs {
					seen++
					if !slices.Contains(r.Tags, tag) {
						t.Errorf("a filter on %s finds %s with %v", tag, r.ID, r.Tags)
					}
				}
				time.Sleep(v.dice(5 * time.Millisecond))
			}
			all.Wait()
			v.crash()
			time.Sleep(time.Second) // all have ended
			p, err := v.e.Operator().Page(v.ctx, flow.Query{Of: flow.ListRuns, Limit: flow.MaxLimit})
			if err != nil {
				t.Fatal(err)
			}
			for _, tag := range []string{"t0", "t1", "t2"} {
				want := 0
				for _, r := range p.Runs {
					if slices.Contains(r.Tags, tag) {
						want++
					}
				}
				got, err := v.e.Operator().Page(v.ctx, flow.Query{Of: flow.ListRuns, Filter: flow.Filter{Tag: tag}, Limit: flow.MaxLimit})
				if err != nil || len(got.Runs) != want {
					t.Errorf("a filter on %s finds %d of %d, %v", tag, len(got.Runs), want, err)
				}
			}
		}
		if seen == 0 {
			t.Error("the filters never found anything")
		}
	})
}
