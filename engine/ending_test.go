package engine_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"weft/engine"
	"weft/flow"
)

// do does a deed and fails the test when it is refused.
func (v *env) do(d flow.Deed) flow.Receipt {
	v.Helper()
	r, err := v.e.Operator().Do(v.ctx, flow.Act{Actor: "ana", Why: "because", Deed: d})
	if err != nil {
		v.Fatalf("%s: %v", d.Verb(), err)
	}
	return r
}

// refused demands that a deed is refused with an error.
func (v *env) refused(d flow.Deed, want error) {
	v.Helper()
	r, err := v.e.Operator().Do(v.ctx, flow.Act{Deed: d})
	if !errors.Is(err, want) {
		v.Errorf("%s: %+v, %v; want %v", d.Verb(), r, err, want)
	}
}

// sandbox is a workflow that holds something outside.
type sandbox struct {
	released notes[string]
	fails    int
	w        engine.Workflow[string, string]
}

func newSandbox(fails int) *sandbox {
	s := &sandbox{fails: fails}
	release := engine.Activity[string, engine.Void]{Name: "release", Timeout: time.Minute,
		Do: func(_ context.Context, name string) (engine.Void, error) {
			if s.released.add(name); s.released.len() <= s.fails {
				return engine.Void{}, errors.New("still in use")
			}
			return engine.Void{}, nil
		}}
	make := engine.Activity[string, string]{Name: "make", Do: func(_ context.Context, n string) (string, error) { return n, nil }}
	s.w = engine.Workflow[string, string]{Name: "sandbox", Finalizer: release, Do: func(ctx *engine.Context, in string) (string, error) {
		if err := engine.SetFinalizerState(ctx, release, "intent "+in); err != nil {
			return "", err
		}
		got, err := make.Run(ctx, in)
		if err != nil {
			return "", err
		}
		if err := engine.SetFinalizerState(ctx, release, got); err != nil {
			return "", err
		}
		return paid.Wait(ctx)
	}}
	return s
}

func TestCancelOwesTheFinalizer(t *testing.T) {
	s := newSandbox(2)
	bubble(t, typed(s.w), func(v *env) {
		begin(v, s.w, "a", "box")
		time.Sleep(time.Hour)
		v.do(flow.CancelRun{Target: flow.Ref{ID: "a"}})
		_, err := ending[string](v, "a")
		var ended *flow.EndedError
		if !errors.As(err, &ended) || ended.Status != flow.Cancelled || ended.Reason != "because" {
			v.Errorf("ended %v", err)
		}
		v.refused(flow.CancelRun{Target: flow.Ref{ID: "a"}}, flow.ErrFinished)
		v.refused(flow.PurgeRun{Target: flow.Ref{ID: "a"}}, flow.ErrTeardownOwed)
		if c := v.info().Counts; c.Owed != 1 || c.Cancelled != 1 {
			v.Errorf("counts %+v", c)
		}
		time.Sleep(time.Hour)
		if got := s.released.all(); len(got) != 3 || got[2] != "box" {
			v.Errorf("released %v", got)
		}
		v.do(flow.PurgeRun{Target: flow.Ref{ID: "a"}})
		v.refused(flow.PurgeRun{Target: flow.Ref{ID: "a"}}, flow.ErrNotFound)
	})
}

func TestSuspendAndResume(t *testing.T) {
	s := newSandbox(0)
	bubble(t, typed(s.w), func(v *env) {
		begin(v, s.w, "a", "box")
		v.do(flow.SuspendRun{Target: flow.Ref{ID: "a"}})
		v.refused(flow.SuspendRun{Target: flow.Ref{ID: "a"}}, flow.ErrConflict)
		sends(v, paid, "a", "x")
		time.Sleep(time.Hour)
		if got := v.detail("a", flow.PartSteps).Run; got.Status != flow.Suspended {
			v.Errorf("run %+v", got)
		}
		v.restart()
		v.do(flow.ResumeRun{Target: flow.Ref{ID: "a"}})
		wants(v, "a", "x")
		if s.released.len() != 0 {
			v.Errorf("a completed run was finalized: %v", s.released.all())
		}
	})
}

func TestDeadlineAndDelayedStart(t *testing.T) {
	s := newSandbox(0)
	bubble(t, typed(s.w), func(v *env) {
		run, err := s.w.Start(v.ctx, v.e, "box", engine.StartOptions{ID: "a", StartAt: time.Now().Add(time.Hour), Deadline: time.Hour})
		if err != nil {
			v.Fatal(err)
		}
		time.Sleep(30 * time.Minute)
		v.restart()
		if got := v.detail("a", flow.PartSummary).Run; got.Status != flow.Pending {
			v.Errorf("run %+v", got)
		}
		began := time.Now()
		_, err = ending[string](v, run.Ref().ID)
		var ended *flow.EndedError
		if !errors.As(err, &ended) || ended.Status != flow.TimedOut || time.Since(began) > 91*time.Minute {
			v.Errorf("ended %v after %v", err, time.Since(began))
		}
		time.Sleep(time.Minute)
		if got := s.released.all(); len(got) != 1 || got[0] != "box" {
			v.Errorf("released %v", got)
		}
		if _, err := s.w.Start(v.ctx, v.e, "b", engine.StartOptions{ID: "a", OnTerminalConflict: flow.StartNew}); err != nil {
			v.Fatal(err)
		}
		sends(v, paid, "a", "y")
		wants(v, "a", "y")
	})
}

func TestBulkCancelTouchesWhatWasPreviewed(t *testing.T) {
	s := newSandbox(0)
	bubble(t, typed(s.w), func(v *env) {
		for _, id := range []flow.WorkflowID{"a", "b", "c"} {
			begin(v, s.w, id, "box")
		}
		time.Sleep(time.Minute)
		p, err := v.e.Operator().Preview(v.ctx, flow.Bulk{Verb: "cancel"})
		if err != nil || p.Count != 3 {
			v.Fatalf("preview %+v, %v", p, err)
		}
		sends(v, paid, "b", "done")
		wants(v, "b", "done")
		begin(v, s.w, "d", "box")
		r := v.do(flow.BulkAct{Token: p.Token})
		if r.Text != "cancel: 2 done, 1 skipped, 0 failed" {
			v.Errorf("receipt %+v", r)
		}
		v.refused(flow.BulkAct{Token: p.Token}, flow.ErrConflict)
		if c := v.info().Counts; c.Cancelled != 2 || c.Running != 1 {
			v.Errorf("counts %+v", c)
		}
		time.Sleep(time.Hour)
	})
}
