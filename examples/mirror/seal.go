package main

import (
	"context"
	"fmt"
	"io/fs"
	"slices"

	"weft/engine"
)

// seal gives the directories their permissions, the innermost first, because
// those of an outer one may forbid to reach it.
func seal(ctx context.Context, in job) (engine.Void, error) {
	c, err := openTrees(ctx, in.Src, in.Dst)
	if err != nil {
		return engine.Void{}, err
	}
	defer c.close()
	if err := c.clear(); err != nil {
		return engine.Void{}, err
	}
	var dirs []string
	err = fs.WalkDir(c.src.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			dirs = append(dirs, name)
		}
		return err
	})
	if err != nil {
		return engine.Void{}, err
	}
	for _, dir := range slices.Backward(dirs) {
		if err := c.seal(dir); err != nil {
			return engine.Void{}, fmt.Errorf("permissions of %s: %w", dir, err)
		}
	}
	return engine.Void{}, ctx.Err()
}

func (c *copier) seal(dir string) error {
	info, err := c.src.Stat(dir)
	if err != nil {
		return err
	}
	return c.dst.Chmod(dir, info.Mode())
}
