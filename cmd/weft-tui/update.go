package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"weft/flow"
	"weft/tui"
)

// whereCodeRuns is what to do about a run whose code does not run here.
const whereCodeRuns = "do it in the console, or in the program that runs the workflow"

func (p *program) updateCommand() *cobra.Command {
	var text, run, reason string
	var wait time.Duration
	var deed flow.CallUpdate
	out := printer{w: p.out}
	cmd := &cobra.Command{
		Use:   "update ID NAME",
		Short: "Send an update to a running run and print its reply",
		Args:  named("ID", "NAME"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if deed.Target, deed.Name, err = asked(args, run, "update name"); err != nil {
				return err
			}
			if deed.UpdateID != "" {
				if err := flow.CheckUpdateID(deed.UpdateID); err != nil {
					return &usageError{err}
				}
			}
			if deed.WaitMillis, err = millis("--wait", wait); err != nil {
				return err
			}
			if deed.Input, err = payload("--input", text, p.in); err != nil {
				return err
			}
			return p.act(cmd.Context(), func(ctx context.Context, c tui.Console) error {
				return needsCode(update(ctx, c, flow.Act{Actor: actor(), Why: reason, Deed: deed}, out))
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&text, "input", "", "the input: `JSON`, @FILE or - for standard input")
	f.StringVar(&deed.UpdateID, "update-id", "", "a repeated update with the same `id` prints the same reply")
	f.DurationVar(&wait, "wait", 0, "wait this `time` for the reply (10s when not given)")
	runFlag(cmd, &run)
	actFlags(cmd, &reason, &out)
	return cmd
}

// update sends an update and prints the receipt and the reply.
func update(ctx context.Context, c tui.Console, a flow.Act, out printer) error {
	receipt, err := c.Do(ctx, a)
	switch {
	case err != nil:
		return err
	case out.json:
		return out.value(receipt)
	}
	if err := out.line(receipt.Text + ": " + receipt.Ref.String()); err != nil || receipt.Output == nil {
		return err
	}
	return out.line(string(receipt.Output))
}

func (p *program) queryCommand() *cobra.Command {
	var text, run string
	out := printer{w: p.out}
	cmd := &cobra.Command{
		Use:   "query ID NAME",
		Short: "Ask a run about its state and print the answer; changes nothing",
		Args:  named("ID", "NAME"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			var q flow.Ask
			if q.Target, q.Name, err = asked(args, run, "query name"); err != nil {
				return err
			}
			if q.Input, err = payload("--input", text, p.in); err != nil {
				return err
			}
			return p.look(cmd.Context(), func(ctx context.Context, c tui.Console) error {
				a, err := c.Ask(ctx, q)
				switch {
				case err != nil:
					return needsCode(err)
				case out.json:
					return out.value(a)
				}
				return out.line(string(a.Payload))
			})
		},
	}
	cmd.Flags().StringVar(&text, "input", "", "the input: `JSON`, @FILE or - for standard input")
	cmd.Flags().BoolVar(&out.json, "json", false, "print one JSON object")
	runFlag(cmd, &run)
	return cmd
}

// asked checks whom a message is for and what it is called.
func asked(args []string, run, what string) (ref flow.Ref, called string, err error) {
	if ref, err = target(args[0], run); err != nil {
		return ref, "", err
	}
	return ref, args[1], name(what, args[1])
}

// needsCode says what to do where no workflow code runs.
func needsCode(err error) error {
	if errors.Is(err, flow.ErrNotOffered) {
		return &advisedError{err, whereCodeRuns}
	}
	return err
}
