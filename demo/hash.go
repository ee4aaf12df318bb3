package demo

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"time"

	"weft/engine"
)

// Hash is the input of hash-files.
type Hash struct {
	// Files is how many sample files are written and hashed, 1 to 2,000.
	Files int `json:"files"`
}

// Hashed is the result of hash-files.
type Hashed struct {
	Files int   `json:"files"`
	Bytes int64 `json:"bytes"`
	// Sums is the name of the file with all checksums, Digest its own.
	Sums   string `json:"sums"`
	Digest string `json:"digest"`
}

// sum is the checksum of one file, as the step that hashed it returned it.
type sum struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// sumsName is a file that sha256sum -c reads.
const sumsName = "SHA256SUMS"

func hashFiles(work string) engine.Workflow[Hash, Hashed] {
	d := folder(work, "hash-files")
	prepare := engine.Activity[samples, samples]{Name: "write-samples", Do: d.writeSamples, Timeout: time.Minute}
	hash := engine.Activity[string, sum]{Name: "hash-file", Do: d.hash, Timeout: time.Minute}
	publish := engine.Activity[[]sum, string]{Name: "write-sums", Do: d.writeSums, Timeout: time.Minute}
	do := func(ctx *engine.Context, in Hash) (out Hashed, err error) {
		if err := inRange("files", in.Files, 1, 2000); err != nil {
			return out, err
		}
		ctx.SetSummary("writing %d samples", in.Files)
		if _, err := prepare.Run(ctx, samples(in)); err != nil {
			return out, err
		}
		sums := make([]sum, 0, in.Files)
		for i := range in.Files {
			s, err := hash.Run(ctx, sampleName(i))
			if err != nil {
				return out, err
			}
			sums = append(sums, s)
			out.Bytes += s.Bytes
			ctx.SetSummary("%d of %d files hashed", i+1, in.Files)
		}
		out.Files, out.Sums = in.Files, sumsName
		out.Digest, err = publish.Run(ctx, sums)
		return out, err
	}
	return engine.Workflow[Hash, Hashed]{Name: "hash-files", Version: version, Do: do, Example: Hash{Files: 200}}
}

func (d disk) hash(ctx context.Context, name string) (sum, error) {
	path, err := d.path(ctx, name)
	if err != nil {
		return sum{}, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return sum{}, err
	}
	return sum{name, int64(len(data)), hexSum(data)}, nil
}

func (d disk) writeSums(ctx context.Context, sums []sum) (string, error) {
	path, err := d.path(ctx, sumsName)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	for _, s := range sums {
		fmt.Fprintf(&text, "%s  %s\n", s.SHA256, s.Name)
	}
	return hexSum([]byte(text.String())), write(path, []byte(text.String()))
}

func hexSum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}
