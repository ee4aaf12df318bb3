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
