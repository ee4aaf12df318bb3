package wefttest

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
	"weft/store/memory"
)

// Crash ends the process now and starts another on what was committed. It
// returns when that one is there.
func (v *Env) Crash() {
	v.Helper()
	v.doom()
	v.follow(v.process())
}

// Restart closes the engine in order and opens it again, as a deploy does.
func (v *Env) Restart() {
	v.Helper()
	v.turn <- struct{}{}
	defer func() { <-v.turn }()
	p := v.process()
	v.doom() // whoever is waiting meanwhile goes on with the next
	if err := p.eng.Close(context.Background()); err != nil {
		v.Errorf("close the engine: %v", err)
	}
	p.store.Close()
	s, err := p.store.Reopen()
	if err != nil {
		v.Fatalf("open the store again: %v", err)
	}
	v.replace(p, s)
}

// CrashBefore ends the process just before the step of the run is recorded: what
// the step did has happened, and nobody knows. Another process follows.
func (v *Env) CrashBefore(id flow.WorkflowID, step flow.StepPath) { v.crashAt(id, step, memory.Before) }

// CrashAfter ends the process just after the step of the run is recorded, before
// the code sees it. Another process follows.
func (v *Env) CrashAfter(id flow.WorkflowID, step flow.StepPath) { v.crashAt(id, step, memory.After) }

func (v *Env) crashAt(id flow.WorkflowID, step flow.StepPath, when memory.Moment) {
	v.doom()
	done := false
	v.onCommit(func(b *store.Batch) {
		if _, ev, ok := eventIn(b, id); ok && ev.Step == step && !done {
			done = true
			v.process().store.FailCommit(1, when)
		}
	})
}

// Crashes is how many processes have died so far.
func (v *Env) Crashes() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.deaths
}

// EveryCrash runs a scenario undisturbed, and then, for every commit made while
// it ran, once with a crash just before that commit takes effect and once with a
// crash just after. What the scenario returns, and that it returns, must be the
// same each time: return what must not depend on crashes, for instance results,
// and not how often activities were called.
func EveryCrash[R any](t *testing.T, o Options, scenario func(*Env) R) {
	t.Helper()
	var want R
	var commits []string
	Test(t, o, func(v *Env) {
		t.Helper()
		v.onCommit(func(b *store.Batch) { commits = append(commits, describe(b)) })
		want = scenario(v)
		v.onCommit(nil)
	})
	if t.Failed() {
		t.Fatalf("the scenario fails undisturbed")
	}
	for i, what := range commits {
		for when, word := range map[memory.Moment]string{memory.Before: "before", memory.After: "after"} {
			Test(t, o, func(v *Env) {
				t.Helper()
				v.doom()
				v.process().store.FailCommit(i+1, when)
				got := scenario(v)
				v.process().store.FailCommit(0, when)
				if !reflect.DeepEqual(got, want) {
					v.Errorf("the outcome differs: got %+v, want %+v", got, want)
				}
				if v.Failed() {
					v.Logf("this was with a crash just %s commit %d of %d: %s", word, i+1, len(commits), what)
				}
			})
			if t.Failed() {
				t.FailNow()
			}
		}
	}
}

// doom allows processes of this test to die.
func (v *Env) doom() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.mortal = true
}

func (v *Env) isMortal() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.mortal
}

// watch starts a process after each that dies.
func (v *Env) watch() {
	for {
		p := v.process()
		select {
		case <-v.over:
			return
		case <-p.gone:
			continue
		case <-p.eng.Halted():
		}
		if !v.isMortal() {
			v.Errorf("the engine has halted: %v", p.eng.Err())
			return
		}
		v.follow(p)
	}
}

// follow ends p, if it is still there, and opens the next process.
func (v *Env) follow(p *process) {
	select {
	case v.turn <- struct{}{}:
	case <-v.over:
		return
	}
	defer func() { <-v.turn }()
	if v.process() != p {
		return
	}
	s := p.store.Crash()
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	_ = p.eng.Close(gone) // what is left of it finds a dead store
	v.mu.Lock()
	v.deaths++
	v.mu.Unlock()
	v.replace(p, s)
}

// replace opens the process after p.
func (v *Env) replace(p *process, s *memory.Store) {
	next := v.open(s)
	v.mu.Lock()
	v.now = next
	v.mu.Unlock()
	close(p.gone)
}

// onCommit has f called before each commit; nil calls nobody any more.
func (v *Env) onCommit(f func(*store.Batch)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.hooks = append(v.hooks, f); f == nil {
		v.hooks = nil
	}
}

func (v *Env) hook(b *store.Batch) error {
	v.mu.Lock()
	hooks := v.hooks
	v.mu.Unlock()
	for _, f := range hooks {
		f(b)
	}
	return nil
}

// eventIn finds the journal entry in a batch, of the run that has the id or, for
// "", of any.
func eventIn(b *store.Batch, id flow.WorkflowID) (flow.Ref, flow.Event, bool) {
	for _, w := range b.Writes {
		ref, seq, ok := row.ParseEvent(w.Key)
		if !ok || id != "" && ref.ID != id {
			continue
		}
		if ev, err := row.DecodeEvent(seq, w.Value); err == nil {
			return ref, ev, true
		}
	}
	return flow.Ref{}, flow.Event{}, false
}

// describe says what a commit is about.
func describe(b *store.Batch) string {
	ref, ev, ok := eventIn(b, "")
	switch {
	case ok && ev.Kind == flow.EventStep:
		return strings.TrimSpace(fmt.Sprintf("step %s of %s is recorded, %s %s", ev.Step, ref.ID, ev.StepKind, ev.Name))
	case ok:
		return fmt.Sprintf("run %s is %s", ref.ID, ev.Kind)
	case len(b.Writes) == 0:
		return "nothing is written"
	}
	family, _, _ := strings.Cut(string(b.Writes[0].Key), ":")
	return "row " + family + " is written"
}
