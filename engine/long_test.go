package engine_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"weft/engine"
	"weft/flow"
)

// ticking takes n steps.
var ticking = flowOf(func(ctx *engine.Context, n int) (int, error) {
	for i := range n {
		if _, err := engine.Memo(ctx, "tick", func() (int, error) { return i, nil }); err != nil {
			return i, err
		}
	}
	return ctx.Events(), nil
})

func TestAJournalThatIsFullEndsItsRun(t *testing.T) {
	o := typed(ticking)
	o.MaxEvents = 6
	bubble(t, o, func(v *env) {
		begin(v, ticking, "fits", 5)
		wants(v, "fits", 6)
		begin(v, ticking, "long", 6)
		_, err := ending[int](v, "long")
		var ended *flow.EndedError
		if !errors.As(err, &ended) || ended.Status != flow.TimedOut || !strings.HasPrefix(ended.Reason, "history-limit") {
			t.Errorf("%v", err)
		}
		if r := v.detail("long", flow.PartSummary).Run; r.Events != 7 {
			t.Errorf("%d events with the last", r.Events)
		}
	})
}

// TestAJournalThatIsLongIsReported and code can ask, with the same answer in
// every life.
func TestAJournalThatIsLongIsReported(t *testing.T) {
	self := engine.WorkflowRef[int, int]{Name: "w"}
	w := flowOf(func(ctx *engine.Context, n int) (int, error) {
		for !ctx.ContinueSuggested() {
			if _, err := engine.Memo(ctx, "tick", func() (int, error) { return n, nil }); err != nil {
				return 0, err
			}
			if n == 1 {
				return ctx.Events(), nil
			}
		}
		if err := ctx.Sleep(time.Hour); err != nil {
			return 0, err
		}
		return self.ContinueAsNew(ctx, n+1, engine.ContinueOptions{})
	})
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "c", 0)
		time.Sleep(time.Minute)
		if r := v.detail("c", flow.PartSummary).Run; r.Events != engine.LongJournal || !v.problem("more than 10000 events") {
			t.Errorf("%d events; %+v", r.Events, v.info().Problems)
		}
		v.crash()
		wants(v, "c", 2)
		if p := v.detail("c", flow.PartSummary).Past; len(p) != 1 || p[0].Events != engine.LongJournal+1 {
			t.Errorf("%+v", p)
		}
	})
}
