package main

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine"
	"weft/flow"
	"weft/store/memory"
)

// TestAnOutcomeIsToldByVerb, with an engine that only acts: the run takes it when
// one that runs it opens the store.
func TestAnOutcomeIsToldByVerb(t *testing.T) {
	calls := 0
	sign := engine.Activity[engine.Void, string]{Name: "sign", Do: func(ctx context.Context, _ engine.Void) (string, error) {
		calls++
		if _, err := engine.CompleteLater(ctx); err != nil {
			return "", err
		}
		return "", engine.ErrLater
	}}
	paper := engine.Workflow[engine.Void, string]{Name: "paper",
		Do: func(ctx *engine.Context, in engine.Void) (string, error) { return sign.Run(ctx, in) }}
	// The runtime's listener for signals must not belong to a bubble.
	_, stop := untilSignal(t.Context())
	stop()
	synctest.Test(t, func(t *testing.T) {
		r := &room{T: t, store: memory.New(memory.Options{})}
		r.open(engine.Options{Workflows: []engine.Definition{paper}})
		r.must("start", "paper", "--id", "x", "--input", "null")
		for _, mode := range []flow.Mode{flow.ModeOperate, flow.ModeRun} {
			r.reopen(engine.Options{Mode: mode, Workflows: []engine.Definition{paper}})
			if got := r.weft("show", "x"); !strings.Contains(got.out, "activity sign, waiting for completion from outside") {
				t.Errorf("show: %v", got)
			}
		}
		r.reopen(engine.Options{Mode: flow.ModeOperate, Workflows: []engine.Definition{paper}})
		_, token, _ := strings.Cut(r.weft("steps", "x").out, "token ")
		token = strings.TrimSpace(token)
		r.must("activity", "heartbeat", token, "--details", `"read"`)
		r.must("activity", "complete", token, "--result", `"signed"`)
		if got := r.weft("activity", "complete", token, "--json"); got.code != exitFailed || !strings.Contains(got.err, `"code":"token"`) {
			t.Errorf("told twice: %v", got)
		}
		r.reopen(engine.Options{Workflows: []engine.Definition{paper}})
		time.Sleep(time.Second)
		if got := r.weft("show", "x"); !strings.Contains(got.out, `"signed"`) || !strings.Contains(got.out, "completed") || calls != 1 {
			t.Errorf("%d calls, show: %v", calls, got)
		}
		r.close()
		r.store.Close()
	})
}
