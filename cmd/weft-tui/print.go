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

// frame is one picture of the console, as asked for.
type frame struct {
	pane          views.Pane
	width, height int
	now           time.Time
	theme         string
	color         bool
}

func (p *program) printCommand() *cobra.Command {
	var size, now string
	cmd := &cobra.Command{
		Use:   "print PANE",
		Short: "Print one frame of the console without a terminal",
		Args:  named("PANE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := p.frameOf(args[0], size, now)
			if err != nil {
				return err
			}
			return p.look(cmd.Context(), func(c tui.Console) error {
				return printFrame(cmd.Context(), c, f, printer{w: p.out})
			})
		},
	}
	cmd.Flags().StringVar(&size, "size", "80x24", "`WxH` in cells")
	cmd.Flags().StringVar(&now, "now", "", "the `time` that ages are counted to (RFC 3339); this moment when not given")
	return cmd
}

// frameOf checks the arguments of print.
func (p *program) frameOf(pane, size, now string) (frame, error) {
	f := frame{now: time.Now(), theme: p.theme, color: p.color == "always"}
	var err error
	if f.pane, err = views.PaneNamed(pane); err != nil {
		return f, &usageError{err}
	}
	if why := f.pane.Absent(); why != "" {
		return f, fmt.Errorf("print %s: %w: %s", pane, flow.ErrNotOffered, why)
	}
	if f.width, f.height, err = parseSize(size); err != nil {
		return f, err
	}
	at, err := instant("--now", now)
	if err != nil {
		return f, err
	}
	if at != 0 {
		f.now = at.Time()
	}
	return f, nil
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
func printFrame(ctx context.Context, c tui.Console, f frame, out printer) error {
	text, err := draw(ctx, c, f)
	if err != nil {
		return fmt.Errorf("print %s: %w", f.pane, err)
	}
	return out.write(text)
}
