package demo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"weft/engine"
	"weft/flow"
)

// waiting is the sandbox that is left open. It is started last, so that the ends
// of the others were arranged once it exists.
const waiting flow.WorkflowID = "sandbox-ana"

// endings are the sandboxes that are cancelled at once: one whose teardown stays
// owed for a while, and one whose teardown is retried, as an operator would,
// until it is given up.
func endings() []ending {
	return []ending{
		{seedOf("sandbox-stubborn", sandbox(""), Sandbox{Name: "stubborn", Minutes: 60, Failures: 3}), false},
		{seedOf("sandbox-lost", sandbox(""), Sandbox{Name: "lost", Minutes: 60, Failures: flow.MaxTeardownAttempts}), true},
	}
}

type ending struct {
	seed
	giveUp bool
}

// patience bounds each wait of the seeding. What takes longer happens later, or
// by hand.
const patience = 10 * time.Second

// seedSandboxes starts the sandboxes and ends those that are to be seen owed and
// given up. It picks up where an earlier process ended.
func seedSandboxes(ctx context.Context, e *engine.Engine) error {
	door := e.Operator()
	_, err := door.Detail(ctx, flow.Ref{ID: waiting}, flow.PartSummary)
	switch {
	case err == nil:
		return nil
	case !errors.Is(err, flow.ErrNotFound):
		return err
	}
	for _, end := range endings() {
		ref, err := end.begin(ctx, e)
		if err == nil && ref.Run != "" {
			err = end.arrange(ctx, door, ref)
		}
		if err != nil {
			return fmt.Errorf("seed %s: %w", end.id, err)
		}
	}
	_, err = seedOf(waiting, sandbox(""), Sandbox{Name: "ana", Minutes: 60}).begin(ctx, e)
	return err
}

// arrange cancels the sandbox once it is open, and retries its teardown until it
// is given up, if it is to be.
func (end ending) arrange(ctx context.Context, door *engine.Operator, ref flow.Ref) error {
	err := until(ctx, func() (bool, error) {
		d, err := door.Detail(ctx, ref, flow.PartSteps)
		return err == nil && (len(d.Steps) > 1 || d.Run.Status.Terminal()), err
	})
	if err != nil {
		return err
	}
	if _, err := door.Do(ctx, end.act(flow.CancelRun{Target: ref})); err != nil && !errors.Is(err, flow.ErrFinished) {
		return err
	}
	if !end.giveUp {
		return nil
	}
	return until(ctx, func() (bool, error) {
		_, err := door.Do(ctx, end.act(flow.RetryTeardown{Target: ref}))
		if errors.Is(err, flow.ErrConflict) || errors.Is(err, flow.ErrNotFound) {
			return gone(ctx, door, ref)
		}
		return false, err
	})
}

func (ending) act(deed flow.Deed) flow.Act {
	return flow.Act{Actor: "demo", Why: "something to look at", Deed: deed}
}

// gone reports that nothing is owed for a run any more.
func gone(ctx context.Context, door *engine.Operator, ref flow.Ref) (bool, error) {
	page, err := door.Page(ctx, flow.Query{Of: flow.ListTeardowns, Filter: flow.Filter{IDPrefix: string(ref.ID)}})
	for _, t := range page.Teardowns {
		if t.Ref == ref {
			return false, nil
		}
	}
	return true, err
}

// until repeats done until it reports true or patience ends.
func until(ctx context.Context, done func() (bool, error)) error {
	for end := time.Now().Add(patience); time.Now().Before(end); {
		if ok, err := done(); ok || err != nil {
			return err
		}
		if err := rest(ctx, 20*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}
