package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine"
	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// rowsOf are the keys that name a run or its numbers, readable, with what they
// hold.
func (v *env) rowsOf(run flow.RunID) map[string]string {
	v.Helper()
	out := map[string]string{}
	for k, val := range v.dump() {
		if strings.Contains(k, string(run)) || strings.Contains(val, string(run)) {
			out[k] = val
		}
	}
	return out
}

// dump is every row of the store but what keeps the lease.
func (v *env) dump() map[string]string {
	v.Helper()
	out := map[string]string{}
	for kv, err := range v.s.Scan(store.Range{}) {
		if err != nil {
			v.Fatal(err)
		}
		if !strings.HasPrefix(string(kv.Key), "lease:") {
			out[string(kv.Key)] = string(kv.Value)
		}
	}
	return out
}

// fullOfRows is code that leaves rows of every kind before it ends: steps, a
// wait with its timer, signals nobody takes and their ids.
func fullOfRows(in string) func(*engine.Context, string) (string, error) {
	return func(ctx *engine.Context, _ string) (string, error) {
		if err := ctx.Sleep(2 * time.Second); err != nil {
			return "", err
		}
		_, _, err := engine.Race(ctx,
			func(ctx *engine.Context) (string, error) { return paid.Wait(ctx) },
			func(ctx *engine.Context) (string, error) { return "", ctx.Sleep(24 * time.Hour) })
		return in, err
	}
}

// TestF005StartNewLeavesNothingOfTheOldRun: neither rows of its own nor rows that
// name it, and the new run sees nothing of it (F005).
func TestF005StartNewLeavesNothingOfTheOldRun(t *testing.T) {
	for name, end := range map[string]func(*env){
		"completed": func(v *env) { sends(v, paid, "a", "x"); wants(v, "a", "in") },
		"cancelled": func(v *env) { v.cancels("a") },
		"timed out": func(v *env) { time.Sleep(48 * time.Hour) },
	} {
		t.Run(name, func(t *testing.T) {
			w := flowOf(fullOfRows("in"))
			bubble(t, typed(w), func(v *env) {
				old, err := w.Start(v.ctx, v.e, "one", engine.StartOptions{ID: "a", Deadline: 20 * time.Hour})
				if err != nil {
					v.Fatal(err)
				}
				time.Sleep(time.Hour)
				for i := range 300 {
					err := engine.Signal[string]{Name: "unread"}.SendWith(v.ctx, v.e, "a", "old", engine.SendOptions{SignalID: fmt.Sprint(i)})
					if err != nil {
						v.Fatal(err)
					}
				}
				end(v)
				_, err = w.Start(v.ctx, v.e, "two", engine.StartOptions{ID: "a"})
				var exists *flow.ExistsError
				if !errors.As(err, &exists) || exists.Ref != old.Ref() {
					v.Errorf("start without start-new: %v", err)
				}
				next, err := w.Start(v.ctx, v.e, "two", engine.StartOptions{ID: "a", OnTerminalConflict: flow.StartNew})
				if err != nil {
					v.Fatal(err)
				}
				for k := range v.rowsOf(old.Ref().Run) {
					if !strings.HasPrefix(k, row.FamilyAudit) {
						v.Errorf("left: %q", k)
					}
				}
				if _, err := v.e.Operator().Detail(v.ctx, old.Ref(), flow.PartSteps); !errors.Is(err, flow.ErrNotFound) {
					v.Errorf("detail of the old run: %v", err)
				}
				time.Sleep(time.Hour)
				if err := (engine.Signal[string]{Name: "unread"}).SendWith(v.ctx, v.e, "a", "new", engine.SendOptions{SignalID: "1"}); err != nil {
					v.Errorf("a signal id of the old run is taken: %v", err)
				}
				if d := v.detail("a", flow.PartSignals); d.Run.Ref != next.Ref() || len(d.Signals) != 1 {
					v.Errorf("the new run has %+v", d.Signals)
				}
				sends(v, paid, "a", "x")
				wants(v, "a", "in")
			})
		})
	}
}

// TestF023StartersOfOneIDAtOnce: twenty replace an ended run, one run comes out,
// and the others are told of it (F023).
func TestF023StartersOfOneIDAtOnce(t *testing.T) {
	w := flowOf(func(ctx *engine.Context, n int) (int, error) { _, err := paid.Wait(ctx); return n, err })
	lateBubble(t, typed(w), func(v *env) {
		begin(v, w, "a", -1)
		sends(v, paid, "a", "x")
		wants(v, "a", -1)
		var won atomic.Int64
		var all sync.WaitGroup
		for n := range 20 {
			d := v.dice(3 * time.Millisecond)
			all.Go(func() {
				time.Sleep(d)
				_, err := w.Start(v.ctx, v.e, n, engine.StartOptions{ID: "a", OnTerminalConflict: flow.StartNew})
				switch {
				case err == nil:
					won.Add(1 + int64(n)<<8)
				case !errors.Is(err, flow.ErrExists):
					v.Errorf("starter %d: %v", n, err)
				}
			})
		}
		all.Wait()
		if won.Load()&255 != 1 {
			v.Fatalf("%d runs came out", won.Load()&255)
		}
		v.restart()
		sends(v, paid, "a", "x")
		wants(v, "a", int(won.Load()>>8))
	})
}

// TestStartNewIsRefused with a typed error, and changes nothing.
func TestStartNewIsRefused(t *testing.T) {
	s := newSandbox(100)
	bubble(t, typed(s.w), func(v *env) {
		start := func(o engine.StartOptions) error {
			o.OnTerminalConflict = flow.StartNew
			_, err := s.w.Start(v.ctx, v.e, "box", o)
			return err
		}
		if err := start(engine.StartOptions{}); err == nil {
			v.Error("without an id")
		}
		if err := start(engine.StartOptions{ID: "a", IdempotencyKey: "k"}); err == nil {
			v.Error("with an idempotency key")
		}
		if err := start(engine.StartOptions{ID: "a"}); err != nil {
			v.Errorf("under a free id: %v", err)
		}
		if err := start(engine.StartOptions{ID: "a"}); !errors.Is(err, flow.ErrExists) {
			v.Errorf("while it runs: %v", err)
		}
		v.suspends("a")
		if err := start(engine.StartOptions{ID: "a"}); !errors.Is(err, flow.ErrExists) {
			v.Errorf("while it is suspended: %v", err)
		}
		v.cancels("a")
		synctest.Wait()
		before := v.dump()
		var owed *flow.PendingError
		if err := start(engine.StartOptions{ID: "a"}); !errors.As(err, &owed) || owed.Ref.ID != "a" {
			v.Errorf("while a teardown is owed: %v", err)
		}
		v.refused(flow.RestartRun{Target: flow.Ref{ID: "a"}}, flow.ErrTeardownOwed)
		v.refused(flow.PurgeRun{Target: flow.Ref{ID: "a"}}, flow.ErrTeardownOwed)
		same(v, before)
		time.Sleep(24 * time.Hour)
		if c := v.info().Counts; c.Owed != 0 || c.Dead != 1 {
			v.Fatalf("counts %+v", c)
		}
		if err := start(engine.StartOptions{ID: "a"}); err != nil {
			v.Errorf("after the dead letter: %v", err)
		}
		if c := v.info().Counts; c.Dead != 1 {
			v.Errorf("the letter is gone: %+v", c)
		}
	})
}

// same demands that the rows are what they were.
func same(v *env, before map[string]string) {
	v.Helper()
	after := v.dump()
	for k, val := range before {
		if after[k] != val {
			v.Errorf("row %q changed", k)
		}
	}
	for k := range after {
		if _, ok := before[k]; !ok {
			v.Errorf("row %q is new", k)
		}
	}
}

// TestARestartIsTheSameRunAnew: type, input, tags, time limit and need of
// services; refused when another run came.
func TestARestartIsTheSameRunAnew(t *testing.T) {
	type service struct{ n int }
	var asked notes[engine.ServiceRequest]
	w := flowOf(func(ctx *engine.Context, in string) (string, error) {
		if engine.Services[*service](ctx).n != 7 {
			return "", errors.New("other services")
		}
		got, err := paid.Wait(ctx)
		return in + got, err
	})
	o := typed(w)
	o.Services = func(r engine.ServiceRequest) (any, error) { asked.add(r); return &service{7}, nil }
	bubble(t, o, func(v *env) {
		first, err := w.Start(v.ctx, v.e, "in", engine.StartOptions{ID: "a", Tags: []string{"t"}, Deadline: time.Hour, NeedsServices: true})
		if err != nil {
			v.Fatal(err)
		}
		v.cancels("a")
		r := v.do(flow.RestartRun{Target: flow.Ref{ID: "a"}})
		if r.Ref.Run == first.Ref().Run {
			v.Error("the same run")
		}
		v.refused(flow.RestartRun{Target: flow.Ref{ID: "a"}}, flow.ErrConflict)
		v.refused(flow.RestartRun{Target: first.Ref()}, flow.ErrNotFound)
		if d := v.detail("a", flow.PartSummary).Run; len(d.Tags) != 1 || d.Tags[0] != "t" || d.Type != "w" || d.Deadline == 0 {
			v.Errorf("the new run is %+v", d)
		}
		sends(v, paid, "a", "!")
		wants(v, "a", "in!")
		for _, r := range asked.all() {
			if r.Type != "w" || string(r.Input) != `"in"` || len(r.Tags) != 1 {
				v.Errorf("asked %+v", r)
			}
		}
	})
}

// TestTimersOfAnOldRunMeanNothingToTheNext: a run with a deadline and sleeps is
// replaced just as they come due, again and again.
func TestTimersOfAnOldRunMeanNothingToTheNext(t *testing.T) {
	w := flowOf(func(ctx *engine.Context, round int) (int, error) {
		began := ctx.Now()
		if err := ctx.Sleep(20 * time.Millisecond); err != nil {
			return 0, err
		}
		if d := ctx.Now().Sub(began); d < 20*time.Millisecond {
			return 0, fmt.Errorf("slept %v", d)
		}
		_, ok, err := paid.WaitFor(ctx, time.Hour)
		if ok || err != nil {
			return 0, fmt.Errorf("took what was not for it: %w", err)
		}
		return round, nil
	})
	o := typed(w)
	o.Grace = time.Millisecond
	lateBubble(t, o, func(v *env) {
		const runs = 20
		var all sync.WaitGroup
		for i := range runs {
			id := flow.WorkflowID(fmt.Sprintf("r%d", i))
			offsets := make([]time.Duration, raceRounds/runs)
			for k := range offsets {
				offsets[k] = v.dice(30 * time.Millisecond)
			}
			all.Go(func() {
				for k, d := range offsets {
					_, err := w.Start(v.ctx, v.e, k, engine.StartOptions{ID: id, Deadline: 25 * time.Millisecond, OnTerminalConflict: flow.StartNew})
					if err != nil {
						v.Errorf("round %d of %s: %v", k, id, err)
						return
					}
					time.Sleep(d)
					if k%2 == 0 {
						_ = paid.Send(v.ctx, v.e, id, "old")
					}
					if _, err := v.e.Operator().Do(v.ctx, flow.Act{Deed: flow.CancelRun{Target: flow.Ref{ID: id}}}); err != nil && !errors.Is(err, flow.ErrFinished) {
						v.Error(err)
					}
				}
				if _, err := w.Start(v.ctx, v.e, -1, engine.StartOptions{ID: id, OnTerminalConflict: flow.StartNew}); err != nil {
					v.Error(err)
				}
			})
		}
		all.Wait()
		for i := range runs {
			wants(v, flow.WorkflowID(fmt.Sprintf("r%d", i)), -1)
		}
	})
}

// TestARestartReplacesOnlyTheRunItWasMeantFor: another one came, and ended, just
// before it committed.
func TestARestartReplacesOnlyTheRunItWasMeantFor(t *testing.T) {
	w := flowOf(func(_ *engine.Context, n int) (int, error) { return n, nil })
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 1)
		wants(v, "a", 1)
		var came atomic.Bool
		v.s.SetHook(func(*store.Batch) error {
			if came.CompareAndSwap(false, true) {
				if _, err := w.Start(v.ctx, v.e, 2, engine.StartOptions{ID: "a", OnTerminalConflict: flow.StartNew}); err != nil {
					v.Error(err)
				}
				wants(v, "a", 2)
			}
			return nil
		})
		v.refused(flow.RestartRun{Target: flow.Ref{ID: "a"}}, flow.ErrConflict)
		wants(v, "a", 2)
	})
}
