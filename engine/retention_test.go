package engine_test

import (
	"testing"
	"time"

	"weft/engine"
	"weft/flow"
)

// TestEndedRunsAreRemovedAtTheirAge, by how they ended and by type; what owes a
// teardown, and what is of a type that is not known here, stays.
func TestEndedRunsAreRemovedAtTheirAge(t *testing.T) {
	s := newSandbox(0)
	stubborn := newSandbox(1000)
	stubborn.w.Name = "stubborn"
	other := newSandbox(0)
	other.w.Name = "other"
	o := typed(s.w, stubborn.w, other.w)
	o.Retention = engine.Retention{
		Keep:   map[flow.Status]time.Duration{flow.Completed: 48 * time.Hour, flow.Cancelled: 72 * time.Hour},
		ByType: map[string]map[flow.Status]time.Duration{"stubborn": {flow.Cancelled: time.Hour}, "other": {flow.Completed: 6 * time.Hour}},
	}
	bubble(t, o, func(v *env) {
		began := time.Now()
		for id, w := range map[flow.WorkflowID]engine.Workflow[string, string]{"done": s.w, "failed": s.w, "cancelled": s.w, "timed-out": s.w,
			"owed": stubborn.w, "short": other.w, "other": other.w, "live": s.w} {
			o := engine.StartOptions{ID: id}
			if id == "timed-out" {
				o.Deadline = time.Minute
			}
			if _, err := w.Start(v.ctx, v.e, "box", o); err != nil {
				v.Fatal(err)
			}
		}
		time.Sleep(time.Minute)
		for _, id := range []flow.WorkflowID{"done", "short"} {
			sends(v, paid, id, "x")
		}
		v.do(flow.SendSignal{Target: flow.Ref{ID: "failed"}, Name: paid.Name, Payload: flow.Payload("7"), Force: true})
		for _, id := range []flow.WorkflowID{"cancelled", "owed", "other"} {
			v.cancels(id)
		}
		gone := func(id flow.WorkflowID) bool {
			_, err := v.e.Operator().Detail(v.ctx, flow.Ref{ID: id}, flow.PartSummary)
			return err != nil
		}
		at := func(d time.Duration, left ...flow.WorkflowID) {
			v.Helper()
			time.Sleep(time.Until(began.Add(d)))
			n := 0
			for _, id := range left {
				if gone(id) {
					v.Errorf("after %v: %s is gone", d, id)
				}
				n++
			}
			if all := v.rows("wf:"); all != n {
				v.Errorf("after %v: %d runs, want %v", d, all, left)
			}
		}
		at(4*time.Hour, "done", "failed", "cancelled", "timed-out", "owed", "short", "other", "live")
		at(5*time.Hour, "done", "failed", "cancelled", "timed-out", "short", "other", "live")
		at(7*time.Hour, "done", "failed", "cancelled", "timed-out", "other", "live") // given up by then, the letter stays
		if c := v.info().Counts; c.Dead != 1 || c.Owed != 0 {
			v.Errorf("counts %+v", c)
		}
		at(47*time.Hour, "done", "failed", "cancelled", "timed-out", "other", "live")
		at(49*time.Hour, "failed", "cancelled", "timed-out", "other", "live")
		v.close()
		v.reopen()
		v.opts.Workflows = []engine.Definition{s.w}
		v.open()
		at(80*time.Hour, "failed", "timed-out", "other", "live") // the type of other is not known here
		v.close()
		v.reopen()
		v.opts.Workflows = []engine.Definition{s.w, other.w}
		v.open()
		at(81*time.Hour, "failed", "timed-out", "live")
		at(100*time.Hour, "failed", "timed-out", "live")
	})
}

// TestThousandsOfEndedRunsAreRemoved: more than a page, and the store is as
// empty as before.
func TestThousandsOfEndedRunsAreRemoved(t *testing.T) {
	w := flowOf(func(_ *engine.Context, n int) (int, error) { return n, nil })
	o := typed(w)
	o.Retention = engine.Retention{Keep: map[flow.Status]time.Duration{flow.Completed: time.Hour}}
	bubble(t, o, func(v *env) {
		for range 2500 {
			if _, err := w.Start(v.ctx, v.e, 1, engine.StartOptions{}); err != nil {
				v.Fatal(err)
			}
		}
		time.Sleep(59 * time.Minute)
		if n := v.rows("wf:"); n != 2500 {
			v.Errorf("%d runs", n)
		}
		time.Sleep(10 * time.Minute)
		for _, family := range []string{"wf:", "ev:", "wf-terminal:", "wf-idx-type:", "ready:"} {
			if n := v.rows(family); n != 0 {
				v.Errorf("%d rows of %s left", n, family)
			}
		}
	})
}

// TestRetentionThatMakesNoSenseIsRefused at open.
func TestRetentionThatMakesNoSenseIsRefused(t *testing.T) {
	for name, r := range map[string]engine.Retention{
		"of a live status": {Keep: map[flow.Status]time.Duration{flow.Running: time.Hour}},
		"negative":         {ByType: map[string]map[flow.Status]time.Duration{"w": {flow.Failed: -1}}},
	} {
		if _, err := engine.Open(t.Context(), nil, engine.Options{Retention: r}); err == nil {
			t.Errorf("%s: opened", name)
		}
	}
}
