package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"weft/flow"
	"weft/tui"
)

// actFlags are the flags of every act.
func actFlags(cmd *cobra.Command, reason *string, out *printer) {
	cmd.Flags().StringVar(reason, "reason", "", "why, for the audit")
	cmd.Flags().BoolVar(&out.json, "json", false, "print one JSON object")
}

// do opens the store and does deed in the name of the user.
func (p *program) do(ctx context.Context, reason string, deed flow.Deed, out printer) error {
	return p.act(ctx, func(ctx context.Context, c tui.Console) error {
		return act(ctx, c, flow.Act{Actor: actor(), Why: reason, Deed: deed}, out)
	})
}

// act does a and prints the receipt.
func act(ctx context.Context, c tui.Console, a flow.Act, out printer) error {
	receipt, err := c.Do(ctx, a)
	if err != nil {
		return err
	}
	if out.json {
		return out.value(receipt)
	}
	// A run that was given no id must be found again.
	text := receipt.Text
	if !strings.Contains(text, receipt.Ref.String()) {
		text += ": " + receipt.Ref.String()
	}
	return out.line(text)
}
