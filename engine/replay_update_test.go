package engine_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"weft/engine"
	"weft/flow"
)

// An exported journal with updates and a condition replays, and a changed
// handler is found.
func TestReplayOfAJournalWithUpdates(t *testing.T) {
	var done notes[int]
	w := account(&done)
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 10)
		calls(v, adding, "a", 3, engine.UpdateOptions{}, 3)
		time.Sleep(time.Minute)
		text, err := json.Marshal(flow.JournalOf(v.detail("a", flow.PartEvents)))
		if err != nil {
			t.Fatal(err)
		}
		var j flow.Journal
		if err := json.Unmarshal(text, &j); err != nil {
			t.Fatal(err)
		}
		if err := engine.Replay(v.ctx, typed(w), j); err != nil {
			t.Error(err)
		}
		changed := w
		changed.Do = func(ctx *engine.Context, _ int) (string, error) {
			adding.Handle(ctx, func(*engine.Context, int) (int, error) { return 0, nil })
			return "", ctx.WaitUntil(func() bool { return false })
		}
		var replay *engine.ReplayError
		if err := engine.Replay(v.ctx, typed(changed), j); !errors.As(err, &replay) || !strings.Contains(replay.Problem, "step u1.1: recorded sleep") {
			t.Errorf("changed code: %v", err)
		}
	})
}
