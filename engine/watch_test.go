package engine_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine"
	"weft/flow"
)

func watch(v *env, ctx context.Context, from uint64) <-chan flow.Notice {
	v.Helper()
	ch, err := v.e.Operator().Watch(ctx, from)
	if err != nil {
		v.Fatalf("watch: %v", err)
	}
	return ch
}

// drain takes what a watch has to say now.
func drain(ch <-chan flow.Notice) (out []flow.Notice, open bool) {
	for {
		synctest.Wait()
		select {
		case n, ok := <-ch:
			if !ok {
				return out, false
			}
			out = append(out, n)
		default:
			return out, true
		}
	}
}

func TestAWatchTellsWhatHappensInOrder(t *testing.T) {
	act := engine.Activity[int, int]{Name: "act", Do: func(ctx context.Context, _ int) (int, error) {
		if engine.InfoOf(ctx).Attempt == 1 {
			return 0, fmt.Errorf("no")
		}
		return 1, nil
	}}
	w := flowOf(func(ctx *engine.Context, _ int) (int, error) {
		if _, err := act.Run(ctx, 1); err != nil {
			return 0, err
		}
		return poke.Wait(ctx)
	})
	bubble(t, typed(w), func(v *env) {
		synctest.Wait() // the recovery is through: it would look at the run, too
		ch := watch(v, v.ctx, 0)
		begin(v, w, "a", 0)
		time.Sleep(time.Minute)
		sends(v, poke, "a", 1)
		time.Sleep(time.Minute)
		got, _ := drain(ch)
		var kinds []flow.NoticeKind
		for i, n := range got {
			kinds = append(kinds, n.Kind)
			if n.Seq != got[0].Seq+uint64(i) || n.Missed != 0 || n.Ref.ID != "a" || n.Type != "w" || n.At == 0 {
				t.Errorf("notice %d: %+v", i, n)
			}
		}
		want := "[started attempt waiting step waiting signal step ended]"
		if fmt.Sprint(kinds) != want {
			t.Errorf("got %v, want %s", kinds, want)
		}
	})
}

func TestWhereAWatchBegins(t *testing.T) {
	tests := map[string]struct {
		from          uint64
		first, missed uint64 // of what is seen after two more notices; the newest before is 20
	}{
		"0: from now on":                {0, 21, 0},
		"a number that is still there":  {15, 15, 0},
		"the next number":               {21, 21, 0},
		"a number that was overwritten": {3, 5, 2},
		"a number of another life":      {5000, 21, 0},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			o := typed(collector)
			o.Ring = 16
			bubble(t, o, func(v *env) {
				begin(v, collector, "a", 100) // notices 1 (lease) and 2
				for i := range 9 {
					sends(v, poke, "a", i) // two each
				}
				synctest.Wait()
				ch := watch(v, v.ctx, tc.from)
				synctest.Wait()
				if tc.from != 3 {
					sends(v, poke, "a", 9)
				}
				got, _ := drain(ch)
				if len(got) == 0 || got[0].Seq != tc.first || got[0].Missed != tc.missed {
					t.Errorf("got %+v, want it to begin at %d, missed %d", got, tc.first, tc.missed)
				}
			})
		})
	}
}

func TestASlowWatcherIsToldHowManyItMissedAndTheEngineDoesNotWait(t *testing.T) {
	o := typed(sleeper)
	o.Ring = 64
	bubble(t, o, func(v *env) {
		ch := watch(v, v.ctx, 1)
		for i := range 500 {
			begin(v, sleeper, flow.WorkflowID(fmt.Sprint(i)), 0)
			wants(v, flow.WorkflowID(fmt.Sprint(i)), "slept")
		}
		got, _ := drain(ch)
		next, missed := uint64(1), uint64(0)
		for _, n := range got {
			if n.Seq != next+n.Missed {
				t.Errorf("notice %d, missed %d, after %d", n.Seq, n.Missed, next-1)
			}
			next, missed = n.Seq+1, missed+n.Missed
		}
		if next < 1500 || missed < 1000 {
			t.Errorf("the last is %d, %d were missed", next-1, missed)
		}
	})
}

func TestAWatchEndsWithItsContextAndWithTheEngine(t *testing.T) {
	bubble(t, typed(sleeper), func(v *env) {
		ctx, cancel := context.WithCancel(v.ctx)
		base := len(goroutines())
		ended := watch(v, ctx, 1)
		for range 100 {
			watch(v, ctx, 1) // nobody reads
		}
		cancel()
		if _, open := drain(ended); open {
			t.Error("open after its context has ended")
		}
		if n := len(goroutines()); n != base {
			t.Errorf("%d goroutines, %d before", n, base)
		}
		read, unread := watch(v, v.ctx, 0), watch(v, v.ctx, 0)
		for i := range 200 { // more than a watch holds
			begin(v, sleeper, flow.WorkflowID(fmt.Sprint(i)), 0)
			wants(v, flow.WorkflowID(fmt.Sprint(i)), "slept")
			if i == 198 {
				drain(read)
			}
		}
		v.close()
		got, open := drain(read)
		if open || len(got) != 3 {
			t.Errorf("open %t after the close, %d notices; want the last three", open, len(got))
		}
		if left := goroutines(); len(left) > 0 {
			t.Errorf("goroutines are left by a watch that nobody reads: %v", left)
		}
		if _, open := drain(unread); open {
			t.Error("the watch that nobody read is open")
		}
		v.open()
		op := v.e.Operator()
		v.close()
		ch, err := op.Watch(v.ctx, 0)
		if _, open := drain(ch); err != nil || open {
			t.Errorf("a watch of a closed engine: open %t, %v", open, err)
		}
	})
}
