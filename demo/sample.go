package demo

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"path/filepath"
)

// samples says which sample files to write.
type samples struct {
	Files int `json:"files"`
}

// write writes the sample files of the run that ctx belongs to.
func (d disk) writeSamples(ctx context.Context, in samples) (samples, error) {
	dir, err := d.home(ctx)
	if err != nil {
		return in, err
	}
	for i := range in.Files {
		if err := ctx.Err(); err != nil {
			return in, err
		}
		if err := write(filepath.Join(dir, sampleName(i)), sample(i)); err != nil {
			return in, fmt.Errorf("write samples: %w", err)
		}
	}
	return in, nil
}

func sampleName(i int) string { return fmt.Sprintf("sample-%04d.dat", i+1) }

// sample is the content of sample i: the same bytes every time, and of
// different sizes so that progress in bytes and in files differ.
func sample(i int) []byte { return noise(uint64(i), 512+i%7*300) }

// noise is n bytes that look random and depend on seed alone.
func noise(seed uint64, n int) []byte {
	rng := rand.New(rand.NewPCG(seed, 0))
	b := make([]byte, 0, n+8)
	for len(b) < n {
		b = binary.LittleEndian.AppendUint64(b, rng.Uint64())
	}
	return b[:n]
}
