package flow

import "fmt"

// JournalFormat is the format of a [Journal] that this program writes.
const JournalFormat = 1

// Journal is what a run has recorded, as it is exported to test other code
// against it: see engine.Replay. Its JSON form is an interface.
type Journal struct {
	// Format is [JournalFormat].
	Format int `json:"format"`
	Ref
	Type    string `json:"type"`
	Version string `json:"version"`
	Status  Status `json:"status"`
	// Events are all events in order; the first has the input.
	Events []Event `json:"events"`
	// Waits are the steps that were registered and had no outcome yet.
	Waits []Wait `json:"waits,omitempty"`
}

// Wait is a step that is registered and has no outcome yet.
type Wait struct {
	Step      StepPath `json:"step"`
	Kind      StepKind `json:"kind"`
	Name      string   `json:"name,omitempty"`
	Digest    Digest   `json:"digest"`
	StartedAt Instant  `json:"startedAt"`
	Due       Instant  `json:"due,omitzero"`
}

// JournalOf is the journal in d, which was read with [PartEvents].
func JournalOf(d Detail) Journal {
	return Journal{Format: JournalFormat, Ref: d.Run.Ref, Type: d.Run.Type, Version: d.Run.Version,
		Status: d.Run.Status, Events: d.Events, Waits: d.Waits}
}

// Check refuses a journal that cannot be replayed: of another format, with a
// gap, or with something in it that this program does not know.
func (j Journal) Check() error {
	if j.Format != JournalFormat {
		return fmt.Errorf("journal of run %s: format %d, this program reads %d; export it again with a program of the same age",
			j.Ref, j.Format, JournalFormat)
	}
	if len(j.Events) == 0 || j.Events[0].Kind != EventStarted {
		return fmt.Errorf("journal of run %s: does not begin with a start", j.Ref)
	}
	for i, e := range j.Events {
		switch {
		case e.Seq != EventSeq(i+1):
			return fmt.Errorf("journal of run %s: event %d stands where %d is due", j.Ref, e.Seq, i+1)
		case e.Kind == 0, e.Kind == EventStep && e.StepKind == 0:
			return fmt.Errorf("journal of run %s: event %d is of a kind that is not known here, or was unreadable", j.Ref, e.Seq)
		}
	}
	return nil
}
