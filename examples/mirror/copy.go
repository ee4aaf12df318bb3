package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"

	"weft/engine"
)

// batch is what one step copies.
type batch struct {
	Src   string   `json:"src"`
	Dst   string   `json:"dst"`
	Names []string `json:"names"`
	// Sum is the state of the digest before the first of them.
	Sum []byte `json:"sum,omitempty"`
}

// copier copies between two trees. Names that lead out of them by a symbolic
// link are refused by the system.
type copier struct {
	src, dst *os.Root
	part     string // the name files are written under
	touched  map[string]bool
	done     copied
	digest   hash.Hash
}

// copyBatch copies the names of b. It leaves the same files however often it
// runs, and returns once they would survive a power cut.
func copyBatch(ctx context.Context, b batch) (copied, error) {
	c, err := openTrees(ctx, b.Src, b.Dst)
	if err != nil {
		return copied{}, err
	}
	defer c.close()
	if c.digest, err = resumeSum(b.Sum); err != nil {
		return copied{}, err
	}
	for _, name := range b.Names {
		if err := ctx.Err(); err != nil {
			return copied{}, err
		}
		if err := c.copy(name); err != nil {
			return copied{}, fmt.Errorf("copy %s: %w", name, err)
		}
	}
	if err := c.sync(); err != nil {
		return copied{}, err
	}
	c.done.Sum, err = saveSum(c.digest)
	return c.done, err
}

func openTrees(ctx context.Context, src, dst string) (*copier, error) {
	from, err := os.OpenRoot(src)
	if err != nil {
		return nil, err
	}
	to, err := os.OpenRoot(dst)
	if err != nil {
		return nil, errors.Join(err, from.Close())
	}
	return &copier{src: from, dst: to, part: "." + string(engine.InfoOf(ctx).Ref.ID), touched: map[string]bool{}}, nil
}

func (c *copier) close() {
	c.src.Close()
	c.dst.Close()
}

// copy copies one name, whatever it is.
func (c *copier) copy(name string) error {
	info, err := c.src.Lstat(name)
	if err != nil {
		return err
	}
	c.done.count(info.Mode().Type())
	c.touched[path.Dir(name)] = true
	switch {
	case info.IsDir():
		// Permissions come last: they may forbid to write into it.
		return c.dst.MkdirAll(name, 0o777)
	case info.Mode().IsRegular():
		return c.file(name, info.Mode())
	case info.Mode()&fs.ModeSymlink != 0:
		return c.link(name)
	}
	return nil
}

// file copies a file, reads the copy back and only then gives it its name.
func (c *copier) file(name string, mode fs.FileMode) error {
	in, err := c.src.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := c.clear(); err != nil {
		return err
	}
	out, err := c.dst.OpenFile(c.part, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	read, written := sha256.New(), sha256.New()
	n, err := io.Copy(io.MultiWriter(out, read), in)
	if err == nil {
		err = errors.Join(out.Chmod(mode), out.Sync())
	}
	if err == nil {
		_, err = io.Copy(written, io.NewSectionReader(out, 0, n+1))
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	if !bytes.Equal(read.Sum(nil), written.Sum(nil)) {
		return fmt.Errorf("read back with SHA-256 %x, the source has %x", written.Sum(nil), read.Sum(nil))
	}
	c.done.Bytes += n
	fmt.Fprintf(c.digest, "%x  %s\n", read.Sum(nil), name)
	return c.dst.Rename(c.part, name)
}

func (c *copier) link(name string) error {
	target, err := c.src.Readlink(name)
	if err != nil {
		return err
	}
	if err := c.clear(); err != nil {
		return err
	}
	if err := c.dst.Symlink(target, c.part); err != nil {
		return err
	}
	return c.dst.Rename(c.part, name)
}

// clear removes what a killed attempt left unfinished.
func (c *copier) clear() error {
	if err := c.dst.Remove(c.part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// sync makes the new names durable; the files are already.
func (c *copier) sync() error {
	for dir := range c.touched {
		f, err := c.dst.Open(dir)
		if err != nil {
			return err
		}
		if err := errors.Join(f.Sync(), f.Close()); err != nil {
			return fmt.Errorf("sync %s: %w", dir, err)
		}
	}
	return nil
}

// saveSum is the state of a digest, so that another process can go on with it.
func saveSum(h hash.Hash) ([]byte, error) { return h.(encoding.BinaryMarshaler).MarshalBinary() }

// resumeSum is the digest in a saved state; a new one for none.
func resumeSum(state []byte) (hash.Hash, error) {
	h := sha256.New()
	if len(state) == 0 {
		return h, nil
	}
	return h, h.(encoding.BinaryUnmarshaler).UnmarshalBinary(state)
}
