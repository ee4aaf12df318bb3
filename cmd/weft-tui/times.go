package main

import (
	"time"

	"weft/flow"
)

// instant reads a time given as an argument; "" is none.
func instant(what, text string) (flow.Instant, error) {
	if text == "" {
		return 0, nil
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return 0, usage("%s %q is no time like 2006-01-02T15:04:05Z", what, text)
	}
	return flow.InstantOf(t), nil
}

// millis reads a duration given as an argument; 0 is none.
func millis(what string, d time.Duration) (int64, error) {
	switch {
	case d < 0:
		return 0, usage("%s %v is negative", what, d)
	case d > 0 && d < time.Millisecond:
		return 0, usage("%s %v is less than a millisecond", what, d)
	}
	return d.Milliseconds(), nil
}

// from is an instant with how far it is from now, or nothing when there is none.
func from(now, at flow.Instant) string {
	switch d := (time.Duration(at-now) * time.Millisecond).Round(time.Second); {
	case at == 0:
		return ""
	case now == 0:
		return at.String()
	case d > 0:
		return at.String() + ", in " + d.String()
	default:
		return at.String() + ", " + (-d).String() + " ago"
	}
}
