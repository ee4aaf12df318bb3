package main

import "github.com/spf13/cobra"

// helpCommand replaces cobra's, which does not fail on a verb that is not there.
func (p *program) helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [VERB]",
		Short: "Help about a verb",
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return p.noVerb(cmd.Root(), args)
			}
			return about.Help()
		},
	}
}
