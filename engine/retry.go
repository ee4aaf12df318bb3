package engine

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Retry says how often and how soon a failed activity is tried again. Fields
// that are zero take their default: 3 attempts, first after 1 s, each wait
// twice the one before, at most 30 s. A step whose policy makes no sense fails at
// once with code "bad-activity".
type Retry struct {
	// MaxAttempts counts the first attempt too: 1 means no retry, 10,000 is the
	// most, 0 means 3.
	MaxAttempts int
	// Initial is the wait before the second attempt. Zero means 1 s.
	Initial time.Duration
	// Factor is what each wait is multiplied by for the next: at least 1, which
	// keeps it the same. Zero means 2.
	Factor float64
	// Max is the longest wait, at least Initial. Zero means 30 s, or Initial when
	// that is longer.
	Max time.Duration
}

// resolve fills in the defaults and reports every value that makes no sense.
func (r Retry) resolve() (Retry, error) {
	var bad []error
	if r.MaxAttempts < 0 || r.MaxAttempts > 10_000 {
		bad = append(bad, fmt.Errorf("Retry.MaxAttempts %d: use 1 to 10000", r.MaxAttempts))
	}
	if r.Initial < 0 {
		bad = append(bad, fmt.Errorf("Retry.Initial %v: is negative", r.Initial))
	}
	if r.Max < 0 {
		bad = append(bad, fmt.Errorf("Retry.Max %v: is negative", r.Max))
	}
	if r.Factor != 0 && !(r.Factor >= 1) || math.IsInf(r.Factor, 0) {
		bad = append(bad, fmt.Errorf("Retry.Factor %v: use a number of at least 1", r.Factor))
	}
	if r.MaxAttempts == 0 {
		r.MaxAttempts = 3
	}
	if r.Initial == 0 {
		r.Initial = time.Second
	}
	if r.Factor == 0 {
		r.Factor = 2
	}
	if r.Max == 0 {
		r.Max = max(30*time.Second, r.Initial)
	}
	if r.Max < r.Initial {
		bad = append(bad, fmt.Errorf("Retry.Max %v: is less than Initial %v", r.Max, r.Initial))
	}
	return r, errors.Join(bad...)
}

// wait is the time between a failed attempt n (from 1) and the next one. It
// never overflows: it grows as a float and is cut before it becomes a
// duration.
func (r Retry) wait(n int) time.Duration {
	w := float64(r.Initial) * math.Pow(r.Factor, float64(n-1))
	if !(w < float64(r.Max)) {
		return r.Max
	}
	return max(time.Duration(w), r.Initial)
}
