package wefttest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"weft/engine"
	"weft/flow"
)

// patience is how long code may take from one operation to the next.
const patience = 10 * time.Second

// Replay replays exported journals under the code of the given types and reports
// every journal that it does not fit, as the engine would: see [engine.Replay].
// Files is the name of a file, or a pattern as filepath.Glob takes it; each file
// holds one journal or several, one after the other. No file is a failure.
func Replay(t testing.TB, files string, types ...engine.Definition) {
	t.Helper()
	names, err := filepath.Glob(files)
	if err != nil || len(names) == 0 {
		t.Fatalf("replay: no file is named %s (%v)", files, err)
	}
	for _, name := range names {
		data, err := os.Open(name)
		if err != nil {
			t.Fatalf("replay: %v", err)
		}
		defer data.Close()
		dec := json.NewDecoder(data)
		for {
			var j flow.Journal
			err := dec.Decode(&j)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("replay: %s: is not what weft-tui export writes: %v", name, err)
			}
			ReplayJournal(t, name, j, engine.Options{Workflows: types})
		}
	}
}

// ReplayJournal replays one journal; source says in the report where it is from.
// Options.Services, if there is any, makes the services of the run.
func ReplayJournal(t testing.TB, source string, j flow.Journal, o engine.Options) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	err := engine.Replay(ctx, o, j)
	var differs *engine.ReplayError
	switch {
	case errors.As(err, &differs) && !j.Status.Terminal():
		t.Errorf("%s: %v\n\tdeployed, this code would suspend the run; guard the change with Context.Version, or raise Workflow.Version and let old runs finish under the old code",
			source, err)
	case err != nil:
		t.Errorf("%s: %v", source, err)
	}
}
