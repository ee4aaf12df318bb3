package main

import (
	"github.com/spf13/cobra"

	"weft/flow"
)

func (p *program) signalCommand() *cobra.Command {
	var text, run, reason string
	var deed flow.SendSignal
	var s selection
	out := printer{w: p.out}
	cmd := &cobra.Command{
		Use:   "signal ID NAME",
		Short: "Send a signal to a live run",
		RunE: func(cmd *cobra.Command, args []string) error {
			if s.given(cmd) {
				m, err := s.many(cmd)
				if err == nil {
					m.signal, m.payload, err = p.message(args[0], text)
				}
				if err != nil {
					return err
				}
				m.reason = reason
				return p.many(cmd.Context(), m, out)
			}
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
	s.flags(cmd, []string{"signal-id", "force", "run"})
	return cmd
}

// fillSignal checks the arguments of a signal.
func (p *program) fillSignal(deed *flow.SendSignal, args []string, run, text string) (err error) {
	if deed.Target, err = target(args[0], run); err != nil {
		return err
	}
	if deed.SignalID != "" {
		if err := flow.CheckSignalID(deed.SignalID); err != nil {
			return &usageError{err}
		}
	}
	deed.Name, deed.Payload, err = p.message(args[1], text)
	return err
}

// message checks what a signal says.
func (p *program) message(signal, text string) (string, flow.Payload, error) {
	if err := name("signal name", signal); err != nil {
		return "", nil, err
	}
	data, err := payload("--payload", text, p.in)
	return signal, data, err
}
