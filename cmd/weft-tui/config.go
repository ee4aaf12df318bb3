package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"weft/config"
	"weft/views"
)

// configEnv names another configuration file; --config is stronger.
const configEnv = "WEFT_TUI_CONFIG"

// configPath is where the configuration is, and whether somebody named it. It is
// "" where the system has no place for it.
func (s settings) configPath() (path string, named bool) {
	if s.config != "" {
		return s.config, true
	}
	if path = os.Getenv(configEnv); path != "" {
		return path, true
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", false
	}
	return filepath.Join(dir, "weft-tui", "config.toml"), false
}

// configuration reads the file for the console. One that was named must be there
// and right; the usual one may be missing, and its faults are told on the screen.
func (s settings) configuration() (f config.File, unfit, err error) {
	path, named := s.configPath()
	if path == "" {
		return config.File{}, nil, nil
	}
	f, unfit = config.Load(path)
	switch {
	case named && unfit != nil:
		return f, nil, &usageError{unfit}
	case named && !f.Exists:
		return f, nil, usage("configuration %s: %w", path, fs.ErrNotExist)
	}
	return f, unfit, nil
}

func (p *program) configCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Check the console's configuration, show it, or tell where it is",
		Args:  p.noPart,
		RunE:  func(*cobra.Command, []string) error { return usage("config: check, show or path is missing") },
	}
	cmd.AddCommand(p.configCheck(), p.configShow(), p.configPathCommand())
	return cmd
}

func (p *program) noPart(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage("config: there is no %q: check, show or path", args[0])
	}
	return nil
}

// errNoPlace: HOME is not set, or what the system has in its place.
var errNoPlace = errors.New("this system has no place for configurations: name a file with --config")

// errFaulty ends a check that found faults.
var errFaulty = errors.New("the configuration cannot be used")

// checked is the answer of a check.
type checked struct {
	Path   string         `json:"path"`
	Exists bool           `json:"exists"`
	Faults []config.Fault `json:"faults"`
}

func (p *program) configCheck() *cobra.Command {
	out := printer{w: p.out}
	cmd := &cobra.Command{
		Use:   "check [FILE]",
		Short: "Check a configuration: exit code 0 when it can be used, 1 when not",
		Args:  upTo(1),
		RunE: func(_ *cobra.Command, args []string) error {
			path, named := p.configPath()
			if len(args) == 1 {
				path, named = args[0], true
			}
			if path == "" {
				return errNoPlace
			}
			f, err := config.Load(path)
			if err == nil && named && !f.Exists {
				return fmt.Errorf("configuration %s: %w", path, fs.ErrNotExist)
			}
			return p.tellFaults(f, err, out)
		},
	}
	cmd.Flags().BoolVar(&out.json, "json", false, "print one JSON object")
	return cmd
}

// tellFaults prints what a check found.
func (p *program) tellFaults(f config.File, err error, out printer) error {
	var bad *config.FileError
	if err != nil && !errors.As(err, &bad) {
		return err
	}
	faults := []config.Fault{}
	if bad != nil {
		faults = bad.Faults
	}
	switch {
	case out.json:
		if werr := out.value(checked{f.Path, f.Exists || bad != nil, faults}); werr != nil {
			return werr
		}
	case bad != nil:
		for _, fault := range faults {
			fmt.Fprintln(p.err, views.Clean((&config.FileError{Path: f.Path, Faults: []config.Fault{fault}}).Error()))
		}
	case !f.Exists:
		return out.line(f.Path + ": there is no such file; the defaults are in force")
	default:
		return out.line(f.Path + ": no faults")
	}
	if bad != nil {
		return fmt.Errorf("%s: %w", f.Path, errFaulty)
	}
	return nil
}

func (p *program) configShow() *cobra.Command {
	return &cobra.Command{
		Use:   "show",
		Short: "Print all that is in force as a file, defaults too",
		Args:  upTo(0),
		RunE: func(*cobra.Command, []string) error {
			f, unfit, err := p.configuration()
			if err = errors.Join(err, unfit); err != nil {
				return err
			}
			text, err := f.Text()
			if err != nil {
				return err
			}
			return printer{w: p.out}.write(text)
		},
	}
}

func (p *program) configPathCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "path",
		Short: "Print where the configuration is read from",
		Args:  upTo(0),
		RunE: func(*cobra.Command, []string) error {
			path, _ := p.configPath()
			if path == "" {
				return errNoPlace
			}
			return printer{w: p.out}.line(path)
		},
	}
}

// upTo allows at most n arguments.
func upTo(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > n {
			return usage("%s: one argument too many: %q", cmd.Name(), args[n])
		}
		return nil
	}
}
