package main

import (
	"github.com/spf13/cobra"

	"weft/flow"
)

func (p *program) resumeCommand() *cobra.Command {
	var run, reason string
	out := printer{w: p.out}
	cmd := &cobra.Command{
		Use:   "resume ID",
		Short: "Let a suspended run go on",
		Args:  named("ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ref, err := target(args[0], run)
			if err != nil {
				return err
			}
			return p.do(cmd.Context(), reason, flow.ResumeRun{Target: ref}, out)
		},
	}
	runFlag(cmd, &run)
	actFlags(cmd, &reason, &out)
	return cmd
}
