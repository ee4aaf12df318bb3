package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine"
	"weft/flow"
)

// states bring the run "a" of the sandbox, or of nothing, into each state.
var states = map[string]func(*env, *sandbox){
	"unknown id": func(*env, *sandbox) {},
	"pending": func(v *env, s *sandbox) {
		startLater(v, s, engine.StartOptions{ID: "a", StartAt: time.Now().Add(time.Hour)})
	},
	"running": func(v *env, s *sandbox) { begin(v, s.w, "a", "box"); synctest.Wait() },
	"parked":  func(v *env, s *sandbox) { begin(v, s.w, "a", "box"); time.Sleep(time.Minute) },
	"suspended": func(v *env, s *sandbox) {
		begin(v, s.w, "a", "box")
		v.suspends("a")
		time.Sleep(time.Minute)
	},
	"held": func(v *env, s *sandbox) {
		begin(v, s.w, "a", "box")
		time.Sleep(time.Minute)
		v.close()
		v.reopen()
		v.opts.Workflows, v.opts.AcknowledgeUnknownTypes = nil, true
		v.open()
	},
	"completed": func(v *env, s *sandbox) { begin(v, s.w, "a", "box"); sends(v, paid, "a", "x"); wants(v, "a", "x") },
	"failed": func(v *env, s *sandbox) {
		begin(v, s.w, "a", "box")
		v.do(flow.SendSignal{Target: flow.Ref{ID: "a"}, Name: paid.Name, Payload: flow.Payload("7"), Force: true})
		time.Sleep(time.Minute)
	},
	"cancelled": func(v *env, s *sandbox) { begin(v, s.w, "a", "box"); v.cancels("a"); time.Sleep(time.Minute) },
	"owed":      func(v *env, s *sandbox) { s.fails = 100; begin(v, s.w, "a", "box"); v.cancels("a"); synctest.Wait() },
	"dead letter": func(v *env, s *sandbox) {
		s.fails = 100
		begin(v, s.w, "a", "box")
		v.cancels("a")
		time.Sleep(24 * time.Hour)
	},
}

func startLater(v *env, s *sandbox, o engine.StartOptions) {
	v.Helper()
	if _, err := s.w.Start(v.ctx, v.e, "box", o); err != nil {
		v.Fatal(err)
	}
}

// verbs are the acts on the run "a".
var verbs = map[string]flow.Deed{
	"start":          flow.Start{Type: "sandbox", ID: "a", Input: flow.Payload(`"box"`)},
	"start-new":      flow.Start{Type: "sandbox", ID: "a", Input: flow.Payload(`"box"`), OnTerminalConflict: flow.StartNew},
	"signal":         flow.SendSignal{Target: flow.Ref{ID: "a"}, Name: "other", Payload: flow.Payload(`1`), Force: true},
	"suspend":        flow.SuspendRun{Target: flow.Ref{ID: "a"}},
	"resume":         flow.ResumeRun{Target: flow.Ref{ID: "a"}},
	"cancel":         flow.CancelRun{Target: flow.Ref{ID: "a"}},
	"purge":          flow.PurgeRun{Target: flow.Ref{ID: "a"}},
	"restart":        flow.RestartRun{Target: flow.Ref{ID: "a"}},
	"retry-teardown": flow.RetryTeardown{Target: flow.Ref{ID: "a"}},
	"redrive":        flow.Redrive{Target: flow.Ref{ID: "a"}},
	"discard":        flow.Discard{Target: flow.Ref{ID: "a"}},
}

// answers are what the cells of the table say.
var answers = map[string]error{"done": nil, "none": flow.ErrNotFound, "taken": flow.ErrExists, "ended": flow.ErrFinished,
	"wrong": flow.ErrConflict, "owed": flow.ErrTeardownOwed, "type?": flow.ErrUnknown}

// table says what each act does to a run in each state: done, or refused.
const table = `
               start start-new signal suspend resume cancel purge restart retry-teardown redrive discard
unknown id     done  done      none   none    none   none   none  none    none           none    none
pending        taken taken     done   wrong   wrong  done   wrong wrong   none           none    none
running        taken taken     done   done    wrong  done   wrong wrong   none           none    none
parked         taken taken     done   done    wrong  done   wrong wrong   none           none    none
suspended      taken taken     done   wrong   done   done   wrong wrong   none           none    none
held           type? type?     done   done    wrong  done   wrong wrong   none           none    none
completed      taken done      ended  ended   ended  ended  done  done    none           none    none
failed         taken done      ended  ended   ended  ended  done  done    none           none    none
cancelled      taken done      ended  ended   ended  ended  done  done    none           none    none
owed           taken owed      ended  ended   ended  ended  owed  owed    done           none    none
dead letter    taken done      ended  ended   ended  ended  done  done    none           done    done
`

// TestF080EveryActInEveryState: each is done, with one audit record, or refused with
// the typed error, and then not a byte has changed (F080).
func TestF080EveryActInEveryState(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(table), "\n")
	names := strings.Fields(lines[0])
	cells := 0
	for _, line := range lines[1:] {
		state, row := strings.TrimSpace(line[:15]), strings.Fields(line[15:])
		if len(row) != len(names) || states[state] == nil {
			t.Fatalf("table: %q", line)
		}
		for i, cell := range row {
			want, known := answers[cell]
			if !known || verbs[names[i]] == nil {
				t.Fatalf("table: %q, %q", names[i], cell)
			}
			cells++
			t.Run(fmt.Sprintf("%s a run that is %s", names[i], state), func(t *testing.T) { tryCell(t, state, verbs[names[i]], want) })
		}
	}
	if cells != len(states)*len(verbs) {
		t.Errorf("%d cells", cells)
	}
}

func tryCell(t *testing.T, state string, deed flow.Deed, want error) {
	s := newSandbox(0)
	bubble(t, typed(s.w), func(v *env) {
		states[state](v, s)
		synctest.Wait()
		before := v.dump()
		r, err := v.e.Operator().Do(v.ctx, flow.Act{Actor: "ana", Why: "because", Deed: deed})
		if !errors.Is(err, want) || (err == nil) != (want == nil) {
			v.Errorf("%+v, %v; want %v", r, err, want)
		}
		if want != nil {
			synctest.Wait()
			same(v, before)
		} else if found := audited(v, deed.Verb()); r.Audit == 0 || len(found) == 0 || found[0].Number != r.Audit || found[0].Actor != "ana" || found[0].Why != "because" {
			v.Errorf("receipt %+v, records %+v", r, found)
		}
	})
}

// TestActsOfAnEngineThatRunsNothing: on a free directory acts are done, but a
// run that may hold what it has not recorded is cancelled only with now; a
// store that is opened to look refuses everything.
func TestActsOfAnEngineThatRunsNothing(t *testing.T) {
	var released notes[string]
	release := releases(&released)
	act := engine.Activity[int, int]{Name: "act", Do: func(ctx context.Context, _ int) (int, error) { <-ctx.Done(); return 0, ctx.Err() }}
	w := flowOf(func(ctx *engine.Context, in string) (int, error) {
		holds(ctx, release, "early "+in)
		if err := ctx.Sleep(time.Millisecond); err != nil {
			return 0, err
		}
		holds(ctx, release, "late "+in)
		return act.Run(ctx, 1)
	})
	w.Finalizer = release
	s := newSandbox(0)
	bubble(t, typed(w, s.w), func(v *env) {
		begin(v, w, "busy", "box")
		begin(v, s.w, "parked", "box")
		startLater(v, s, engine.StartOptions{ID: "pending", StartAt: time.Now().Add(time.Hour)})
		begin(v, s.w, "suspended", "box")
		v.suspends("suspended")
		time.Sleep(time.Minute)
		v.crash()
		v.close()
		for _, mode := range []flow.Mode{flow.ModeLook, flow.ModeOperate} {
			v.reopen()
			v.opts.Mode = mode
			v.open()
			if mode == flow.ModeLook {
				before := v.dump()
				for _, d := range verbs {
					v.refused(d, flow.ErrReadOnly)
				}
				same(v, before)
				v.close()
			}
		}
		before := v.dump()
		for _, d := range []flow.Deed{flow.CancelRun{Target: flow.Ref{ID: "busy"}}, flow.SuspendRun{Target: flow.Ref{ID: "busy"}}} {
			v.refused(d, flow.ErrNotOffered)
		}
		same(v, before)
		v.do(flow.CancelRun{Target: flow.Ref{ID: "busy"}, Now: true})
		if got := v.reason("busy"); got != "because: staged state unknown" {
			v.Errorf("reason %q", got)
		}
		v.resumes("suspended")
		v.suspends("parked")
		v.cancels("parked")
		v.cancels("pending")
		v.refused(flow.CancelRun{Target: flow.Ref{ID: "pending"}}, flow.ErrFinished)
		v.do(flow.PurgeRun{Target: flow.Ref{ID: "pending"}})
		v.do(verbs["start"])
		time.Sleep(time.Hour)
		if c := v.info().Counts; c.Owed != 2 || c.Running != 2 || c.Cancelled != 2 || released.len() != 0 {
			v.Errorf("counts %+v, released %v", c, released.all())
		}
		v.close()
		v.reopen()
		v.opts.Mode = flow.ModeRun
		v.open()
		time.Sleep(time.Minute)
		if got := released.all(); len(got) != 1 || got[0] != "early box" {
			v.Errorf("released %v", got)
		}
		for _, id := range []flow.WorkflowID{"suspended", "a"} {
			sends(v, paid, id, "x")
			wants(v, id, "x")
		}
	})
}
