package engine_test

import (
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine"
	"weft/flow"
)

func TestASleepLastsWhatItSays(t *testing.T) {
	for name, tc := range map[string]struct{ d, took time.Duration }{
		"nothing":            {0, 0},
		"negative":           {-time.Hour, 0},
		"a nanosecond":       {1, time.Millisecond},
		"a millisecond":      {time.Millisecond, time.Millisecond},
		"just below Grace":   {time.Second - 1, time.Second},
		"Grace":              {time.Second, time.Second},
		"within the look":    {4 * time.Second, 4 * time.Second},
		"beyond the look":    {90 * time.Second, 90 * time.Second},
		"a day":              {23 * time.Hour, 23 * time.Hour},
		"an odd fraction":    {time.Minute + 1234567, time.Minute + 2*time.Millisecond},
		"a whole minute off": {time.Minute, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, typed(sleeper), func(v *env) {
				time.Sleep(3 * time.Second) // away from the loop's own rhythm
				began := time.Now()
				begin(v, sleeper, "a", tc.d)
				wants(v, "a", "slept")
				if took := time.Since(began); took < tc.d || took > tc.took {
					t.Errorf("took %v, want %v", took, tc.took)
				}
			})
		})
	}
}

func TestASleepOfCenturiesIsKept(t *testing.T) {
	bubble(t, typed(sleeper), func(v *env) {
		for i, d := range []time.Duration{math.MaxInt64, math.MaxInt64 - 1, 280 * 365 * 24 * time.Hour} {
			begin(v, sleeper, flow.WorkflowID(fmt.Sprint(i)), d)
		}
		time.Sleep(time.Hour)
		v.restart()
		time.Sleep(time.Hour)
		if n := v.rows("wf-deadline:"); n != 3 || v.info().Live != 0 {
			t.Errorf("%d timers, %d lives; want 3, 0", n, v.info().Live)
		}
	})
}

// Two timers come due while the process is down. What it did not issue before
// its end is not issued after it.
func TestF043SeveralTimersComeDueWhileTheProcessIsDown(t *testing.T) {
	w := flowOf(func(ctx *engine.Context, _ int) (string, error) {
		began := ctx.Now()
		if err := ctx.Sleep(15 * time.Minute); err != nil {
			return "", err
		}
		_, ok, err := poke.WaitFor(ctx, 30*time.Minute)
		if err != nil {
			return "", err
		}
		if err := ctx.Sleep(time.Minute); err != nil {
			return "", err
		}
		return fmt.Sprint(ok, ctx.Now().Sub(began) >= 76*time.Minute), nil
	})
	bubble(t, typed(w, sleeper), func(v *env) {
		begin(v, w, "a", 0)
		begin(v, sleeper, "b", time.Minute)
		time.Sleep(time.Second)
		v.close()
		v.reopen()
		time.Sleep(time.Hour)
		v.open()
		wants(v, "b", "slept")
		wants(v, "a", "false true")
		if n := v.rows("wf-deadline:"); n != 0 {
			t.Errorf("%d timers left", n)
		}
	})
}

// The journal comes back in the order it was written, over every number of
// digits.
func TestF046TenThousandEventsComeBackInOrder(t *testing.T) {
	steps := 10_050
	if torture() {
		steps = 70_000
	}
	w := flowOf(func(ctx *engine.Context, _ int) (int, error) {
		sum := 0
		for i := range steps {
			n, err := engine.Memo(ctx, fmt.Sprint("m", i), func() (int, error) { return i, nil })
			if err != nil || n != i {
				return 0, fmt.Errorf("step %d gave %d, %w", i, n, err)
			}
			sum += n
		}
		_, err := poke.Wait(ctx)
		return sum, err
	})
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 0)
		synctest.Wait()
		v.crash()
		sends(v, poke, "a", 1)
		wants(v, "a", steps*(steps-1)/2)
		events := v.detail("a", flow.PartEvents).Events
		if len(events) == 0 {
			t.Fatal("no events shown")
		}
		for i := 1; i < len(events); i++ {
			if d := int64(events[i].Seq) - int64(events[i-1].Seq); d != 1 && d != -1 {
				t.Fatalf("event %d is followed by %d", events[i-1].Seq, events[i].Seq)
			}
		}
	})
}
