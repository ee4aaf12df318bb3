package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"weft/flow"
	"weft/tui"
	"weft/views"
)

func (p *program) printCommand() *cobra.Command {
	var size, now string
	cmd := &cobra.Command{
		Use:   "print PANE",
		Short: "Print one frame of the console without a terminal",
		Long:  "Print one frame of the console without a terminal. PANE is one of " + views.PaneWords() + ", or the digit that opens it.",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("print: PANE is missing: %s, or a digit", views.PaneWords())
			}
			return named("PANE")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			picture, err := p.picture(args[0], size, now)
			if err != nil {
				return err
			}
			return p.look(cmd.Context(), func(ctx context.Context, c tui.Console) error {
				return printFrame(ctx, c, picture, printer{w: p.out})
			})
		},
	}
	cmd.Flags().StringVar(&size, "size", "80x24", "`WxH` in cells")
	cmd.Flags().StringVar(&now, "now", "", "the `time` that ages are counted to (RFC 3339); this moment when not given")
	return cmd
}

// picture checks the arguments of print.
func (p *program) picture(pane, size, now string) (tui.Picture, error) {
	set, err := p.pictureSettings()
	if err != nil {
		return tui.Picture{}, err
	}
	f := tui.Picture{Now: time.Now(), Theme: p.pictureTheme(set.Theme), Themes: set.Themes, Secrets: set.Secrets}
	if f.Pane, err = views.PaneNamed(pane); err != nil {
		return f, &usageError{err}
	}
	if why := f.Pane.Absent(); why != "" {
		return f, fmt.Errorf("print %s: %w: %s", pane, flow.ErrNotOffered, why)
	}
	if f.Width, f.Height, err = parseSize(size); err != nil {
		return f, err
	}
	at, err := instant("--now", now)
	if err != nil {
		return f, err
	}
	if at != 0 {
		f.Now = at.Time()
	}
	return f, nil
}

// pictureSettings are those of the configuration. One that cannot be used is no
// reason to print nothing, unless it was named.
func (p *program) pictureSettings() (tui.Settings, error) {
	file, unfit, err := p.configuration()
	if unfit != nil {
		fmt.Fprintln(p.err, "weft-tui: the configuration cannot be used, the defaults are: "+views.Clean(unfit.Error()))
	}
	return file.Settings(p.data), err
}

// maxSide bounds a frame: nobody has a larger terminal, and the frame is built
// in memory.
const maxSide = 1000

func parseSize(text string) (width, height int, err error) {
	w, h, cut := strings.Cut(text, "x")
	width, badWidth := strconv.Atoi(w)
	height, badHeight := strconv.Atoi(h)
	if !cut || badWidth != nil || badHeight != nil || width < 1 || height < 1 || width > maxSide || height > maxSide {
		return 0, 0, usage("--size %q is no size like 80x24, at most %dx%d", text, maxSide, maxSide)
	}
	return width, height, nil
}

// printFrame draws f from c.
func printFrame(ctx context.Context, c tui.Console, f tui.Picture, out printer) error {
	text, err := f.Draw(ctx, c)
	if err != nil {
		return fmt.Errorf("print %s: %w", f.Pane, err)
	}
	return out.write(text + "\n")
}
