package engine_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"weft/engine"
	"weft/flow"
)

func TestAFinalizerIsToldWhichAttemptItIs(t *testing.T) {
	var got notes[engine.Info]
	release := engine.Activity[string, engine.Void]{Name: "release", Do: func(ctx context.Context, _ string) (engine.Void, error) {
		if got.add(engine.InfoOf(ctx)); got.len() < 3 {
			return engine.Void{}, errors.New("in use")
		}
		return engine.Void{}, nil
	}}
	w := engine.Workflow[int, string]{Name: "w", Finalizer: release, Do: func(ctx *engine.Context, _ int) (string, error) {
		if err := engine.SetFinalizerState(ctx, release, "box"); err != nil {
			return "", err
		}
		return paid.Wait(ctx)
	}}
	bubble(t, typed(w), func(v *env) {
		ref := begin(v, w, "a", 0).Ref()
		time.Sleep(time.Hour)
		ended := time.Now()
		v.do(flow.CancelRun{Target: ref})
		time.Sleep(time.Hour)
		for i, info := range got.all() {
			if info.Ref != ref || info.Attempt != i+1 || info.Key != got.all()[0].Key || !info.FirstAt.Equal(ended.Truncate(time.Millisecond)) {
				t.Errorf("attempt %d: %+v", i+1, info)
			}
		}
		if got.len() != 3 {
			t.Errorf("%d attempts", got.len())
		}
	})
}
