package engine_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine"
	"weft/flow"
	"weft/store"
)

func TestEveryWaiterGetsTheResult(t *testing.T) {
	bubble(t, typed(sleeper), func(v *env) {
		r := begin(v, sleeper, "a", time.Hour)
		var wg sync.WaitGroup
		for i := range 50 {
			wg.Go(func() {
				time.Sleep(time.Duration(i) * 2 * time.Minute) // before the end and after it
				if s, err := r.Result(v.ctx); err != nil || s != "slept" {
					t.Errorf("waiter %d: %q, %v", i, s, err)
				}
			})
		}
		wg.Wait()
		v.restart()
		wants(v, "a", "slept")
	})
}

func TestAWaitEndsWithItsContextOrTheEngine(t *testing.T) {
	tests := map[string]struct {
		end  func(*env, context.CancelFunc)
		want error
	}{
		"its context ends":   {func(_ *env, cancel context.CancelFunc) { cancel() }, context.Canceled},
		"the engine closes":  {func(v *env, _ context.CancelFunc) { v.close() }, flow.ErrClosed},
		"the store fails":    {func(v *env, _ context.CancelFunc) { v.s.FailCommit(1, 1); poke.Send(v.ctx, v.e, "a", 1) }, store.ErrFailed},
		"the engine deposed": {depose, flow.ErrDeposed},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			bubble(t, typed(sleeper), func(v *env) {
				ctx, cancel := context.WithCancel(v.ctx)
				defer cancel()
				r := begin(v, sleeper, "a", 30*24*time.Hour)
				var errs notes[error]
				for range 10 {
					go func() { _, err := r.Result(ctx); errs.add(err) }()
				}
				time.Sleep(time.Minute)
				tc.end(v, cancel)
				synctest.Wait()
				if errs.len() != 10 {
					t.Fatalf("%d of 10 waiters answered", errs.len())
				}
				for _, err := range errs.all() {
					if !errors.Is(err, tc.want) {
						t.Errorf("got %v, want %v", err, tc.want)
					}
				}
				if v.e != nil && tc.want != context.Canceled {
					if _, err := r.Result(v.ctx); !errors.Is(err, tc.want) {
						t.Errorf("a later wait: %v, want %v", err, tc.want)
					}
				}
			})
		})
	}
}

// depose raises the epoch as another owner would, and makes the engine notice.
func depose(v *env, _ context.CancelFunc) {
	raw, err := v.s.Get([]byte("lease:epoch"))
	if err != nil {
		v.Fatal(err)
	}
	raw[7]++
	var b store.Batch
	b.Put([]byte("lease:epoch"), raw)
	if _, err := v.s.Commit(v.ctx, &b); err != nil {
		v.Fatal(err)
	}
	if err := poke.Send(v.ctx, v.e, "a", 1); !errors.Is(err, flow.ErrDeposed) {
		v.Errorf("send after the deposition: %v", err)
	}
}

func TestAResultIsReadAfterTheEngineHasHalted(t *testing.T) {
	bubble(t, typed(sleeper), func(v *env) {
		begin(v, sleeper, "done", 0)
		wants(v, "done", "slept")
		begin(v, sleeper, "a", time.Hour)
		v.s.FailCommit(1, 1)
		poke.Send(v.ctx, v.e, "a", 1)
		wants(v, "done", "slept")
		if s := v.detail("a", flow.PartEvents).Run.Status; s != flow.Running {
			t.Errorf("status %s", s)
		}
		if !errors.Is(v.e.Err(), store.ErrFailed) {
			t.Errorf("the engine says %v", v.e.Err())
		}
		select {
		case <-v.e.Halted():
		default:
			t.Error("Halted is not closed")
		}
		if trouble := v.info().Trouble; trouble == "" {
			t.Error("Info tells no trouble")
		}
	})
}

func TestHandle(t *testing.T) {
	bubble(t, typed(sleeper), func(v *env) {
		if _, err := engine.Handle[string](v.e, "none"); !errors.Is(err, flow.ErrNotFound) {
			t.Errorf("no such run: %v", err)
		}
		r := begin(v, sleeper, "a", time.Minute)
		h, err := engine.Handle[string](v.e, "a")
		if err != nil || h.Ref() != r.Ref() {
			t.Errorf("%s, %v; want %s", h.Ref(), err, r.Ref())
		}
		wrong, err := engine.Handle[int](v.e, "a")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := wrong.Result(v.ctx); err == nil {
			t.Error("a result of another type was accepted")
		}
	})
}

// Waiters come at the very moment the run ends, wakes and ends again.
func TestAWaiterThatComesAtTheEndIsAnswered(t *testing.T) {
	lateBubble(t, typed(collector), func(v *env) {
		for i := range 1000 {
			id := flow.WorkflowID(fmt.Sprint(i))
			begin(v, collector, id, 1)
			if i%2 == 0 {
				time.Sleep(3 * time.Second)
			}
			var wg sync.WaitGroup
			before := v.dice(5 * time.Millisecond)
			wg.Go(func() {
				if err := poke.Send(v.ctx, v.e, id, 1); err != nil {
					t.Error(err)
				}
			})
			wg.Go(func() {
				time.Sleep(before)
				wants(v, id, "1,")
			})
			wg.Wait()
		}
	})
}
