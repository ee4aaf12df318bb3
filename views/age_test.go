package views

import (
	"testing"
	"time"

	"weft/flow"
)

func TestUntilKeepsTheMinutesOfAFewHours(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for d, want := range map[time.Duration]string{
		27 * time.Minute: "in 27m", time.Hour - time.Second: "in 59m", time.Hour: "in 1h00m", 2*time.Hour - time.Second: "in 1h59m",
		10*time.Hour - time.Second: "in 9h59m", 10 * time.Hour: "in 10h", 49 * time.Hour: "in 2d", -2 * time.Hour: "OVER 2h",
	} {
		if got := (Look{Now: now}).until(flow.InstantOf(now.Add(d))); got != want || width(got) > 8 {
			t.Errorf("%s ahead is shown as %q, want %q in at most 8 cells", d, got, want)
		}
	}
}

// TestDurationsAreWholeWhereThereIsRoom: outside the narrow columns nothing is cut to
// its largest unit.
func TestDurationsAreWholeWhereThereIsRoom(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	look := Look{Now: now}
	for d, want := range map[time.Duration]string{
		72 * time.Minute: "1h12m", 20*time.Minute + 3*time.Second: "20m03s", 50 * time.Hour: "2d02h",
	} {
		past := flow.InstantOf(now.Add(-d))
		h := Header{Known: true, Info: flow.Info{Counts: flow.Counts{Owed: 2}}, OwedSince: past}
		if got := h.oldest(look); got != " (oldest "+want+")" {
			t.Errorf("owed since %s is shown as %q", d, got)
		}
		if got := look.ahead(past); got != "OVER "+want {
			t.Errorf("%s ago is shown as %q", d, got)
		}
		if got := look.ahead(flow.InstantOf(now.Add(d))); got != "in "+want {
			t.Errorf("%s ahead is shown as %q", d, got)
		}
	}
}

func TestOftenDoesNotContradictItself(t *testing.T) {
	for want, p := range map[string]flow.Problem{
		"once, ":         {Count: 1, Since: 5, Last: 5},
		"last seen ":     {Count: 1, Since: 5, Last: 9},
		"4 times, last ": {Count: 4, Since: 5, Last: 9},
	} {
		if got := often(p); got != want {
			t.Errorf("%+v is told as %q, want %q", p, got, want)
		}
	}
}
