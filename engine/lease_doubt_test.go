package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine"
	"weft/flow"
	"weft/store"
)

// doubtful is workflows that note what they begin.
type doubtful struct {
	begun notes[string]
	defs  []engine.Definition
}

func newDoubtful() *doubtful {
	d := &doubtful{}
	act := engine.Activity[string, string]{Name: "act", Do: func(_ context.Context, name string) (string, error) {
		d.begun.add("attempt of " + name)
		return name, nil
	}}
	free := engine.Activity[string, engine.Void]{Name: "free", Do: func(_ context.Context, name string) (engine.Void, error) {
		d.begun.add("finalizer of " + name)
		return engine.Void{}, nil
	}}
	d.defs = append(d.defs,
		engine.Workflow[string, string]{Name: "sleeps", Do: func(ctx *engine.Context, in string) (string, error) {
			d.begun.add("life of " + in)
			if err := ctx.Sleep(5 * time.Second); err != nil {
				return "", err
			}
			return act.Run(ctx, in)
		}},
		engine.Workflow[string, string]{Name: "waits", Finalizer: free, Do: func(ctx *engine.Context, in string) (string, error) {
			if err := engine.SetFinalizerState(ctx, free, in); err != nil {
				return "", err
			}
			if _, err := paid.Wait(ctx); err != nil {
				return "", err
			}
			return act.Run(ctx, in)
		}})
	return d
}

func (d *doubtful) start(p *pair, typ string, id flow.WorkflowID) {
	p.Helper()
	if _, err := (engine.Workflow[string, string]{Name: typ}).Start(context.Background(), p.first, string(id), engine.StartOptions{ID: id}); err != nil {
		p.Fatal(err)
	}
}

// onlyRenewals refuses the renewals of the lease and nothing else.
type onlyRenewals struct {
	store.Store
	refuse func() bool
}

// Commit implements [store.Store].
func (s onlyRenewals) Commit(ctx context.Context, b *store.Batch) (store.Result, error) {
	if s.refuse() && kindOf(b) == "+lease:holder" {
		return store.Result{}, store.ErrStalled
	}
	return s.Store.Commit(ctx, b)
}

// TestInDoubtNothingStarts: while renewals fail and nobody takes over, no life,
// attempt or finalizer begins; what has begun is recorded, calls are taken, and
// after a renewal all goes on.
func TestInDoubtNothingStarts(t *testing.T) {
	d := newDoubtful()
	inPair(t, typed(d.defs...), func(p *pair) {
		p.close(p.first)
		var doubt atomic.Bool
		p.stall.Store = onlyRenewals{p.s, doubt.Load}
		o := typed(d.defs...)
		o.Grace = time.Hour // what waits stays in memory, ready to go on
		p.first = p.open(p.stall, o)
		d.start(p, "sleeps", "sleeper")
		d.start(p, "waits", "signalled")
		d.start(p, "waits", "cancelled")
		time.Sleep(1200 * time.Millisecond)
		before := d.begun.len()
		doubt.Store(true)
		time.Sleep(2100 * time.Millisecond)
		if l := leaseAt(t, p.first); l.State != flow.LeaseDoubt || p.first.Err() != nil {
			t.Fatalf("lease %+v, engine %v; want doubt", l, p.first.Err())
		}
		if err := paid.Send(context.Background(), p.first, "signalled", "x"); err != nil {
			t.Errorf("signal in doubt: %v", err)
		}
		if _, err := p.first.Operator().Do(context.Background(), flow.Act{Deed: flow.CancelRun{Target: flow.Ref{ID: "cancelled"}, Now: true}}); err != nil {
			t.Errorf("cancel in doubt: %v", err)
		}
		d.start(p, "sleeps", "fresh")
		time.Sleep(time.Minute)
		if all := d.begun.all(); len(all) > before {
			t.Errorf("begun in doubt: %q", all[before:])
		}
		doubt.Store(false)
		time.Sleep(time.Minute)
		all := fmt.Sprint(d.begun.all()[before:])
		for _, want := range []string{"life of fresh", "attempt of sleeper", "attempt of signalled", "attempt of fresh", "finalizer of cancelled"} {
			if !strings.Contains(all, want) {
				t.Errorf("%s did not happen after the doubt, only %s", want, all)
			}
		}
		if l := leaseAt(t, p.first); l.State != flow.LeaseHeld || l.Epoch != 2 {
			t.Errorf("lease %+v; want it held at epoch 2", l)
		}
	})
}

// TestF088QueuedDecisionsOfAStalledEngine: a hundred decisions wait behind a
// stalled disk while another engine takes over and drives the runs to their
// ends. None of them is carried out, nothing new is begun, each result is
// recorded once, and nothing bears the old epoch (F035).
func TestF088QueuedDecisionsOfAStalledEngine(t *testing.T) {
	const runs = 100
	var made notes[string]
	act := engine.Activity[string, string]{Name: "act", Do: func(ctx context.Context, who string) (string, error) {
		made.add(who)
		return fmt.Sprintf("%s by attempt %d", who, made.len()), after(time.Second, nil)(ctx)
	}}
	w := func(who string) engine.Workflow[int, string] {
		return engine.Workflow[int, string]{Name: "w", Do: func(ctx *engine.Context, n int) (string, error) {
			one, err := act.Run(ctx, who)
			if err != nil {
				return "", err
			}
			two, err := act.Run(ctx, who)
			return one + ", " + two, err
		}}
	}
	inPair(t, typed(w("first")), func(p *pair) {
		ctx := context.Background()
		answers := make(chan error, runs)
		for i := range runs {
			run, err := w("first").Start(ctx, p.first, i, engine.StartOptions{ID: flow.WorkflowID(fmt.Sprint(i))})
			if err != nil {
				t.Fatal(err)
			}
			go func() { _, err := run.Result(ctx); answers <- err }()
		}
		synctest.Wait()
		p.stall.begin()
		p.takeOver(typed(w("second")))
		for i := range runs {
			run, err := engine.Handle[string](p.second, flow.WorkflowID(fmt.Sprint(i)))
			if err != nil {
				t.Fatal(err)
			}
			got, err := run.Result(ctx)
			if err != nil || strings.Contains(got, "first") {
				t.Errorf("result %q, %v; want both of the second engine", got, err)
			}
		}
		before := p.rows()
		p.stall.heal()
		time.Sleep(time.Minute)
		p.isDeposed()
		(&rig{TB: t}).sameRows("after the steal", before, p.rows())
		p.nothingPassed("+ev", "+lease:holder")
		for range runs {
			if err := <-answers; !errors.Is(err, flow.ErrDeposed) {
				t.Errorf("who waited at the first engine is told %v", err)
			}
		}
		count := map[string]int{}
		for _, who := range made.all() {
			count[who]++
		}
		if count["first"] != runs || count["second"] != 2*runs {
			t.Errorf("attempts %v, want %d of the first engine and %d of the second", count, runs, 2*runs)
		}
	})
}
