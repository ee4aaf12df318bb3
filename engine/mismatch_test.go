package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/engine"
	"weft/flow"
	"weft/store/memory"
)

// feed sends the signals that p takes and that were not sent before: a signal
// id makes a repetition harmless.
func (r *rig) feed(id flow.WorkflowID, needs map[string]int) {
	r.Helper()
	for _, name := range slices.Sorted(maps.Keys(needs)) {
		for i := range needs[name] {
			text := fmt.Sprintf("%s#%d", name, i+1)
			err := engine.Signal[string]{Name: name}.SendWith(context.Background(), r.eng, id, text,
				engine.SendOptions{SignalID: text})
			if err != nil && !errors.Is(err, flow.ErrFinished) && r.eng.Err() == nil {
				r.Fatalf("signal %s: %v", text, err)
			}
		}
	}
}

// start starts a run of the type "program".
func (r *rig) start(p program, s *stage, id flow.WorkflowID) {
	r.Helper()
	if _, err := s.workflow(p).Start(context.Background(), r.eng, 0, engine.StartOptions{ID: id}); err != nil {
		r.Fatalf("start: %v", err)
	}
}

// wantSuspended demands that the run is suspended for a mismatch and that the
// code of s did nothing but replay.
func (r *rig) wantSuspended(id flow.WorkflowID, s *stage, text string) {
	r.Helper()
	h := r.head(id)
	if h.Status != flow.Suspended || h.Cause != flow.Nondeterminism {
		r.Errorf("the run is %s (%s: %s), want it suspended for nondeterminism", h.Status, h.Cause, h.Reason)
	}
	if text != "" && h.Reason != text {
		r.Errorf("reason %q, want %q", h.Reason, text)
	}
	if n := s.attempts(); n != 0 {
		r.Errorf("%d attempts were made by code that does not fit", n)
	}
}

// orderly is the code that the table below changes. Signal go keeps it at step
// 4; its last activity takes a while.
var orderly = program{
	{op: "act", name: "reserve", n: 7},
	{op: "memo", name: "price"},
	{op: "act", name: "charge", n: 7},
	{op: "take", name: "go"},
	{op: "act", name: "ship", n: 7, d: time.Second},
}

func with(i int, in instr) program {
	p := slices.Clone(orderly)
	p[i] = in
	return p
}

var mismatches = map[string]struct {
	code program
	// parked and crashed are the reasons for a run that waits at step 4, and
	// for one that died in step 5; "" when the change does no harm.
	parked, crashed string
}{
	"an activity gets another name": {with(2, instr{op: "act", name: "bill", n: 7}),
		"step 3: recorded activity charge, code asks for activity bill",
		"step 3: recorded activity charge, code asks for activity bill"},
	"a step is inserted": {slices.Insert(slices.Clone(orderly), 1, instr{op: "act", name: "audit"}),
		"step 2: recorded memo price, code asks for activity audit",
		"step 2: recorded memo price, code asks for activity audit"},
	"a step is removed": {slices.Delete(slices.Clone(orderly), 0, 1),
		"step 1: recorded activity reserve, code asks for memo price",
		"step 1: recorded activity reserve, code asks for memo price"},
	"two steps are swapped": {program{orderly[2], orderly[1], orderly[0], orderly[3], orderly[4]},
		"step 1: recorded activity reserve, code asks for activity charge",
		"step 1: recorded activity reserve, code asks for activity charge"},
	"an activity becomes a timer": {with(2, instr{op: "sleep", d: time.Second}),
		"step 3: recorded activity charge, code asks for sleep",
		"step 3: recorded activity charge, code asks for sleep"},
	"an input changes": {with(2, instr{op: "act", name: "charge", n: 8}),
		"step 3: recorded activity charge with another input than the code gives now",
		"step 3: recorded activity charge with another input than the code gives now"},
	"code returns early": {orderly[:2],
		"step 3: recorded activity charge, code returned",
		"step 3: recorded activity charge, code returned"},
	"code returns where it waits": {orderly[:3],
		"step 4: recorded signal go, code returned",
		"step 4: recorded signal go, code returned"},
	"the wait gets another name": {with(3, instr{op: "take", name: "proceed"}),
		"step 4: recorded signal go, code asks for signal proceed",
		"step 4: recorded signal go, code asks for signal proceed"},
	"the wait becomes an activity": {with(3, instr{op: "act", name: "proceed"}),
		"step 4: recorded signal go, code asks for activity proceed",
		"step 4: recorded signal go, code asks for activity proceed"},
	"the wait gets a limit": {with(3, instr{op: "takeFor", name: "go", d: time.Hour}),
		"step 4: recorded signal go with another input than the code gives now",
		"step 4: recorded signal go with another input than the code gives now"},
	"a step that has no record changes": {with(4, instr{op: "act", name: "send", n: 9}), "", ""},
	"steps are added at the end":        {append(slices.Clone(orderly), instr{op: "memo", name: "bye"}), "", ""},
}

func TestF019ChangedCodeIsSuspendedAndNeverGuesses(t *testing.T) {
	for name, tc := range mismatches {
		t.Run(name+", the run is parked", func(t *testing.T) {
			inRig(t, func(r *rig) {
				r.beginOrderly()
				time.Sleep(time.Hour) // the wait outlasts Grace: it parks
				r.leave()
				r.changeOrderly(tc.code, tc.parked)
			})
		})
		t.Run(name+", the run died in step 5", func(t *testing.T) {
			inRig(t, func(r *rig) {
				r.beginOrderly()
				r.feed("w", orderly.needs())
				time.Sleep(500 * time.Millisecond)
				r.die()
				r.changeOrderly(tc.code, tc.crashed)
			})
		})
	}
}

func (r *rig) beginOrderly() {
	s := newStage()
	r.open(s.workflow(orderly))
	r.start(orderly, s, "w")
	r.settle()
}

// changeOrderly reopens under the changed code, then under the old one.
func (r *rig) changeOrderly(code program, reason string) {
	r.Helper()
	s := newStage()
	r.open(s.workflow(code))
	r.feed("w", map[string]int{"go": 1})
	time.Sleep(time.Minute)
	if reason == "" {
		got, err := within[string](r, time.Hour, "w")
		if err != nil || got != code.result() {
			r.Errorf("got %q, %v; want %q", got, err, code.result())
		}
		return
	}
	r.wantSuspended("w", s, reason)
	if err := r.resume("w"); err != nil {
		r.Errorf("resume under code that still does not fit: %v", err)
	}
	time.Sleep(time.Minute)
	r.wantSuspended("w", s, reason)
	r.leave()

	r.open(newStage().workflow(orderly))
	if err := r.resume("w"); err != nil {
		r.Fatalf("resume under the old code: %v", err)
	}
	got, err := within[string](r, time.Hour, "w")
	if err != nil || got != orderly.result() {
		r.Errorf("under the old code: got %q, %v; want %q", got, err, orderly.result())
	}
}

// loop charges n times and then waits.
func loop(n int) program {
	var p program
	for range n {
		p = append(p, instr{op: "act", name: "charge", n: 1})
	}
	return append(p, instr{op: "take", name: "go"})
}

func TestF019ALoopOfAnotherLengthIsAMismatch(t *testing.T) {
	for name, tc := range map[string]struct {
		old, now int
		reason   string
	}{
		"shorter": {4, 2, "step 3: recorded activity charge, code asks for signal go"},
		"longer":  {2, 4, "step 3: recorded signal go, code asks for activity charge"},
	} {
		t.Run(name, func(t *testing.T) {
			inRig(t, func(r *rig) {
				s := newStage()
				r.open(s.workflow(loop(tc.old)))
				r.start(loop(tc.old), s, "w")
				time.Sleep(time.Hour)
				r.leave()
				changed := newStage()
				r.open(changed.workflow(loop(tc.now)))
				r.feed("w", map[string]int{"go": 1})
				r.settle()
				r.wantSuspended("w", changed, tc.reason)
			})
		})
	}
}

// TestF019BranchesOnChanceAreFound (F019): the code itself is the same in both
// lives, but decides by what replay cannot repeat.
func TestF019BranchesOnChanceAreFound(t *testing.T) {
	last := ""
	for name, choose := range map[string]func() string{
		"map order": func() string { // a map gives its keys in any order: until it is another
			for {
				for k := range map[string]bool{"left": true, "right": true} {
					if k != last {
						last = k
						return k
					}
					break
				}
			}
		},
		"the real clock": func() string { return "at-" + time.Now().Format("15") },
	} {
		t.Run(name, func(t *testing.T) {
			inRig(t, func(r *rig) {
				last = ""
				s := newStage()
				code := engine.Workflow[int, string]{Name: "program", Version: "1",
					Do: func(ctx *engine.Context, _ int) (string, error) {
						s.act(ctx, instr{name: choose()})
						return engine.Signal[string]{Name: "go"}.Wait(ctx)
					}}
				r.open(code)
				r.start(nil, s, "w")
				time.Sleep(2 * time.Hour)
				before := s.attempts()
				r.feed("w", map[string]int{"go": 1})
				r.settle()
				h := r.head("w")
				if h.Status != flow.Suspended || !strings.HasPrefix(h.Reason, "step 1: recorded activity ") {
					t.Errorf("the run is %s: %q", h.Status, h.Reason)
				}
				if s.attempts() != before {
					t.Error("the other branch was executed")
				}
			})
		})
	}
}

func TestLooseInputWarnsInsteadOfSuspending(t *testing.T) {
	inRig(t, func(r *rig) {
		r.beginOrderly()
		time.Sleep(time.Hour)
		r.leave()
		var log bytes.Buffer
		r.opts.Log = slog.NewTextHandler(&log, nil)
		loose := newStage().workflow(with(2, instr{op: "act", name: "charge", n: 8}))
		loose.LooseInput = true
		r.open(loose)
		r.feed("w", orderly.needs())
		got, err := within[string](r, time.Hour, "w")
		if err != nil || got != orderly.result() {
			t.Errorf("got %q, %v; want what was recorded: %q", got, err, orderly.result())
		}
		r.leave()
		if !strings.Contains(log.String(), "step 3: recorded activity charge with another input") {
			t.Errorf("no warning in the log: %s", log.String())
		}
	})
}

// TestF019NoChangeOfCodeGivesAWrongResult makes programs up, runs them to some
// point, changes them as people change code and goes on: either the changed
// program's own result comes out, with a journal that fits it from the first
// step on, or the run is suspended and the old code completes it.
func TestF019NoChangeOfCodeGivesAWrongResult(t *testing.T) {
	var suspended, completed int
	seeds(t, 500, func(t *testing.T, rng *rand.Rand) {
		p := randomProgram(rng, 2+rng.IntN(7))
		q, what := p.mutate(rng)
		inRig(t, func(r *rig) {
			if !r.runSome(rng, p) {
				return
			}
			s := newStage()
			r.open(s.workflow(q))
			r.feed("w", map[string]int{"wake up": 1}) // a parked run does not know what changed
			r.feed("w", q.needs())
			time.Sleep(20 * time.Minute)
			if r.head("w").Status == flow.Suspended {
				suspended++
				r.wantSuspended("w", s, "")
				r.leave()
				old := newStage()
				r.open(old.workflow(p))
				if err := r.resume("w"); err != nil {
					t.Fatalf("resume: %v", err)
				}
				r.finishes(p, "w")
				return
			}
			completed++
			r.finishes(q, "w")
		})
		if t.Failed() {
			t.Logf("%s: %+v", what, p)
		}
	})
	t.Logf("%d suspended and completed by the old code, %d completed by the changed code", suspended, completed)
}

// runSome runs p up to a random point and ends the process, cleanly or not;
// false when p is through already.
func (r *rig) runSome(rng *rand.Rand, p program) bool {
	r.Helper()
	s := newStage()
	r.open(s.workflow(p))
	r.start(p, s, "w")
	some := p.needs()
	for _, name := range slices.Sorted(maps.Keys(some)) {
		some[name] = rng.IntN(some[name] + 1)
	}
	crash := rng.IntN(2) == 0
	if crash {
		r.mem.FailCommit(1+rng.IntN(2*len(p)+1), memory.Moment(1+rng.IntN(2)))
	}
	r.feed("w", some)
	time.Sleep([]time.Duration{0, time.Millisecond, 2 * time.Second, time.Minute}[rng.IntN(4)])
	r.settle()
	if crash || r.eng.Err() != nil {
		r.die()
	} else {
		r.leave()
	}
	return !r.head("w").Status.Terminal()
}

// finishes demands p's result and journal.
func (r *rig) finishes(p program, id flow.WorkflowID) {
	r.Helper()
	r.feed(id, p.needs())
	got, err := within[string](r, time.Hour, id)
	if err != nil || got != p.result() {
		r.Errorf("got  %q, %v\nwant %q", got, err, p.result())
	}
	if steps := r.steps(id); !slices.Equal(steps, p.trace()) {
		r.Errorf("journal %q\nwant    %q", steps, p.trace())
	}
}
