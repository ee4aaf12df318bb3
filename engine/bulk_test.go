package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine"
	"weft/flow"
)

func (v *env) previews(b flow.Bulk) flow.Preview {
	v.Helper()
	p, err := v.e.Operator().Preview(v.ctx, b)
	if err != nil {
		v.Fatalf("preview %+v: %v", b, err)
	}
	return p
}

// outcomes counts what became of each.
func outcomes(r flow.Receipt) string {
	n := map[flow.BulkOutcome]int{}
	for _, one := range r.Results {
		n[one.Outcome]++
	}
	return fmt.Sprintf("%d done, %d skipped, %d failed", n[flow.BulkDone], n[flow.BulkSkipped], n[flow.BulkFailed])
}

// TestEveryBulkVerb acts on what suits it and on nothing else, with a record
// each.
func TestEveryBulkVerb(t *testing.T) {
	s := newSandbox(0)
	bubble(t, typed(s.w), func(v *env) {
		// Of each state two runs, by name.
		for i := range 2 {
			at := func(name string) flow.WorkflowID { return flow.WorkflowID(fmt.Sprintf("%s-%d", name, i)) }
			startLater(v, s, engine.StartOptions{ID: at("pending"), StartAt: time.Now().Add(1000 * time.Hour)})
			for _, name := range []string{"running", "suspended", "completed", "failed", "cancelled"} {
				begin(v, s.w, at(name), "box")
			}
			v.suspends(at("suspended"))
			sends(v, paid, at("completed"), "x")
			v.do(flow.SendSignal{Target: flow.Ref{ID: at("failed")}, Name: paid.Name, Payload: flow.Payload("7"), Force: true})
			v.cancels(at("cancelled"))
			time.Sleep(time.Minute)
		}
		for _, tc := range []struct {
			verb string
			deed flow.BulkAct
			n    int64
			left flow.Counts
		}{
			{"signal", flow.BulkAct{Signal: "unread", Payload: flow.Payload("1")}, 6, flow.Counts{Pending: 2, Running: 2, Suspended: 2, Completed: 2, Failed: 2, Cancelled: 2}},
			{"suspend", flow.BulkAct{}, 2, flow.Counts{Pending: 2, Suspended: 4, Completed: 2, Failed: 2, Cancelled: 2}},
			{"resume", flow.BulkAct{}, 4, flow.Counts{Pending: 2, Running: 4, Completed: 2, Failed: 2, Cancelled: 2}},
			{"restart", flow.BulkAct{}, 4, flow.Counts{Pending: 2, Running: 8, Completed: 2}},
			{"cancel", flow.BulkAct{}, 10, flow.Counts{Completed: 2, Cancelled: 10}},
			{"purge", flow.BulkAct{}, 12, flow.Counts{}},
		} {
			p := v.previews(flow.Bulk{Verb: tc.verb})
			if p.Count != tc.n || len(p.Sample) != int(min(tc.n, 20)) {
				v.Errorf("%s: preview of %d, sample %d; want %d", tc.verb, p.Count, len(p.Sample), tc.n)
			}
			before := len(audited(v, tc.verb))
			tc.deed.Token = p.Token
			if tc.verb == "signal" { // not declared by the type: each fails, and says so
				if got := outcomes(v.do(tc.deed)); got != "0 done, 0 skipped, 6 failed" {
					v.Errorf("signal: %s", got)
				}
				continue
			}
			r := v.do(tc.deed)
			if got, want := outcomes(r), fmt.Sprintf("%d done, 0 skipped, 0 failed", tc.n); got != want {
				v.Errorf("%s: %s, want %s: %+v", tc.verb, got, want, r.Results)
			}
			if n := len(audited(v, tc.verb)) - before; n != int(tc.n) {
				v.Errorf("%s: %d records, want %d", tc.verb, n, tc.n)
			}
			time.Sleep(time.Minute)
			if c := v.info().Counts; c != tc.left {
				v.Errorf("after %s: %+v, want %+v", tc.verb, c, tc.left)
			}
		}
	})
}

// TestAFrozenListIsExact: what has changed is skipped, what is new is left
// alone, a token acts once and for ten minutes only.
func TestAFrozenListIsExact(t *testing.T) {
	s := newSandbox(0)
	bubble(t, typed(s.w), func(v *env) {
		var only []flow.Ref
		for i := range 6 {
			only = append(only, begin(v, s.w, flow.WorkflowID(fmt.Sprint("r", i)), "box").Ref())
		}
		time.Sleep(time.Minute)
		p := v.previews(flow.Bulk{Verb: "cancel", Only: only[:5]})
		v.suspends("r0") // was running
		v.cancels("r1")
		time.Sleep(time.Minute)
		v.do(flow.RestartRun{Target: flow.Ref{ID: "r1"}}) // runs again, as another
		v.cancels("r2")
		time.Sleep(time.Minute)
		v.do(flow.PurgeRun{Target: flow.Ref{ID: "r2"}})
		r := v.do(flow.BulkAct{Token: p.Token})
		if got := outcomes(r); got != "2 done, 3 skipped, 0 failed" {
			v.Errorf("%s: %+v", got, r.Results)
		}
		for i, one := range r.Results {
			if one.Ref != only[i] || one.Text == "" {
				v.Errorf("result %d: %+v", i, one)
			}
		}
		for id, want := range map[flow.WorkflowID]flow.Status{"r0": flow.Suspended, "r1": flow.Running, "r3": flow.Cancelled, "r4": flow.Cancelled, "r5": flow.Running} {
			if got := v.status(id); got != want {
				v.Errorf("%s is %s, want %s", id, got, want)
			}
		}
		v.refused(flow.BulkAct{Token: p.Token}, flow.ErrConflict)
		v.refused(flow.BulkAct{Token: "cancel-1"}, flow.ErrConflict)
		late, soon := v.previews(flow.Bulk{Verb: "cancel"}), v.previews(flow.Bulk{Verb: "cancel"})
		time.Sleep(flow.FrozenFor)
		if got := outcomes(v.do(flow.BulkAct{Token: soon.Token})); got != "3 done, 0 skipped, 0 failed" {
			v.Errorf("after just ten minutes: %s", got)
		}
		time.Sleep(time.Millisecond)
		v.refused(flow.BulkAct{Token: late.Token}, flow.ErrConflict)
		_, err := v.e.Operator().Preview(v.ctx, flow.Bulk{Verb: "explode"})
		var unknown *flow.UnknownError
		if !errors.As(err, &unknown) {
			v.Errorf("unknown verb: %v", err)
		}
	})
}

// TestF025BulkPurgeSkipsWhatOwesATeardown and says why.
func TestF025BulkPurgeSkipsWhatOwesATeardown(t *testing.T) {
	s := newSandbox(3)
	bubble(t, typed(s.w), func(v *env) {
		for i := range 5 {
			id := flow.WorkflowID(fmt.Sprint("r", i))
			begin(v, s.w, id, "box")
			synctest.Wait()
			v.cancels(id)
			synctest.Wait()
		}
		r := v.do(flow.BulkAct{Token: v.previews(flow.Bulk{Verb: "purge"}).Token})
		owed := 0
		for _, one := range r.Results {
			switch {
			case one.Outcome == flow.BulkSkipped && strings.Contains(one.Text, string(one.Ref.ID)) && strings.Contains(one.Text, "teardown"):
				owed++
			case one.Outcome != flow.BulkDone:
				v.Errorf("%+v, want done, or skipped with the reason", one)
			}
		}
		if c := v.info().Counts; owed != 3 || c.Cancelled != 3 || c.Owed != 3 {
			v.Errorf("%d skipped, counts %+v, %+v", owed, c, r.Results)
		}
		time.Sleep(10 * time.Minute)
		v.do(flow.BulkAct{Token: v.previews(flow.Bulk{Verb: "purge"}).Token})
		if c := v.info().Counts; c != (flow.Counts{}) {
			v.Errorf("counts %+v", c)
		}
	})
}

// TestAPreviewOfARedriveShowsWhatBecameOfTheRuns, by filter and by choice, also
// when one was removed.
func TestAPreviewOfARedriveShowsWhatBecameOfTheRuns(t *testing.T) {
	s := newSandbox(2 * flow.MaxTeardownAttempts)
	bubble(t, typed(s.w), func(v *env) {
		var refs []flow.Ref
		for _, id := range []flow.WorkflowID{"gone", "here"} {
			refs = append(refs, begin(v, s.w, id, "box").Ref())
			synctest.Wait()
			v.cancels(id)
		}
		time.Sleep(6 * time.Hour)
		v.do(flow.PurgeRun{Target: refs[0]})
		for name, bulk := range map[string]flow.Bulk{
			"filter": {Verb: "redrive"},
			"choice": {Verb: "redrive", Only: append(refs, flow.Ref{ID: "none", Run: refs[0].Run})},
		} {
			p := v.previews(bulk)
			if len(p.Sample) != 2 {
				v.Fatalf("%s: %+v", name, p.Sample)
			}
			for _, r := range p.Sample {
				want := flow.Status(0)
				if r.ID == "here" {
					want = flow.Cancelled
				}
				if r.Status != want || r.Type != "sandbox" || r.Reason == "" || r.ClosedAt == 0 {
					v.Errorf("%s: %+v", name, r)
				}
			}
		}
	})
}

// TestF085TenThousandAtOnce: cancelled, redriven, purged; nothing is left running
// (F073, F085).
func TestF085TenThousandAtOnce(t *testing.T) {
	n := 1000
	if torture() {
		n = 10_001
	}
	s := newSandbox(flow.MaxTeardownAttempts * n)
	o := typed(s.w)
	o.FinalizerSlots = 100
	bubble(t, o, func(v *env) {
		for i := range n {
			begin(v, s.w, flow.WorkflowID(fmt.Sprint("r", i)), "box")
		}
		time.Sleep(time.Minute)
		r := v.do(flow.BulkAct{Token: v.previews(flow.Bulk{Verb: "cancel"}).Token})
		if got, want := outcomes(r), fmt.Sprintf("%d done, 0 skipped, 0 failed", n); got != want {
			v.Fatalf("cancel: %s", got)
		}
		time.Sleep(6 * time.Hour)
		if c := v.info().Counts; c.Dead != int64(n) || c.Cancelled != int64(n) {
			v.Fatalf("counts %+v", c)
		}
		r = v.do(flow.BulkAct{Token: v.previews(flow.Bulk{Verb: "redrive"}).Token})
		if got, want := outcomes(r), fmt.Sprintf("%d done, 0 skipped, 0 failed", n); got != want {
			v.Fatalf("redrive: %s", got)
		}
		time.Sleep(time.Hour)
		r = v.do(flow.BulkAct{Token: v.previews(flow.Bulk{Verb: "purge"}).Token})
		if got, want := outcomes(r), fmt.Sprintf("%d done, 0 skipped, 0 failed", n); got != want {
			v.Fatalf("purge: %s", got)
		}
		if c := v.info(); c.Counts != (flow.Counts{}) || c.Live != 0 || len(c.Problems) != 0 {
			v.Errorf("left: %+v", c)
		}
		if got := len(s.released.all()); got != n*(flow.MaxTeardownAttempts+1) {
			v.Errorf("%d calls of finalizers", got)
		}
	})
}
