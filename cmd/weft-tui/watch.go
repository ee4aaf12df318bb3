package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"weft/flow"
	"weft/tui"
)

func (p *program) watchCommand() *cobra.Command {
	var from uint64
	out := printer{w: p.out}
	cmd := &cobra.Command{
		Use:   "watch",
		Short: "Print what happens as it happens, until interrupted",
		Args:  named(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.look(cmd.Context(), func(ctx context.Context, c tui.Console) error { return watch(ctx, c, from, out) })
		},
	}
	cmd.Flags().Uint64Var(&from, "from", 0, "begin with the notice of this `number`")
	cmd.Flags().BoolVar(&out.json, "jsonl", false, "print one JSON object a line")
	return cmd
}

// watch prints notices until ctx or the console ends.
func watch(ctx context.Context, c tui.Console, from uint64, out printer) error {
	for {
		news, err := c.News(ctx, from, 0)
		if errors.Is(err, flow.ErrClosed) {
			return ctx.Err()
		}
		if err != nil {
			return err
		}
		for _, n := range news.Notices {
			if err := tellOf(n, out); err != nil {
				return err
			}
		}
		from = news.Next
	}
}

func tellOf(n flow.Notice, out printer) error {
	if out.json {
		return out.value(n)
	}
	return out.line(noticeLine(n))
}

func noticeLine(n flow.Notice) string {
	parts := []string{n.At.String(), string(n.Kind)}
	for _, part := range []string{n.Ref.String(), n.Type, string(n.Step), n.Text} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if n.Missed > 0 {
		parts = append(parts, fmt.Sprintf("(%d missed before)", n.Missed))
	}
	return strings.Join(parts, "  ")
}
