package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine"
	"weft/flow"
	"weft/store/memory"
	"weft/tui"
)

// room is a store in memory, and the engine that has it open.
type room struct {
	*testing.T
	store *memory.Store
	eng   *engine.Engine
}

// lock is a finalizer that fails until the lock is open, and takes its time.
var lock = engine.Activity[string, engine.Void]{Name: "unlock", Timeout: 10 * time.Second,
	Do: func(ctx context.Context, how string) (engine.Void, error) {
		if how == "slow" {
			<-ctx.Done()
		}
		return engine.Void{}, errors.New("locked")
	}}

var paid = engine.Signal[engine.Void]{Name: "paid"}

var (
	knock = engine.Update[int, int]{Name: "knock"}
	heard = engine.Query[engine.Void, int]{Name: "heard"}
)

// door records state for the lock, and waits, or ends as its input says.
var door = engine.Workflow[string, engine.Void]{Name: "door", Version: "1", Finalizer: lock, Signals: []engine.Message{paid},
	Updates: []engine.AnyUpdate{knock}, Queries: []engine.AnyQuery{heard},
	Do: func(ctx *engine.Context, how string) (engine.Void, error) {
		n := 0
		knock.Handle(ctx, func(_ *engine.Context, more int) (int, error) { n += more; return n, nil })
		heard.Answer(ctx, func(engine.Void) (int, error) { return n, nil })
		switch how {
		case "complete":
			return engine.Void{}, nil
		case "fail":
			return engine.Void{}, errors.New("no")
		case "bare":
		default:
			if err := engine.SetFinalizerState(ctx, lock, how); err != nil {
				return engine.Void{}, err
			}
		}
		return paid.Wait(ctx)
	}}

func (r *room) open(o engine.Options) {
	r.Helper()
	o.AcknowledgeUnknownTypes = true
	o.ClockEvery = time.Minute // the clock does not jump
	var err error
	if r.eng, err = engine.Open(r.Context(), r.store, o); err != nil {
		r.Fatal(err)
	}
	synctest.Wait()
}

func (r *room) close() {
	r.Helper()
	if err := r.eng.Close(r.Context()); err != nil {
		r.Error(err)
	}
}

// reopen gives the store to another engine.
func (r *room) reopen(o engine.Options) {
	r.Helper()
	r.close()
	r.open(o)
}

// weft runs a verb on the open engine.
func (r *room) weft(args ...string) ran {
	var got ran
	var out, err bytes.Buffer
	p := &program{in: strings.NewReader(""), out: &out, err: &err, terminal: func() bool { return false },
		open: func(context.Context, want) (tui.Console, error) { return staysOpen{r.eng.Operator()}, nil }}
	got.code = p.run(args)
	got.out, got.err = out.String(), err.String()
	return got
}

// staysOpen is a console that many verbs use one after the other.
type staysOpen struct{ *engine.Operator }

func (staysOpen) Close(context.Context) error { return nil }

// must runs a verb that prepares a state.
func (r *room) must(args ...string) {
	r.Helper()
	if got := r.weft(args...); got.code != exitOK {
		r.Fatalf("weft-tui %q: %v", args, got)
	}
	time.Sleep(2 * time.Second)
	synctest.Wait()
}

// states brings the run x into each state there is.
var states = map[string]func(*room){
	"pending": func(r *room) { r.must("start", "door", "--id", "x", "--input", `"bare"`, "--after", "1h") },
	"running": func(r *room) { r.must("start", "door", "--id", "x", "--input", `"bare"`) },
	"suspended": func(r *room) {
		r.must("start", "door", "--id", "x", "--input", `"bare"`)
		r.must("suspend", "x")
	},
	"completed": func(r *room) { r.must("start", "door", "--id", "x", "--input", `"complete"`) },
	"failed":    func(r *room) { r.must("start", "door", "--id", "x", "--input", `"fail"`) },
	"cancelled": func(r *room) {
		r.must("start", "door", "--id", "x", "--input", `"bare"`)
		r.must("cancel", "x")
	},
	"timed-out":     func(r *room) { r.must("start", "door", "--id", "x", "--input", `"bare"`, "--deadline", "1s") },
	"owed":          func(r *room) { r.cancelled(`"fast"`) },
	"owed, running": func(r *room) { r.cancelled(`"slow"`) },
	"owed, stale": func(r *room) {
		r.cancelled(`"slow"`)
		next := r.store.Crash()
		gone, cancel := context.WithCancel(r.Context())
		cancel()
		r.eng.Close(gone)
		r.store = next
		time.Sleep(time.Minute)
		r.open(engine.Options{Mode: flow.ModeOperate, Workflows: []engine.Definition{door}})
	},
	"owed, held": func(r *room) {
		r.cancelled(`"fast"`)
		r.reopen(engine.Options{})
	},
	"dead": func(r *room) {
		r.cancelled(`"fast"`)
		time.Sleep(24 * time.Hour)
		synctest.Wait()
	},
}

func (r *room) cancelled(input string) {
	r.Helper()
	r.must("start", "door", "--id", "x", "--input", input)
	r.must("cancel", "x")
}

// verbsOnStates says what each verb does in each state: "" is done, anything else
// is in the sentence that refuses.
var verbsOnStates = map[string]map[string]string{
	"start door --id x --input \"bare\"": {
		"pending": "already exists and is pending", "running": "exists and is running", "suspended": "exists and is suspended",
		"completed": "exists and is completed", "failed": "exists and is failed", "cancelled": "exists and is cancelled",
		"timed-out": "exists and is timed-out", "owed": "exists and is cancelled", "owed, running": "exists and is cancelled",
		"owed, stale": "exists and is cancelled", "owed, held": "is not known here", "dead": "exists and is cancelled"},
	"start door --id x --input \"bare\" --start-new": {
		"pending": "already exists and is pending", "running": "exists and is running", "suspended": "exists and is suspended",
		"completed": "", "failed": "", "cancelled": "", "timed-out": "", "owed": "blocked by owed teardown",
		"owed, running": "blocked by owed teardown", "owed, stale": "blocked by owed teardown", "owed, held": "is not known here", "dead": ""},
	"signal x paid --payload {}": {
		"pending": "", "running": "", "suspended": "", "completed": "already completed", "failed": "already failed",
		"cancelled": "already cancelled", "timed-out": "already timed-out", "owed": "already cancelled", "owed, running": "already cancelled",
		"owed, stale": "already cancelled", "owed, held": "is not known here", "dead": "already cancelled"},
	"update x knock --input 2": {
		"pending": "is pending: it begins at", "running": "", "suspended": "is suspended: resume it first", "completed": "already completed",
		"failed": "already failed", "cancelled": "already cancelled", "timed-out": "already timed-out", "owed": "already cancelled",
		"owed, running": "already cancelled", "owed, stale": "already cancelled", "owed, held": "already cancelled", "dead": "already cancelled"},
	"suspend x": {
		"pending": "is pending, only a running one", "running": "", "suspended": "is suspended, only a running one",
		"completed": "already completed", "failed": "already failed", "cancelled": "already cancelled", "timed-out": "already timed-out",
		"owed": "already cancelled", "owed, running": "already cancelled", "owed, stale": "already cancelled", "owed, held": "already cancelled",
		"dead": "already cancelled"},
	"resume x": {
		"pending": "is pending, not suspended", "running": "is running, not suspended", "suspended": "",
		"completed": "already completed", "failed": "already failed", "cancelled": "already cancelled", "timed-out": "already timed-out",
		"owed": "already cancelled", "owed, running": "already cancelled", "owed, stale": "already cancelled", "owed, held": "already cancelled",
		"dead": "already cancelled"},
	"cancel x": {
		"pending": "", "running": "", "suspended": "",
		"completed": "already completed", "failed": "already failed", "cancelled": "already cancelled", "timed-out": "already timed-out",
		"owed": "already cancelled", "owed, running": "already cancelled", "owed, stale": "already cancelled", "owed, held": "already cancelled",
		"dead": "already cancelled"},
	"restart x": {
		"pending": "only an ended one", "running": "only an ended one", "suspended": "only an ended one",
		"completed": "", "failed": "", "cancelled": "", "timed-out": "", "owed": "blocked by owed teardown",
		"owed, running": "blocked by owed teardown", "owed, stale": "blocked by owed teardown", "owed, held": "blocked by owed teardown", "dead": ""},
	"purge x": {
		"pending": "only an ended one", "running": "only an ended one", "suspended": "only an ended one",
		"completed": "", "failed": "", "cancelled": "", "timed-out": "", "owed": "blocked by owed teardown",
		"owed, running": "blocked by owed teardown", "owed, stale": "blocked by owed teardown", "owed, held": "blocked by owed teardown", "dead": ""},
	"retry-teardown x": {
		"pending": "no owed teardown", "running": "no owed teardown", "suspended": "no owed teardown", "completed": "no owed teardown",
		"failed": "no owed teardown", "cancelled": "no owed teardown", "timed-out": "no owed teardown", "owed": "",
		"owed, running": "attempt 1 running since", "owed, stale": "", "owed, held": "not registered here; another build may own it",
		"dead": "no owed teardown"},
	"redrive x": {
		"pending": "no dead letter", "running": "no dead letter", "suspended": "no dead letter", "completed": "no dead letter",
		"failed": "no dead letter", "cancelled": "no dead letter", "timed-out": "no dead letter", "owed": "no dead letter",
		"owed, running": "no dead letter", "owed, stale": "no dead letter", "owed, held": "no dead letter", "dead": ""},
	"discard x": {
		"pending": "no dead letter", "running": "no dead letter", "suspended": "no dead letter", "completed": "no dead letter",
		"failed": "no dead letter", "cancelled": "no dead letter", "timed-out": "no dead letter", "owed": "no dead letter",
		"owed, running": "no dead letter", "owed, stale": "no dead letter", "owed, held": "no dead letter", "dead": ""},
}

// TestVerbsOnStates is the whole table of console.md, as far as verbs go (F080):
// each cell is done, or refused in one sentence and with nothing changed.
func TestVerbsOnStates(t *testing.T) {
	// The runtime's listener for signals must not belong to a bubble.
	_, stop := untilSignal(t.Context())
	stop()
	for verb, cells := range verbsOnStates {
		if len(cells) != len(states) {
			t.Errorf("%s has %d cells, there are %d states", verb, len(cells), len(states))
		}
		for state, refusal := range cells {
			t.Run(verb+"/"+state, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { cell(t, state, verb, refusal) })
			})
		}
	}
}

func cell(t *testing.T, state, verb, refusal string) {
	r := &room{T: t, store: memory.New(memory.Options{Exclusive: true})}
	r.open(engine.Options{Workflows: []engine.Definition{door}})
	states[state](r)
	before := r.weft("audit", "--json", "--all").out
	got := r.weft(strings.Fields(verb)...)
	after := r.weft("audit", "--json", "--all").out
	changed := strings.Count(after, `"number"`) - strings.Count(before, `"number"`)
	switch {
	case refusal == "" && (got.code != exitOK || got.err != "" || changed != 1):
		t.Errorf("%s: %v, %d acts in the audit", verb, got, changed)
	case refusal != "" && (got.code != exitFailed || got.out != "" || !strings.Contains(got.err, refusal) || changed != 0):
		t.Errorf("%s: %v, %d acts in the audit; want exit 1 and %q", verb, got, changed, refusal)
	case refusal != "" && strings.Count(got.err, "\n") != 1:
		t.Errorf("%s: not one sentence: %q", verb, got.err)
	}
	r.close()
	if err := r.store.Close(); err != nil {
		t.Error(err)
	}
}

// queriesOnStates is the same for the verb that changes nothing.
var queriesOnStates = map[string]string{
	"pending": "has not begun", "running": "", "suspended": "", "completed": "", "failed": "", "cancelled": "", "timed-out": "",
	"owed": "", "owed, running": "", "owed, stale": "no workflow code runs here", "owed, held": "is held", "dead": "",
}

func TestQueriesOnStates(t *testing.T) {
	_, stop := untilSignal(t.Context())
	stop()
	for state, refusal := range queriesOnStates {
		t.Run(state, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := &room{T: t, store: memory.New(memory.Options{Exclusive: true})}
				r.open(engine.Options{Workflows: []engine.Definition{door}})
				states[state](r)
				got := r.weft("query", "x", "heard")
				if refusal == "" && (got.code != exitOK || got.out != "0\n") || refusal != "" && (got.code == exitOK || !strings.Contains(got.err, refusal)) {
					t.Errorf("%v; want %q", got, refusal)
				}
				r.close()
				if err := r.store.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
	if len(queriesOnStates) != len(states) {
		t.Errorf("%d states, there are %d", len(queriesOnStates), len(states))
	}
}
