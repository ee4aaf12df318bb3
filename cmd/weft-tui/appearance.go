package main

import (
	"context"
	"os"

	"weft/config"
	"weft/tui"
)

// appearance turns a configuration into the settings of the console on one
// store. A flag is stronger than the environment, that stronger than the file.
type appearance struct {
	flags   settings
	noColor bool // NO_COLOR is set
}

func (s settings) appearance() appearance { return appearance{s, os.Getenv("NO_COLOR") != ""} }

// of is what f and the flags come to.
func (a appearance) of(f config.File) (tui.Settings, error) {
	set := f.Settings(a.flags.data)
	if theme := a.flags.consoleTheme(a.noColor); theme != "" {
		set.Theme = theme
	}
	set.Plain = a.flags.plain
	_, err := set.ThemeNamed(set.Theme)
	return set, err
}

// changes waits for changes of the file that f was read from. The watch begins
// with the first call: before, it may be another process.
func (a appearance) changes(f config.File) func(context.Context) (tui.Settings, error) {
	if f.Path == "" {
		return nil
	}
	var w *config.Watcher
	return func(ctx context.Context) (tui.Settings, error) {
		if w == nil {
			w = config.Watch(f)
		}
		f, err := w.Next(ctx)
		if ctx.Err() != nil {
			_ = w.Close()
		}
		if err != nil {
			return tui.Settings{}, err
		}
		return a.of(f)
	}
}
