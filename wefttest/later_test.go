package wefttest_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"weft/engine"
	"weft/flow"
	"weft/wefttest"
)

var sign = engine.Activity[string, string]{Name: "sign", Timeout: 24 * time.Hour, Retry: engine.Retry{MaxAttempts: 2},
	Do: func(context.Context, string) (string, error) { return "", errors.New("writes a letter") }}

var contract = engine.Workflow[string, string]{Name: "contract", Version: "1",
	Do: func(ctx *engine.Context, text string) (string, error) {
		by, err := sign.Run(ctx, text)
		return text + " signed by " + by, err
	}}

var contracts = wefttest.Options{Workflows: []engine.Definition{contract}, OnlyMocks: true}

func TestAnOutcomeFromOutsideIsTold(t *testing.T) {
	wefttest.Test(t, contracts, func(v *wefttest.Env) {
		m := wefttest.Mock(v, sign).Later()
		run := wefttest.Start(v, contract, "c", "lease")
		first := m.Token()
		v.Advance(25 * time.Hour) // the first letter was lost
		v.Crash()
		second := m.Token()
		if err := wefttest.Complete(v, sign, first, "ana"); !errors.Is(err, flow.ErrToken) || first == second {
			v.Errorf("the token of an attempt that is over: %v", err)
		}
		if err := wefttest.Complete(v, sign, second, "ana"); err != nil {
			v.Error(err)
		}
		run.Want("lease signed by ana")
		m.WantCount(2)
	})
}

func TestEveryCrashLeavesOneOutcomeFromOutside(t *testing.T) {
	wefttest.EveryCrash(t, contracts, func(v *wefttest.Env) string {
		m := wefttest.Mock(v, sign).Later()
		run := wefttest.Start(v, contract, "c", "lease")
		if err := wefttest.Complete(v, sign, m.Token(), "bo"); err != nil {
			v.Error(err)
		}
		got, err := run.Result()
		if err != nil {
			v.Error(err)
		}
		return got
	})
}
