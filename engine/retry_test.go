package engine

import (
	"math"
	"testing"
	"time"
)

// Delays never overflow, never fall, and stay between Initial and Max.
func TestF061TheWaitBetweenAttemptsNeverOverflows(t *testing.T) {
	const year = 365 * 24 * time.Hour
	for _, initial := range []time.Duration{1, time.Second, year, math.MaxInt64} {
		for _, factor := range []float64{0, 1, 1.0000001, 2, 10, 1e9, math.MaxFloat64} {
			for _, most := range []time.Duration{0, time.Second, 30 * time.Second, math.MaxInt64} {
				r, err := Retry{Initial: initial, Factor: factor, Max: most, MaxAttempts: 10_000}.resolve()
				if err != nil {
					if most != 0 && most < initial {
						continue
					}
					t.Fatalf("%v, %v, %v: %v", initial, factor, most, err)
				}
				last := time.Duration(0)
				for n := 1; n <= 10_000; n++ {
					w := r.wait(n)
					if w < initial || w > r.Max || w < last {
						t.Fatalf("initial %v, factor %v, max %v: wait %d is %v after %v", initial, factor, r.Max, n, w, last)
					}
					last = w
				}
			}
		}
	}
}

func TestF061WrongPoliciesAreRefused(t *testing.T) {
	tests := map[string]struct {
		in, want Retry
		fails    bool
	}{
		"nothing set takes the defaults":  {Retry{}, Retry{3, time.Second, 2, 30 * time.Second}, false},
		"a long initial wait is the cap":  {Retry{Initial: time.Hour}, Retry{3, time.Hour, 2, time.Hour}, false},
		"a cap below the first wait":      {Retry{Initial: time.Minute, Max: time.Second}, Retry{}, true},
		"a cap below the default initial": {Retry{Max: time.Millisecond}, Retry{}, true},
		"negative attempts":               {Retry{MaxAttempts: -1}, Retry{}, true},
		"attempts beyond the limit":       {Retry{MaxAttempts: 10_001}, Retry{}, true},
		"a negative initial wait":         {Retry{Initial: -1}, Retry{}, true},
		"a negative cap":                  {Retry{Max: -1}, Retry{}, true},
		"a negative factor":               {Retry{Factor: -2}, Retry{}, true},
		"a factor below 1":                {Retry{Factor: 0.99}, Retry{}, true},
		"a factor that is no number":      {Retry{Factor: math.NaN()}, Retry{}, true},
		"an endless factor":               {Retry{Factor: math.Inf(1)}, Retry{}, true},
		"an endless negative factor":      {Retry{Factor: math.Inf(-1)}, Retry{}, true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := tc.in.resolve()
			if (err != nil) != tc.fails || err == nil && got != tc.want {
				t.Errorf("%+v: %+v, %v; want %+v, failure %t", tc.in, got, err, tc.want, tc.fails)
			}
		})
	}
}
