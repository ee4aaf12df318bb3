package list

import (
	"fmt"
	"slices"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// Detail reads one run. Without ref.Run the run that has the id now is meant;
// any other run fails with a [*flow.NotFoundError]. "" is [flow.PartSummary];
// a part adds only what it names. A damaged event or wait is named in
// Run.Reason and left out of the steps; among the events it has kind 0 and the
// reason.
func Detail(r store.Reader, ref flow.Ref, part flow.Part) (flow.Detail, error) {
	if err := checkPart(part); err != nil {
		return flow.Detail{}, err
	}
	ref, head, err := current(r, ref)
	if err != nil {
		return flow.Detail{}, err
	}
	d := flow.Detail{Headers: head.Headers}
	if d.Run, err = describe(r, head, ref); err != nil {
		return flow.Detail{}, fmt.Errorf("read run %s: %w", ref, err)
	}
	for _, read := range []func(store.Reader, flow.Ref, flow.Part, *flow.Detail) error{journal, open, signals, past, children} {
		if err := read(r, ref, part, &d); err != nil {
			return flow.Detail{}, fmt.Errorf("read run %s: %w", ref, err)
		}
	}
	slices.SortStableFunc(d.Steps, func(a, b flow.Step) int { return comparePaths(a.Path, b.Path) })
	return d, nil
}

func checkPart(p flow.Part) error {
	switch p {
	case "", flow.PartSummary, flow.PartSteps, flow.PartEvents, flow.PartSignals, flow.PartFamily:
		return nil
	}
	return &flow.NameError{What: "part", Value: string(p), Problem: "is none of summary, steps, events, signals, family"}
}

// current reads the head of the run.
func current(r store.Reader, ref flow.Ref) (flow.Ref, row.Head, error) {
	value, err := r.Get(row.HeadKey(ref.ID))
	if err != nil {
		return ref, row.Head{}, fmt.Errorf("read run %s: %w", ref, err)
	}
	if value == nil {
		return ref, row.Head{}, &flow.NotFoundError{What: "workflow", Name: string(ref.ID)}
	}
	head, err := row.DecodeHead(value)
	if err != nil {
		return ref, row.Head{}, fmt.Errorf("read run %s: %w", ref, err)
	}
	if ref.Run != "" && ref.Run != head.Run {
		return ref, row.Head{}, &flow.NotFoundError{What: "run", Name: ref.String()}
	}
	return flow.Ref{ID: ref.ID, Run: head.Run}, head, nil
}

// journal reads the events: their size, input, output, and what part asks for.
// Events in the middle are decoded only when they are asked for.
func journal(r store.Reader, ref flow.Ref, part flow.Part, d *flow.Detail) error {
	all := part == flow.PartSteps || part == flow.PartEvents
	for kv, err := range r.Scan(store.Prefix(row.EventPrefix(ref))) {
		if err != nil {
			return err
		}
		d.Bytes += int64(len(kv.Key) + len(kv.Value))
		_, seq, _ := row.ParseEvent(kv.Key)
		if !all && seq != 1 && seq != d.Run.Events {
			continue
		}
		e, err := event(kv)
		if err != nil {
			e.Reason = err.Error()
			if seq != d.Run.Events { // describe has told of the last one
				d.Run = remark(d.Run, e.Reason)
			}
		}
		take(d, e, part)
	}
	return nil
}

// take adds an event to the detail.
func take(d *flow.Detail, e flow.Event, part flow.Part) {
	switch e.Kind {
	case flow.EventStarted:
		d.Input = e.Output
	case flow.EventEnded:
		d.Output = e.Output
	case flow.EventUpdate:
		if part == flow.PartSteps {
			d.Steps = append(d.Steps, flow.Step{Path: e.Step, Kind: e.StepKind, Name: e.Name, State: flow.StepOpen, StartedAt: e.At})
		}
	case flow.EventStep:
		if part == flow.PartSteps {
			settle(d, e)
		}
	}
	if part == flow.PartEvents {
		d.Events = append(d.Events, e)
	}
}

// past reads what is kept of the generations before the run, the latest first.
func past(r store.Reader, ref flow.Ref, _ flow.Part, d *flow.Detail) error {
	if d.Run.Generation == 0 {
		return nil
	}
	g := store.Prefix(row.PastPrefix(ref.ID))
	g.Reverse = true
	for kv, err := range r.Scan(g) {
		if err != nil {
			return err
		}
		p, err := row.DecodePast(kv.Value)
		if err != nil {
			d.Run = remark(d.Run, err.Error())
			continue
		}
		d.Past = append(d.Past, flow.PastRun{Run: p.Run, Type: p.Type, Version: p.Version, CreatedAt: p.CreatedAt,
			ClosedAt: p.ClosedAt, Events: p.Events, Summary: p.Summary})
	}
	return nil
}
