package flow

import (
	"fmt"
	"time"
)

// Instant is a point in time in milliseconds since 1970 UTC, the precision
// that is stored. Zero means none.
type Instant int64

// InstantOf cuts t to milliseconds. The zero time is the zero Instant.
func InstantOf(t time.Time) Instant {
	if t.IsZero() {
		return 0
	}
	return Instant(t.UnixMilli())
}

// InstantAfter is the first Instant not before t: a timer set for it never
// fires early.
func InstantAfter(t time.Time) Instant {
	i := InstantOf(t)
	if t.Nanosecond()%int(time.Millisecond) != 0 { // UnixNano ends with 2262
		i++
	}
	return i
}

// Time is the instant as a time in UTC; the zero time when there is none.
func (i Instant) Time() time.Time {
	if i == 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(i)).UTC()
}

// Add moves the instant by d.
func (i Instant) Add(d time.Duration) Instant { return i + Instant(d/time.Millisecond) }

// Sub is the time from j to i.
func (i Instant) Sub(j Instant) time.Duration { return time.Duration(i-j) * time.Millisecond }

const instantLayout = "2006-01-02T15:04:05.000Z"

// RFC 3339 has years of four digits. An instant outside is written as the
// nearest inside: what is written can be read.
const (
	firstInstant Instant = -62_167_219_200_000
	lastInstant  Instant = 253_402_300_799_999
)

// String is RFC 3339 in UTC with milliseconds, or "-".
func (i Instant) String() string {
	if i == 0 {
		return "-"
	}
	return min(max(i, firstInstant), lastInstant).Time().Format(instantLayout)
}

// MarshalJSON writes RFC 3339 in UTC with milliseconds, or null.
func (i Instant) MarshalJSON() ([]byte, error) {
	if i == 0 {
		return []byte("null"), nil
	}
	return []byte(`"` + i.String() + `"`), nil
}

// UnmarshalJSON reads what MarshalJSON wrote, or any RFC 3339 time.
func (i *Instant) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*i = 0
		return nil
	}
	t, err := time.Parse(`"`+time.RFC3339Nano+`"`, string(b))
	if err != nil {
		return fmt.Errorf("instant %s: %w", b, err)
	}
	at := InstantOf(t)
	if at < firstInstant || at > lastInstant {
		return fmt.Errorf("instant %s: beyond the years 0000 to 9999 in UTC", b)
	}
	*i = at
	return nil
}
