package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"weft/engine"
)

// Inbox is the input of inbox.
type Inbox struct {
	// Name is the file it waits for, in the folder inbox of the work directory.
	Name string `json:"name"`
}

// Received is the result of inbox.
type Received struct {
	Name   string `json:"name"`
	Bytes  int    `json:"bytes"`
	SHA256 string `json:"sha256"`
}

func inbox(work string) engine.Workflow[Inbox, Received] {
	d := folder(work, "inbox")
	take := engine.Activity[string, Received]{Name: "take-file", Do: d.take, Timeout: time.Minute,
		Retry: engine.Retry{MaxAttempts: 500, Initial: 2 * time.Second, Factor: 1.5, Max: 30 * time.Second}}
	do := func(ctx *engine.Context, in Inbox) (Received, error) {
		if !filepath.IsLocal(in.Name) {
			return Received{}, engine.Fail(BadInput, "name %q: use a name within the inbox", in.Name)
		}
		ctx.SetSummary("waits for inbox/%s", in.Name)
		return take.Run(ctx, in.Name)
	}
	return engine.Workflow[Inbox, Received]{Name: "inbox", Version: version, Do: do, Example: Inbox{Name: "hello.txt"}}
}

// take copies the file into the run's directory. It leaves the original, which
// is not ours, alone.
func (d disk) take(ctx context.Context, name string) (Received, error) {
	data, err := os.ReadFile(filepath.Join(d.root, name))
	if errors.Is(err, os.ErrNotExist) {
		err := engine.Fail(NotThere, "put a file at inbox/%s below the work directory", name)
		// The folder is made so that a person finds it.
		return Received{}, errors.Join(err, os.MkdirAll(d.root, 0o777))
	}
	if err != nil {
		return Received{}, fmt.Errorf("take inbox/%s: %w", name, err)
	}
	path, err := d.path(ctx, filepath.Base(name))
	if err != nil {
		return Received{}, err
	}
	return Received{name, len(data), hexSum(data)}, write(path, data)
}
