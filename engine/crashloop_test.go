package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"weft/engine"
	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// poison is a workflow whose activity kills the process at each attempt from
// the given one on.
type poison struct {
	kills chan struct{}
	tries atomic.Int64
}

func (p *poison) workflow(from int) engine.Workflow[int, string] {
	deadly := engine.Activity[int, string]{Name: "deadly", Do: func(ctx context.Context, _ int) (string, error) {
		if engine.InfoOf(ctx).Attempt < from {
			return "", errors.New("not yet")
		}
		p.tries.Add(1)
		p.kills <- struct{}{}
		<-ctx.Done()
		return "", ctx.Err()
	}}
	return engine.Workflow[int, string]{Name: "poison", Do: func(ctx *engine.Context, in int) (string, error) {
		return deadly.Run(ctx, in)
	}}
}

var patient = engine.Workflow[int, string]{Name: "patient", Do: func(ctx *engine.Context, n int) (string, error) {
	for range 2 {
		a := engine.Activity[int, string]{Name: "work", Do: func(ctx context.Context, n int) (string, error) {
			select {
			case <-time.After(5 * time.Second):
				return "done", nil
			case <-ctx.Done():
				return "", ctx.Err()
			}
		}}
		if _, err := a.Run(ctx, n); err != nil {
			return "", err
		}
	}
	return "done", nil
}}

// TestF011APoisonRunIsSuspendedAndItsNeighboursComplete plays a supervisor that
// starts the process again whenever the poison has killed it.
func TestF011APoisonRunIsSuspendedAndItsNeighboursComplete(t *testing.T) {
	for name, from := range map[string]int{"at its first attempt": 1, "at a retry that a timer woke": 2} {
		t.Run(name, func(t *testing.T) {
			inRig(t, func(r *rig) {
				p := &poison{kills: make(chan struct{})}
				r.open(p.workflow(from), patient)
				r.begin(p.workflow(from), "a-poison") // first in the ready set
				for i := range 50 {
					r.begin(patient, flow.WorkflowID(fmt.Sprintf("healthy-%d", i)))
				}
				for alive := false; !alive; {
					select {
					case <-p.kills:
						r.die()
						r.open(p.workflow(from), patient)
					case <-time.After(time.Hour):
						alive = true
					}
				}
				h := r.head("a-poison")
				if h.Status != flow.Suspended || h.Cause != flow.CrashLoop || h.Reason != "recovered 20 times after crashes without progress" {
					r.Errorf("the poison is %s (%s: %s)", h.Status, h.Cause, h.Reason)
				}
				if tries := p.tries.Load(); tries != 21 {
					r.Errorf("the poison was tried %d times, want once and 20 times more", tries)
				}
				for i := range 50 {
					if h := r.head(flow.WorkflowID(fmt.Sprintf("healthy-%d", i))); h.Status != flow.Completed {
						r.Errorf("healthy-%d is %s (%s)", i, h.Status, h.Cause)
					}
				}
			})
		})
	}
}

// TestCodeThatKillsAsSoonAsATimerWakesItIsSuspended: such a run has no row in
// the ready set that could count.
func TestCodeThatKillsAsSoonAsATimerWakesItIsSuspended(t *testing.T) {
	inRig(t, func(r *rig) {
		code := engine.Workflow[int, string]{Name: "sleeper", Do: func(ctx *engine.Context, _ int) (string, error) {
			return "", ctx.Sleep(time.Hour)
		}}
		r.open(code, patient)
		r.begin(code, "w")
		time.Sleep(time.Minute)
		r.leave()
		kills, tries := make(chan struct{}), 0
		code.Do = func(ctx *engine.Context, _ int) (string, error) {
			kills <- struct{}{}
			<-ctx.Done()
			return "", nil
		}
		r.open(code, patient)
		for alive := false; !alive; {
			select {
			case <-kills:
				tries++
				r.die()
				r.open(code, patient)
			case <-time.After(2 * time.Hour):
				alive = true
			}
		}
		if h := r.head("w"); h.Cause != flow.CrashLoop || tries > 24 {
			r.Errorf("after %d deaths the run is %s (%s)", tries, h.Status, h.Cause)
		}
	})
}

// begin starts a run of a type whose input is a number.
func (r *rig) begin(w engine.Workflow[int, string], id flow.WorkflowID) {
	r.Helper()
	if _, err := w.Start(context.Background(), r.eng, 1, engine.StartOptions{ID: id}); err != nil {
		r.Fatalf("start %s: %v", id, err)
	}
}

func (r *rig) readyRow(id flow.WorkflowID) row.Ready {
	r.Helper()
	raw, err := r.store.Get(row.ReadyKey(r.ref(id)))
	if err != nil || raw == nil {
		r.Fatalf("ready row of %s: %q, %v", id, raw, err)
	}
	ready, err := row.DecodeReady(raw)
	if err != nil {
		r.Fatalf("ready row of %s: %v", id, err)
	}
	return ready
}

func TestACleanRestartIsNoRecovery(t *testing.T) {
	inRig(t, func(r *rig) {
		p := &poison{kills: make(chan struct{}, 100)} // it only blocks
		r.open(p.workflow(1))
		r.begin(p.workflow(1), "w")
		hurry, cancel := context.WithCancel(context.Background())
		cancel()
		for range 30 {
			time.Sleep(10 * time.Second)
			if err := r.eng.Close(hurry); err != nil {
				r.Fatal(err)
			}
			if got := r.readyRow("w"); got.Recoveries != 0 {
				r.Fatalf("ready row %+v", got)
			}
			r.open(p.workflow(1))
		}
		time.Sleep(time.Minute)
		if h := r.head("w"); h.Status != flow.Running || p.tries.Load() != 31 {
			r.Errorf("the run is %s after %d attempts", h.Status, p.tries.Load())
		}
		_ = r.eng.Close(hurry)
	})
}

func TestProgressForgivesARecovery(t *testing.T) {
	inRig(t, func(r *rig) {
		code := engine.Workflow[int, string]{Name: "steady", Do: func(ctx *engine.Context, _ int) (string, error) {
			for range 40 {
				if err := ctx.Sleep(100 * time.Millisecond); err != nil {
					return "", err
				}
			}
			return "done", nil
		}}
		r.open(code)
		r.begin(code, "w")
		for range 35 { // each tenure sees one step to its end
			time.Sleep(110 * time.Millisecond)
			r.die()
			r.open(code)
		}
		if got, err := within[string](r, time.Hour, "w"); err != nil || got != "done" {
			r.Errorf("got %q, %v", got, err)
		}
	})
}

// TestSuspectsAreDelayedAndAlone looks at the wait before the third recovery in
// a row and the fourth.
func TestSuspectsAreDelayedAndAlone(t *testing.T) {
	inRig(t, func(r *rig) {
		p := &poison{kills: make(chan struct{})}
		r.open(p.workflow(1))
		r.begin(p.workflow(1), "w")
		<-p.kills
		for recovery, want := range []time.Duration{0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60} {
			if recovery == 0 {
				continue
			}
			r.die()
			from := time.Now()
			r.open(p.workflow(1))
			<-p.kills
			if got := time.Since(from); got != want*time.Second {
				r.Errorf("recovery %d came after %v, want %v", recovery, got, want*time.Second)
			}
			if got := r.readyRow("w").Recoveries; got != recovery {
				r.Errorf("the ready row counts %d recoveries, want %d", got, recovery)
			}
		}
		hurry, cancel := context.WithCancel(context.Background())
		cancel()
		_ = r.eng.Close(hurry)
	})
}

func TestAReadyRowThatCannotBeReadStopsNobody(t *testing.T) {
	inRig(t, func(r *rig) {
		code := program{{op: "act", name: "slow", d: 10 * time.Second}, {op: "take", name: "x"}}
		s := newStage()
		r.open(s.workflow(code))
		r.start(code, s, "w")
		r.start(code, s, "v")
		time.Sleep(time.Second)
		r.write(func(b *store.Batch) { b.Put(row.ReadyKey(r.ref("w")), []byte("\x01garbage")) })
		r.mem = r.mem.Crash() // die would check the rows
		r.store = r.mem
		hurry, cancel := context.WithCancel(context.Background())
		cancel()
		_ = r.eng.Close(hurry)
		r.open(s.workflow(code))
		r.finishes(code, "w")
		r.finishes(code, "v")
	})
}

func TestASuspendedPoisonCanBeResumed(t *testing.T) {
	inRig(t, func(r *rig) {
		r.opts.MaxRecoveries = 1
		p := &poison{kills: make(chan struct{})}
		r.open(p.workflow(1))
		r.begin(p.workflow(1), "w")
		for range 2 {
			<-p.kills
			r.die()
			r.open(p.workflow(1))
		}
		r.settle()
		if h := r.head("w"); h.Cause != flow.CrashLoop {
			r.Fatalf("the run is %s (%s)", h.Status, h.Cause)
		}
		r.leave()
		fixed := (&poison{}).workflow(1)
		fixed.Do = func(ctx *engine.Context, in int) (string, error) {
			return engine.Activity[int, string]{Name: "deadly", Do: func(context.Context, int) (string, error) { return "cured", nil }}.Run(ctx, in)
		}
		r.open(fixed)
		if err := r.resume("w"); err != nil {
			r.Fatal(err)
		}
		if got, err := within[string](r, time.Hour, "w"); err != nil || got != "cured" {
			r.Errorf("got %q, %v", got, err)
		}
		if last := r.journal("w"); !strings.HasPrefix(last[1].Reason, "crash-loop: recovered 1 times") {
			r.Errorf("the journal does not tell why: %+v", last)
		}
	})
}
