package main

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"weft/flow"
	"weft/views"
)

// selection are the flags that choose many runs for a verb.
type selection struct {
	where string
	dry   bool
	yes   int64
	// alone names flags that do not go with --where.
	alone []string
}

// flags adds --where to a verb. With it there is no ID; the verb's other
// arguments stay.
func (s *selection) flags(cmd *cobra.Command, alone []string) {
	s.alone = alone
	f := cmd.Flags()
	f.StringVar(&s.where, "where", "", "instead of ID: all runs that this `filter` chooses, such as 'type=order status=running'")
	f.BoolVar(&s.dry, "dry-run", false, "with --where: show what would be done, and change nothing")
	f.Int64Var(&s.yes, "yes", 0, "with --where: do it, if it is this `count` of runs")
	names := strings.Fields(cmd.Use)[1:]
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if s.given(cmd) {
			return named(names[1:]...)(cmd, args)
		}
		return named(names...)(cmd, args)
	}
	cmd.Use += "\n  weft-tui " + strings.Join(append([]string{cmd.Name(), "--where", "FILTER"}, names[1:]...), " ")
}

// given reports whether the verb is to be done to many.
func (s *selection) given(cmd *cobra.Command) bool {
	return cmd.Flags().Changed("where") || cmd.Flags().Changed("dry-run") || cmd.Flags().Changed("yes")
}

// many is what the flags ask for. A filter that chooses everything by having
// been left empty, by an unset variable for instance, is refused.
func (s *selection) many(cmd *cobra.Command) (many, error) {
	for _, name := range s.alone {
		if cmd.Flags().Changed(name) {
			return many{}, usage("--%s does not go with --where", name)
		}
	}
	switch {
	case strings.TrimSpace(s.where) == "":
		return many{}, usage("--where is empty: say what is meant, such as type=order or status=running")
	case s.dry == cmd.Flags().Changed("yes"):
		return many{}, usage("--where wants either --dry-run, to see what is chosen, or --yes COUNT, to do it")
	case !s.dry && s.yes < 1:
		return many{}, usage("--yes %d: say how many runs are meant", s.yes)
	}
	f, err := views.ParseFilter(s.where, flow.InstantOf(time.Now()))
	if err != nil {
		return many{}, usage("--where: %w", err)
	}
	return many{verb: cmd.Name(), filter: f, dry: s.dry, yes: s.yes}, nil
}
