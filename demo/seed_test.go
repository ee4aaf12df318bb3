package demo_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"weft/demo"
	"weft/engine"
	"weft/flow"
	"weft/store/memory"
)

// horizon is when everything has ended that ends within a session.
const horizon = 11 * time.Minute

// ends is how each seeded run is then, if release-1.4 was approved.
var ends = map[flow.WorkflowID]flow.Status{
	"trip-rome":        flow.Failed,
	"trip-oslo":        flow.Running,
	"contract-cellar":  flow.Running,
	"photos-checksums": flow.Completed,
	"nightly-download": flow.Completed,
	"ledger-april":     flow.Failed,
	"ledger-may":       flow.Completed,
	"release-1.4":      flow.Completed,
	"release-1.5":      flow.Completed,
	"keep-april-logs":  flow.Running,
	"pack-samples":     flow.Completed,
	"letter-to-come":   flow.Running,
	"disk-usage":       flow.Running,
	"sandbox-ana":      flow.Running,
	"sandbox-stubborn": flow.Cancelled,
	"sandbox-lost":     flow.Cancelled,
}

func TestSeedStartsAFixedSetOnce(t *testing.T) {
	inLab(t, func(l *lab) {
		l.seed()
		first := l.runs()
		l.seed()
		l.crash()
		l.seed()
		l.approve()
		time.Sleep(horizon)
		l.seed()
		got := l.runs()
		for id, want := range ends {
			run := got[id]
			if run.Status != want || run.Ref != first[id].Ref {
				l.Errorf("%s is %s as %s; want %s as %s", id, run.Status, run.Ref.Run, want, first[id].Ref.Run)
			}
		}
		if len(got) != len(ends) {
			l.Errorf("%d runs, want %d", len(got), len(ends))
		}
	})
}

func TestSeedLeavesTheRunsOfOthersAlone(t *testing.T) {
	inLab(t, func(l *lab) {
		l.start("keep", "release-1.4", `{"name": "mine", "days": 1}`)
		l.seed()
		if got := l.runs(); got["release-1.4"].Type != "keep" || len(got) != len(ends) {
			l.Errorf("%d runs, %+v", len(got), got["release-1.4"])
		}
	})
}

func TestSeedTellsWhyItCannot(t *testing.T) {
	inLab(t, func(l *lab) {
		other, err := engine.Open(l.Context(), memory.New(memory.Options{}), engine.Options{})
		if err != nil {
			l.Fatal(err)
		}
		defer other.Close(l.Context())
		if err := demo.Seed(l.Context(), other); !errors.Is(err, flow.ErrUnknown) {
			l.Errorf("an engine without the workflows: %v", err)
		}
	})
}

var chance = flag.Uint64("seed", 0, "begin the random tests with this `seed`; 0 draws one")

// TestCrashesChangeNoResult breaks the store at random commits, before or after
// they are applied, and compares every result with that of a run in peace. With
// WEFT_TORTURE set it does so longer.
func TestCrashesChangeNoResult(t *testing.T) {
	seed := *chance
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("-seed %d", seed)
	want := map[flow.WorkflowID]string{}
	inLab(t, func(l *lab) {
		l.seed()
		l.approve()
		time.Sleep(horizon)
		l.outputs(want)
	})
	rounds, most := uint64(1), 10
	if os.Getenv("WEFT_TORTURE") != "" {
		rounds, most = 10, 40
	}
	for round := range rounds {
		rng := rand.New(rand.NewPCG(seed, round))
		got := map[flow.WorkflowID]string{}
		inLab(t, func(l *lab) {
			crashes := 0
			for end := time.Now().Add(horizon); time.Now().Before(end) && crashes < most; crashes++ {
				l.store.FailCommit(1+rng.IntN(150), memory.Moment(1+rng.IntN(2)))
				l.seedUntilHalt(end)
				l.crash()
			}
			l.seed()
			l.approve()
			time.Sleep(horizon)
			l.outputs(got)
		})
		for id := range ends {
			if got[id] != want[id] {
				t.Errorf("round %d: %s ended with %s; in peace with %s", round, id, got[id], want[id])
			}
		}
	}
}

func (l *lab) seed() {
	l.Helper()
	if err := demo.Seed(l.Context(), l.eng); err != nil {
		l.Fatal(err)
	}
}

// seedUntilHalt does what a process does until its store fails, or until end.
func (l *lab) seedUntilHalt(end time.Time) {
	if err := demo.Seed(l.Context(), l.eng); err == nil {
		l.approve()
	}
	t := time.NewTimer(time.Until(end))
	defer t.Stop()
	select {
	case <-l.eng.Halted():
	case <-t.C:
	}
}

// approve lets release-1.4 go on. A repeat of the same approval changes nothing.
func (l *lab) approve() {
	err := demo.Approved.SendWith(l.Context(), l.eng, "release-1.4", demo.Approval{By: "ana"}, engine.SendOptions{SignalID: "1"})
	if err != nil && !errors.Is(err, flow.ErrFinished) && l.eng.Err() == nil {
		l.Error(err)
	}
}

func (l *lab) runs() map[flow.WorkflowID]flow.Run {
	l.Helper()
	page, err := l.eng.Operator().Page(l.Context(), flow.Query{Of: flow.ListRuns})
	if err != nil {
		l.Fatal(err)
	}
	runs := map[flow.WorkflowID]flow.Run{}
	for _, r := range page.Runs {
		runs[r.Ref.ID] = r
	}
	return runs
}

// outputs collects how the seeded runs ended, as text. What says how many
// attempts there were, or when, is left out.
func (l *lab) outputs(into map[flow.WorkflowID]string) {
	l.Helper()
	for id := range ends {
		if ends[id] == flow.Running {
			into[id] = string(l.detail(string(id), flow.PartSummary).Run.Status)
			continue
		}
		ctx, cancel := context.WithTimeout(l.Context(), time.Minute)
		run, err := engine.Handle[map[string]any](l.eng, id)
		if err != nil {
			l.Fatal(err)
		}
		out, err := run.Result(ctx)
		cancel()
		for _, varies := range []string{"resumed", "attempts", "last"} {
			delete(out, varies)
		}
		text, _ := json.Marshal(out)
		into[id] = string(text)
		if err != nil {
			into[id] = err.Error()
		}
	}
}
