package engine

import (
	"context"
	"fmt"

	"weft/engine/lease"
	"weft/engine/list"
	"weft/engine/teardown"
	"weft/flow"
	"weft/store"
)

// Operator is the door through which consoles look and act: eight methods that
// speak only in values of package flow. It may be used from many goroutines.
type Operator struct{ eng *Engine }

// Operator is the engine's operator door.
func (e *Engine) Operator() *Operator { return &Operator{e} }

// Info tells how the engine and its store are.
func (p *Operator) Info(context.Context) (flow.Info, error) {
	e := p.eng
	info, health := e.store.Info(), e.store.Health()
	out := flow.Info{Store: info.Name, StoreKind: info.Kind, StoreID: info.ID, Mode: e.o.Mode,
		Health: health.State.String(), Problems: e.problems.all(), Live: e.lives.count(),
		Attempts: int(e.attempts.Load()), Finalizers: e.teardowns.Running(), Steps: e.steps.Load(), SizeBytes: health.Size, FreeBytes: health.Free,
		SyncP50Micros: health.SyncP50.Microseconds(), SyncP99Micros: health.SyncP99.Microseconds(),
		At: flow.InstantOf(e.now())}
	switch {
	case e.halted() != nil:
		out.Trouble = e.halted().Error()
	case health.Err != nil:
		out.Trouble = health.Err.Error()
	}
	err := p.read(func(s store.Snapshot) (err error) {
		if out.Counts, err = list.Counts(s); err != nil {
			return err
		}
		if out.Counts.Owed > 0 && out.Counts.Owed <= flow.MaxOwedLook {
			if out.OwedSince, err = teardown.OwedSince(s); err != nil {
				return err
			}
		}
		out.Lease, err = e.leaseNow(s)
		return err
	})
	return out, err
}

// leaseNow is the lease as this engine knows it, or as the store tells.
func (e *Engine) leaseNow(s store.Snapshot) (flow.Lease, error) {
	v := e.lease.View()
	switch v.State {
	case flow.LeaseNone, flow.LeaseReleased:
		return lease.Look(s)
	case flow.LeaseDeposed:
		return lease.LookLost(s, v.Epoch)
	}
	return v, nil
}

// read runs f on one snapshot.
func (p *Operator) read(f func(store.Snapshot) error) error {
	snap, err := p.eng.store.Snapshot()
	if err != nil {
		return err
	}
	defer snap.Close()
	return f(snap)
}

// Page is one window of a list.
func (p *Operator) Page(_ context.Context, q flow.Query) (page flow.Page, err error) {
	e := p.eng
	err = p.read(func(s store.Snapshot) (err error) {
		switch q.Of {
		case flow.ListRuns:
			page, err = list.Runs(s, q, e.types.held)
			e.markLive(page.Runs)
		case flow.ListTypes:
			page.Types, err = list.Types(s, e.types.types())
		case flow.ListAudit:
			page, err = list.Audit(s, q)
		case flow.ListFeed:
			page.Feed = e.ring.latest(limitOf(q))
		case flow.ListTeardowns:
			page, err = teardown.Teardowns(s, q, e.heldFinalizer, flow.InstantOf(e.now()))
		case flow.ListDead:
			page, err = teardown.Dead(s, q)
		default:
			err = fmt.Errorf("list %q: %w", q.Of, flow.ErrNotOffered)
		}
		if err == nil {
			page.Counts, err = list.Counts(s)
		}
		return err
	})
	page.At = flow.InstantOf(e.now())
	return page, err
}

func limitOf(q flow.Query) int {
	if q.Limit <= 0 {
		return flow.DefaultLimit
	}
	return min(q.Limit, flow.MaxLimit)
}

// markLive adds what only memory knows: the step a run is at right now.
func (e *Engine) markLive(runs []flow.Run) {
	for i := range runs {
		if l := e.lives.get(runs[i].Ref); l != nil {
			l.describe(&runs[i])
		}
	}
}

func (l *life) describe(r *flow.Run) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.leaving != stay || !l.live || len(l.ops) == 0 {
		return
	}
	o := l.ops[len(l.ops)-1]
	r.Step, r.Due = o.step, o.due
	r.Waiting = o.what()
	switch {
	case o.handed():
		r.Waiting += ", waiting for completion from outside"
		if o.due != 0 {
			r.Waiting += " until " + o.due.String()
		}
	case o.running != nil && o.running.number > 1:
		r.Waiting += fmt.Sprintf(", attempt %d/%d", o.attempt, o.activity.retry.MaxAttempts)
	case o.kind == flow.StepActivity && o.running == nil:
		r.Waiting += fmt.Sprintf(", attempt %d/%d at %s", o.attempt, o.activity.retry.MaxAttempts, o.due)
	case o.due != 0:
		r.Waiting += " until " + o.due.String()
	}
	if l.summary != "" {
		r.Summary = l.summary
	}
}

// Detail is one run.
func (p *Operator) Detail(_ context.Context, ref flow.Ref, part flow.Part) (d flow.Detail, err error) {
	e := p.eng
	if err := flow.CheckName("workflow id", string(ref.ID)); err != nil {
		return d, err
	}
	err = p.read(func(s store.Snapshot) (err error) {
		if d, err = list.Detail(s, ref, part); err != nil {
			return err
		}
		return e.describeTeardown(s, &d)
	})
	if err != nil {
		return d, err
	}
	if d.Run.HeldBecause = e.types.held(d.Run.Type, d.Run.Version); !d.Run.Status.Terminal() {
		d.Run.Held = d.Run.HeldBecause != ""
	}
	runs := []flow.Run{d.Run}
	e.markLive(runs)
	d.Run, d.At = runs[0], flow.InstantOf(e.now())
	return d, nil
}

// Ask is a workflow query; its input must fit what the type declares.
func (p *Operator) Ask(ctx context.Context, q flow.Ask) (flow.Answer, error) {
	a, err := p.eng.askChecked(ctx, q)
	if err != nil {
		return flow.Answer{}, fmt.Errorf("query %s: %w", q.Name, err)
	}
	return a, nil
}

// News waits for a change notice numbered from or later and answers the newest
// of them, at most most; 0 means all that are kept, which [Options.Ring] bounds.
// With from 0 it does not wait and tells only the number to go on from, which is
// how a watch begins; so does a number that has not been given out, such as one
// of an earlier engine, but it waits. The engine never waits for a watcher: one
// that asks too rarely finds Missed set and reads again what it shows. News
// fails with [flow.ErrClosed] once the engine is closed and all was told, and
// with the error of ctx.
func (p *Operator) News(ctx context.Context, from uint64, most int) (flow.News, error) {
	return p.eng.ring.news(ctx, from, most)
}

// Close closes the engine; see [Engine.Close].
func (p *Operator) Close(ctx context.Context) error { return p.eng.Close(ctx) }
