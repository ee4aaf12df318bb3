package main

import (
	"context"
	"io/fs"
	"os"
	"path"
	"strings"
	"unicode/utf8"

	"weft/engine"
)

// copied counts. Sum is the state of the digest behind the last file counted;
// the next batch goes on from there.
type copied struct {
	Files   int    `json:"files"`
	Dirs    int    `json:"dirs"`
	Links   int    `json:"links"`
	Skipped int    `json:"skipped"`
	Bytes   int64  `json:"bytes"`
	Sum     []byte `json:"sum,omitempty"`
}

// plus adds what followed.
func (c copied) plus(next copied) copied {
	return copied{c.Files + next.Files, c.Dirs + next.Dirs, c.Links + next.Links, c.Skipped + next.Skipped,
		c.Bytes + next.Bytes, next.Sum}
}

// survey counts what there is to copy.
func survey(ctx context.Context, src string) (copied, error) {
	var all copied
	err := fs.WalkDir(os.DirFS(src), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		all.count(entry.Type())
		return ctx.Err()
	})
	return all, err
}

func (c *copied) count(t fs.FileMode) {
	switch {
	case t.IsDir():
		c.Dirs++
	case t.IsRegular():
		c.Files++
	case t&fs.ModeSymlink != 0:
		c.Links++
	default:
		c.Skipped++
	}
}

// cursor asks for the names behind one.
type cursor struct {
	Src   string `json:"src"`
	After string `json:"after"`
	Limit int    `json:"limit"`
}

// list names what follows a name, a directory before what is in it. The order
// depends on the names alone, so a list can be continued in another process.
func list(ctx context.Context, c cursor) ([]string, error) {
	var after []string
	if c.After != "" {
		after = strings.Split(c.After, "/")
	}
	l := lister{tree: os.DirFS(c.Src), limit: c.Limit}
	return l.names, l.below(ctx, ".", after)
}

type lister struct {
	tree  fs.FS
	limit int
	names []string
}

// below lists what is in dir behind the path after, which is relative to dir.
// Directories that lie before it are not even read.
func (l *lister) below(ctx context.Context, dir string, after []string) error {
	entries, err := fs.ReadDir(l.tree, dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		name, inside := path.Join(dir, entry.Name()), []string(nil)
		if len(after) > 0 && entry.Name() <= after[0] {
			if entry.Name() < after[0] {
				continue
			}
			inside = after[1:]
		} else {
			if !utf8.ValidString(name) {
				// A journal is JSON, which cannot hold this name.
				return engine.Permanent(engine.Fail("bad-name", "the name %q is not valid UTF-8", name))
			}
			l.names = append(l.names, name)
		}
		if len(l.names) < l.limit && entry.IsDir() {
			if err := l.below(ctx, name, inside); err != nil {
				return err
			}
		}
		if len(l.names) >= l.limit {
			return nil
		}
	}
	return nil
}
