package main

import (
	"github.com/spf13/cobra"

	"weft/flow"
)

func (p *program) signalCommand() *cobra.Command {
	var text, run, reason string
	var deed flow.SendSignal
	out := printer{w: p.out}
	cmd := &cobra.Command{
		Use:   "signal ID NAME",
		Short: "Send a signal to a live run",
		Args:  named("ID", "NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := p.fillSignal(&deed, args, run, text); err != nil {
				return err
			}
			return p.do(cmd.Context(), reason, deed, out)
		},
	}
	f := cmd.Flags()
	f.StringVar(&text, "payload", "", "the payload: `JSON`, @FILE or - for standard input")
	f.StringVar(&deed.SignalID, "signal-id", "", "a repeated signal with the same `id` changes nothing")
	f.BoolVar(&deed.Force, "force", false, "send a name that the type does not declare")
	runFlag(cmd, &run)
	actFlags(cmd, &reason, &out)
	return cmd
}

// fillSignal checks the arguments of a signal.
func (p *program) fillSignal(deed *flow.SendSignal, args []string, run, text string) (err error) {
	if deed.Target, err = target(args[0], run); err != nil {
		return err
	}
	deed.Name = args[1]
	if err := name("signal name", deed.Name); err != nil {
		return err
	}
	if deed.SignalID != "" {
		if err := flow.CheckSignalID(deed.SignalID); err != nil {
			return &usageError{err}
		}
	}
	deed.Payload, err = payload("--payload", text, p.in)
	return err
}
