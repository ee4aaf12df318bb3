package engine

import (
	"fmt"

	"weft/flow"
)

// LongJournal is from how many events on a run should continue as new: all of
// them are read each time it comes back to memory.
const LongJournal = 10_000

// Events is how many events the run has recorded, up to the last one that the
// code has seen: the same in every life.
func (c *Context) Events() int {
	c.life.mu.Lock()
	defer c.life.mu.Unlock()
	return max(int(c.life.labels.seen.Seq), 1)
}

// ContinueSuggested reports whether the run's journal has become so long that
// the code should continue as new at its next good moment; see
// [WorkflowRef.ContinueAsNew]. It is the same in every life.
func (c *Context) ContinueSuggested() bool { return c.Events() >= LongJournal }

// warnLong tells people of a journal that gets long.
func (l *life) warnLong(seq flow.EventSeq) {
	if seq == LongJournal {
		l.eng.problem(fmt.Sprintf("runs of type %s have journals of more than %d events", l.def.name, LongJournal),
			"let their code continue as new: see Context.ContinueSuggested")
	}
}

// endTooLong ends a run whose journal is full instead of recording another
// event. It reports whether it did.
func (l *life) endTooLong() bool {
	most := l.eng.o.MaxEvents
	if most == 0 || int(l.seq) < most {
		return false
	}
	_ = l.endWith(flow.Event{Seq: l.seq + 1, Kind: flow.EventEnded, Status: flow.TimedOut, Summary: l.summary, // see leaving
		Reason: fmt.Sprintf("history-limit: the journal has %d events, and Options.MaxEvents allows no more", l.seq)}, nil)
	return true
}
