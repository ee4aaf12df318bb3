package engine_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"weft/engine"
	"weft/flow"
)

// listed goes through the runs that q chooses, a page after the other.
func listed(v *env, q flow.Query) []flow.Run {
	v.Helper()
	var all []flow.Run
	for {
		p, err := v.e.Operator().Page(v.ctx, q)
		if err != nil {
			v.Fatal(err)
		}
		all = append(all, p.Runs...)
		if !p.More {
			return all
		}
		q.After = p.Next
	}
}

func refsOf(runs []flow.Run) []flow.Ref {
	refs := make([]flow.Ref, len(runs))
	for i, r := range runs {
		refs[i] = r.Ref
	}
	return refs
}

// TestF130AListAtRestIsTheSameAndOneThatMovesLosesNothing: at rest every list is
// the same each time, and the parts add up to the whole; while runs end and
// begin no pass has a row twice, nor lacks one that lived through it.
func TestF130AListAtRestIsTheSameAndOneThatMovesLosesNothing(t *testing.T) {
	sleeps := engine.Workflow[int, string]{Name: "sleeps", Do: func(ctx *engine.Context, n int) (string, error) {
		return "", ctx.Sleep(time.Duration(n) * time.Second)
	}}
	bubble(t, typed(waiter, sleeps), func(v *env) {
		const rest = 400
		for i := range rest {
			begin(v, waiter, flow.WorkflowID(fmt.Sprint("w", i)), i)
			begin(v, sleeps, flow.WorkflowID(fmt.Sprint("s", i)), 0)
		}
		time.Sleep(time.Minute)
		whole := refsOf(listed(v, flow.Query{Of: flow.ListRuns, Limit: 77}))
		for range 4 {
			var parts []flow.Ref
			for _, f := range []flow.Filter{{Type: waiter.Name}, {Type: "sleeps"}} {
				parts = append(parts, refsOf(listed(v, flow.Query{Of: flow.ListRuns, Filter: f, Limit: 50}))...)
			}
			var states []flow.Ref
			for _, f := range []flow.Status{flow.Running, flow.Completed} {
				states = append(states, refsOf(listed(v, flow.Query{Of: flow.ListRuns, Filter: flow.Filter{Statuses: []flow.Status{f}}}))...)
			}
			again := refsOf(listed(v, flow.Query{Of: flow.ListRuns, Limit: 77}))
			if !slices.Equal(whole, again) || len(whole) != 2*rest || !sameRefs(whole, parts) || !sameRefs(whole, states) {
				t.Fatalf("%d rows, then %d; %d by type, %d by status", len(whole), len(again), len(parts), len(states))
			}
		}
		stop := make(chan struct{})
		var changes sync.WaitGroup
		changes.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				case <-time.After(5 * time.Millisecond): // 200 a second
				}
				begin(v, sleeps, flow.WorkflowID(fmt.Sprint("n", i)), 1)
			}
		})
		for pass := range 8 {
			q := flow.Query{Of: flow.ListRuns, Limit: 40, Filter: flow.Filter{Statuses: []flow.Status{flow.Running}}}
			seen, old := map[flow.Ref]int{}, 0
			for more := true; more; time.Sleep(20 * time.Millisecond) {
				p, err := v.e.Operator().Page(v.ctx, q)
				if err != nil {
					t.Fatal(err)
				}
				for _, r := range p.Runs {
					if seen[r.Ref]++; r.Type == waiter.Name {
						old++
					}
				}
				more, q.After = p.More, p.Next
			}
			if twice := slices.Max(slices.Collect(maps.Values(seen))); twice != 1 || old != rest {
				t.Fatalf("pass %d: a row is there %d times, and %d of %d that lived through it", pass, twice, old, rest)
			}
		}
		close(stop)
		changes.Wait()
	})
}

func sameRefs(a, b []flow.Ref) bool {
	byText := func(a, b flow.Ref) int { return strings.Compare(a.String(), b.String()) }
	return slices.Equal(slices.SortedFunc(slices.Values(a), byText), slices.SortedFunc(slices.Values(b), byText))
}

// TestF131RunsOfOneInstantHaveOneOrder, in pages of any size, in both directions
// and after a restart.
func TestF131RunsOfOneInstantHaveOneOrder(t *testing.T) {
	bubble(t, typed(waiter), func(v *env) {
		const n = 1000
		at := flow.InstantOf(time.Now())
		for i := range n {
			begin(v, waiter, flow.WorkflowID(fmt.Sprintf("w%03d", i*7919%n)), 0)
		}
		for _, order := range []flow.Sort{flow.ByCreated, flow.ByID} {
			whole := refsOf(listed(v, flow.Query{Of: flow.ListRuns, Sort: order, Limit: flow.MaxLimit}))
			for round := range 2 {
				runs := listed(v, flow.Query{Of: flow.ListRuns, Sort: order, Limit: 7})
				if runs[0].CreatedAt != at || runs[n-1].CreatedAt != at {
					t.Fatal("they did not begin in one instant")
				}
				back := refsOf(listed(v, flow.Query{Of: flow.ListRuns, Sort: order, Limit: 13, Backward: true}))
				slices.Reverse(back)
				if got := refsOf(runs); len(whole) != n || !slices.Equal(whole, got) || !slices.Equal(whole, back) {
					t.Errorf("by %s, round %d: the order changes", order, round)
				}
				v.restart()
			}
		}
	})
}

// TestF133ALimitIsOne: a page has at most as many rows as were asked for, and
// never more than MaxLimit.
func TestF133ALimitIsOne(t *testing.T) {
	bubble(t, typed(waiter), func(v *env) {
		for i := range flow.MaxLimit + 10 {
			begin(v, waiter, flow.WorkflowID(fmt.Sprint("w", i)), 0)
		}
		for limit, want := range map[int]int{0: flow.DefaultLimit, 1: 1, 7: 7, flow.MaxLimit: flow.MaxLimit, 1_000_000_000: flow.MaxLimit} {
			for _, of := range []flow.List{flow.ListRuns, flow.ListAudit} {
				p, err := v.e.Operator().Page(v.ctx, flow.Query{Of: of, Limit: limit})
				if got := len(p.Runs) + len(p.Audit); err != nil || got > want || of == flow.ListRuns && (got != want || !p.More) {
					t.Errorf("%s with limit %d has %d rows, more %v, %v", of, limit, got, p.More, err)
				}
			}
		}
	})
}
