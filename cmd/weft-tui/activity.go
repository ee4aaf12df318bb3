package main

import (
	"github.com/spf13/cobra"

	"weft/flow"
)

// activityCommand tells the outcome of an activity that was left to somebody
// outside.
func (p *program) activityCommand() *cobra.Command {
	group := &cobra.Command{
		Use:   "activity",
		Short: "Tell the outcome of an activity that waits for completion from outside",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return usage("activity: %q is none of complete, fail, heartbeat", args[0])
		},
		RunE: func(*cobra.Command, []string) error { return usage("activity: say complete, fail or heartbeat") },
	}
	group.AddCommand(p.completeCommand(), p.failCommand(), p.heartbeatCommand())
	return group
}

func (p *program) completeCommand() *cobra.Command {
	var text string
	cmd, act := p.tokenCommand("complete", "Give the activity its result", func(token flow.Token) (flow.Deed, error) {
		given, err := payload("--result", text, p.in)
		return flow.CompleteActivity{Token: token, Output: given}, err
	})
	cmd.Flags().StringVar(&text, "result", "", "the result: `JSON`, @FILE or - for standard input; null when not given")
	act()
	return cmd
}

func (p *program) failCommand() *cobra.Command {
	var deed flow.FailActivity
	cmd, act := p.tokenCommand("fail", "Fail the attempt; the activity's retry policy says whether another follows",
		func(token flow.Token) (flow.Deed, error) {
			if deed.Message == "" {
				return nil, usage("fail: --message is missing")
			}
			deed.Token = token
			return deed, nil
		})
	f := cmd.Flags()
	f.StringVar(&deed.Message, "message", "", "what went wrong")
	f.StringVar(&deed.Code, "code", "", "the `code` that the workflow compares the error with")
	f.BoolVar(&deed.Permanent, "permanent", false, "make no further attempt")
	act()
	return cmd
}

func (p *program) heartbeatCommand() *cobra.Command {
	var text string
	cmd, act := p.tokenCommand("heartbeat", "Say that the work is under way", func(token flow.Token) (flow.Deed, error) {
		given, err := payload("--details", text, p.in)
		return flow.BeatActivity{Token: token, Details: given}, err
	})
	cmd.Flags().StringVar(&text, "details", "", "for the next attempt: `JSON`, @FILE or - for standard input")
	act()
	return cmd
}

// tokenCommand is a verb about one token. The caller adds its flags and then
// calls the second result, which adds those of every act.
func (p *program) tokenCommand(name, short string, deed func(flow.Token) (flow.Deed, error)) (*cobra.Command, func()) {
	var reason string
	out := printer{w: p.out}
	cmd := &cobra.Command{
		Use:   name + " TOKEN",
		Short: short,
		Args:  named("TOKEN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			token := flow.Token(args[0])
			if _, _, _, err := token.Parse(); err != nil {
				return &usageError{err}
			}
			d, err := deed(token)
			if err != nil {
				return err
			}
			return p.do(cmd.Context(), reason, d, out)
		},
	}
	return cmd, func() { actFlags(cmd, &reason, &out) }
}
