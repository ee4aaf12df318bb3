package engine_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"weft/engine"
	"weft/flow"
	"weft/store/memory"
)

// tally is what a chain hands from run to run.
type tally struct{ Runs, Taken, Last int }

var number = engine.Signal[int]{Name: "number"}

// counter takes per signals in each of its runs and checks that none is missing,
// none comes twice, and their order is kept.
func counter(runs, per int) engine.Workflow[tally, tally] {
	self := engine.WorkflowRef[tally, tally]{Name: "w"}
	return engine.Workflow[tally, tally]{Name: "w", Signals: []engine.Message{number}, Do: func(ctx *engine.Context, in tally) (tally, error) {
		for range per {
			n, err := number.Wait(ctx)
			if err != nil {
				return in, err
			}
			if n != in.Last+1 {
				return in, fmt.Errorf("run %d: got signal %d after %d", in.Runs, n, in.Last)
			}
			in.Taken, in.Last = in.Taken+1, n
		}
		if in.Runs++; in.Runs == runs {
			return in, nil
		}
		return self.ContinueAsNew(ctx, in, engine.ContinueOptions{})
	}}
}

// sendUntil sends the numbers up to last, each once whatever happens; false when
// the process has died.
func sendUntil(v *env, from *int, last int) bool {
	for ; *from <= last; *from++ {
		err := number.SendWith(v.ctx, v.e, "c", *from, engine.SendOptions{SignalID: fmt.Sprint(*from)})
		if !v.lives(err, flow.ErrFinished) {
			return false
		}
	}
	return true
}

func TestRunsContinueAsNew(t *testing.T) {
	w := counter(40, 1)
	bubble(t, typed(w), func(v *env) {
		run, err := w.Start(v.ctx, v.e, tally{}, engine.StartOptions{ID: "c", IdempotencyKey: "k", Tags: []string{"t"}})
		if err != nil {
			t.Fatal(err)
		}
		waited := make(chan tally, 1)
		go func() {
			got, err := run.Result(v.ctx)
			if err != nil {
				t.Error(err)
			}
			waited <- got
		}()
		next := 1
		sendUntil(v, &next, 39)
		time.Sleep(time.Second)
		d := v.detail("c", flow.PartEvents)
		if r := d.Run; r.Generation != 39 || r.First != run.Ref().Run || r.Run == r.First || r.Tags[0] != "t" || r.Events != 1 {
			t.Errorf("after 39 hand-overs: %#v", r)
		}
		if len(d.Past) != engine.KeptGenerations || d.Past[0].Events != 2 || d.Past[0].ClosedAt == 0 || v.rows("ev:") != 1 {
			t.Errorf("past %+v; %d events of all runs", d.Past, v.rows("ev:"))
		}
		if c := v.info().Counts; c.Running != 1 || c.Runs() != 1 {
			t.Errorf("counts %+v", c)
		}
		sendUntil(v, &next, 40)
		if got := <-waited; got != (tally{40, 40, 40}) {
			t.Errorf("who waits for the first run gets %+v", got)
		}
		again, err := w.Start(v.ctx, v.e, tally{}, engine.StartOptions{ID: "c", IdempotencyKey: "k"})
		if err != nil || again.Ref() != run.Ref() {
			t.Errorf("the same start again: %v, %v", again.Ref(), err)
		}
		if got, err := again.Result(v.ctx); err != nil || got.Runs != 40 {
			t.Errorf("the result of the first run, later: %+v, %v", got, err)
		}
		v.do(flow.PurgeRun{Target: flow.Ref{ID: "c"}})
		if n := v.rows("sig:") + v.rows("wf-past:") + v.rows("ev:"); n != 0 {
			t.Errorf("%d rows are left after the purge", n)
		}
		if _, err := run.Result(v.ctx); !errors.Is(err, flow.ErrNotFound) {
			t.Errorf("the result of a purged chain: %v", err)
		}
	})
}

// TestF034 dies at every commit around the hand-overs.
func TestF034(t *testing.T) {
	w := counter(5, 2)
	stride := 3
	next := 0
	cutEverywhere(t, typed(w), stride, func(v *env) bool {
		if v.info().Lease.Epoch == 1 {
			next = 1
		}
		if !startOnce(v, w, "c", tally{}, engine.StartOptions{}) {
			return false
		}
		if !sendUntil(v, &next, 10) || !v.settles("c", flow.Completed) {
			return false
		}
		wants(v, "c", tally{5, 10, 10})
		return true
	})
}

// TestEachSignalIsTakenOnceOverManyHandOvers sends while runs hand over, in
// processes that die at random. The long form has 1,000 hand-overs.
func TestEachSignalIsTakenOnceOverManyHandOvers(t *testing.T) {
	runs, per := 200, 3
	if torture() {
		runs = 1000
	}
	w := counter(runs, per)
	lateBubble(t, typed(w), func(v *env) {
		v.opts.MaxRecoveries = 10_000
		begin(v, w, "c", tally{})
		next, crashes := 1, 0
		for next <= runs*per {
			batch := min(next+int(v.dice(8)), runs*per)
			v.s.FailCommit(1+int(v.dice(60)), []memory.Moment{memory.Before, memory.After}[v.dice(2)])
			if sendUntil(v, &next, batch) {
				time.Sleep(v.dice(20 * time.Millisecond))
			}
			if v.e.Err() != nil || v.dice(4) == 0 {
				crashes++
				v.crash()
			}
		}
		v.s.FailCommit(0, memory.Before)
		if v.e.Err() != nil {
			v.crash()
		}
		wants(v, "c", tally{runs, runs * per, runs * per})
		t.Logf("%d hand-overs, %d signals, %d crashes", runs-1, runs*per, crashes)
	})
}

// TestSignalIDsOutliveOneHandOver and not all of them.
func TestSignalIDsOutliveOneHandOver(t *testing.T) {
	w := counter(100, 1)
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "c", tally{})
		next := 1
		sendUntil(v, &next, 5)
		time.Sleep(time.Second)
		next = 5
		sendUntil(v, &next, 5) // would fail the run if it were taken
		sendUntil(v, &next, 50)
		time.Sleep(time.Second)
		if got := v.detail("c", flow.PartSummary).Run; got.Status != flow.Running || got.Generation != 50 {
			t.Errorf("%s in generation %d: %v", got.Status, got.Generation, got.Failure)
		}
		if n := v.rows("sig:"); n > 2 {
			t.Errorf("%d ids are remembered", n)
		}
	})
}

// paced hands over every ten minutes.
func paced(o engine.ContinueOptions) engine.Workflow[int, int] {
	self := engine.WorkflowRef[int, int]{Name: "w"}
	return flowOf(func(ctx *engine.Context, n int) (int, error) {
		if err := ctx.Sleep(10 * time.Minute); err != nil {
			return n, err
		}
		return self.ContinueAsNew(ctx, n+1, o)
	})
}

func TestTheDeadlineOfAChain(t *testing.T) {
	bubbleOf := func(o engine.ContinueOptions, check func(*env, flow.Run)) {
		w := paced(o)
		bubble(t, typed(w), func(v *env) {
			if _, err := w.Start(v.ctx, v.e, 0, engine.StartOptions{ID: "c", Deadline: 65 * time.Minute}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(3 * time.Hour)
			check(v, v.detail("c", flow.PartSummary).Run)
		})
	}
	bubbleOf(engine.ContinueOptions{}, func(v *env, r flow.Run) {
		if r.Status != flow.TimedOut || r.Generation != 6 {
			v.Errorf("the deadline is that of the first run: %s, generation %d", r.Status, r.Generation)
		}
	})
	bubbleOf(engine.ContinueOptions{Deadline: 15 * time.Minute}, func(v *env, r flow.Run) {
		if r.Status != flow.Running || r.Deadline.Time().Sub(r.StartedAt.Time()) != 15*time.Minute {
			v.Errorf("each run has its own: %s, %s after %s", r.Status, r.Deadline, r.StartedAt)
		}
	})
}

// TestAChainKeepsWhatItsFinalizerNeeds until its last run is cancelled, and a
// cancel reaches a chain that never comes to rest.
func TestAChainKeepsWhatItsFinalizerNeeds(t *testing.T) {
	var freed atomic.Int64
	free := engine.Activity[int, int]{Name: "free", Do: func(_ context.Context, n int) (int, error) { return 0, add(&freed, n) }}
	self := engine.WorkflowRef[int, int]{Name: "w"}
	w := engine.Workflow[int, int]{Name: "w", Finalizer: free, Do: func(ctx *engine.Context, n int) (int, error) {
		if n == 0 {
			if err := engine.SetFinalizerState(ctx, free, 7); err != nil {
				return 0, err
			}
		}
		if n%2 == 1 {
			if _, err := engine.Memo(ctx, "m", func() (int, error) { return n, nil }); err != nil {
				return 0, err
			}
		}
		return self.ContinueAsNew(ctx, n+1, engine.ContinueOptions{})
	}}
	lateBubble(t, typed(w), func(v *env) {
		begin(v, w, "c", 0)
		time.Sleep(50 * time.Millisecond)
		v.crash()
		time.Sleep(50 * time.Millisecond)
		v.do(flow.CancelRun{Target: flow.Ref{ID: "c"}})
		time.Sleep(time.Minute)
		if r := v.detail("c", flow.PartSummary).Run; r.Status != flow.Cancelled || r.Generation < 3 || freed.Load() != 7 {
			t.Errorf("%s in generation %d, finalizer got %d", r.Status, r.Generation, freed.Load())
		}
		if n := v.rows("wf-finalizer-state:"); n != 0 {
			t.Errorf("%d states are left", n)
		}
	})
}

func add(to *atomic.Int64, n int) error { to.Add(int64(n)); return nil }

func TestAContinuationThatCannotBe(t *testing.T) {
	nobody := engine.WorkflowRef[int, int]{Name: "nobody"}
	w := flowOf(func(ctx *engine.Context, n int) (int, error) {
		if n < 0 {
			return engine.WorkflowRef[int, int]{Name: "w"}.ContinueAsNew(ctx, n, engine.ContinueOptions{Deadline: -1})
		}
		return nobody.ContinueAsNew(ctx, n, engine.ContinueOptions{})
	})
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "unknown", 0)
		_, err := ending[int](v, "unknown")
		if f := failureIn(v, err); f.Code != "unknown-type" {
			t.Errorf("%+v", f)
		}
		begin(v, w, "negative", -1)
		_, err = ending[int](v, "negative")
		if f := failureIn(v, err); f.Code != "bad-continuation" {
			t.Errorf("%+v", f)
		}
	})
}

// TestAReplayOfACodeThatContinuesFits as far as the journal goes.
func TestAReplayOfCodeThatContinuesFits(t *testing.T) {
	w := counter(3, 1)
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "c", tally{})
		sends(v, number, "c", 1)
		time.Sleep(time.Second)
		j := flow.JournalOf(v.detail("c", flow.PartEvents))
		if err := engine.Replay(v.ctx, v.opts, j); err != nil {
			t.Error(err)
		}
		j.Waits = nil // what it waited for has come:
		j.Events = append(j.Events, flow.Event{Seq: 2, Kind: flow.EventStep, At: j.Events[0].At, Step: "1", StepKind: flow.StepSignal,
			Name: "number", Output: flow.Payload("2")})
		if err := engine.Replay(v.ctx, v.opts, j); err != nil {
			t.Error(err)
		}
		j.Events = append(j.Events, flow.Event{Seq: 3, Kind: flow.EventEnded, At: j.Events[0].At, Status: flow.Completed})
		var differs *engine.ReplayError
		if err := engine.Replay(v.ctx, v.opts, j); !errors.As(err, &differs) {
			t.Errorf("code that continues instead of completing: %v", err)
		}
	})
}
