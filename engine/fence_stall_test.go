package engine_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine"
	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// zoo is every way a run can be about to write when its engine is stalled.
type zoo struct {
	defs []engine.Definition
	runs map[flow.WorkflowID]engine.StartOptions
	beat chan error // what a heartbeat is answered
}

func newZoo() *zoo {
	z := &zoo{runs: map[flow.WorkflowID]engine.StartOptions{}, beat: make(chan error, 10)}
	act := func(name string, d time.Duration, err error) engine.Activity[int, string] {
		return engine.Activity[int, string]{Name: name, Do: func(ctx context.Context, _ int) (string, error) {
			return name, errors.Join(after(d, err)(ctx))
		}, Retry: engine.Retry{MaxAttempts: 5, Initial: time.Hour, Max: time.Hour}}
	}
	beating := engine.Activity[int, string]{Name: "beating", Do: func(ctx context.Context, _ int) (string, error) {
		_ = after(1500*time.Millisecond, nil)(ctx)
		z.beat <- engine.Heartbeat(ctx, 1)
		<-ctx.Done()
		return "", ctx.Err()
	}}
	free := engine.Activity[string, engine.Void]{Name: "free", Timeout: time.Minute, Do: func(ctx context.Context, how string) (engine.Void, error) {
		if how == "slowly" {
			return engine.Void{}, after(2*time.Second, nil)(ctx)
		}
		return engine.Void{}, errors.New("not now")
	}}
	z.add("step", engine.StartOptions{}, act("step", 1500*time.Millisecond, nil).Run)
	z.add("retry", engine.StartOptions{}, act("retry", 1500*time.Millisecond, errors.New("no")).Run)
	z.add("beating", engine.StartOptions{}, beating.Run)
	z.add("parking", engine.StartOptions{}, waiting)
	z.add("sleeping", engine.StartOptions{}, func(ctx *engine.Context, _ int) (string, error) {
		return "", ctx.Sleep(1500 * time.Millisecond)
	})
	z.add("ending", engine.StartOptions{}, func(ctx *engine.Context, _ int) (string, error) {
		_ = after(1500*time.Millisecond, nil)(ctx)
		return "", nil
	})
	z.add("timed-out", engine.StartOptions{Deadline: 1500 * time.Millisecond}, waiting)
	z.add("delayed", engine.StartOptions{}, waiting)
	for _, name := range []string{"signalled", "suspended", "resumed", "cancelled", "untouched"} {
		z.add(name, engine.StartOptions{}, waiting)
	}
	z.add("purged", engine.StartOptions{}, func(*engine.Context, int) (string, error) { return "", nil })
	for _, how := range []string{"slowly", "badly", "again"} {
		z.defs = append(z.defs, engine.Workflow[int, string]{Name: how, Finalizer: free,
			Do: func(ctx *engine.Context, n int) (string, error) {
				if err := engine.SetFinalizerState(ctx, free, how); err != nil {
					return "", err
				}
				return waiting(ctx, n)
			}})
		z.runs[flow.WorkflowID(how)] = engine.StartOptions{}
	}
	return z
}

func (z *zoo) add(name string, o engine.StartOptions, do func(*engine.Context, int) (string, error)) {
	z.defs = append(z.defs, engine.Workflow[int, string]{Name: name, Do: do})
	z.runs[flow.WorkflowID(name)] = o
}

// calls are what people ask of the engine while it is stalled.
func (z *zoo) calls(e *engine.Engine) map[string]func() error {
	op := func(d flow.Deed) func() error {
		return func() error {
			_, err := e.Operator().Do(context.Background(), flow.Act{Actor: "ana", Deed: d})
			return err
		}
	}
	at := func(id flow.WorkflowID) flow.Ref { return flow.Ref{ID: id} }
	return map[string]func() error{
		"start": func() error {
			_, err := engine.Workflow[int, string]{Name: "parking"}.Start(context.Background(), e, 1, engine.StartOptions{ID: "late"})
			return err
		},
		"operator's start":  op(flow.Start{Type: "parking", ID: "later", Input: flow.Payload("1")}),
		"signal":            func() error { return paid.Send(context.Background(), e, "signalled", "x") },
		"operator's signal": op(flow.SendSignal{Target: at("untouched"), Name: paid.Name, Payload: flow.Payload(`"x"`), Force: true}),
		"suspend":           op(flow.SuspendRun{Target: at("suspended")}),
		"resume":            op(flow.ResumeRun{Target: at("resumed")}),
		"cancel":            op(flow.CancelRun{Target: at("cancelled")}),
		"purge":             op(flow.PurgeRun{Target: at("purged")}),
		"restart-new": func() error {
			_, err := engine.Workflow[int, string]{Name: "purged"}.Start(context.Background(), e, 1,
				engine.StartOptions{ID: "purged", OnTerminalConflict: flow.StartNew})
			return err
		},
		"retry a teardown": op(flow.RetryTeardown{Target: at("badly")}),
		"end a wait": func() error {
			run, err := engine.Handle[string](e, "untouched")
			if err == nil {
				_, err = run.Result(context.Background())
			}
			return err
		},
	}
}

// refusedKinds are the batches of the zoo, by the rows they put and delete.
var refusedKinds = []string{
	"+lease:holder",                 // renewal
	"+ev",                           // step
	"+ev +ready -wait -wf-deadline", // a sleep that is over
	"+ev +wf +wf-idx-type +wf-terminal -ready -wf-idx-type", // end
	"+wait",                     // heartbeat
	"+wait +wf-deadline -ready", // failed attempt, parked for its back-off
	"+wait -ready",              // park
	"+ready +sig",               // signal
	"+audit +ready +sig",
	"+ev +ready +wf +wf-idx-type", // start
	"+audit +ev +ready +wf +wf-idx-type",
	"+ready +wf +wf-idx-type -wf-deadline -wf-idx-type",                                 // a delayed start that begins
	"+audit +ev +wait +wf +wf-idx-type -ready -wf-idx-type",                             // suspend
	"+audit +ev +ready +wf +wf-idx-type -wf-idx-type",                                   // resume
	"+audit +ev +wf +wf-idx-type +wf-terminal -ready -wf-idx-type",                      // cancel
	"+audit -ev -wf -wf-finalizer-state -wf-idx-type -wf-terminal",                      // purge
	"+ev +ready +wf +wf-idx-type -ev -wf -wf-finalizer-state -wf-idx-type -wf-terminal", // start-new
	"+wf-teardown +wf-teardown-needed -wf-teardown",                                     // take a teardown
	"-wf-finalizer-state -wf-teardown -wf-teardown-needed",                              // settle one
	"+audit +wf-teardown +wf-teardown-needed -wf-teardown",                              // retry one now
}

// TestF003EveryKindOfWriteOfADeposedEngineIsRefused: the first engine is
// stalled in the middle of everything, the second takes over, and what the first
// one then brings out is refused by the epoch alone, because the second changes
// nothing.
func TestF003EveryKindOfWriteOfADeposedEngineIsRefused(t *testing.T) {
	z := newZoo()
	inPair(t, typed(z.defs...), func(p *pair) {
		z.begin(p)
		time.Sleep(500 * time.Millisecond)
		p.stall.begin()
		answers := map[string]chan error{}
		for name, call := range z.calls(p.first) {
			answer := make(chan error, 1)
			answers[name] = answer
			go func() { answer <- call() }()
		}
		p.takeOver(engine.Options{Mode: flow.ModeOperate})
		time.Sleep(time.Second)
		before := p.rows()
		if p.first.Err() != nil {
			t.Fatalf("the first engine halted too early: %v", p.first.Err())
		}
		p.stall.heal()
		time.Sleep(100 * time.Millisecond)
		p.isDeposed()
		time.Sleep(time.Minute)
		(&rig{TB: t}).sameRows("after the steal", before, p.rows())
		for name, answer := range answers {
			select {
			case err := <-answer:
				if !errors.Is(err, flow.ErrDeposed) {
					t.Errorf("%s: answered %v, want ErrDeposed", name, err)
				}
			default:
				t.Errorf("%s: not answered", name)
			}
		}
		for len(z.beat) > 0 {
			if err := <-z.beat; !errors.Is(err, engine.ErrStaleAttempt) {
				t.Errorf("heartbeat: %v", err)
			}
		}
		p.nothingPassed(refusedKinds...)
	})
}

// begin starts everything and brings it to where the stall shall find it.
func (z *zoo) begin(p *pair) {
	p.Helper()
	ctx := context.Background()
	do := func(d flow.Deed) {
		p.Helper()
		if _, err := p.first.Operator().Do(ctx, flow.Act{Actor: "ana", Deed: d}); err != nil {
			p.Fatal(err)
		}
	}
	start := func(id flow.WorkflowID, o engine.StartOptions) {
		p.Helper()
		if o.ID = id; id == "delayed" {
			o.StartAt = time.Now().Add(1500 * time.Millisecond)
		}
		if _, err := (engine.Workflow[int, string]{Name: string(id)}).Start(ctx, p.first, 1, o); err != nil {
			p.Fatalf("start %s: %v", id, err)
		}
		synctest.Wait()
	}
	start("again", engine.StartOptions{})
	do(flow.CancelRun{Target: flow.Ref{ID: "again"}})
	time.Sleep(59 * time.Second) // its second attempt is due during the stall
	for id, o := range z.runs {
		if id != "again" {
			start(id, o)
		}
	}
	do(flow.SuspendRun{Target: flow.Ref{ID: "resumed"}})
	do(flow.CancelRun{Target: flow.Ref{ID: "badly"}})
	do(flow.CancelRun{Target: flow.Ref{ID: "slowly"}})
}

// TestF003ARepairOfADeposedEngineIsRefused: the walk after an opening has found
// a wait without its timer.
func TestF003ARepairOfADeposedEngineIsRefused(t *testing.T) {
	z := newZoo()
	z.add("long", engine.StartOptions{}, func(ctx *engine.Context, _ int) (string, error) { return "", ctx.Sleep(time.Hour) })
	o := typed(z.defs...)
	inPair(t, o, func(p *pair) {
		if _, err := (engine.Workflow[int, string]{Name: "long"}).Start(context.Background(), p.first, 1, engine.StartOptions{ID: "long"}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		p.close(p.first)
		var b store.Batch
		b.DeleteRange([]byte(row.FamilyTimer), store.PrefixEnd([]byte(row.FamilyTimer)))
		if _, err := p.s.Commit(context.Background(), &b); err != nil {
			t.Fatal(err)
		}
		o.Holder = "first"
		p.first = p.open(p.stall, o)
		p.stall.begin()
		second := leaseOf(engine.Options{Mode: flow.ModeOperate})
		p.second = p.open(p.s, second)
		before := p.rows()
		p.stall.heal()
		time.Sleep(time.Second)
		p.isDeposed()
		(&rig{TB: t}).sameRows("after the steal", before, p.rows())
		p.nothingPassed("+wf-deadline")
		p.close(p.second)
		p.second = p.open(p.s, o) // repairs it
		time.Sleep(2 * time.Hour)
		if page, err := p.second.Operator().Page(context.Background(), flow.Query{Of: flow.ListRuns}); err != nil || page.Counts.Completed != 1 {
			t.Errorf("counts %+v, %v", page.Counts, err)
		}
	})
}
