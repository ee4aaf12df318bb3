package wefttest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"weft/flow"
)

// maxReported is how many runs, and calls of mocks, a report tells of.
const maxReported = 20

// report logs how the runs and mocks of a failed test stand.
func (v *Env) report() {
	v.Helper()
	v.mu.Lock()
	runs, mocks, deaths := v.runs, maps.Clone(v.mocks), v.deaths
	v.mu.Unlock()
	var b strings.Builder
	if deaths > 0 {
		fmt.Fprintf(&b, "the process has died %d times\n", deaths)
	}
	for _, id := range runs[:min(len(runs), maxReported)] {
		d, err := v.process().eng.Operator().Detail(context.Background(), flow.Ref{ID: id}, flow.PartSteps)
		if err != nil {
			fmt.Fprintf(&b, "run %s: %v\n", id, err)
			continue
		}
		fmt.Fprintf(&b, "run %s\n", about(d.Run))
		for _, s := range d.Steps {
			fmt.Fprintf(&b, "  step %s\n", stepLine(s))
		}
	}
	calls := 0
	for _, name := range slices.Sorted(maps.Keys(mocks)) {
		for _, line := range mocks[name].lines() {
			if calls++; calls <= maxReported {
				fmt.Fprintf(&b, "mock %s\n", line)
			}
		}
	}
	if calls > maxReported {
		fmt.Fprintf(&b, "and %d calls more\n", calls-maxReported)
	}
	if info, err := v.process().eng.Operator().Info(context.Background()); err == nil {
		for _, p := range info.Problems {
			fmt.Fprintf(&b, "problem: %s\n", p.Text)
		}
	}
	v.Logf("how it stands:\n%s", strings.TrimRight(b.String(), "\n"))
}

func about(r flow.Run) string {
	s := fmt.Sprintf("%s of type %s is %s", r.ID, r.Type, r.Status)
	for _, more := range []string{r.Waiting, r.Reason} {
		if more != "" {
			s += ": " + more
		}
	}
	if r.Failure != nil {
		s += ": " + r.Failure.Message
	}
	return s
}

func stepLine(s flow.Step) string {
	line := strings.TrimSpace(fmt.Sprintf("%s %s %s", s.Path, s.Kind, s.Name)) + " " + string(s.State)
	if s.Attempt > 1 {
		line += fmt.Sprintf(", attempt %d", s.Attempt)
	}
	switch {
	case s.Error != nil:
		line += ": " + s.Error.Message
	case len(s.Output) > 0:
		line += ": " + s.Output.String()
	}
	return line
}
