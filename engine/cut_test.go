package engine_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine"
	"weft/flow"
	"weft/store"
	"weft/store/memory"
)

// cutEverywhere plays a story once, then again for every stride-th commit of it
// with a process that dies before, or after, that commit is durable. A story
// answers false when its process has died; it is then told again, to another
// one, and must take what it finds.
func cutEverywhere(t *testing.T, o engine.Options, stride int, story func(*env) bool) {
	t.Helper()
	if torture() {
		stride = 1
	}
	tell := func(cut int, moment memory.Moment) (commits int64) {
		synctest.Test(t, func(t *testing.T) {
			v := &env{T: t, ctx: t.Context(), s: memory.New(memory.Options{Exclusive: true}), opts: o}
			v.open()
			var n atomic.Int64
			v.s.SetHook(func(*store.Batch) error { n.Add(1); return nil })
			if cut > 0 {
				v.s.FailCommit(cut, moment)
			}
			for tenure := 0; !story(v); tenure++ {
				if t.Failed() || tenure == 3 {
					t.Fatalf("the process died by itself: %v", v.e.Err())
				}
				v.crash()
			}
			v.s.FailCommit(0, memory.Before)
			v.end()
			commits = n.Load()
		})
		if t.Failed() && cut > 0 {
			t.Fatalf("cut at commit %d, moment %d", cut, moment)
		}
		return commits
	}
	commits := tell(0, memory.Before)
	for cut := 1; cut <= int(commits); cut += stride {
		tell(cut, memory.Before)
		tell(cut, memory.After)
	}
	t.Logf("%d commits", commits)
}

// startOnce starts a run unless it is there; false when the process has died.
func startOnce[I, O any](v *env, w engine.Workflow[I, O], id flow.WorkflowID, in I, o engine.StartOptions) bool {
	o.ID = id
	_, err := w.Start(v.ctx, v.e, in, o)
	return v.lives(err, flow.ErrExists)
}

// lives reports whether the process lives; an error other than those expected
// fails the test then.
func (v *env) lives(err error, expected ...error) bool {
	v.Helper()
	if v.e.Err() != nil {
		return false
	}
	for _, want := range expected {
		if errors.Is(err, want) {
			return true
		}
	}
	if err != nil {
		v.Errorf("unexpected: %v", err)
	}
	return true
}

// settles waits, for at most an hour, until the run has the status; false when
// the process has died.
func (v *env) settles(id flow.WorkflowID, want flow.Status) bool {
	v.Helper()
	var got flow.Status
	for range 3600 {
		if v.e.Err() != nil {
			return false
		}
		d, err := v.e.Operator().Detail(context.Background(), flow.Ref{ID: id}, flow.PartSummary)
		if err == nil && d.Run.Status == want {
			return true
		}
		got = d.Run.Status
		time.Sleep(time.Second)
	}
	v.Errorf("run %s is %s, want %s", id, got, want)
	return true
}
