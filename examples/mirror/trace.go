package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"weft/engine"
)

// trace is a file that learns when an attempt to copy a batch begins and ends,
// so that one can count what was done twice. A nil trace writes nothing.
type trace struct{ file *os.File }

func openTrace(path string) (*trace, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
	return &trace{f}, err
}

func (t *trace) close() {
	if t != nil {
		t.file.Close()
	}
}

// line writes a line in one call, which the system appends whole.
func (t *trace) line(word string, attempt engine.Info) error {
	if t == nil {
		return nil
	}
	_, err := t.file.Write(fmt.Appendf(nil, "%s %s attempt %d\n", word, attempt.Key, attempt.Attempt))
	return err
}

// traced is an activity that t learns of.
func traced[I, O any](t *trace, do func(context.Context, I) (O, error)) func(context.Context, I) (O, error) {
	return func(ctx context.Context, in I) (O, error) {
		attempt := engine.InfoOf(ctx)
		if err := t.line("start", attempt); err != nil {
			var none O
			return none, err
		}
		out, err := do(ctx, in)
		return out, errors.Join(err, t.line("finish", attempt))
	}
}
