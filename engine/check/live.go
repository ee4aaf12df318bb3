package check

import (
	"bytes"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// belongs checks that a row belongs to the current run of its id and that this
// run has one of the statuses.
func (w *walk) belongs(key []byte, ref flow.Ref, statuses ...flow.Status) error {
	o, err := w.ownerOf(ref.ID)
	if err != nil {
		return err
	}
	if why := o.stray(ref); why != "" {
		w.found(key, "the row belongs to no run: %s", why)
	} else if !o.is(statuses...) {
		w.found(key, "a run that is %s has no such row", o.head.Status)
	}
	return nil
}

func (w *walk) ready(kv store.Row) error {
	ref, ok := row.ParseReady(kv.Key)
	if !ok {
		w.found(kv.Key, "this is no key of the ready set")
		return nil
	}
	if _, err := row.DecodeReady(kv.Value); err != nil {
		w.found(kv.Key, "the ready row does not decode: %v", err)
	}
	return w.belongs(kv.Key, ref, flow.Running)
}

func (w *walk) wait(kv store.Row) error {
	ref, step, ok := row.ParseWait(kv.Key)
	if !ok {
		w.found(kv.Key, "this is no key of a wait")
		return nil
	}
	if err := w.belongs(kv.Key, ref, flow.Running, flow.Suspended); err != nil {
		return err
	}
	wait, err := row.DecodeWait(kv.Value)
	if err != nil {
		w.found(kv.Key, "the wait does not decode: %v", err)
		return nil
	}
	if !wait.Timed {
		return nil
	}
	timer := row.TimerKey(wait.Due, ref, step)
	value, err := w.r.Get(timer)
	if err == nil && value == nil {
		w.found(kv.Key, "the timer %s is missing: nothing will wake the run", printable(timer))
	}
	return err
}

func (w *walk) timer(kv store.Row) error {
	t, ok := row.ParseTimer(kv.Key)
	if !ok {
		w.found(kv.Key, "this is no key of a timer")
		return nil
	}
	if len(kv.Value) != 0 {
		w.found(kv.Key, "a timer has no value, this one has %d bytes", len(kv.Value))
	}
	if t.Step == row.StepDeadline || t.Step == row.StepStart {
		return w.lifeTimer(kv.Key, t)
	}
	key := row.WaitKey(t.Ref, t.Step)
	value, err := w.r.Get(key)
	if err != nil {
		return err
	}
	if value == nil {
		w.found(kv.Key, "the wait %s is missing", printable(key))
		return nil
	}
	wait, err := row.DecodeWait(value)
	if err == nil && (!wait.Timed || wait.Due != t.Due) {
		w.found(kv.Key, "the wait is due %s, with a timer: %t", wait.Due, wait.Timed)
	}
	return nil // a wait that does not decode is named there
}

// lifeTimer checks a timer that a head, not a wait, asks for.
func (w *walk) lifeTimer(key []byte, t row.Timer) error {
	status, due := flow.Running, func(h row.Head) flow.Instant { return h.Deadline }
	if t.Step == row.StepStart {
		status, due = flow.Pending, func(h row.Head) flow.Instant { return h.StartAt }
	}
	if err := w.belongs(key, t.Ref, status); err != nil {
		return err
	}
	if o := &w.owner; o.exists && o.decodes && o.head.Run == t.Ref.Run && due(o.head) != t.Due {
		w.found(key, "the head is due %s", due(o.head))
	}
	return nil
}

func (w *walk) signal(kv store.Row) error {
	s, ok := row.ParseSignal(kv.Key)
	if !ok {
		w.found(kv.Key, "this is no key of a signal")
		return nil
	}
	switch generation := row.DecodeGeneration(kv.Value); {
	case s.Closed && len(kv.Value) != 0:
		w.found(kv.Key, "a closed signal has no value, this one has %d bytes", len(kv.Value))
	case !s.Buffered && !s.Closed && !bytes.Equal(kv.Value, row.EncodeGeneration(generation)):
		w.found(kv.Key, "the value of a remembered signal id is a generation, not %q", kv.Value)
	}
	if s.Buffered {
		if _, err := row.DecodeSignal(kv.Value); err != nil {
			w.found(kv.Key, "the signal does not decode: %v", err)
		}
	}
	ref := s.Ref
	if o, err := w.ownerOf(ref.ID); err == nil && o.decodes && o.head.Box(ref.ID) == ref {
		ref.Run = o.head.Run // the run's, though under the name of the first of its chain
	}
	return w.belongs(kv.Key, ref, flow.Pending, flow.Running, flow.Suspended)
}

func (w *walk) past(kv store.Row) error {
	id, generation, ok := row.ParsePast(kv.Key)
	if !ok {
		w.found(kv.Key, "this is no key of a past generation")
		return nil
	}
	p, bad := row.DecodePast(kv.Value)
	if bad != nil {
		w.found(kv.Key, "the past generation does not decode: %v", bad)
	}
	o, err := w.ownerOf(id)
	switch {
	case err != nil:
		return err
	case !o.exists:
		w.found(kv.Key, "the row belongs to no run: there is no run of this id")
	case o.decodes && bad == nil && (generation >= o.head.Generation || p.Run == o.head.Run || !o.head.Succeeds(p.Run)):
		w.found(kv.Key, "run %s, generation %d, is none before run %s, generation %d", p.Run, generation, o.head.Run, o.head.Generation)
	}
	return nil
}
