package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"weft/flow"
	"weft/tui"
)

func (p *program) startCommand() *cobra.Command {
	var input, id, key, reason string
	out := printer{w: p.out}
	cmd := &cobra.Command{
		Use:   "start TYPE",
		Short: "Start a run",
		Args:  named("TYPE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			deed, err := p.startOf(args[0], id, input)
			if err != nil {
				return err
			}
			deed.IdempotencyKey = key
			return p.do(cmd.Context(), reason, deed, out)
		},
	}
	f := cmd.Flags()
	f.StringVar(&input, "input", "", "the input: `JSON`, @FILE or - for standard input")
	f.StringVar(&id, "id", "", "the workflow `id`; one is made when it is not given")
	f.StringVar(&key, "idempotency-key", "", "a repeated start with the same `key` changes nothing")
	actFlags(cmd, &reason, &out)
	return cmd
}

// startOf checks the arguments of a start.
func (p *program) startOf(kind, id, input string) (flow.Start, error) {
	deed := flow.Start{Type: kind, ID: flow.WorkflowID(id)}
	if err := name("workflow type", kind); err != nil {
		return deed, err
	}
	if id != "" {
		if _, err := target(id, ""); err != nil {
			return deed, err
		}
	}
	var err error
	deed.Input, err = payload("--input", input, p.in)
	return deed, err
}

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
