package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"

	"weft/flow"
	"weft/state"
	"weft/tui"
)

// stateDir is where consoles keep what they remember of stores; "" where the
// system has no place for it.
func stateDir() string {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "weft-tui")
	}
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		dir, err := os.UserConfigDir()
		if err != nil {
			return ""
		}
		return filepath.Join(dir, "weft-tui", "state")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".local", "state", "weft-tui")
}

// remembering lets the console on c remember how it is used. That it cannot is
// said on the screen.
func remembering(ctx context.Context, c tui.Console, o tui.Options) tui.Options {
	dir := stateDir()
	info, err := c.Info(ctx)
	if dir == "" || errors.Is(err, flow.ErrClosed) || info.StoreID == "" {
		return o
	}
	file, mem, err := state.Open(dir, info.StoreID)
	o.Memory, o.Remember, o.Forgotten = mem, file.Keep, err
	return o
}
