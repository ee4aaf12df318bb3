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
	"weft/store"
)

type ticket struct {
	Title string `json:"title"`
	Count int    `json:"count"`
}

var closed = engine.Signal[ticket]{Name: "closed"}

var helpdesk = engine.Workflow[ticket, string]{Name: "helpdesk", Version: "2", Signals: []engine.Message{closed, poke},
	Example: ticket{Title: "printer"},
	Do: func(ctx *engine.Context, in ticket) (string, error) {
		t, err := closed.Wait(ctx)
		return in.Title + t.Title, err
	}}

// act does a deed and returns its receipt.
func act(v *env, d flow.Deed) (flow.Receipt, error) {
	return v.e.Operator().Do(v.ctx, flow.Act{Actor: "ana", Why: "test", Deed: d})
}

func TestAnActLeavesItsAuditRecordInItsOwnBatch(t *testing.T) {
	ref := flow.Ref{ID: "a"}
	tests := map[string]struct {
		deed flow.Deed
		verb string
	}{
		"start":  {flow.Start{Type: "helpdesk", ID: "b", Input: flow.Payload(`{"title":"x"}`)}, "start"},
		"signal": {flow.SendSignal{Target: ref, Name: "closed", Payload: flow.Payload(`{}`)}, "signal"},
		"resume": {flow.ResumeRun{Target: flow.Ref{ID: "bad"}}, "resume"},
	}
	boom := engine.Workflow[int, int]{Name: "boom", OnPanic: engine.PanicSuspends, Do: func(*engine.Context, int) (int, error) { panic("x") }}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			bubble(t, typed(helpdesk, boom), func(v *env) {
				begin(v, helpdesk, "a", ticket{})
				begin(v, boom, "bad", 1)
				synctest.Wait()
				var together, alone int
				v.s.SetHook(func(b *store.Batch) error {
					audit, other := 0, 0
					for _, w := range b.Writes {
						if strings.HasPrefix(string(w.Key), "audit:") {
							audit++
						} else {
							other++
						}
					}
					if audit == 1 && other > 1 {
						together++
					} else if audit > 0 {
						alone++
					}
					return nil
				})
				r, err := act(v, tc.deed)
				v.s.SetHook(nil)
				if err != nil || r.Audit == 0 || r.Ref.Run == "" || together != 1 || alone != 0 {
					t.Errorf("receipt %+v, %v; %d batches with act and record, %d with a record alone", r, err, together, alone)
				}
				page, err := v.e.Operator().Page(v.ctx, flow.Query{Of: flow.ListAudit})
				if err != nil || len(page.Audit) != 1 {
					t.Fatalf("%d records, %v", len(page.Audit), err)
				}
				a := page.Audit[0]
				if a.Actor != "ana" || a.Why != "test" || a.Verb != tc.verb || a.Target != r.Ref || a.Number != r.Audit || a.At == 0 {
					t.Errorf("record %+v", a)
				}
				v.restart()
				if r, err := act(v, flow.Start{Type: "helpdesk", Input: flow.Payload(`{}`)}); err != nil || r.Audit <= a.Number {
					t.Errorf("the next record is %d after %d, %v", r.Audit, a.Number, err)
				}
			})
		})
	}
}

func TestActsThatAreRefusedChangeNothing(t *testing.T) {
	start := func(typ, input string) flow.Deed { return flow.Start{Type: typ, ID: "b", Input: flow.Payload(input)} }
	signal := func(id flow.WorkflowID, name, payload string, force bool) flow.Deed {
		return flow.SendSignal{Target: flow.Ref{ID: id}, Name: name, Payload: flow.Payload(payload), Force: force}
	}
	tests := map[string]struct {
		deed flow.Deed
		want error
		text string
	}{
		"an unknown field in the input":        {start("helpdesk", `{"titel":"x"}`), flow.ErrBadInput, "line 1, column 2"},
		"a wrong kind in the input":            {start("helpdesk", "{\n \"count\":\"x\"}"), flow.ErrBadInput, "line 2"},
		"text behind the input":                {start("helpdesk", `{} {}`), flow.ErrBadInput, "column 4"},
		"no input":                             {start("helpdesk", ``), flow.ErrBadInput, "empty"},
		"a type that is not registered":        {start("none", `{}`), flow.ErrUnknown, "helpdesk"},
		"an id that is taken":                  {flow.Start{Type: "helpdesk", ID: "a", Input: flow.Payload(`{}`)}, flow.ErrExists, "running"},
		"a signal that is not declared":        {signal("a", "opened", `{}`, false), flow.ErrUnknown, "closed, poke; force"},
		"a payload that does not fit":          {signal("a", "closed", `{"x":1}`, false), flow.ErrBadInput, "column 2"},
		"a forced payload that is no JSON":     {signal("a", "opened", `{`, true), flow.ErrBadInput, ""},
		"a signal to nobody":                   {signal("none", "closed", `{}`, false), flow.ErrNotFound, ""},
		"a forced signal to nobody":            {signal("none", "x", `{}`, true), flow.ErrNotFound, ""},
		"a signal to a finished run":           {signal("done", "poke", `1`, true), flow.ErrFinished, "completed"},
		"a signal to an earlier run of the id": {flow.SendSignal{Target: flow.Ref{ID: "a", Run: "01ARZ3NDEKTSV4RRFFQ69G5FAV"}, Name: "poke", Payload: flow.Payload("1")}, flow.ErrNotFound, ""},
		"a resume of a run that runs":          {flow.ResumeRun{Target: flow.Ref{ID: "a"}}, flow.ErrConflict, "running"},
		"a resume of a finished run":           {flow.ResumeRun{Target: flow.Ref{ID: "done"}}, flow.ErrFinished, ""},
		"a resume of nothing":                  {flow.ResumeRun{Target: flow.Ref{ID: "none"}}, flow.ErrNotFound, ""},
	}
	bubble(t, typed(helpdesk, sleeper), func(v *env) {
		begin(v, helpdesk, "a", ticket{})
		begin(v, sleeper, "done", 0)
		wants(v, "done", "slept")
		time.Sleep(time.Minute)
		for name, tc := range tests {
			n := v.commits()
			r, err := act(v, tc.deed)
			if !errors.Is(err, tc.want) || !strings.Contains(fmt.Sprint(err), tc.text) || r.Audit != 0 || r.Ref.ID != "" {
				t.Errorf("%s: %+v, %v; want %v with %q", name, r, err, tc.want, tc.text)
			}
			if n() != 0 {
				t.Errorf("%s: %d commits", name, n())
			}
		}
		if _, err := v.e.Operator().Do(v.ctx, flow.Act{}); err == nil {
			t.Error("an act without a deed was accepted")
		}
	})
}

func TestARepeatedActChangesNothing(t *testing.T) {
	bubble(t, typed(helpdesk), func(v *env) {
		s := flow.Start{Type: "helpdesk", ID: "a", Input: flow.Payload(`{}`), IdempotencyKey: "k"}
		sig := flow.SendSignal{Target: flow.Ref{ID: "a"}, Name: "poke", Payload: flow.Payload(`1`), SignalID: "s"}
		for i, d := range []flow.Deed{s, s, sig, sig} {
			n := v.commits()
			r, err := act(v, d)
			if err != nil || r.Unchanged != (i%2 == 1) || (r.Audit == 0) != r.Unchanged || r.Ref.ID != "a" || r.Ref.Run == "" {
				t.Errorf("act %d: %+v, %v", i, r, err)
			}
			if r.Unchanged && n() != 0 {
				t.Errorf("act %d: %d commits", i, n())
			}
		}
	})
}

func TestForceBuffersASignalThatIsNotDeclared(t *testing.T) {
	bubble(t, typed(helpdesk), func(v *env) {
		begin(v, helpdesk, "a", ticket{Title: "x"})
		if _, err := act(v, flow.SendSignal{Target: flow.Ref{ID: "a"}, Name: "other", Payload: flow.Payload(`[1, 2]`), Force: true}); err != nil {
			t.Fatal(err)
		}
		sig := v.detail("a", flow.PartSignals).Signals
		if len(sig) != 1 || sig[0].Name != "other" || string(sig[0].Payload) != "[1, 2]" {
			t.Errorf("buffered: %+v", sig)
		}
		if _, err := act(v, flow.SendSignal{Target: flow.Ref{ID: "a"}, Name: "closed", Payload: flow.Payload(`{"title":"y"}`)}); err != nil {
			t.Fatal(err)
		}
		wants(v, "a", "xy")
	})
}

func TestWhatAConsoleReads(t *testing.T) {
	bubble(t, typed(helpdesk, sleeper), func(v *env) {
		op := v.e.Operator()
		for i := range 5 {
			begin(v, helpdesk, flow.WorkflowID(fmt.Sprint("h", i)), ticket{Title: fmt.Sprint(i)})
		}
		begin(v, sleeper, "done", 0)
		wants(v, "done", "slept")
		time.Sleep(time.Minute)
		info := v.info()
		if info.Counts.Running != 5 || info.Counts.Completed != 1 || info.Mode != flow.ModeRun || !info.Lease.Mine ||
			info.Lease.State != flow.LeaseHeld || info.Lease.Epoch != 1 || info.Health != "healthy" || info.Steps != 1 {
			t.Errorf("info %+v", info)
		}
		for of, rows := range map[flow.List]func(flow.Page) int{
			flow.ListRuns:  func(p flow.Page) int { return len(p.Runs) },
			flow.ListTypes: func(p flow.Page) int { return len(p.Types) },
			flow.ListFeed:  func(p flow.Page) int { return len(p.Feed) },
			flow.ListAudit: func(p flow.Page) int { return len(p.Audit) },
			flow.ListDead:  func(p flow.Page) int { return len(p.Dead) },
		} {
			page, err := op.Page(v.ctx, flow.Query{Of: of})
			want := map[flow.List]int{flow.ListRuns: 6, flow.ListTypes: 2, flow.ListFeed: 14}[of]
			if err != nil || rows(page) != want || page.Counts.Running != 5 || page.At == 0 {
				t.Errorf("%s: %d rows, %v, counts %+v; want %d", of, rows(page), err, page.Counts, want)
			}
		}
		if _, err := op.Page(v.ctx, flow.Query{Of: "nothing"}); !errors.Is(err, flow.ErrNotOffered) {
			t.Errorf("an unknown list: %v", err)
		}
		d := v.detail("h3", flow.PartSteps)
		if string(d.Input) != `{"title":"3","count":0}` || d.Run.Version != "2" || d.Run.Waiting == "" {
			t.Errorf("detail %+v", d)
		}
		if _, err := op.Detail(v.ctx, flow.Ref{ID: "none"}, flow.PartSummary); !errors.Is(err, flow.ErrNotFound) {
			t.Errorf("detail of nothing: %v", err)
		}
		if _, err := op.Ask(v.ctx, flow.Ask{}); !errors.Is(err, flow.ErrBadName) {
			t.Errorf("a query: %v", err)
		}
	})
}

func TestLookModeWritesNothingAndOperateModeRunsNothing(t *testing.T) {
	var calls notes[int]
	count := engine.Activity[int, int]{Name: "act", Do: func(_ context.Context, n int) (int, error) { calls.add(n); return n, nil }}
	w := flowOf(func(ctx *engine.Context, n int) (int, error) {
		if err := ctx.Sleep(time.Minute); err != nil {
			return 0, err
		}
		return count.Run(ctx, n)
	})
	for _, mode := range []flow.Mode{flow.ModeLook, flow.ModeOperate} {
		t.Run(string(mode), func(t *testing.T) {
			calls = notes[int]{}
			bubble(t, typed(w), func(v *env) {
				begin(v, w, "a", 7)
				v.crash() // the run is in the ready set
				v.close()
				v.opts.Mode = mode
				group := v.s.Health().Group
				v.reopen()
				v.open()
				_, startErr := w.Start(v.ctx, v.e, 1, engine.StartOptions{ID: "b"})
				sendErr := poke.Send(v.ctx, v.e, "a", 1)
				_, actErr := act(v, flow.SendSignal{Target: flow.Ref{ID: "a"}, Name: "x", Payload: flow.Payload("1"), Force: true})
				time.Sleep(time.Hour)
				if v.info().Live != 0 || calls.len() != 0 {
					t.Errorf("%d lives, %d calls", v.info().Live, calls.len())
				}
				v.detail("a", flow.PartEvents)
				v.close()
				for _, err := range []error{startErr, sendErr, actErr} {
					if mode == flow.ModeLook && !errors.Is(err, flow.ErrReadOnly) || mode == flow.ModeOperate && err != nil {
						t.Errorf("an act: %v", err)
					}
				}
				if g := v.s.Health().Group; mode == flow.ModeLook && g != group {
					t.Errorf("%d groups were written", g-group)
				}
				v.opts.Mode = flow.ModeRun
				v.reopen()
				v.open()
				wants(v, "a", 7)
				if mode == flow.ModeOperate {
					wants(v, "b", 1)
				}
			})
		})
	}
}
