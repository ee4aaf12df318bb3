package demo

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"weft/engine"
)

// Pack is the input of pack.
type Pack struct {
	// Files is how many samples are packed, 1 to 2,000.
	Files int `json:"files"`
	// PauseMillis slows packing down so that one can watch, 0 to 10,000 per
	// file.
	PauseMillis int `json:"pauseMillis"`
}

// Packed is the result of pack.
type Packed struct {
	Name  string `json:"name"`
	Files int    `json:"files"`
	Bytes int64  `json:"bytes"`
	// Resumed is how many files an earlier attempt had packed.
	Resumed int `json:"resumed"`
}

// packing is what a heartbeat leaves: so many files end at this byte.
type packing struct {
	Files int   `json:"files"`
	Bytes int64 `json:"bytes"`
}

const packedName = "samples.tar.gz"

func pack(work string) engine.Workflow[Pack, Packed] {
	d := folder(work, "pack")
	prepare := engine.Activity[samples, samples]{Name: "write-samples", Do: d.writeSamples, Timeout: time.Minute}
	archive := engine.Activity[Pack, Packed]{Name: "pack-samples", Do: d.pack, HeartbeatTimeout: time.Minute}
	do := func(ctx *engine.Context, in Pack) (Packed, error) {
		err := errors.Join(inRange("files", in.Files, 1, 2000), inRange("pauseMillis", in.PauseMillis, 0, 10_000))
		if err != nil {
			return Packed{}, err
		}
		ctx.SetSummary("packing %d files", in.Files)
		if _, err := prepare.Run(ctx, samples{in.Files}); err != nil {
			return Packed{}, err
		}
		return archive.Run(ctx, in)
	}
	return engine.Workflow[Pack, Packed]{Name: "pack", Version: version, Do: do, Example: Pack{Files: 150, PauseMillis: 100}}
}

// pack makes the archive. Each file is a gzip member of its own, so that the
// archive can be cut behind any file and continued there by a later attempt.
func (d disk) pack(ctx context.Context, in Pack) (out Packed, err error) {
	path, err := d.path(ctx, packedName)
	if err != nil {
		return Packed{}, err
	}
	f, err := os.OpenFile(path+".part", os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return Packed{}, err
	}
	done, err := resume(ctx, f)
	out = Packed{Name: packedName, Files: in.Files, Resumed: done.Files}
	for err == nil && done.Files < in.Files {
		err = packNext(ctx, f, filepath.Dir(path), &done, time.Duration(in.PauseMillis)*time.Millisecond)
	}
	if err == nil {
		// Two empty blocks end a tar.
		err = member(f, func(w io.Writer) error { return tar.NewWriter(w).Close() })
	}
	if err != nil {
		return Packed{}, errors.Join(err, f.Close())
	}
	if out.Bytes, err = f.Seek(0, io.SeekCurrent); err != nil {
		return Packed{}, errors.Join(err, f.Close())
	}
	return out, put(f, nil, path)
}

// resume places f behind the last file that the heartbeat of an earlier attempt
// vouches for and drops what follows.
func resume(ctx context.Context, f *os.File) (packing, error) {
	done, _ := engine.Details[packing](ctx)
	info, err := f.Stat()
	if err != nil {
		return done, err
	}
	if info.Size() < done.Bytes {
		done = packing{} // it is another file than the heartbeat spoke of
	}
	if err := f.Truncate(done.Bytes); err != nil {
		return done, err
	}
	_, err = f.Seek(done.Bytes, io.SeekStart)
	return done, err
}

// packNext packs one file, makes it durable and only then says so.
func packNext(ctx context.Context, f *os.File, dir string, done *packing, pause time.Duration) error {
	name := sampleName(done.Files)
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	err = member(f, func(w io.Writer) error {
		t := tar.NewWriter(w)
		if err := t.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(data))}); err != nil {
			return err
		}
		if _, err := t.Write(data); err != nil {
			return err
		}
		return t.Flush()
	})
	if err != nil {
		return err
	}
	at, err := f.Seek(0, io.SeekCurrent)
	if err := errors.Join(err, f.Sync()); err != nil {
		return err
	}
	*done = packing{done.Files + 1, at}
	if err := engine.Heartbeat(ctx, *done); err != nil {
		return err
	}
	return rest(ctx, pause)
}

// member writes one gzip member to f.
func member(f *os.File, content func(io.Writer) error) error {
	z := gzip.NewWriter(f)
	if err := content(z); err != nil {
		return err
	}
	return z.Close()
}

// rest waits for d or until ctx ends.
func rest(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
