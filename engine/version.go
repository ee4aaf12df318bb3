package engine

import (
	"fmt"
	"strconv"

	"weft/flow"
)

// VersionError says that a run was recorded under a version of a change that
// the code no longer, or not yet, supports. A run whose code returns it fails.
// Code that must not lose such runs panics with it, under [PanicSuspends]: then
// they wait for code that supports the version.
type VersionError struct {
	// Change is the name of the change.
	Change string
	// Recorded is the run's version, Min and Max the range the code gave.
	Recorded, Min, Max int
}

// Error implements error.
func (e *VersionError) Error() string {
	return fmt.Sprintf("change %s: recorded version %d, the code supports %d to %d", e.Change, e.Recorded, e.Min, e.Max)
}

// Version lets code change under runs that are on their way. The first time a
// run comes to the call it records most, and gets it in every later life. A run
// whose journal was written before the call was there gets least, and records
// nothing:
//
//	v, err := ctx.Version("charge-in-two-parts", 0, 1)
//	if v == 0 {
//		… // as it was
//	} else {
//		… // as it is now
//	}
//
// It fails with a [*VersionError] when the recorded version is not in the range.
func (c *Context) Version(change string, least, most int) (int, error) {
	if c.predates(change) {
		return least, nil
	}
	ev := c.perform(&op{kind: flow.StepVersion, name: change, compute: func() (flow.Payload, *flow.Failure) {
		return flow.Payload(strconv.Itoa(most)), nil
	}})
	v, err := outcomeOf[int](ev)
	if err == nil && (v < least || v > most) {
		err = &VersionError{Change: change, Recorded: v, Min: least, Max: most}
	}
	return v, err
}

// predates reports whether the branch's next step was recorded, or registered,
// as something else than this change: by code that did not have the call yet.
func (c *Context) predates(change string) bool {
	l, b := c.life, c.branch
	l.mu.Lock()
	defer l.mu.Unlock()
	next := flow.StepPath(b.prefix + strconv.Itoa(b.steps+1))
	for _, ev := range l.journal[min(l.next, len(l.journal)):] {
		if ev.Kind == flow.EventStep && ev.Step == next {
			return ev.StepKind != flow.StepVersion || ev.Name != change
		}
	}
	w, registered := l.waits[next]
	return registered && !l.live && (w.Kind != flow.StepVersion || w.Name != change)
}
