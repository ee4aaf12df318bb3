package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine"
	"weft/flow"
	"weft/store"
	"weft/store/memory"
)

func TestCloseLetsAttemptsEndAndRecordsWhatTheyGave(t *testing.T) {
	var calls notes[int]
	slow := engine.Activity[int, int]{Name: "slow", Do: func(_ context.Context, n int) (int, error) {
		calls.add(n)
		time.Sleep(time.Duration(n) * time.Second)
		return n, nil
	}}
	w := flowOf(func(ctx *engine.Context, n int) (int, error) {
		if _, err := slow.Run(ctx, n); err != nil {
			return 0, err
		}
		return slow.Run(ctx, n)
	})
	lateBubble(t, typed(w), func(v *env) {
		for i := range 20 {
			begin(v, w, flow.WorkflowID(fmt.Sprint(i)), i+1)
		}
		time.Sleep(500 * time.Millisecond)
		v.close() // waits for the first attempt of each, and begins no other
		if n := calls.len(); n != 20 {
			t.Errorf("%d attempts before the close was through, want 20", n)
		}
		v.reopen()
		v.open()
		for i := range 20 {
			wants(v, flow.WorkflowID(fmt.Sprint(i)), i+1)
		}
		if n := calls.len(); n != 40 {
			t.Errorf("%d attempts in all, want 40: none is made again", n)
		}
	})
}

// The function has returned, but its outcome waits behind a heartbeat that is
// being written.
func TestCloseWaitsForAnOutcomeThatIsNotYetRecorded(t *testing.T) {
	var calls notes[int]
	act := engine.Activity[int, int]{Name: "act", Do: func(ctx context.Context, n int) (int, error) {
		calls.add(n)
		go engine.Heartbeat(ctx, 1)
		time.Sleep(time.Millisecond)
		return n, nil
	}}
	w := flowOf(func(ctx *engine.Context, n int) (int, error) { return act.Run(ctx, n) })
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 1)
		v.s.SetDelay(200 * time.Millisecond)
		time.Sleep(500 * time.Microsecond)
		v.close()
		v.s.SetDelay(0)
		v.reopen()
		v.open()
		wants(v, "a", 1)
		if calls.len() != 1 {
			t.Errorf("%d attempts, want 1", calls.len())
		}
	})
}

func TestCloseBeginsNoAttemptThatWaitedForASlot(t *testing.T) {
	var calls notes[int]
	slow := engine.Activity[int, int]{Name: "slow", Do: func(_ context.Context, n int) (int, error) {
		calls.add(n)
		time.Sleep(time.Second)
		return n, nil
	}}
	w := flowOf(func(ctx *engine.Context, n int) (int, error) { return slow.Run(ctx, n) })
	o := typed(w)
	o.ActivitySlots = 2
	bubble(t, o, func(v *env) {
		for i := range 10 {
			begin(v, w, flow.WorkflowID(fmt.Sprint(i)), i)
		}
		synctest.Wait()
		began := time.Now()
		v.close()
		if took := time.Since(began); calls.len() != 2 || took > 1100*time.Millisecond {
			t.Errorf("%d attempts, closed after %v; want 2, 1s", calls.len(), took)
		}
		v.reopen()
		v.open()
		for i := range 10 {
			wants(v, flow.WorkflowID(fmt.Sprint(i)), i)
		}
	})
}

func TestCloseCallsOffWhatDoesNotEndInTime(t *testing.T) {
	act := engine.Activity[int, int]{Name: "act", Do: func(ctx context.Context, n int) (int, error) {
		<-ctx.Done()
		return 0, ctx.Err()
	}}
	w := flowOf(func(ctx *engine.Context, n int) (int, error) { return act.Run(ctx, n) })
	bubble(t, typed(w, sleeper), func(v *env) {
		for i := range 20 {
			begin(v, w, flow.WorkflowID(fmt.Sprint(i)), i)
		}
		synctest.Wait()
		began := time.Now()
		ctx, cancel := context.WithTimeout(v.ctx, 5*time.Second)
		defer cancel()
		for range 3 {
			if err := v.e.Close(ctx); err != nil {
				t.Errorf("close: %v", err)
			}
		}
		if took := time.Since(began); took != 5*time.Second {
			t.Errorf("took %v, want 5s", took)
		}
		if _, err := sleeper.Start(v.ctx, v.e, 0, engine.StartOptions{}); !errors.Is(err, flow.ErrClosed) {
			t.Errorf("start after the close: %v", err)
		}
		if err := poke.Send(v.ctx, v.e, "1", 1); !errors.Is(err, flow.ErrClosed) {
			t.Errorf("send after the close: %v", err)
		}
		if h, err := v.s.Get([]byte("lease:holder")); h != nil || err != nil {
			t.Errorf("the lease is held by %s, %v", h, err)
		}
		v.e = nil
	})
}

func TestCloseTakesNothingNewWhileItWaits(t *testing.T) {
	act := engine.Activity[int, int]{Name: "act", Do: func(context.Context, int) (int, error) { time.Sleep(10 * time.Second); return 1, nil }}
	w := flowOf(func(ctx *engine.Context, n int) (int, error) { return act.Run(ctx, n) })
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 1)
		synctest.Wait()
		go v.e.Close(v.ctx)
		time.Sleep(time.Second)
		n := v.commits()
		_, err := w.Start(v.ctx, v.e, 0, engine.StartOptions{ID: "b"})
		if !errors.Is(err, flow.ErrClosed) {
			t.Errorf("start: %v", err)
		}
		if err := poke.Send(v.ctx, v.e, "a", 1); !errors.Is(err, flow.ErrClosed) {
			t.Errorf("send: %v", err)
		}
		if _, err := v.e.Operator().Do(v.ctx, flow.Act{Deed: flow.ResumeRun{Target: flow.Ref{ID: "a"}}}); !errors.Is(err, flow.ErrClosed) {
			t.Errorf("resume: %v", err)
		}
		if n() != 0 {
			t.Errorf("%d commits", n())
		}
	})
}

func TestCloseNamesWhatWouldNotEndAndKeepsTheLease(t *testing.T) {
	act := engine.Activity[int, int]{Name: "deaf", Do: func(context.Context, int) (int, error) { time.Sleep(time.Hour); return 0, nil }}
	w := flowOf(func(ctx *engine.Context, n int) (int, error) { return act.Run(ctx, n) })
	deafCode := engine.Workflow[int, int]{Name: "deaf-code", Do: func(*engine.Context, int) (int, error) { time.Sleep(time.Hour); return 0, nil }}
	bubble(t, typed(w, deafCode), func(v *env) {
		r := begin(v, w, "a", 1)
		begin(v, deafCode, "b", 1)
		synctest.Wait()
		began := time.Now()
		ctx, cancel := context.WithTimeout(v.ctx, 2*time.Second)
		defer cancel()
		err := v.e.Close(ctx)
		var stuck *engine.StuckError
		if !errors.As(err, &stuck) || stuck.Attempts != 1 || stuck.Runs != 2 || time.Since(began) > 13*time.Second {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		for _, name := range []string{"activity deaf of run a/", "run b/"} {
			if !strings.Contains(fmt.Sprint(err), name) {
				t.Errorf("%v does not name %q", err, name)
			}
		}
		if _, err := r.Result(v.ctx); !errors.Is(err, flow.ErrClosed) {
			t.Errorf("a waiter: %v", err)
		}
		if h, _ := v.s.Get([]byte("lease:holder")); h == nil {
			t.Error("the lease was given back while code may still act")
		}
		time.Sleep(2 * time.Hour) // it ends at last, and changes nothing
		v.e = nil
		if n := v.rows("ev:"); n != 2 {
			t.Errorf("%d events, want the two starts", n)
		}
		v.reopen()
		v.open()
		if s := v.detail("a", flow.PartSummary).Run.Status; s != flow.Running {
			t.Errorf("status %s", s)
		}
		time.Sleep(2 * time.Hour)
	})
}

// The store fails under a running engine: everyone is answered, nothing is
// written any more, reads go on.
func TestAFailedStoreHaltsTheEngine(t *testing.T) {
	act := engine.Activity[int, int]{Name: "act", Do: func(context.Context, int) (int, error) { time.Sleep(time.Second); return 1, nil }}
	w := flowOf(func(ctx *engine.Context, n int) (int, error) { return act.Run(ctx, n) })
	for _, when := range []memory.Moment{memory.Before, memory.After} {
		bubble(t, typed(w, sleeper), func(v *env) {
			var errs notes[error]
			for i := range 50 {
				r := begin(v, w, flow.WorkflowID(fmt.Sprint(i)), 1)
				go func() { _, err := r.Result(v.ctx); errs.add(err) }()
			}
			begin(v, sleeper, "s", 30*time.Second)
			v.s.FailCommit(10, when)
			time.Sleep(time.Minute)
			synctest.Wait()
			for _, err := range errs.all() {
				if err != nil && !errors.Is(err, store.ErrFailed) {
					t.Errorf("a waiter: %v", err)
				}
			}
			if errs.len() != 50 || !v.problem("the engine has halted") {
				t.Errorf("%d of 50 waiters were answered", errs.len())
			}
			if _, err := sleeper.Start(v.ctx, v.e, 0, engine.StartOptions{}); !errors.Is(err, store.ErrFailed) {
				t.Errorf("start: %v", err)
			}
			if n := v.info(); n.Counts.Runs() != 51 || n.Live != 0 {
				t.Errorf("info %+v", n)
			}
			v.crash()
			for i := range 50 {
				wants(v, flow.WorkflowID(fmt.Sprint(i)), 1)
			}
			wants(v, "s", "slept")
		})
	}
}

// A full store refuses callers; runs under way wait and go on when there is
// room.
func TestAFullStoreIsWaitedFor(t *testing.T) {
	var calls notes[int]
	act := engine.Activity[int, int]{Name: "act", Do: func(_ context.Context, n int) (int, error) { calls.add(n); return n, nil }}
	w := flowOf(func(ctx *engine.Context, n int) (int, error) {
		if err := ctx.Sleep(time.Minute); err != nil {
			return 0, err
		}
		return act.Run(ctx, n)
	})
	bubble(t, typed(w), func(v *env) {
		for i := range 20 {
			begin(v, w, flow.WorkflowID(fmt.Sprint(i)), i)
		}
		time.Sleep(time.Second)
		v.s.Refuse(store.ErrFull)
		time.Sleep(time.Hour)
		if _, err := w.Start(v.ctx, v.e, 0, engine.StartOptions{ID: "x"}); !errors.Is(err, store.ErrFull) {
			t.Errorf("start: %v", err)
		}
		if err := poke.Send(v.ctx, v.e, "1", 1); !errors.Is(err, store.ErrFull) {
			t.Errorf("send: %v", err)
		}
		if v.info().Health != "full" || !v.problem("store refuses writes") {
			t.Errorf("info %+v", v.info())
		}
		v.s.Refuse(nil)
		for i := range 20 {
			wants(v, flow.WorkflowID(fmt.Sprint(i)), i)
		}
		if calls.len() != 20 {
			t.Errorf("%d attempts, want 20", calls.len())
		}
	})
}

func TestCloseDoesNotWaitForAFullStore(t *testing.T) {
	w := flowOf(func(ctx *engine.Context, n int) (int, error) {
		return engine.Memo(ctx, "m", func() (int, error) { return n, ctxSleep() })
	})
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 1)
		v.s.Refuse(store.ErrFull)
		time.Sleep(time.Minute)
		began := time.Now()
		ctx, cancel := context.WithTimeout(v.ctx, 2*time.Second)
		defer cancel()
		err := v.e.Close(ctx)
		var stuck *engine.StuckError
		if took := time.Since(began); took > 4*time.Second || errors.As(err, &stuck) {
			t.Errorf("close took %v: %v", took, err)
		}
		v.e = nil
		v.s.Refuse(nil)
		v.reopen()
		v.open()
		wants(v, "a", 1)
	})
}

func ctxSleep() error { time.Sleep(time.Second); return nil }
