package main

import (
	"time"

	"github.com/spf13/cobra"

	"weft/flow"
)

// beginning are the flags that say how a run begins.
type beginning struct {
	input, id, at   string
	after, deadline time.Duration
	startNew        bool
	key             string
	attributes      []string
	tags            []string
}

func (p *program) startCommand() *cobra.Command {
	var b beginning
	var reason string
	out := printer{w: p.out}
	cmd := &cobra.Command{
		Use:   "start TYPE",
		Short: "Start a run",
		Args:  named("TYPE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			deed, err := p.startOf(args[0], b, time.Now())
			if err != nil {
				return err
			}
			return p.do(cmd.Context(), reason, deed, out)
		},
	}
	f := cmd.Flags()
	f.StringVar(&b.input, "input", "", "the input: `JSON`, @FILE or - for standard input")
	f.StringVar(&b.id, "id", "", "the workflow `id`; one is made when it is not given")
	f.StringVar(&b.key, "idempotency-key", "", "a repeated start with the same `key` changes nothing")
	f.BoolVar(&b.startNew, "start-new", false, "replace an ended run of this id")
	f.StringVar(&b.at, "at", "", "begin at this `time` (RFC 3339), not now")
	f.DurationVar(&b.after, "after", 0, "begin after this `time`, such as 90m")
	f.DurationVar(&b.deadline, "deadline", 0, "time out this `time` after the beginning")
	f.StringArrayVar(&b.attributes, "attr", nil, "an attribute to find it by, `NAME=VALUE`; may be repeated")
	f.StringSliceVar(&b.tags, "tag", nil, "`labels` for people, with commas between; may be repeated")
	actFlags(cmd, &reason, &out)
	return cmd
}

// startOf checks the arguments of a start; now is what --after counts from.
func (p *program) startOf(kind string, b beginning, now time.Time) (flow.Start, error) {
	deed := flow.Start{Type: kind, ID: flow.WorkflowID(b.id), IdempotencyKey: b.key, Tags: b.tags}
	if err := name("workflow type", kind); err != nil {
		return deed, err
	}
	if b.id != "" {
		if err := name("workflow id", b.id); err != nil {
			return deed, err
		}
	}
	if b.startNew {
		if b.id == "" || b.key != "" {
			return deed, usage("--start-new wants --id, and no --idempotency-key")
		}
		deed.OnTerminalConflict = flow.StartNew
	}
	var err error
	if deed.StartAt, err = b.startAt(now); err != nil {
		return deed, err
	}
	if deed.DeadlineMillis, err = millis("--deadline", b.deadline); err != nil {
		return deed, err
	}
	if deed.Attributes, err = attributes(b.attributes); err != nil {
		return deed, &usageError{err}
	}
	deed.Input, err = payload("--input", b.input, p.in)
	return deed, err
}

// startAt is when the run is to begin; 0 is now.
func (b beginning) startAt(now time.Time) (flow.Instant, error) {
	at, err := instant("--at", b.at)
	switch {
	case err != nil || b.after == 0:
		return at, err
	case at != 0:
		return 0, usage("--at and --after exclude each other")
	case b.after < 0:
		return 0, usage("--after %v is negative", b.after)
	}
	return flow.InstantAfter(now.Add(b.after)), nil
}
