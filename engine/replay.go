package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"

	"weft/engine/row"
	"weft/flow"
)

// ReplayError says where code does not fit an exported journal. Under this code
// a live run with this journal would be suspended, with Problem as the reason.
type ReplayError struct {
	// Ref and Type are the journal's run.
	Ref  flow.Ref
	Type string
	// Problem names the step, what is recorded and what the code asks for.
	Problem string
}

// Error implements error.
func (e *ReplayError) Error() string {
	return fmt.Sprintf("replay %s of type %s: %s", e.Ref, e.Type, e.Problem)
}

// Replay runs the code of a run's type, which must be among o.Workflows, against
// the journal of the run, as an engine would that finds the run after a restart.
// Nothing is performed: no activity, no timer, no function of a [Memo], and the
// code is left where the journal ends. It fails with a [*ReplayError] if the
// code asks for anything else than what is recorded, or, for a run that
// completed or failed by itself, ends otherwise.
//
// Replay is for tests of new code against the runs that are there: export
// journals with weft-tui export, or by [flow.JournalOf]. The version of the type
// is not compared: whether the code fits is what the test is to find out. Code
// that blocks elsewhere than in an operation is given up when ctx ends.
func Replay(ctx context.Context, o Options, j flow.Journal) error {
	o, err := o.resolve()
	if err != nil {
		return fmt.Errorf("replay options: %w", err)
	}
	types, err := newRegistry(o.Workflows)
	if err != nil {
		return fmt.Errorf("replay workflows: %w", err)
	}
	if err := j.Check(); err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	def, ok := types[j.Type]
	if !ok {
		return fmt.Errorf("replay: %w", &flow.UnknownError{What: "type", Name: j.Type, Known: types.names()})
	}
	e := &Engine{o: o, types: types, log: slog.New(o.Log), ring: newRing(1)}
	e.lives = newLives(1, &e.wg)
	l, last := e.trialLife(def, j)
	e.lives.admit(l)
	e.launch(l.main)
	select {
	case <-l.ended:
	case <-ctx.Done():
		return fmt.Errorf("replay %s: the code does not come to its end nor to an operation: %w", j.Ref, ctx.Err())
	}
	if problem := l.trial.judge(last); problem != "" {
		return &ReplayError{Ref: j.Ref, Type: j.Type, Problem: problem}
	}
	return nil
}

// trial is what a replay for a test finds out. Guarded by life.mu until the
// life has ended.
type trial struct {
	problem string
	end     *flow.Event // how the code ended; nil when it waits
	at      string      // what it waits for
}

// trialLife is a life that replays a journal and then leaves. last is how the
// run ended, nil if it has not.
func (e *Engine) trialLife(def *definition, j flow.Journal) (l *life, last *flow.Event) {
	events := j.Events
	if n := len(events) - 1; events[n].Kind == flow.EventEnded {
		last, events = &events[n], events[:n]
	}
	head := row.Head{Run: j.Run, Type: j.Type, Version: j.Version, Status: flow.Running, StartedAt: j.Events[0].At,
		Services: e.o.Services != nil}
	l = e.newLife(j.Ref, def, head, j.Events[0].Output)
	l.trial = &trial{}
	l.journal, l.next = append([]flow.Event{}, events...), 1
	l.seq, l.at = flow.EventSeq(len(events)), j.Events[0].At
	l.waits = map[flow.StepPath]row.Wait{}
	for _, w := range j.Waits {
		l.waits[w.Step] = row.Wait{Kind: w.Kind, Name: w.Name, Digest: w.Digest, StartedAt: w.StartedAt, Due: w.Due}
	}
	return l, last
}

// judge says how the code differs from the journal, or "".
func (t *trial) judge(last *flow.Event) string {
	switch {
	case t.problem != "":
		return t.problem
	case last == nil, last.Status == flow.Cancelled, last.Status == flow.TimedOut:
		return "" // it was ended from outside, wherever the code was
	case last.Failure != nil && last.Failure.Category == flow.System:
		return "" // it was not the code that failed
	case t.end == nil:
		return fmt.Sprintf("recorded that the run %s, code goes on with %s", last.Status, t.at)
	}
	if was, is := endText(*last), endText(*t.end); was != is {
		return fmt.Sprintf("recorded that the run %s, code %s", was, is)
	}
	return ""
}

// endText is how a run ended, in words.
func endText(ev flow.Event) string {
	if ev.Failure != nil {
		return strings.TrimSpace(fmt.Sprintf("%s with %q %s", ev.Status, ev.Failure.Message, ev.Failure.Code))
	}
	return fmt.Sprintf("%s with %s", ev.Status, sameForm(ev.Output))
}

// sameForm writes JSON in one of the many forms it may have: an exported journal
// may have been formatted since.
func sameForm(p flow.Payload) string {
	dec := json.NewDecoder(bytes.NewReader(p))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return p.String()
	}
	out, err := json.Marshal(v)
	if err != nil {
		return p.String()
	}
	return string(out)
}
