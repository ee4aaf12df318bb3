package engine

import (
	"strings"
	"sync"

	"weft/flow"
)

// largePayload is from how many bytes on a payload is told of in the log: it is
// written, synced and read back with each life of its run.
const largePayload = 64 << 10

// cargo says what a payload is, of which run: the kind, as in "activity result",
// and the name, as of the activity.
type cargo struct {
	ref        flow.Ref
	typ        string
	step       flow.StepPath // "" outside of steps
	kind, name string
}

// weigh refuses a payload above Options.MaxPayload with a [*flow.LimitError], and
// tells of a large one.
//
// It is asked where a payload is about to be recorded, or answered, for the first
// time, and never about what is recorded already: the option may be another in
// each life of a run, and its journal must fit the code all the same. For that
// reason what code itself gives is not refused before its step either, as the
// fixed limit of encode does, but by a failure that is the step's recorded outcome.
func (e *Engine) weigh(p flow.Payload, c cargo) error {
	if len(p) < largePayload && len(p) <= e.o.MaxPayload {
		return nil
	}
	return e.weighLarge(len(p), c)
}

func (e *Engine) weighLarge(bytes int, c cargo) error {
	if bytes > e.o.MaxPayload {
		return tooLarge(bytes, e.o.MaxPayload)
	}
	first, last := e.larges.add(c)
	if first {
		e.log.Warn("payload is large", "run", c.ref.String(), "type", c.typ, "step", string(c.step),
			"payload", strings.TrimSpace(c.kind+" "+c.name), "bytes", bytes)
	}
	if last {
		e.log.Warn("no more large payloads are told of", "kinds", maxLarges)
	}
	return nil
}

// weigh is [Engine.weigh] for what an operation of the run's code gives or gets.
func (l *life) weigh(p flow.Payload, kind string, o *op) error {
	return l.eng.weigh(p, cargo{l.ref, l.def.name, o.step, kind, o.name})
}

// weighInput judges the input of an activity before its first attempt: what was
// tried before was let through then, and what a compensation gets is made of what
// was.
func (l *life) weighInput(o *op) *flow.Failure {
	if o.attempt > 0 || o.undoes != 0 {
		return nil
	}
	if err := l.weigh(o.activity.input, "activity input", o); err != nil {
		return systemFailure(CodeEncoding, "activity %s: input: %v", o.name, err)
	}
	return nil
}

// replyOf is the outcome of the step in which an update's reply is recorded.
func (l *life) replyOf(o *op) outcome {
	u := o.reply
	if u.failure == nil {
		if err := l.weigh(u.out, "update reply", o); err != nil {
			return outcome{op: o, failure: systemFailure(CodeEncoding, "update %s: reply: %v", u.name, err)}
		}
	}
	return outcome{op: o, output: u.out, failure: u.failure}
}

// larges remembers of which large payloads the log has told, so that a loop is told
// of once.
type larges struct {
	mu  sync.Mutex
	set map[flow.Digest]struct{}
}

// maxLarges bounds what is remembered: names may come from outside, or be made by
// code without end.
const maxLarges = 1000

// add reports whether the payload is the first of its type, kind and name, and
// whether it is the last that is told of.
func (s *larges) add(c cargo) (first, last bool) {
	key := flow.DigestOf([]byte(c.typ), []byte(c.kind), []byte(c.name))
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.set[key]; known || len(s.set) >= maxLarges {
		return false, false
	}
	if s.set == nil {
		s.set = map[flow.Digest]struct{}{}
	}
	s.set[key] = struct{}{}
	return true, len(s.set) == maxLarges
}
