package engine

import (
	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// replyBeat records a heartbeat from outside. mu is held, advancing is the
// caller's.
func (l *life) replyBeat(r *reply) error {
	o, w, err := l.promised(r)
	if err != nil {
		return err
	}
	if err := l.weighTold(r, w, r.details, "heartbeat details"); err != nil {
		return err
	}
	next := *w.Later
	was := row.Timer{Due: w.Due, Ref: l.ref, Step: r.step}
	if next.Handed && next.Beat > 0 {
		next.BeatAt = flow.InstantOf(l.eng.now())
		w.Due = next.Due()
	}
	w.Later = &next
	if r.details != nil {
		w.Details = r.details
	}
	l.touch(r.step, r.details)
	if o != nil {
		return l.beatLive(r, o, w)
	}
	return l.beatParked(r, w, was)
}

// touch passes a heartbeat on to the function that has not ended yet.
func (l *life) touch(step flow.StepPath, details flow.Payload) {
	for _, a := range l.attempts {
		if a.op.step != step || a.op.running != a {
			continue
		}
		a.mu.Lock()
		if a.pulse != nil && !a.over {
			a.pulse.Reset(a.op.activity.heartbeat)
		}
		if details != nil {
			a.details = details
		}
		a.mu.Unlock()
	}
}

// beatLive writes the row of an operation in memory.
func (l *life) beatLive(r *reply, o *op, w row.Wait) error {
	before := *o
	o.later, o.due, o.details = w.Later, w.Due, w.Details
	var ready []byte
	if err := l.commitExact(func(b *store.Batch) error {
		l.register(b, o, false)
		ready = l.putReady(b)
		l.auditReply(b, r)
		return nil
	}); err != nil {
		o.later, o.due, o.details = before.later, before.due, before.details
		return err
	}
	l.ready.adopt(ready, l.guard.at)
	kept := l.waitOf(o, false)
	o.stored = &kept
	if o.timer != nil {
		o.timer.Stop()
		o.timer = nil
	}
	if o.handed() {
		l.arm(o)
	}
	return nil
}

// beatParked writes the row of a run whose code is not in memory, and its timer.
func (l *life) beatParked(r *reply, w row.Wait, was row.Timer) error {
	timed := w.Timed
	w.Timed = w.Due != 0
	timer := row.Timer{Due: w.Due, Ref: l.ref, Step: r.step}
	if err := l.commitExact(func(b *store.Batch) error {
		if timed {
			b.Delete(row.TimerKey(was.Due, l.ref, r.step))
		}
		b.Put(row.WaitKey(l.ref, r.step), row.EncodeWait(w))
		if w.Timed {
			b.Put(row.TimerKey(w.Due, l.ref, r.step), nil)
		}
		l.auditReply(b, r)
		return nil
	}); err != nil {
		return err
	}
	l.waits[r.step] = w
	if w.Timed {
		l.eng.timers.Added(timer)
	}
	return nil
}
