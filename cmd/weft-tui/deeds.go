package main

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"weft/flow"
)

// runVerb is a verb that does one deed to one run, and to many when a filter
// names them.
type runVerb struct {
	name, short string
	// many: the verb takes --where.
	many bool
	// flags adds what the verb takes besides.
	flags func(*pflag.FlagSet)
	// alone names flags that make no sense with --where.
	alone []string
	deed  func(flow.Ref) (flow.Deed, error)
	// unrecorded is what to do when the run has begun what is not recorded.
	unrecorded string
}

// always is the deed of a verb without flags of its own.
func always[D flow.Deed](make func(flow.Ref) D) func(flow.Ref) (flow.Deed, error) {
	return func(ref flow.Ref) (flow.Deed, error) { return make(ref), nil }
}

// runVerbs are the verbs whose only argument is a run.
func (p *program) runVerbs() []*cobra.Command {
	var now bool
	var input string
	verbs := []runVerb{
		{name: "cancel", short: "End a run now; what it holds outside is released by its finalizer", many: true,
			flags: func(f *pflag.FlagSet) {
				f.BoolVar(&now, "now", false, "also when the run's code has begun what is not recorded: that is then unknown")
			},
			alone:      []string{"now"},
			unrecorded: "cancel it in the console, or with --now: what its code has not recorded is then unknown to its finalizer",
			deed:       func(ref flow.Ref) (flow.Deed, error) { return flow.CancelRun{Target: ref, Now: now}, nil }},
		{name: "suspend", short: "Stop a run until it is resumed", many: true,
			unrecorded: "suspend it in the console",
			deed:       always(func(ref flow.Ref) flow.SuspendRun { return flow.SuspendRun{Target: ref} })},
		{name: "resume", short: "Let a suspended run go on", many: true,
			deed: always(func(ref flow.Ref) flow.ResumeRun { return flow.ResumeRun{Target: ref} })},
		{name: "restart", short: "Start a new run under the id of an ended one, with its type and input", many: true,
			deed: always(func(ref flow.Ref) flow.RestartRun { return flow.RestartRun{Target: ref} })},
		{name: "purge", short: "Remove an ended run and all that is recorded of it", many: true,
			deed: always(func(ref flow.Ref) flow.PurgeRun { return flow.PurgeRun{Target: ref} })},
		{name: "retry-teardown", short: "Make the next attempt of an owed teardown due now",
			deed: always(func(ref flow.Ref) flow.RetryTeardown { return flow.RetryTeardown{Target: ref} })},
		{name: "redrive", short: "Make a dead letter an owed teardown again, with all attempts", many: true,
			flags: func(f *pflag.FlagSet) {
				f.StringVar(&input, "input", "", "call the finalizer with this instead: `JSON`, @FILE or - for standard input")
			},
			alone: []string{"input"},
			deed: func(ref flow.Ref) (flow.Deed, error) {
				given, err := payload("--input", input, p.in)
				return flow.Redrive{Target: ref, Input: given}, err
			}},
		{name: "discard", short: "Give a dead letter up for good; its content goes into the audit",
			deed: always(func(ref flow.Ref) flow.Discard { return flow.Discard{Target: ref} })},
	}
	commands := make([]*cobra.Command, len(verbs))
	for i, v := range verbs {
		commands[i] = p.runCommand(v)
	}
	return commands
}

func (p *program) runCommand(v runVerb) *cobra.Command {
	var run, reason string
	var s selection
	out := printer{w: p.out}
	cmd := &cobra.Command{
		Use:   v.name + " ID",
		Short: v.short,
		Args:  named("ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if v.many && s.given(cmd) {
				m, err := s.many(cmd)
				if err != nil {
					return err
				}
				m.reason = reason
				return p.many(cmd.Context(), m, out)
			}
			ref, err := target(args[0], run)
			if err != nil {
				return err
			}
			deed, err := v.deed(ref)
			if err != nil {
				return err
			}
			err = p.do(cmd.Context(), reason, deed, out)
			if v.unrecorded != "" && errors.Is(err, flow.ErrNotOffered) {
				return &advisedError{err, v.unrecorded}
			}
			return err
		},
	}
	if v.flags != nil {
		v.flags(cmd.Flags())
	}
	runFlag(cmd, &run)
	actFlags(cmd, &reason, &out)
	if v.many {
		s.flags(cmd, append(v.alone, "run"))
	}
	return cmd
}
