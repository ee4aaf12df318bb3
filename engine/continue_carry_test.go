package engine_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"weft/engine"
	"weft/flow"
)

// What belongs to the run, not to its journal, goes over.
func TestWhatAChainHandsOn(t *testing.T) {
	type service struct{ life int }
	self := engine.WorkflowRef[int, int]{Name: "w"}
	lives := 0
	w := flowOf(func(ctx *engine.Context, n int) (int, error) {
		if s := engine.Services[*service](ctx); s == nil {
			return 0, errors.New("no services")
		}
		if n == 0 {
			if err := errors.Join(region.Set(ctx, "eu-1"), ctx.AddTags("late"), ctx.Sleep(time.Hour)); err != nil {
				return 0, err
			}
			return self.ContinueAsNew(ctx, 1, engine.ContinueOptions{})
		}
		return n, ctx.Sleep(10 * time.Hour)
	})
	o := typed(w)
	o.Services = func(engine.ServiceRequest) (any, error) { lives++; return &service{lives}, nil }
	bubble(t, o, func(v *env) {
		if _, err := w.Start(v.ctx, v.e, 0, engine.StartOptions{ID: "a", NeedsServices: true, Deadline: 3 * time.Hour}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(90 * time.Minute)
		r := v.detail("a", flow.PartSummary).Run
		if r.Generation != 1 || r.Status != flow.Running || len(r.Tags) != 1 || len(r.Attributes) != 1 {
			t.Errorf("the next run: %+v", r)
		}
		time.Sleep(2 * time.Hour)
		if got := v.status("a"); got != flow.TimedOut {
			t.Errorf("after its deadline the chain is %s", got)
		}
		v.do(flow.RestartRun{Target: flow.Ref{ID: "a"}})
		time.Sleep(4 * time.Hour)
		if got := v.status("a"); got != flow.TimedOut {
			t.Errorf("after its deadline the restarted run is %s", got)
		}
	})
}

// A deadline that a continuation sets is met to the second, without a restart.
func TestTheDeadlineOfAContinuationIsMet(t *testing.T) {
	self := engine.WorkflowRef[int, int]{Name: "w"}
	w := flowOf(func(ctx *engine.Context, n int) (int, error) {
		if n == 1 {
			return n, ctx.Sleep(10 * time.Hour)
		}
		return self.ContinueAsNew(ctx, 1, engine.ContinueOptions{Deadline: 20 * time.Second})
	})
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 0)
		time.Sleep(21 * time.Second)
		if got := v.status("a"); got != flow.TimedOut {
			t.Errorf("a second after its deadline the run is %s", got)
		}
	})
}

// The id of a signal that waited over hand-overs is remembered from when it was
// taken.
func TestASignalThatWaitedOverHandOversIsKnownOnceTaken(t *testing.T) {
	self := engine.WorkflowRef[int, int]{Name: "w"}
	w := flowOf(func(ctx *engine.Context, n int) (int, error) {
		if n == 3 {
			if _, err := number.Wait(ctx); err != nil {
				return 0, err
			}
		}
		if n == 4 {
			_, again, err := number.WaitFor(ctx, 10*time.Hour)
			return map[bool]int{true: 1}[again], err
		}
		if _, err := poke.Wait(ctx); err != nil {
			return 0, err
		}
		return self.ContinueAsNew(ctx, n+1, engine.ContinueOptions{})
	})
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 0)
		once := func() {
			if err := number.SendWith(v.ctx, v.e, "a", 1, engine.SendOptions{SignalID: "one"}); err != nil {
				t.Fatal(err)
			}
		}
		once()
		for range 4 {
			sends(v, poke, "a", 0)
			time.Sleep(time.Minute)
			once()
		}
		wants(v, "a", 0)
	})
}

// A saga whose code goes on as a new run has succeeded.
func TestASagaThatContinuesAsNewOwesNothing(t *testing.T) {
	p := newTrip()
	w := p.workflow(0)
	self := engine.WorkflowRef[[]string, string]{Name: "w"}
	w.Do = func(ctx *engine.Context, places []string) (string, error) {
		if len(places) == 0 {
			return "done", ctx.Sleep(10 * time.Hour)
		}
		return engine.Saga(ctx, func(ctx *engine.Context) (string, error) {
			if err := p.one(ctx, places[0]); err != nil {
				return "", err
			}
			return self.ContinueAsNew(ctx, places[1:], engine.ContinueOptions{})
		})
	}
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", []string{"train", "boat"})
		time.Sleep(time.Minute)
		if n := v.rows("wf-saga:"); n != 0 {
			t.Errorf("%d compensations are recorded", n)
		}
		v.do(flow.CancelRun{Target: flow.Ref{ID: "a"}})
		time.Sleep(time.Hour)
		p.wanted(t, "book train, book boat")
	})
}

// Code that continues without ever coming to a block point does not escape.
func TestAChainWithoutBlockPointsIsSuspended(t *testing.T) {
	self := engine.WorkflowRef[int, int]{Name: "w"}
	w := flowOf(func(ctx *engine.Context, n int) (int, error) {
		time.Sleep(time.Second) // busy
		return self.ContinueAsNew(ctx, n+1, engine.ContinueOptions{})
	})
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 0)
		time.Sleep(10500 * time.Millisecond)
		began := time.Now()
		v.do(flow.SuspendRun{Target: flow.Ref{ID: "a"}})
		if took := time.Since(began); took > time.Second || v.status("a") != flow.Suspended {
			t.Errorf("after %v the run is %s", took, v.status("a"))
		}
		time.Sleep(time.Minute)
		if r := v.detail("a", flow.PartSummary).Run; r.Generation != 10 {
			t.Errorf("it was suspended in generation 10, and is in generation %d", r.Generation)
		}
	})
}

// A run cannot hand on more children than fit into a batch: it fails, and says
// so, rather than leave some to themselves.
func TestTooManyChildrenToHandOn(t *testing.T) {
	child := engine.Workflow[int, string]{Name: "child", Do: untilPaid}
	self := engine.WorkflowRef[int, int]{Name: "w"}
	w := flowOf(func(ctx *engine.Context, n int) (int, error) {
		for i := range 2001 {
			if _, err := child.StartChild(ctx, i, engine.ChildOptions{OnParentEnd: flow.Terminate}); err != nil {
				return 0, err
			}
		}
		return self.ContinueAsNew(ctx, n+1, engine.ContinueOptions{})
	})
	bubble(t, typed(w, child), func(v *env) {
		begin(v, w, "a", 0)
		if _, err := ending[int](v, "a"); !errors.Is(err, engine.CodeTooMany) {
			t.Errorf("got %v", err)
		}
		time.Sleep(time.Minute)
		if c := v.info().Counts; c.Running != 0 || c.Cancelled != 2001 {
			t.Errorf("counts %+v", c)
		}
	})
}

// A wait for a reply ends when the run that owes it goes on as a new one.
func TestAReplyThatGoesWithItsJournalIsNotWaitedFor(t *testing.T) {
	self := engine.WorkflowRef[int, int]{Name: "w"}
	w := flowOf(func(ctx *engine.Context, n int) (int, error) {
		adding.Handle(ctx, func(ctx *engine.Context, n int) (int, error) { return n, ctx.Sleep(10 * time.Hour) })
		if _, err := poke.Wait(ctx); err != nil {
			return 0, err
		}
		return self.ContinueAsNew(ctx, n+1, engine.ContinueOptions{})
	})
	w.Updates = []engine.AnyUpdate{adding}
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 0)
		r, err := adding.Begin(v.ctx, v.e, "a", 1, engine.UpdateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		told := make(chan error, 1)
		go func() {
			ctx, cancel := context.WithTimeout(v.ctx, time.Hour)
			defer cancel()
			_, err := r.Wait(ctx)
			told <- err
		}()
		time.Sleep(time.Minute)
		sends(v, poke, "a", 1)
		if err := <-told; !errors.Is(err, flow.ErrUnanswered) {
			t.Errorf("who waited is told %v", err)
		}
	})
}
