package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine"
	"weft/engine/row"
	"weft/flow"
	"weft/store"
	"weft/store/memory"
)

// drainer takes one signal, then what is there, and says how many it took.
var drainer = flowOf(func(ctx *engine.Context, _ int) (string, error) {
	first, err := poke.Wait(ctx)
	if err != nil {
		return "", err
	}
	got := []int{first}
	rest, err := poke.Drain(ctx)
	return fmt.Sprint(append(got, rest...)), err
})

// Senders that do not stop, and a run that ends meanwhile: a signal is
// acknowledged and taken, or refused (F044, F065).
func TestF044DrainedSignalsAreTakenOrRefused(t *testing.T) {
	lateBubble(t, typed(drainer), func(v *env) {
		for round := range 10 {
			id := flow.WorkflowID(fmt.Sprint("run-", round))
			begin(v, drainer, id, 0)
			var sent notes[int]
			var wg sync.WaitGroup
			for i := range 20 {
				pause := v.dice(30 * time.Millisecond)
				wg.Go(func() {
					time.Sleep(pause)
					switch err := poke.Send(v.ctx, v.e, id, i); {
					case err == nil:
						sent.add(i)
					case !errors.Is(err, flow.ErrSignalClosed) && !errors.Is(err, flow.ErrFinished):
						t.Error(err)
					}
				})
			}
			wg.Wait()
			got, err := ending[string](v, id)
			taken := map[int]bool{}
			for _, e := range v.detail(id, flow.PartEvents).Events {
				var n int
				if _, bad := fmt.Sscan(string(e.Output), &n); bad == nil && e.Kind == flow.EventStep {
					taken[n] = true
				}
				if e.Left != "" {
					t.Errorf("left: %s", e.Left)
				}
			}
			if err != nil || len(taken) != sent.len() {
				t.Errorf("%s, %v: %d taken, %d acknowledged", got, err, len(taken), sent.len())
			}
			if n := v.rows("sig:"); n != 0 {
				t.Errorf("%d signal rows are left", n)
			}
		}
	})
}

func TestACrashAtEveryCommitOfADrain(t *testing.T) {
	for _, when := range []memory.Moment{memory.Before, memory.After} {
		for k, hit := 1, true; hit; k++ {
			t.Run(fmt.Sprintf("commit %d, moment %d", k, when), func(t *testing.T) {
				bubble(t, typed(drainer), func(v *env) {
					v.opts.Mode = flow.ModeOperate
					v.restart()
					begin(v, drainer, "a", 0)
					sends(v, poke, "a", 1)
					sends(v, poke, "a", 2)
					v.opts.Mode = flow.ModeRun
					v.close()
					v.reopen()
					v.s.FailCommit(k+1, when) // the lease is the first
					v.open()
					time.Sleep(time.Minute)
					synctest.Wait()
					hit = v.s.Health().State == store.Failed
					if !hit {
						v.s.FailCommit(0, when)
						return
					}
					v.crash()
					wants(v, "a", "[1 2]")
				})
			})
		}
	}
}

// What nobody took is named in the end, and in the log.
func TestUnreadSignalsAreNamedInTheEnd(t *testing.T) {
	w := flowOf(func(ctx *engine.Context, _ int) (string, error) { return paid.Wait(ctx) })
	for _, how := range []string{"completes", "cancelled while parked"} {
		t.Run(how, func(t *testing.T) {
			bubble(t, typed(w), func(v *env) {
				begin(v, w, "a", 0)
				sends(v, poke, "a", 1)
				sends(v, poke, "a", 2)
				sends(v, engine.Signal[int]{Name: "other"}, "a", 2)
				if how == "completes" {
					sends(v, paid, "a", "x")
					wants(v, "a", "x")
				} else {
					time.Sleep(time.Minute)
					v.do(flow.CancelRun{Target: flow.Ref{ID: "a"}})
				}
				events := v.detail("a", flow.PartEvents).Events
				if left := events[len(events)-1].Left; left != "1 unread other, 2 unread poke" {
					t.Errorf("left: %q", left)
				}
			})
		})
	}
}

func TestASignalOrStartMeetsARunThatDrains(t *testing.T) {
	w := flowOf(func(ctx *engine.Context, _ int) (string, error) {
		got, err := poke.Drain(ctx)
		if err != nil {
			return "", err
		}
		return fmt.Sprint(got), ctx.Sleep(time.Hour)
	})
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 0)
		time.Sleep(time.Minute)
		v.restart()
		var closed *flow.SignalClosedError
		if err := poke.Send(v.ctx, v.e, "a", 1); !errors.As(err, &closed) || closed.Name != "poke" || closed.ID != "a" {
			t.Errorf("send to a closed signal: %v", err)
		}
		sends(v, paid, "a", "others stay open")
		run, started, err := engine.StartOrSignal(v.ctx, v.e, w, 0, engine.StartOptions{ID: "a", OnTerminalConflict: flow.StartNew},
			poke, 2, engine.SendOptions{SignalID: "s"})
		if err != nil || !started {
			t.Fatalf("started %t, %v", started, err)
		}
		if got, err := run.Result(v.ctx); err != nil || got != "[2]" {
			t.Errorf("the next run got %s, %v", got, err)
		}
	})
}

// TestASignalThatMeetsItsClosingIsRefused: the sender has seen the signal open,
// and the code closes it before the sender's batch is judged. What was
// acknowledged then would never be seen by code that took the closing for the end.
func TestASignalThatMeetsItsClosingIsRefused(t *testing.T) {
	inRig(t, func(r *rig) {
		w := engine.Workflow[int, string]{Name: "w", Do: func(ctx *engine.Context, _ int) (string, error) {
			if _, err := paid.Wait(ctx); err != nil {
				return "", err
			}
			got, err := poke.Drain(ctx)
			if err != nil {
				return "", err
			}
			_, err = paid.Wait(ctx)
			return fmt.Sprint(got), err
		}}
		r.open(w)
		r.begin(w, "w")
		r.settle()
		r.onCommit(store.OpPut, row.FamilySignal, func() {
			if err := paid.Send(r.Context(), r.eng, "w", "drain"); err != nil {
				r.Error(err)
			}
			r.settle()
		})
		var closed *flow.SignalClosedError
		if err := poke.Send(r.Context(), r.eng, "w", 1); !errors.As(err, &closed) || closed.Name != "poke" {
			r.Errorf("the signal that came second: %v", err)
		}
		for key := range r.rows([]byte(row.FamilySignal)) {
			if strings.Contains(key, ":q:") {
				r.Errorf("a signal waits that nobody takes: %s", key)
			}
		}
		if err := paid.Send(r.Context(), r.eng, "w", "end"); err != nil {
			r.Fatal(err)
		}
		if got, err := within[string](r, time.Hour, "w"); err != nil || got != "[]" {
			r.Errorf("got %s, %v", got, err)
		}
	})
}
