package tui

import (
	"errors"
	"testing"
	"time"

	"weft/flow"
)

// TestClockDifferenceIsAProblem: what happened in the future is 0s old, and the
// reason stands among the problems until it is gone.
func TestClockDifferenceIsAProblem(t *testing.T) {
	r := newRig(t, crowd(3), 120, 40)
	r.lacks("clock")
	r.f.mu.Lock()
	r.f.runs[len(r.f.runs)-1].CreatedAt = flow.InstantOf(r.now.Add(4 * time.Second))
	r.f.mu.Unlock()
	r.keys("r !")
	r.shows("the clock here differs from the writer's by 4s", "once")
	r.pass(2 * time.Second)
	r.keys("r")
	r.shows("differs from the writer's by 2s", "once") // ours has gone on, theirs not
	r.pass(3 * time.Second)
	r.lacks("the clock here")
}

// TestSmallDifferenceOfClocksIsNone: clocks of two machines are never the same.
func TestSmallDifferenceOfClocksIsNone(t *testing.T) {
	f := crowd(3)
	r := newRig(t, f, 120, 40)
	ahead := 900 * time.Millisecond
	f.now = func() time.Time { return r.now.Add(ahead) } // the engine's
	r.pass(2 * time.Second)
	r.keys("!")
	r.lacks("the clock here")
	ahead = 4 * time.Second
	r.pass(2 * time.Second)
	r.shows("the clock here differs from the writer's by 4s")
}

// TestStandingConditionsAreProblems: each stands while it is true.
func TestStandingConditionsAreProblems(t *testing.T) {
	for name, tc := range map[string]struct {
		set, mend func(f *fake)
		want      string
	}{
		"deposed": {func(f *fake) { f.info.Lease.State = flow.LeaseDeposed }, func(f *fake) { f.info.Lease.State = flow.LeaseHeld },
			"this console does not hold the lease"},
		"a full disk": {func(f *fake) { f.info.Health, f.info.Trouble = "full", "no space" }, func(f *fake) { f.info.Health, f.info.Trouble = "healthy", "" },
			"the store is full: no space"},
		"no answer": {func(f *fake) { f.fail = errors.New("gone away") }, func(f *fake) { f.fail = nil }, "nothing can be read: gone away"},
		"owed for long": {func(f *fake) {
			f.owed = append(f.owed, flow.Teardown{Ref: f.runs[0].Ref, Type: "ship", State: "owed", OwedAt: flow.InstantOf(f.now().Add(-2 * time.Hour))})
		}, func(f *fake) { f.owed = nil }, "the oldest teardown is owed for 2h00m"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, crowd(3), 120, 40)
			change := func(do func(f *fake)) {
				r.f.mu.Lock()
				do(r.f)
				r.f.info.Counts.Owed = int64(len(r.f.owed))
				r.f.mu.Unlock()
				r.keys("5")
				r.pass(3 * time.Second)
				r.keys("r !")
				r.pass(time.Second)
			}
			change(func(*fake) {})
			r.lacks(tc.want)
			change(tc.set)
			r.shows(tc.want)
			change(tc.mend)
			r.lacks(tc.want)
		})
	}
}

// TestCommandsAreRememberedWithoutPayloads: a payload may be a secret, and the
// memory lies on a disk.
func TestCommandsAreRememberedWithoutPayloads(t *testing.T) {
	var mem Memory
	r := newRig(t, populated(), 80, 24)
	r.m.opts.Remember = func(m Memory) error { mem = m; return nil }
	for _, c := range []string{"owed", `signal paid {"card": "4111"}`, "runs"} {
		r.keys(":")
		r.types(c)
		r.keys("enter")
	}
	if got := mem.Commands; len(got) != 3 || got[0] != "runs" || got[1] != "signal paid" || got[2] != "owed" {
		t.Errorf("remembered: %q", got)
	}
	o, err := Options{Settings: Settings{Theme: "plain"}, Memory: mem, Forgotten: errors.New("broken")}.resolve()
	if err != nil {
		t.Fatal(err)
	}
	again := newModel(t.Context(), populated(), o)
	if again.line.history[0] != "runs" || again.status.Text != "broken" {
		t.Errorf("history %q, status %q", again.line.history, again.status.Text)
	}
}
