package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"weft/engine"
)

var nap = engine.Activity[time.Duration, string]{Name: "nap", Retry: engine.Retry{MaxAttempts: 2},
	Do: func(ctx context.Context, d time.Duration) (string, error) {
		select {
		case <-time.After(d):
			return d.String(), nil
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}}

func branches(ds ...time.Duration) []func(*engine.Context) (string, error) {
	var out []func(*engine.Context) (string, error)
	for _, d := range ds {
		out = append(out, func(ctx *engine.Context) (string, error) {
			first, err := nap.Run(ctx, d)
			if err != nil {
				return "", err
			}
			return first + "+", ctx.Sleep(d)
		})
	}
	return out
}

func TestAllWaitsForEveryBranchAndReplaysInAnyOrder(t *testing.T) {
	w := flowOf(func(ctx *engine.Context, _ int) (string, error) {
		bad := func(ctx *engine.Context) (string, error) { return "", engine.Fail("no", "no") }
		got, err := engine.All(ctx, append(branches(3*time.Second, time.Second, 2*time.Hour), bad)...)
		if !errors.Is(err, engine.Code("no")) {
			return "", fmt.Errorf("error %v", err)
		}
		return fmt.Sprint(got), nil
	})
	bubble(t, typed(w), func(v *env) {
		began := time.Now()
		begin(v, w, "a", 0)
		for _, d := range []time.Duration{500 * time.Millisecond, 2 * time.Second, time.Second, 3 * time.Hour} {
			time.Sleep(d)
			v.crash()
		}
		wants(v, "a", "[3s+ 1s+ 2h0m0s+ ]")
		t.Logf("took %v", time.Since(began))
	})
}

func TestTheFirstBranchDecidesARaceAndTheOthersAreAbandoned(t *testing.T) {
	w := flowOf(func(ctx *engine.Context, _ int) (string, error) {
		var out []string
		for range 3 {
			got, i, err := engine.Race(ctx, append(branches(time.Hour, time.Second), func(ctx *engine.Context) (string, error) {
				return paid.Wait(ctx)
			})...)
			out = append(out, fmt.Sprint(got, i, err))
			if err := ctx.Sleep(time.Hour); err != nil {
				return "", err
			}
		}
		return fmt.Sprint(out), nil
	})
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 0)
		time.Sleep(5 * time.Second)
		sends(v, paid, "a", "x")
		v.crash()
		wants(v, "a", "[1s+1 <nil> x2 <nil> 1s+1 <nil>]")
	})
}

func TestMapKeepsItsWidth(t *testing.T) {
	running, most := 0, 0
	w := flowOf(func(ctx *engine.Context, _ int) ([]string, error) {
		in := []time.Duration{5, 1, 1, 1, 3, 1}
		return engine.Map(ctx, 2, in, func(ctx *engine.Context, d time.Duration) (string, error) {
			running++
			most = max(most, running)
			defer func() { running-- }()
			return nap.Run(ctx, d*time.Second)
		})
	})
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 0)
		got, err := ending[[]string](v, "a")
		if err != nil || !slices.Equal(got, []string{"5s", "1s", "1s", "1s", "3s", "1s"}) || most != 2 {
			t.Errorf("%v, %v, %d at once", got, err, most)
		}
	})
}

func TestGoAndAwaitAndMisuse(t *testing.T) {
	w := flowOf(func(ctx *engine.Context, _ int) (string, error) {
		a := engine.Go(ctx, func(c *engine.Context) (string, error) {
			if err := ctx.Sleep(time.Second); err == nil {
				return "", errors.New("the parent's context worked")
			}
			return nap.Run(c, time.Second)
		})
		b := engine.Go(ctx, func(*engine.Context) (string, error) { panic("boom") })
		c := engine.Go(ctx, func(c *engine.Context) (string, error) { return "", c.Sleep(1000 * time.Hour) })
		_ = c
		va, err := a.Await(ctx)
		_, errB := b.Await(ctx)
		return fmt.Sprint(va, err, errB), nil
	})
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 0)
		wants(v, "a", "1s<nil> panic: boom")
	})
}

func TestAThousandBranches(t *testing.T) {
	w := flowOf(func(ctx *engine.Context, n int) (int, error) {
		got, err := engine.Map(ctx, 0, make([]int, n), func(ctx *engine.Context, _ int) (string, error) {
			return nap.Run(ctx, time.Second)
		})
		return len(got), err
	})
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 1000)
		time.Sleep(1500 * time.Millisecond)
		v.crash()
		wants(v, "a", 1000)
	})
}
