package views

import (
	"fmt"
	"regexp"
	"time"

	"weft/flow"
)

// Age writes a duration in at most seven cells. What is negative by a clock
// that differs is 0s.
func Age(d time.Duration) string {
	s := int64(d / time.Second)
	switch {
	case s <= 0:
		return "0s"
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600:
		return fmt.Sprintf("%dm%02ds", s/60, s%60)
	case s < 86400:
		return fmt.Sprintf("%dh%02dm", s/3600, s/60%60)
	case s < 100*86400:
		return fmt.Sprintf("%dd%02dh", s/86400, s/3600%24)
	}
	return fmt.Sprintf("%dd", s/86400)
}

// Took writes how long something took, finer than [Age].
func Took(d time.Duration) string {
	switch {
	case d < 0:
		return "0s"
	case d < time.Second:
		return fmt.Sprintf("%dms", d.Milliseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%d.%ds", d/time.Second, d%time.Second/(100*time.Millisecond))
	}
	return Age(d)
}

// Size writes a number of bytes.
func Size(n int64) string {
	units := []string{"B", "KB", "MB", "GB", "TB"}
	f, u := float64(n), 0
	for f >= 1000 && u < len(units)-1 {
		f, u = f/1000, u+1
	}
	if u == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %s", f, units[u])
}

// Count writes a number in at most five cells for a tab.
func Count(n int64) string {
	switch {
	case n < 10000:
		return fmt.Sprint(n)
	case n < 1000000:
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}

// clock is the time of day in UTC, to the second.
func clock(i flow.Instant) string {
	if i == 0 {
		return "-"
	}
	return i.Time().Format("15:04:05Z")
}

// instants are the instants in a text that the engine wrote.
var instants = regexp.MustCompile(`\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`)

// shortly is a text with its instants as short as the day of the frame allows.
func (l Look) shortly(text string) string {
	return instants.ReplaceAllStringFunc(text, func(s string) string {
		if t, err := time.Parse(time.RFC3339Nano, s); err == nil && t.YearDay() == l.Now.UTC().YearDay() && t.Year() == l.Now.UTC().Year() {
			return s[11:19] + "Z"
		}
		return s[:10] + " " + s[11:16] + "Z"
	})
}

// since is the age of i at now, "-" when there is none.
func (l Look) since(i flow.Instant) string {
	if i == 0 {
		return "-"
	}
	return Age(l.Now.Sub(i.Time()))
}

// until tells how far i lies ahead: "in 27m", or how long it is over.
func (l Look) until(i flow.Instant) string {
	if i == 0 {
		return "-"
	}
	d := i.Time().Sub(l.Now)
	if d < 0 {
		return "OVER " + coarse(-d)
	}
	if d >= time.Hour && d < 10*time.Hour { // 1h59m is not 1h, and fits
		return "in " + Age(d)
	}
	return "in " + coarse(d)
}

// ahead is until with all that is left, or all that it is over, for where there is
// room.
func (l Look) ahead(i flow.Instant) string {
	switch left := l.left(i); {
	case left != "":
		return "in " + left
	case i != 0 && i.Time().Before(l.Now):
		return "OVER " + l.since(i)
	}
	return l.until(i)
}

// coarse is an age without its second unit.
func coarse(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dm", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", d/time.Hour)
	}
	return fmt.Sprintf("%dd", d/(24*time.Hour))
}
