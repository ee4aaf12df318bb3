package engine_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"weft/engine"
	"weft/engine/row"
	"weft/engine/teardown"
	"weft/flow"
)

// saga is the whole life of one run that holds something outside, played over
// as many processes as it takes: it is started, makes what it holds, ends, and
// is cleaned up after; a dead letter is redriven.
type saga struct {
	player
	fails int           // calls of the finalizer that fail before one succeeds
	end   flow.Status   // how the run is ended
	on    []flow.Status // ends that owe the finalizer, beside those that always do

	mu       sync.Mutex
	held     bool // the thing outside exists
	calls    int  // of the finalizer
	input    string
	ended    bool // the end was acknowledged
	letter   bool // a dead letter was seen
	redriven bool // a redrive was tried
	clean    bool // the end of the clean-up was seen
}

func (g *saga) owes() bool {
	if g.end == flow.Cancelled || g.end == flow.TimedOut {
		return true
	}
	for _, s := range g.on {
		if s == g.end {
			return true
		}
	}
	return false
}

func (g *saga) workflow() engine.Workflow[string, string] {
	release := engine.Activity[string, engine.Void]{Name: "release", Timeout: time.Minute,
		Do: func(_ context.Context, what string) (engine.Void, error) {
			g.mu.Lock()
			defer g.mu.Unlock()
			g.calls++
			g.input = what
			if g.calls <= g.fails {
				return engine.Void{}, errors.New("still in use")
			}
			g.held = false
			return engine.Void{}, nil
		}}
	build := engine.Activity[string, string]{Name: "build", Do: func(_ context.Context, what string) (string, error) {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.held = true
		return what, nil
	}}
	return engine.Workflow[string, string]{Name: "saga", Finalizer: release, FinalizeOn: g.on,
		Do: func(ctx *engine.Context, in string) (string, error) {
			holds(ctx, release, "intent "+in)
			got, err := build.Run(ctx, in)
			if err != nil {
				return "", err
			}
			holds(ctx, release, got)
			word, err := paid.Wait(ctx)
			if word == "fail" {
				return "", errors.New("as told")
			}
			return word, err
		}}
}

// play goes on from wherever the store is; false means that the process died.
func (g *saga) play() bool {
	g.Helper()
	w := g.workflow()
	if _, err := g.tryOpen(w); err != nil {
		return false
	}
	if g.opened != nil {
		g.opened(g.eng)
	}
	g.recall()
	o := engine.StartOptions{ID: "a", IdempotencyKey: "a"}
	if g.end == flow.TimedOut {
		o.Deadline = time.Minute
	}
	if _, err := w.Start(context.Background(), g.eng, "box", o); err != nil {
		return g.died("start", err)
	}
	for !g.head("a").Status.Terminal() {
		if !g.sleep(time.Second) {
			return false
		}
		if len(g.journal("a")) > 1 && !g.endIt() {
			return false
		}
	}
	return g.cleanUp()
}

// recall holds what is stored against what was seen before.
func (g *saga) recall() {
	g.Helper()
	owed, dead := g.counts()
	if g.ended && g.head("a").Status != g.end {
		g.Errorf("the end was acknowledged, the run is %s", g.head("a").Status)
	}
	if g.letter && !g.redriven && dead != 1 {
		g.Errorf("the dead letter is lost")
	}
	if g.clean && owed+dead != 0 {
		g.Errorf("what was cleaned up is owed again")
	}
}

func (g *saga) counts() (owed, dead int64) {
	g.Helper()
	owed, dead, err := teardown.Counts(g.store)
	if err != nil {
		g.Fatal(err)
	}
	return owed, dead
}

// note sets a mark, unless what is seen does not count any more.
func (g *saga) note(mark *bool) {
	if !g.late.Load() {
		*mark = true
	}
}

func (g *saga) sleep(d time.Duration) bool {
	time.Sleep(d)
	return g.eng.Err() == nil
}

func (g *saga) died(what string, err error) bool {
	g.Helper()
	if g.eng.Err() == nil && !g.late.Load() {
		g.Fatalf("%s: %v", what, err)
	}
	return false
}

func (g *saga) endIt() bool {
	g.Helper()
	var deed flow.Deed
	switch g.end {
	case flow.TimedOut:
		return true
	case flow.Cancelled:
		deed = flow.CancelRun{Target: flow.Ref{ID: "a"}}
	case flow.Completed, flow.Failed:
		word := map[flow.Status]string{flow.Completed: "well", flow.Failed: "fail"}[g.end]
		deed = flow.SendSignal{Target: flow.Ref{ID: "a"}, Name: paid.Name, Payload: flow.Payload(fmt.Sprintf("%q", word)), Force: true}
	}
	_, err := g.eng.Operator().Do(context.Background(), flow.Act{Deed: deed})
	if err != nil && !errors.Is(err, flow.ErrFinished) {
		return g.died(deed.Verb(), err)
	}
	if g.end == flow.Cancelled {
		g.note(&g.ended)
	}
	return true
}

// cleanUp waits for the finalizer, and redrives the dead letter.
func (g *saga) cleanUp() bool {
	g.Helper()
	for hours := 0; ; hours++ {
		owed, dead := g.counts()
		if owed+dead == 0 {
			g.note(&g.clean)
			return g.eng.Err() == nil
		}
		if hours > 24 {
			g.Fatalf("%d owed, %d dead after a day", owed, dead)
		}
		if dead > 0 {
			g.note(&g.letter)
			g.redriven = true
			_, err := g.eng.Operator().Do(context.Background(), flow.Act{Deed: flow.Redrive{Target: flow.Ref{ID: "a"}}})
			if err != nil && !errors.Is(err, flow.ErrNotFound) {
				return g.died("redrive", err)
			}
		}
		for range 60 {
			if !g.sleep(time.Minute) {
				return false
			}
		}
	}
}

// judge looks at what all processes have left.
func (g *saga) judge() {
	g.Helper()
	if got := g.head("a").Status; got != g.end {
		g.Errorf("the run is %s, want %s", got, g.end)
	}
	switch {
	case !g.owes() && g.calls > 0:
		g.Errorf("the finalizer of a run that owes nothing was called %d times", g.calls)
	case !g.owes() && !g.held:
		g.Errorf("what a run held that owes nothing is gone")
	case g.owes() && g.held:
		g.Errorf("leaked, after %d calls", g.calls)
	case g.owes() && g.input != "box":
		g.Errorf("the finalizer got %q", g.input)
	case g.owes() && g.calls > g.fails+1+g.crashes:
		g.Errorf("%d calls with %d crashes", g.calls, g.crashes)
	}
	for _, family := range []string{row.FamilyState, row.FamilyClaim, row.FamilyTeardown, row.FamilyDead, row.FamilyTimer, row.FamilyReady} {
		for k := range g.rows([]byte(family)) {
			g.Errorf("left: %q", k)
		}
	}
}
