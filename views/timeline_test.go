package views

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"weft/flow"
)

func TestIdleTimeIsFolded(t *testing.T) {
	at := func(s int) flow.Instant { return flow.Instant(1_000_000 + 1000*s) }
	work := flow.Step{Kind: flow.StepActivity, State: flow.StepDone, StartedAt: at(0), EndedAt: at(6)}
	wait := flow.Step{Kind: flow.StepSleep, State: flow.StepDone, StartedAt: at(6), EndedAt: at(3606)}
	more := flow.Step{Kind: flow.StepActivity, State: flow.StepDone, StartedAt: at(3606), EndedAt: at(3612)}
	a := axisOf([]flow.Step{work, wait, more}, at(0), at(3612))
	if a.folded != 3598*time.Second {
		t.Errorf("%v is folded, want all of the hour but a sixth of the work", a.folded)
	}
	for name, tc := range map[string]struct {
		step flow.Step
		want string
	}{
		"work before": {work, "############                "},
		"the wait":    {wait, "            .::.            "},
		"work behind": {more, "                ############"},
		"failed twice": {flow.Step{Kind: flow.StepActivity, State: flow.StepDone, Attempt: 3, StartedAt: at(0), EndedAt: at(6)},
			"####x###x###                "},
		"failed for good": {flow.Step{Kind: flow.StepActivity, State: flow.StepFailed, Attempt: 1, StartedAt: at(0), EndedAt: at(3)}, "#####x                      "},
		"goes on":         {flow.Step{Kind: flow.StepActivity, State: flow.StepOpen, StartedAt: at(3609)}, "                      ~~~~~~"},
		"no time at all":  {flow.Step{Kind: flow.StepMemo, State: flow.StepDone, StartedAt: at(0), EndedAt: at(0)}, "#                           "},
	} {
		t.Run(name, func(t *testing.T) {
			if got := a.bar(tc.step, 28); got != tc.want {
				t.Errorf("bar %q, want %q\nruler %q", got, tc.want, a.ruler(28))
			}
		})
	}
	if a := axisOf([]flow.Step{wait}, at(6), at(3606)); a.folded != 0 {
		t.Errorf("%v of nothing but waiting is folded", a.folded)
	}
}

// TestBarsStayOnTheirAxis: whatever the instants are, a bar has its width, begins
// no earlier than one that began before it, and the frame is not left.
func TestBarsStayOnTheirAxis(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 500 {
		var d flow.Detail
		d.Run.StartedAt, d.At = flow.Instant(rng.IntN(1000)), flow.Instant(rng.IntN(1<<rng.IntN(30)+1))
		for range 1 + rng.IntN(12) {
			d.Steps = append(d.Steps, flow.Step{Kind: flow.StepKind(1 + rng.IntN(8)), State: []flow.StepState{flow.StepOpen, flow.StepDone, flow.StepFailed,
				flow.StepTimedOut, flow.StepRetrying}[rng.IntN(5)], Attempt: rng.IntN(40), StartedAt: flow.Instant(rng.IntN(1 << rng.IntN(30))),
				EndedAt: flow.Instant(rng.IntN(1 << rng.IntN(30))), Name: "n", Path: "1.2.3"})
		}
		w := 20 + rng.IntN(200)
		for _, line := range barLines(d) {
			if got := line(Look{Now: time.Unix(0, 0)}, w); width(got) != w {
				t.Fatalf("seed %d: %d cells, want %d: %q", seed, width(got), w, got)
			}
		}
	}
	a := axisOf([]flow.Step{{Kind: flow.StepActivity, StartedAt: 5, EndedAt: 1 << 20}, {Kind: flow.StepSleep, StartedAt: 1 << 20, EndedAt: 1 << 30}}, 5, 1<<30)
	last := 0
	for i := flow.Instant(0); i < 1<<30; i += 1 << 18 {
		x := a.cell(i, 97)
		if x < last || x > 96 {
			t.Fatalf("instant %d is at cell %d, behind %d", i, x, last)
		}
		last = x
	}
	if !strings.Contains(string(a.ruler(97)), ":") {
		t.Error("the ruler shows no fold")
	}
}
