package list

import (
	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// settled is a step that has its outcome.
func settled(e flow.Event) flow.Step {
	s := flow.Step{
		Path: e.Step, Kind: e.StepKind, Name: e.Name, Attempt: e.Attempt, State: flow.StepDone,
		StartedAt: e.StartedAt, EndedAt: e.At, Error: e.Failure, Output: e.Output,
	}
	switch {
	case e.TimedOut:
		s.State = flow.StepTimedOut
	case e.Failure != nil:
		s.State = flow.StepFailed
	}
	return s
}

// settle adds a step that has its outcome. An update has been there since it was
// accepted.
func settle(d *flow.Detail, e flow.Event) {
	if e.StepKind == flow.StepUpdate {
		for i := range d.Steps {
			if d.Steps[i].Path == e.Step {
				d.Steps[i] = settled(e)
				return
			}
		}
	}
	d.Steps = append(d.Steps, settled(e))
}

// open adds the steps that are registered and have no outcome, in the form that
// part asks for.
func open(r store.Reader, ref flow.Ref, part flow.Part, d *flow.Detail) error {
	if part != flow.PartSteps && part != flow.PartEvents || d.Run.Status.Terminal() {
		return nil
	}
	for kv, err := range r.Scan(store.Prefix(row.WaitPrefix(ref))) {
		if err != nil {
			return err
		}
		w, err := readWait(kv)
		switch {
		case part == flow.PartEvents && err != nil:
			d.Run = remark(d.Run, err.Error())
		case part == flow.PartEvents:
			d.Waits = append(d.Waits, flow.Wait{Step: w.step, Kind: w.Kind, Name: w.Name, Digest: w.Digest,
				StartedAt: w.StartedAt, Due: w.Due})
		case err != nil:
			d.Steps = append(d.Steps, flow.Step{Path: w.step, State: flow.StepOpen})
		default:
			d.Steps = append(d.Steps, w.shown(ref))
		}
	}
	return nil
}

func (w *wait) shown(ref flow.Ref) flow.Step {
	s := flow.Step{
		Path: w.step, Kind: w.Kind, Name: w.Name, Attempt: w.Attempt, State: flow.StepOpen,
		StartedAt: w.StartedAt, Due: w.Due, Error: w.LastError,
	}
	switch {
	case w.outside():
		s.State, s.Token = flow.StepOutside, flow.NewToken(ref, w.step, w.Later.Token)
	case w.retrying():
		s.State = flow.StepRetrying
	}
	return s
}

// signals counts the buffered signals and lists them in the order of arrival
// when asked to.
func signals(r store.Reader, ref flow.Ref, part flow.Part, d *flow.Detail) error {
	d.Run.Signals = 0
	box := ref
	if d.Run.First != "" {
		box.Run = d.Run.First
	}
	for kv, err := range r.Scan(store.Prefix(row.SignalPrefix(box))) {
		if err != nil {
			return err
		}
		key, ok := row.ParseSignal(kv.Key)
		if !ok || !key.Buffered {
			continue
		}
		d.Run.Signals++
		if part != flow.PartSignals {
			continue
		}
		s, err := row.DecodeSignal(kv.Value)
		if err != nil {
			d.Run = remark(d.Run, err.Error())
			continue
		}
		d.Signals = append(d.Signals, flow.BufferedSignal{Name: s.Name, ID: s.ID, Payload: s.Payload, At: s.At})
	}
	return nil
}
