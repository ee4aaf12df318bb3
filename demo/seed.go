package demo

import (
	"context"
	"errors"
	"fmt"

	"weft/engine"
	"weft/flow"
)

// seed is one run of the fixed set.
type seed struct {
	id    flow.WorkflowID
	start func(context.Context, *engine.Engine, engine.StartOptions) (flow.Ref, error)
}

// seeds are the runs to begin with. Starting a workflow needs its name only, so
// they know of no work directory.
func seeds() []seed {
	return []seed{
		seedOf("trip-rome", trip(""), Trip{To: "Rome", Full: "car", PauseSeconds: 5}),
		seedOf("trip-oslo", trip(""), Trip{To: "Oslo", PauseSeconds: 5}),
		seedOf("contract-cellar", contract(""), Contract{Title: "lease of the cellar", Days: 14}),
		seedOf("photos-checksums", hashFiles(""), Hash{Files: 200}),
		seedOf("nightly-download", fetch(""), Fetch{KiB: 2048, Breaks: 3}),
		seedOf("ledger-april", importLedger(""), Ledger{Rows: 40, Broken: 17}),
		seedOf("ledger-may", importLedger(""), Ledger{Rows: 40}),
		seedOf("release-1.4", release(""), Release{Version: "1.4"}),
		seedOf("release-1.5", release(""), Release{Version: "1.5", WithinSeconds: 600}),
		seedOf("keep-april-logs", keep(""), Keep{Name: "april logs", Days: 30}),
		seedOf("pack-samples", pack(""), Pack{Files: 150, PauseMillis: 100}),
		seedOf("letter-to-come", inbox(""), Inbox{Name: "letter.txt"}),
		seedOf("disk-usage", usage(""), Usage{Rounds: 1800, EveryMillis: 2000}),
	}
}

func seedOf[I, O any](id flow.WorkflowID, w engine.Workflow[I, O], in I) seed {
	return seed{id, func(ctx context.Context, e *engine.Engine, o engine.StartOptions) (flow.Ref, error) {
		run, err := w.Start(ctx, e, in, o)
		return run.Ref(), err
	}}
}

// begin starts the run, unless it ever was. The run is none when somebody else
// uses its id.
func (s seed) begin(ctx context.Context, e *engine.Engine) (flow.Ref, error) {
	ref, err := s.start(ctx, e, engine.StartOptions{ID: s.id, IdempotencyKey: "demo/" + string(s.id), Tags: []string{"demo"}})
	switch {
	case errors.Is(err, flow.ErrExists):
		return flow.Ref{}, nil
	case err != nil:
		return flow.Ref{}, fmt.Errorf("seed %s: %w", s.id, err)
	}
	return ref, nil
}

// Seed starts the fixed set of runs on a store that has not had them, and
// cancels two of them so that there is a teardown owed and one given up. On any
// other store it changes nothing, however those runs have ended; an id that
// somebody else uses is left alone. The engine must know [Workflows] and run
// them.
func Seed(ctx context.Context, e *engine.Engine) error {
	for _, s := range seeds() {
		if _, err := s.begin(ctx, e); err != nil {
			return err
		}
	}
	return seedSandboxes(ctx, e)
}
