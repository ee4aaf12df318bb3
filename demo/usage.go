package demo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"weft/engine"
)

// Usage is the input of usage.
type Usage struct {
	// Rounds is how often the work directory is measured, 1 to 5,000.
	Rounds int `json:"rounds"`
	// EveryMillis is the time between two rounds, 100 to 3,600,000.
	EveryMillis int `json:"everyMillis"`
}

// Used is the result of usage.
type Used struct {
	Rounds int     `json:"rounds"`
	Last   Reading `json:"last"`
	Log    string  `json:"log"`
}

// Reading is one measurement.
type Reading struct {
	Files int   `json:"files"`
	Bytes int64 `json:"bytes"`
}

const usageName = "usage.log"

func usage(work string) engine.Workflow[Usage, Used] {
	d := folder(work, "usage")
	measure := engine.Activity[int, Reading]{Name: "measure", Timeout: time.Minute,
		Do: func(ctx context.Context, round int) (Reading, error) { return d.measure(ctx, work, round) }}
	do := func(ctx *engine.Context, in Usage) (out Used, err error) {
		err = errors.Join(inRange("rounds", in.Rounds, 1, 5000), inRange("everyMillis", in.EveryMillis, 100, 3_600_000))
		if err != nil {
			return out, err
		}
		out.Log = usageName
		for out.Rounds < in.Rounds {
			if out.Last, err = measure.Run(ctx, out.Rounds); err != nil {
				return out, err
			}
			out.Rounds++
			ctx.SetSummary("round %d of %d: %d files, %d KiB", out.Rounds, in.Rounds, out.Last.Files, out.Last.Bytes>>10)
			if err := ctx.Sleep(time.Duration(in.EveryMillis) * time.Millisecond); err != nil {
				return out, err
			}
		}
		return out, nil
	}
	return engine.Workflow[Usage, Used]{Name: "usage", Version: version, Do: do, Example: Usage{Rounds: 30, EveryMillis: 2000}}
}

// measure counts what is below the work directory and logs it. A round's line
// has a fixed place, so a repeat overwrites its own line.
func (d disk) measure(ctx context.Context, work string, round int) (Reading, error) {
	path, err := d.path(ctx, usageName)
	if err != nil {
		return Reading{}, err
	}
	now, err := read(ctx, work)
	if err != nil {
		return Reading{}, err
	}
	line := fmt.Appendf(nil, "%6d %10d %15d\n", round+1, now.Files, now.Bytes)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return Reading{}, err
	}
	_, err = f.WriteAt(line, int64(round*len(line)))
	if err == nil {
		err = f.Sync()
	}
	return now, errors.Join(err, f.Close())
}

// read counts the files below dir. Others write there meanwhile: what is gone
// when it is looked at does not count.
func read(ctx context.Context, dir string) (sum Reading, err error) {
	err = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return ignoreGone(err)
		}
		info, err := entry.Info()
		if err != nil {
			return ignoreGone(err)
		}
		sum.Files++
		sum.Bytes += info.Size()
		return ctx.Err()
	})
	return sum, err
}

func ignoreGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
