package flow_test

import (
	"encoding/json"
	"errors"
	"testing"

	"weft/flow"
)

// TestStatusMoves is the whole life cycle: every pair of statuses, also those
// that are none.
func TestStatusMoves(t *testing.T) {
	const P, R, S, C, F, X, T = flow.Pending, flow.Running, flow.Suspended, flow.Completed, flow.Failed, flow.Cancelled, flow.TimedOut
	type move struct{ from, to flow.Status }
	allowed := map[move]bool{
		{P, R}: true, {P, F}: true, {P, X}: true, {P, T}: true,
		{R, S}: true, {R, C}: true, {R, F}: true, {R, X}: true, {R, T}: true,
		{S, R}: true, {S, F}: true, {S, X}: true, {S, T}: true,
	}
	all := append([]flow.Status{0, 8, 255}, flow.Statuses()...)
	for _, from := range all {
		for _, to := range all {
			if got := from.CanBecome(to); got != allowed[move{from, to}] {
				t.Errorf("%s can become %s: %t, want %t", from, to, got, !got)
			}
			if from.Terminal() && from.CanBecome(to) {
				t.Errorf("%s is an end, yet can become %s", from, to)
			}
		}
	}
}

func TestStatusWords(t *testing.T) {
	tests := map[flow.Status]struct {
		word            string
		valid, terminal bool
	}{
		flow.Pending:   {"pending", true, false},
		flow.Running:   {"running", true, false},
		flow.Suspended: {"suspended", true, false},
		flow.Completed: {"completed", true, true},
		flow.Failed:    {"failed", true, true},
		flow.Cancelled: {"cancelled", true, true},
		flow.TimedOut:  {"timed-out", true, true},
		0:              {"status 0", false, false},
		8:              {"status 8", false, false},
		255:            {"status 255", false, false},
	}
	for s, tc := range tests {
		if s.String() != tc.word || s.Valid() != tc.valid || s.Terminal() != tc.terminal {
			t.Errorf("%d: %q, valid %t, terminal %t; want %q, %t, %t", uint8(s), s, s.Valid(), s.Terminal(), tc.word, tc.valid, tc.terminal)
		}
		got, err := flow.ParseStatus(tc.word)
		if tc.valid && (got != s || err != nil) || !tc.valid && !errors.Is(err, flow.ErrBadName) {
			t.Errorf("parse %q: %s, %v", tc.word, got, err)
		}
	}
}

// TestWordsInJSON: what is written as text reads back, also a number that this
// program does not know: a damaged row must not make a whole page unreadable.
func TestWordsInJSON(t *testing.T) {
	for n := range 256 {
		s := flow.Status(n)
		text, err := json.Marshal(s)
		var back flow.Status
		if err != nil || json.Unmarshal(text, &back) != nil || back != s {
			t.Errorf("status %d: %s, %v, read as %s", n, text, err, back)
		}
	}
	for k := range flow.StepUntil + 2 {
		text, err := json.Marshal(k)
		back := flow.StepKind(99)
		known := k >= 1 && k <= flow.StepUntil
		if err != nil || json.Unmarshal(text, &back) != nil || known && back != k || !known && (back != 0 || string(text) != `"?"`) {
			t.Errorf("step kind %d: %s, %v, read as %d", k, text, err, back)
		}
	}
	for k := range flow.EventUpdate + 2 {
		text, err := json.Marshal(k)
		back := flow.EventKind(99)
		known := k >= 1 && k <= flow.EventUpdate
		if err != nil || json.Unmarshal(text, &back) != nil || known && back != k || !known && (back != 0 || string(text) != `"?"`) {
			t.Errorf("event kind %d: %s, %v, read as %d", k, text, err, back)
		}
	}
	var s flow.Status
	for _, text := range []string{`"status"`, `"status x"`, `"status 256"`, `"status 07"`, `"Running"`, `""`, `7`} {
		if err := json.Unmarshal([]byte(text), &s); err == nil {
			t.Errorf("%s is taken as %s", text, s)
		}
	}
}

func TestCountsByStatus(t *testing.T) {
	var c flow.Counts
	for i, s := range flow.Statuses() {
		c.Add(s, int64(1)<<i)
		if got := c.Of(s); got != int64(1)<<i {
			t.Errorf("%s counts %d, want %d", s, got, 1<<i)
		}
	}
	c.Add(0, 99)
	c.Add(8, 99)
	c.Owed, c.Dead = 1000, 1000
	if c.Of(0) != 0 || c.Runs() != 127 || c.Terminal() != 120 {
		t.Errorf("none %d, runs %d, ended %d; want 0, 127, 120", c.Of(0), c.Runs(), c.Terminal())
	}
}
