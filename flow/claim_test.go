package flow_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"weft/flow"
)

const (
	t0     flow.Instant = 1_772_366_400_000
	minute              = flow.Instant(60_000)
)

var owed = flow.Claim{Status: flow.ClaimOwed, Attempts: 2, Token: "old", Due: t0, Type: "provision", Finalizer: "destroy-vm",
	LastError: "gone", OwedAt: t0 - minute}

func running() flow.Claim {
	c := owed
	c.Status, c.Due, c.ClaimedAt, c.Timeout = flow.ClaimRunning, 0, t0, time.Minute
	return c
}

// claimCase is what becomes of a claim in a phase when an event happens to it.
type claimCase struct {
	verdict  flow.Verdict // 0: refused
	refusal  string
	status   flow.ClaimStatus
	attempts int
	timer    flow.Instant // of the new claim
	err      string
}

var (
	events  = []flow.ClaimEvent{flow.TakeClaim, flow.ClaimSucceeded, flow.ClaimFailed, flow.ClaimCalledOff, flow.RetryClaim}
	phaseAt = map[flow.ClaimPhase]struct {
		claim flow.Claim
		now   flow.Instant
	}{
		flow.ClaimWaits:   {owed, t0 - 1},
		flow.ClaimIsDue:   {owed, t0},
		flow.ClaimIsFresh: {running(), t0 + minute + 30_000 - 1},
		flow.ClaimIsStale: {running(), t0 + minute + 30_000},
	}
	fresh = t0 + minute + 30_000 - 1
	stale = t0 + minute + 30_000
	// cases is every pair of phase and event.
	cases = map[flow.ClaimPhase]map[flow.ClaimEvent]claimCase{
		flow.ClaimWaits: {
			flow.TakeClaim:      {refusal: "attempt 3 is due only at 2026-03-01T12:00:00.000Z"},
			flow.ClaimSucceeded: {refusal: "a teardown that is waiting has no success"},
			flow.ClaimFailed:    {refusal: "a teardown that is waiting has no failure"},
			flow.ClaimCalledOff: {refusal: "a teardown that is waiting has no shutdown"},
			flow.RetryClaim:     {flow.ClaimStays, "", flow.ClaimOwed, 2, t0 - 1, "gone"},
		},
		flow.ClaimIsDue: {
			flow.TakeClaim:      {flow.ClaimStays, "", flow.ClaimRunning, 2, t0 + 2*minute + 30_000, "gone"},
			flow.ClaimSucceeded: {refusal: "a teardown that is due has no success"},
			flow.ClaimFailed:    {refusal: "a teardown that is due has no failure"},
			flow.ClaimCalledOff: {refusal: "a teardown that is due has no shutdown"},
			flow.RetryClaim:     {flow.ClaimStays, "", flow.ClaimOwed, 2, t0, "gone"},
		},
		flow.ClaimIsFresh: {
			flow.TakeClaim:      {refusal: "attempt 3 running since 12:00:00Z, claim goes stale at 12:01:30Z"},
			flow.ClaimSucceeded: {flow.ClaimDone, "", flow.ClaimRunning, 2, 0, "gone"},
			flow.ClaimFailed:    {flow.ClaimStays, "", flow.ClaimOwed, 3, fresh + 15*minute, "no route"},
			flow.ClaimCalledOff: {flow.ClaimStays, "", flow.ClaimOwed, 2, fresh + 30_000, "gone"},
			flow.RetryClaim:     {refusal: "attempt 3 running since 12:00:00Z, claim goes stale at 12:01:30Z"},
		},
		flow.ClaimIsStale: {
			flow.TakeClaim:      {flow.ClaimStays, "", flow.ClaimRunning, 3, stale + 2*minute + 30_000, "attempt 3 ended without result"},
			flow.ClaimSucceeded: {flow.ClaimDone, "", flow.ClaimRunning, 2, 0, "gone"},
			flow.ClaimFailed:    {flow.ClaimStays, "", flow.ClaimOwed, 3, stale + 15*minute, "no route"},
			flow.ClaimCalledOff: {flow.ClaimStays, "", flow.ClaimOwed, 2, stale + 30_000, "gone"},
			flow.RetryClaim:     {flow.ClaimStays, "", flow.ClaimOwed, 3, stale, "attempt 3 ended without result"},
		},
	}
)

func TestClaimNext(t *testing.T) {
	for phase, at := range phaseAt {
		if got := at.claim.Phase(at.now); got != phase {
			t.Fatalf("the example of %s is %s", phase, got)
		}
		if len(cases[phase]) != len(events) {
			t.Fatalf("%d cases of %s for %d events", len(cases[phase]), phase, len(events))
		}
		for _, event := range events {
			want := cases[phase][event]
			t.Run(fmt.Sprintf("%s, %s", phase, event), func(t *testing.T) {
				turn := flow.Turn{Event: event, Now: at.now, Token: "new", Timeout: 2 * time.Minute, Error: "no route"}
				got, verdict, err := at.claim.Next(turn)
				if want.verdict == 0 {
					if !errors.Is(err, flow.ErrConflict) || err.Error() != want.refusal || got != at.claim {
						t.Errorf("became %+v, %v, want the refusal %q", got, err, want.refusal)
					}
					return
				}
				if err != nil || verdict != want.verdict || got.Status != want.status || got.Attempts != want.attempts ||
					got.LastError != want.err {
					t.Errorf("became %+v, %s, %v; want %+v", got, verdict, err, want)
				}
				if want.timer != 0 && got.TimerAt() != want.timer {
					t.Errorf("timer at %s, want %s", got.TimerAt(), want.timer)
				}
				if verdict == flow.ClaimStays && got.Token != "new" && got != at.claim {
					t.Errorf("the claim changed and kept its token: %+v", got)
				}
				if verdict == flow.ClaimStays && got.Problem() != "" {
					t.Errorf("became %+v: %s", got, got.Problem())
				}
			})
		}
	}
}

// TestClaimLastAttempt: whatever ends the last attempt without success makes a
// dead letter, except a shutdown.
func TestClaimLastAttempt(t *testing.T) {
	tests := map[string]struct {
		event   flow.ClaimEvent
		now     flow.Instant
		verdict flow.Verdict
		text    string
	}{
		"a failure":              {flow.ClaimFailed, fresh, flow.ClaimDead, "no route"},
		"a takeover":             {flow.TakeClaim, stale, flow.ClaimDead, "attempt 8 ended without result"},
		"an operator's takeover": {flow.RetryClaim, stale, flow.ClaimDead, "attempt 8 ended without result"},
		"a shutdown":             {flow.ClaimCalledOff, fresh, flow.ClaimStays, "gone"},
		"success":                {flow.ClaimSucceeded, fresh, flow.ClaimDone, "gone"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			c := running()
			c.Attempts = flow.MaxTeardownAttempts - 1
			got, v, err := c.Next(flow.Turn{Event: tc.event, Now: tc.now, Token: "new", Error: "no route"})
			if err != nil || v != tc.verdict || got.LastError != tc.text || v == flow.ClaimDead && got.Attempts != 8 {
				t.Errorf("%+v, %s, %v; want %s saying %q", got, v, err, tc.verdict, tc.text)
			}
		})
	}
}

// TestClaimSchedule: the instants of a teardown that always fails, and of one
// whose process always dies.
func TestClaimSchedule(t *testing.T) {
	c, v := flow.OweClaim("t", "f", "0", t0), flow.ClaimStays
	var waits []time.Duration
	for n := 1; v == flow.ClaimStays; n++ {
		now := c.TimerAt()
		c, _, _ = c.Next(flow.Turn{Event: flow.TakeClaim, Now: now, Token: fmt.Sprint(n)})
		if got := c.StaleAt().Sub(now); got != 330*time.Second {
			t.Errorf("attempt %d goes stale after %v", n, got)
		}
		c, v, _ = c.Next(flow.Turn{Event: flow.ClaimFailed, Now: now, Token: fmt.Sprint(-n), Error: "no"})
		waits = append(waits, c.TimerAt().Sub(now))
	}
	want := "[1m0s 5m0s 15m0s 1h0m0s 1h0m0s 1h0m0s 1h0m0s"
	if got := fmt.Sprint(waits[:7]); strings.TrimSuffix(got, "]") != want || c.Attempts != 8 || v != flow.ClaimDead {
		t.Errorf("waits %v, then %s after %d attempts", waits, v, c.Attempts)
	}

	c, v = flow.OweClaim("t", "f", "0", t0), flow.ClaimStays
	starts := 0
	for n := 1; v == flow.ClaimStays; n++ {
		if c, v, _ = c.Next(flow.Turn{Event: flow.TakeClaim, Now: c.TimerAt(), Token: fmt.Sprint(n)}); v == flow.ClaimStays {
			starts++
		}
	}
	if starts != 8 || v != flow.ClaimDead || c.LastError != "attempt 8 ended without result" {
		t.Errorf("%d starts, then %s: %+v", starts, v, c)
	}
}

func TestClaimTimeouts(t *testing.T) {
	tests := map[string]struct{ declared, kept time.Duration }{
		"none":             {0, 5 * time.Minute},
		"negative":         {-time.Second, 5 * time.Minute},
		"below what fits":  {time.Microsecond, 5 * time.Minute},
		"cut to ms":        {time.Second + time.Microsecond, time.Second},
		"longer than ever": {1<<63 - 1, flow.MaxTeardownTimeout},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			c, _, _ := owed.Next(flow.Turn{Event: flow.TakeClaim, Now: t0, Token: "new", Timeout: tc.declared})
			if c.Timeout != tc.kept || c.StaleAt() != t0.Add(tc.kept+30*time.Second) {
				t.Errorf("timeout %v, stale at %s", c.Timeout, c.StaleAt())
			}
		})
	}
}

func TestClaimProblem(t *testing.T) {
	change := func(c flow.Claim, f func(*flow.Claim)) flow.Claim { f(&c); return c }
	tests := map[string]struct {
		claim flow.Claim
		want  string
	}{
		"owed":                 {owed, ""},
		"running":              {running(), ""},
		"no status":            {flow.Claim{Token: "x"}, "claim status 0"},
		"negative attempts":    {change(owed, func(c *flow.Claim) { c.Attempts = -1 }), "-1 attempts"},
		"attempts all used":    {change(owed, func(c *flow.Claim) { c.Attempts = 8 }), "8 attempts"},
		"no token":             {change(owed, func(c *flow.Claim) { c.Token = "" }), "no token"},
		"running, no bound":    {change(running(), func(c *flow.Claim) { c.Timeout = 0 }), "running with timeout 0s"},
		"owed with a bound":    {change(owed, func(c *flow.Claim) { c.Timeout = 1 }), "owed with timeout 1ns"},
		"owed with an attempt": {change(owed, func(c *flow.Claim) { c.ClaimedAt = 1 }), "owed, yet an attempt began"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := tc.claim.Problem(); got != tc.want {
				t.Errorf("%+v: %q, want %q", tc.claim, got, tc.want)
			}
		})
	}
}

func TestClaimKeepsErrorsShort(t *testing.T) {
	c, _, _ := running().Next(flow.Turn{Event: flow.ClaimFailed, Now: t0, Token: "new", Error: strings.Repeat("ä", 5000)})
	if n := len(c.LastError); n > flow.MaxTeardownError || n < flow.MaxTeardownError-4 || !utf8.ValidString(c.LastError) ||
		!strings.HasSuffix(c.LastError, "ä…") {
		t.Errorf("%d bytes kept, ending in %q", n, c.LastError[n-8:])
	}
}

func TestDeadLetterRedriven(t *testing.T) {
	ref := flow.Ref{ID: "env-42", Run: "01ARZ3NDEKTSV4RRFFQ69G5FAV"}
	spent := owed
	spent.Attempts = 8
	tests := map[string]struct {
		letter  flow.Dead
		refusal string
	}{
		"with input":        {spent.Letter(ref, t0, flow.Payload("null")), ""},
		"without input":     {spent.Letter(ref, t0, nil), "no recorded input: the clean-up cannot be rebuilt"},
		"without finalizer": {flow.Dead{Ref: ref, Type: "t", Input: flow.Payload("1")}, "does not name its type and finalizer"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			c, err := tc.letter.Redriven("new", t0+5)
			if tc.refusal != "" {
				var refused *flow.RedriveError
				if !errors.As(err, &refused) || !errors.Is(err, flow.ErrBadInput) || !strings.Contains(err.Error(), tc.refusal) {
					t.Errorf("%v, want %q", err, tc.refusal)
				}
				return
			}
			want := flow.Claim{Status: flow.ClaimOwed, Token: "new", Due: t0 + 5, Type: "provision", Finalizer: "destroy-vm",
				LastError: "gone", OwedAt: t0 + 5}
			if err != nil || c != want {
				t.Errorf("%+v, %v; want %+v", c, err, want)
			}
		})
	}
}

func TestPendingErrorNamesWhatBlocksF025(t *testing.T) {
	tests := map[string]struct {
		err  flow.PendingError
		want string
	}{
		"owed": {flow.PendingError{Ref: flow.Ref{ID: "x"}, Finalizer: "destroy-vm", Status: flow.ClaimOwed, Attempts: 2},
			`blocked by owed teardown: teardown destroy-vm of workflow "x" is owed, 2 of 8 attempts used`},
		"unreadable": {flow.PendingError{Ref: flow.Ref{ID: "x"}}, `blocked by owed teardown: the claim of workflow "x" cannot be read`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := tc.err.Error(); got != tc.want || !errors.Is(&tc.err, flow.ErrTeardownOwed) {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

// TestClaimSchedulesAtRandom moves one claim through any events at any instants,
// the clock going back included, beside a model that only counts.
func TestClaimSchedulesAtRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := t0
		c, v := flow.OweClaim("t", "f", "0", now), flow.ClaimStays
		seen := map[string]bool{"0": true}
		lost := 0 // attempts that ended without success
		for n := 1; v == flow.ClaimStays; n++ {
			now += flow.Instant(rapid.SampledFrom([]int{0, 1, 59_999, 60_000, 330_000, 3_600_000, -5_000, -3_600_000}).Draw(t, "step"))
			if now > t0+flow.Instant(400*24)*60*minute || n > 300 {
				return
			}
			event := rapid.SampledFrom(events).Draw(t, "event")
			phase := c.Phase(now)
			next, verdict, err := c.Next(flow.Turn{Event: event, Now: now, Token: fmt.Sprint(n), Error: "no"})
			if err != nil {
				if next != c || cases[phase][event].verdict != 0 {
					t.Fatalf("%s refused %s: %v", phase, event, err)
				}
				continue
			}
			if cases[phase][event].verdict == 0 {
				t.Fatalf("%s took %s", phase, event)
			}
			if event == flow.ClaimFailed || phase == flow.ClaimIsStale && (event == flow.TakeClaim || event == flow.RetryClaim) {
				lost++
			}
			switch {
			case next.Attempts != lost:
				t.Fatalf("%d attempts counted, %d were lost", next.Attempts, lost)
			case (verdict == flow.ClaimDead) != (lost == 8):
				t.Fatalf("%s after %d lost attempts", verdict, lost)
			case verdict == flow.ClaimStays && next.Problem() != "":
				t.Fatalf("%+v: %s", next, next.Problem())
			case verdict == flow.ClaimStays && next != c && seen[next.Token]:
				t.Fatalf("token %s twice", next.Token)
			case next.Type != "t" || next.Finalizer != "f" || next.OwedAt != t0:
				t.Fatalf("lost what it is about: %+v", next)
			}
			seen[next.Token] = true
			c, v = next, verdict
		}
	})
}

func TestClaimWords(t *testing.T) {
	for want, got := range map[string]fmt.Stringer{
		"owed": flow.ClaimOwed, "running": flow.ClaimRunning, "claim status 7": flow.ClaimStatus(7),
		"waiting": flow.ClaimWaits, "stale": flow.ClaimIsStale, "claim phase 0": flow.ClaimPhase(0), "claim phase 9": flow.ClaimPhase(9),
		"take": flow.TakeClaim, "retry": flow.RetryClaim, "claim event 9": flow.ClaimEvent(9),
		"stays": flow.ClaimStays, "dead": flow.ClaimDead, "verdict 0": flow.Verdict(0),
	} {
		if got.String() != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
