package main

import (
	"cmp"
	"context"
	"io"
	"os"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"weft/flow"
	"weft/tui"
)

// console shows the full-screen console on the store of w. Without a terminal it
// says so before anything is opened.
func (p *program) console(ctx context.Context, w want) error {
	if !p.terminal() {
		return usage("the console needs a terminal; without one use the verbs ls, show, steps, counts, types, lease, audit, " +
			"teardowns, dead, watch, query, start, signal, update, cancel, suspend, resume, restart, purge, retry-teardown, redrive, discard or print")
	}
	file, unfit, err := p.configuration()
	if err != nil {
		return err
	}
	look := p.appearance()
	set, err := look.of(file)
	if err != nil {
		return usage("--theme: %w", err)
	}
	return p.screen(ctx, w, tui.Options{Settings: set, Unfit: unfit, Changes: look.changes(file), Pane: file.Pane,
		ReadOnly: p.readOnly, Actor: actor(), Editor: cmp.Or(os.Getenv("VISUAL"), os.Getenv("EDITOR"))})
}

// consoleTheme is the theme of the screen. A flag is stronger than the
// environment; without colour there is still bold and reverse.
func (s settings) consoleTheme(noColor bool) string {
	switch {
	case s.color == "never", s.color == "auto" && s.theme == "" && noColor:
		return "mono"
	}
	return s.theme
}

// pictureTheme is the theme of a printed frame, "" for none: a frame has colours
// when they are asked for, so that it is the same everywhere otherwise. They are
// those of the configuration when no theme is named.
func (s settings) pictureTheme(configured string) string {
	switch {
	case s.color == "never":
		return ""
	case s.color == "always" && s.theme == "":
		return cmp.Or(configured, "dark")
	}
	return s.theme
}

// onTerminal reports whether a full-screen program can be used on the streams.
func onTerminal(in io.Reader, out io.Writer) bool {
	return isTerminal(in) && isTerminal(out) && os.Getenv("TERM") != "dumb"
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}

func (p *program) demoCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Show the console with the demo workflows, made and started on first use",
		Args:  named(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			w := p.want(flow.ModeRun)
			w.Create, w.Seed = !p.readOnly, true
			return p.console(cmd.Context(), w)
		},
	}
	p.plainFlag(cmd)
	return cmd
}
