package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"weft/engine"
	"weft/flow"
)

// settings are the command line.
type settings struct {
	job
	data, trace string
	headless    bool
	again       bool
}

// errUsage: the command line makes no sense.
var errUsage = errors.New("usage: mirror SRC DST [--headless] [--again] [--data DIR] [--batch N] [--trace FILE]")

// parse reads the command line; flags may stand anywhere.
func parse(args []string) (settings, error) {
	var s settings
	f := flag.NewFlagSet("mirror", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&s.data, "data", "mirror-data", "")
	f.StringVar(&s.trace, "trace", "", "")
	f.IntVar(&s.Batch, "batch", 100, "")
	f.BoolVar(&s.headless, "headless", false, "")
	f.BoolVar(&s.again, "again", false, "")
	var names []string
	for len(args) > 0 {
		if err := f.Parse(args); err != nil {
			return s, fmt.Errorf("%w (%w)", errUsage, err)
		}
		if args = f.Args(); len(args) > 0 {
			names, args = append(names, args[0]), args[1:]
		}
	}
	if len(names) != 2 || s.Batch < 1 || s.Batch > 10_000 {
		return s, fmt.Errorf("%w (two directories, batches of 1 to 10000)", errUsage)
	}
	s.Src, s.Dst = names[0], names[1]
	return s, s.resolve()
}

// resolve makes the three directories absolute, so that the same trees always
// get the same run, and refuses a copy into itself.
func (s *settings) resolve() error {
	info, err := os.Stat(s.Src)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is no directory", s.Src)
	}
	if err != nil {
		return fmt.Errorf("source: %w", err)
	}
	dirs := []*string{&s.Src, &s.Dst, &s.data}
	for _, dir := range dirs {
		if err := os.MkdirAll(*dir, 0o777); err != nil {
			return err
		}
		if *dir, err = filepath.Abs(*dir); err != nil {
			return err
		}
		if *dir, err = filepath.EvalSymlinks(*dir); err != nil {
			return err
		}
	}
	for i, inner := range dirs {
		for j, outer := range dirs {
			if i != j && within(*inner, *outer) {
				return fmt.Errorf("%s is within %s", *inner, *outer)
			}
		}
	}
	return nil
}

func within(inner, outer string) bool {
	rel, err := filepath.Rel(outer, inner)
	return err == nil && filepath.IsLocal(rel)
}

// id names the run: readable, and different for different directories.
func (s *settings) id() flow.WorkflowID {
	sum := sha256.Sum256([]byte(s.Src + "\x00" + s.Dst))
	plain := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, filepath.Base(s.Src))
	return flow.WorkflowID(fmt.Sprintf("mirror-%s-%x", plain[:min(len(plain), 40)], sum[:6]))
}

// start begins the run, or finds the one there is. A run that has ended is found
// too, unless the mirror is to be made again: then a new one takes its place.
func (s *settings) start(ctx context.Context, e *engine.Engine, work mirroring) (engine.Run[report], error) {
	o := engine.StartOptions{ID: s.id()}
	if s.again {
		o.OnTerminalConflict = flow.StartNew
	}
	run, err := work.Start(ctx, e, s.job, o)
	if errors.Is(err, flow.ErrExists) {
		return engine.Handle[report](e, s.id())
	}
	return run, err
}
