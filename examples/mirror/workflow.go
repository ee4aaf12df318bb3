package main

import (
	"encoding/hex"
	"fmt"
	"hash"
	"time"

	"weft/engine"
)

// job is the input: what to copy where.
type job struct {
	Src string `json:"src"`
	Dst string `json:"dst"`
	// Batch is how many names are copied in one step.
	Batch int `json:"batch"`
}

// report is the result.
type report struct {
	copied
	// Digest is the SHA-256 of a list that sha256sum would print of all files.
	Digest string `json:"digest"`
}

func (r report) String() string {
	s := fmt.Sprintf("mirrored %s files, %s, in %s directories, with %s symbolic links", thousands(r.Files), size(r.Bytes),
		thousands(r.Dirs), thousands(r.Links))
	if r.Skipped > 0 {
		s += fmt.Sprintf("; left out %s that are none of these", thousands(r.Skipped))
	}
	return s + "\ndigest " + r.Digest
}

// howFar tells how much of a mirror is copied, also when it has ended.
var howFar = engine.Query[engine.Void, progress]{Name: "progress"}

// progress is the answer to howFar.
type progress struct {
	Files    int   `json:"files"`
	OfFiles  int   `json:"ofFiles"`
	Bytes    int64 `json:"bytes"`
	Surveyed bool  `json:"surveyed"`
}

type mirroring = engine.Workflow[job, report]

// newWorkflow is the workflow; trace learns which batches are copied.
func newWorkflow(trace *trace) mirroring {
	survey := engine.Activity[string, copied]{Name: "survey", Do: survey, Timeout: time.Hour}
	list := engine.Activity[cursor, []string]{Name: "list", Do: list, Timeout: time.Hour}
	copying := engine.Activity[batch, copied]{Name: "copy", Do: traced(trace, copyBatch), Timeout: time.Hour}
	seal := engine.Activity[job, engine.Void]{Name: "seal", Do: seal, Timeout: time.Hour}

	do := func(ctx *engine.Context, in job) (report, error) {
		var done, all copied
		surveyed := false
		howFar.Answer(ctx, func(engine.Void) (progress, error) {
			return progress{Files: done.Files, OfFiles: all.Files, Bytes: done.Bytes, Surveyed: surveyed}, nil
		})
		all, err := survey.Run(ctx, in.Src)
		if err != nil {
			return report{}, err
		}
		surveyed = true
		for last := ""; ; {
			names, err := list.Run(ctx, cursor{in.Src, last, in.Batch})
			if err != nil {
				return report{}, err
			}
			if len(names) == 0 {
				break
			}
			part, err := copying.Run(ctx, batch{in.Src, in.Dst, names, done.Sum})
			if err != nil {
				return report{}, err
			}
			last, done = names[len(names)-1], done.plus(part)
			text := fmt.Sprintf("%s of %s files, %s", thousands(done.Files), thousands(all.Files), size(done.Bytes))
			ctx.SetSummary("%s", text)
			ctx.Log().Info(text)
		}
		if _, err := seal.Run(ctx, in); err != nil {
			return report{}, err
		}
		digest, err := resumeSum(done.Sum)
		if err != nil {
			return report{}, err
		}
		done.Sum = nil
		return report{done, hexOf(digest)}, nil
	}
	return mirroring{Name: "mirror", Version: "1", Do: do, Queries: []engine.AnyQuery{howFar}}
}

func hexOf(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }
