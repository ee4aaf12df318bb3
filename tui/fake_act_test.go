package tui

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"weft/flow"
)

// owing is a populated fake with teardowns in every state and dead letters.
func owing() *fake {
	f := populated()
	at := flow.InstantOf(noon)
	ended := func(id string, s flow.Status, ago time.Duration) flow.Ref {
		r := f.add(id, "sandbox", s, ago+time.Minute)
		r.ClosedAt, r.Reason = at.Add(-ago), "duplicate"
		return r.Ref
	}
	f.owed = []flow.Teardown{
		{Ref: ended("box-19f0aa02-1111-77c1", flow.Cancelled, 14*time.Minute), Type: "sandbox", Finalizer: "destroySandbox", State: "owed",
			OwedAt: at.Add(-14 * time.Minute), Attempts: 2, NextAt: at.Add(4*time.Minute + 10*time.Second), LastError: "dial tcp 10.0.0.7:443: connection refused"},
		{Ref: ended("box-2b7e01c4", flow.TimedOut, 3*time.Second), Type: "sandbox", Finalizer: "releaseHold", State: "owed", NextAt: at, OwedAt: at.Add(-3 * time.Second)},
		{Ref: ended("box-3c00", flow.Cancelled, 2*time.Minute), Type: "sandbox", Finalizer: "destroySandbox", State: "running",
			OwedAt: at.Add(-2 * time.Minute), Attempts: 2, ClaimedAt: at.Add(-time.Minute), StaleAt: at.Add(4*time.Minute + 30*time.Second)},
		{Ref: ended("box-4d11", flow.Cancelled, 20*time.Minute), Type: "sandbox", Finalizer: "destroySandbox", State: "stale",
			OwedAt: at.Add(-20 * time.Minute), Attempts: 1, ClaimedAt: at.Add(-10 * time.Minute), StaleAt: at.Add(-4 * time.Minute), NextAt: at.Add(-4 * time.Minute)},
		{Ref: ended("shp-77ab10dd", flow.Cancelled, 2*time.Minute), Type: "old-import", Finalizer: "dropTable", State: "held", Attempts: 1,
			OwedAt: at.Add(-2 * time.Minute)},
	}
	f.dead = []flow.Dead{
		{Ref: ended("box-00ff12ab-e8a0", flow.Cancelled, 4*time.Hour), Type: "sandbox", Finalizer: "destroySandbox", Attempts: 8,
			LastError: "402 account closed", DeadLetteredAt: at.Add(-3*time.Hour - 12*time.Minute), Input: flow.Payload(`{"sandbox":"sb-1"}`)},
		{Ref: ended("box-0a1b22c9", flow.Cancelled, 40*time.Hour), Type: "sandbox", Finalizer: "destroySandbox", Attempts: 8,
			LastError: "the claim cannot be read", DeadLetteredAt: at.Add(-30 * time.Hour)},
	}
	slices.SortFunc(f.runs, func(a, b flow.Run) int { return int(a.CreatedAt - b.CreatedAt) })
	f.audit = []flow.Audit{
		{Number: 116, At: at.Add(-time.Hour), Actor: "kim", Verb: "cancel", Target: f.owed[0].Ref, Why: "duplicate order", Text: "cancelled"},
		{Number: 117, At: at.Add(-time.Minute), Actor: "unknown", Verb: "discard", Target: flow.Ref{ID: "box-gone"}, Text: "discarded destroySandbox"},
	}
	f.info.Problems = []flow.Problem{{Since: at.Add(-time.Hour), Last: at.Add(-time.Minute), Count: 4,
		Text: "finalizer dropTable of type old-import is not registered here: 1 teardown is held", Advice: "run the build that has it"}}
	f.final[f.ref("ord-7f3a9c1e-44b0-4a5e-9f0e-2d0c6f5a1b2c")] = "destroySandbox"
	return f
}

func (f *fake) pageOwed(q flow.Query, p *flow.Page) {
	for _, t := range f.owed {
		if chosen(q.Filter, t.Ref, t.Type, t.Finalizer, t.LastError) {
			p.Teardowns = append(p.Teardowns, t)
			p.Cursors = append(p.Cursors, t.Ref.String())
		}
	}
	p.Total = int64(len(p.Teardowns))
	p.Teardowns, p.Cursors, p.More = window(q, p.Teardowns, p.Cursors)
}

func (f *fake) pageDead(q flow.Query, p *flow.Page) {
	for _, d := range f.dead {
		if chosen(q.Filter, d.Ref, d.Type, d.Finalizer, d.LastError) {
			p.Dead = append(p.Dead, d)
			p.Cursors = append(p.Cursors, d.Ref.String())
		}
	}
	p.Total = int64(len(p.Dead))
	p.Dead, p.Cursors, p.More = window(q, p.Dead, p.Cursors)
	if n := len(p.Cursors); p.More {
		p.Next = p.Cursors[n-1]
	}
}

func chosen(f flow.Filter, ref flow.Ref, typ string, more ...string) bool {
	text := strings.ToLower(strings.Join(append(more, string(ref.ID), typ), " "))
	return strings.HasPrefix(string(ref.ID), f.IDPrefix) && (f.Type == "" || f.Type == typ) && strings.Contains(text, strings.ToLower(f.Contains))
}

// window cuts a list as a query asks.
func window[T any](q flow.Query, rows []T, cursors []string) ([]T, []string, bool) {
	if q.Backward {
		slices.Reverse(rows)
		slices.Reverse(cursors)
	}
	from := 0
	if q.After != "" {
		from = slices.Index(cursors, q.After) + 1
	}
	to := len(rows)
	if q.Limit > 0 {
		to = min(to, from+q.Limit)
	}
	return rows[from:to], cursors[from:to], to < len(rows)
}

func (f *fake) Do(ctx context.Context, a flow.Act) (flow.Receipt, error) {
	if d, ok := a.Deed.(flow.BulkAct); ok {
		return f.doBulk(ctx, a, d)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.refuse != nil {
		return flow.Receipt{}, f.refuse
	}
	r := flow.Receipt{Ref: target(a.Deed), At: flow.InstantOf(f.now())}
	if err := f.do(a, &r); err != nil {
		return flow.Receipt{}, fmt.Errorf("%s: %w", a.Deed.Verb(), err)
	}
	f.acts = append(f.acts, a)
	f.audits++
	r.Audit = f.audits
	f.audit = append(f.audit, flow.Audit{Number: r.Audit, At: r.At, Actor: a.Actor, Why: a.Why, Verb: a.Deed.Verb(), Target: r.Ref})
	return r, nil
}

func (f *fake) do(a flow.Act, r *flow.Receipt) error {
	switch d := a.Deed.(type) {
	case flow.Start:
		id := string(d.ID)
		if id == "" {
			id = fmt.Sprintf("run-%d", len(f.runs))
		}
		run := f.add(id, d.Type, flow.Running, 0)
		f.inputs[run.Ref] = d.Input
		r.Ref = run.Ref
		f.tell(flow.Notice{Kind: flow.NoticeStarted, Ref: run.Ref, Type: d.Type, Status: flow.Running})
	case flow.CallUpdate:
		r.UpdateID, r.Text = cmp.Or(d.UpdateID, "u-1"), "update "+d.Name
		if d.Name == "slow" {
			r.Text += ": accepted, no reply yet; ask again with update id " + r.UpdateID
		} else {
			r.Output = flow.Payload(`{"total":3544790567247868102}`)
		}
	case flow.ResumeRun:
		return f.become(d.Target, flow.NoticeResumed, flow.Running, flow.Suspended)
	case flow.SuspendRun:
		return f.become(d.Target, flow.NoticeSuspended, flow.Suspended, flow.Running)
	case flow.CancelRun:
		return f.cancel(d.Target, a.Why)
	case flow.PurgeRun, flow.RestartRun:
		return f.remove(a.Deed, r)
	case flow.RetryTeardown, flow.Redrive, flow.Discard:
		return f.teardown(a.Deed)
	}
	return nil
}

func (f *fake) find(ref flow.Ref) *flow.Run {
	for i := range f.runs {
		if f.runs[i].Ref == ref {
			return &f.runs[i]
		}
	}
	return nil
}

func (f *fake) become(ref flow.Ref, kind flow.NoticeKind, to flow.Status, from ...flow.Status) error {
	r := f.find(ref)
	switch {
	case r == nil:
		return &flow.NotFoundError{What: "workflow", Name: string(ref.ID)}
	case !slices.Contains(from, r.Status):
		return fmt.Errorf("run %s is %s: %w", ref.ID, r.Status, flow.ErrConflict)
	}
	r.Status = to
	if to.Terminal() {
		r.ClosedAt = flow.InstantOf(f.now())
	}
	f.tell(flow.Notice{Kind: kind, Ref: ref, Type: r.Type, Status: to})
	return nil
}

func (f *fake) cancel(ref flow.Ref, why string) error {
	if r := f.find(ref); r != nil && r.Status.Terminal() {
		return &flow.FinishedError{Ref: ref, Status: r.Status, At: r.ClosedAt}
	}
	if err := f.become(ref, flow.NoticeEnded, flow.Cancelled, flow.Pending, flow.Running, flow.Suspended); err != nil {
		return err
	}
	f.find(ref).Reason = why
	if name := f.final[ref]; name != "" {
		f.owed = append(f.owed, flow.Teardown{Ref: ref, Type: f.find(ref).Type, Finalizer: name, State: "owed", NextAt: flow.InstantOf(f.now())})
		f.tell(flow.Notice{Kind: flow.NoticeTeardown, Ref: ref})
	}
	return nil
}

func (f *fake) remove(d flow.Deed, r *flow.Receipt) error {
	ref := target(d)
	old := f.find(ref)
	if old == nil {
		return &flow.NotFoundError{What: "workflow", Name: string(ref.ID)}
	}
	was := *old
	f.runs = slices.DeleteFunc(f.runs, func(r flow.Run) bool { return r.Ref == ref })
	f.tell(flow.Notice{Kind: flow.NoticePurged, Ref: ref})
	if _, again := d.(flow.RestartRun); again {
		f.audits += 1000 // run ids are made of the number of runs
		fresh := f.add(string(ref.ID), was.Type, flow.Running, 0)
		fresh.Run = flow.RunID(fmt.Sprintf("01JNRUN%019d", f.audits))
		r.Ref = fresh.Ref
	}
	return nil
}

func (f *fake) teardown(d flow.Deed) error {
	ref := target(d)
	i := slices.IndexFunc(f.owed, func(t flow.Teardown) bool { return t.Ref == ref })
	j := slices.IndexFunc(f.dead, func(t flow.Dead) bool { return t.Ref == ref })
	switch d.(type) {
	case flow.RetryTeardown:
		if i < 0 {
			return &flow.NotFoundError{What: "owed teardown of workflow", Name: string(ref.ID)}
		}
		f.owed[i].NextAt = flow.InstantOf(f.now())
		f.tell(flow.Notice{Kind: flow.NoticeTeardown, Ref: ref})
		return nil
	case flow.Redrive:
		if j >= 0 {
			l := f.dead[j]
			f.owed = append(f.owed, flow.Teardown{Ref: ref, Type: l.Type, Finalizer: l.Finalizer, State: "owed",
				NextAt: flow.InstantOf(f.now()), LastError: l.LastError})
		}
	}
	if j < 0 {
		return &flow.NotFoundError{What: "dead letter of workflow", Name: string(ref.ID)}
	}
	f.dead = slices.Delete(f.dead, j, j+1)
	f.tell(flow.Notice{Kind: flow.NoticeDead, Ref: ref})
	return nil
}

func (f *fake) Preview(_ context.Context, b flow.Bulk) (flow.Preview, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked, f.verb, f.frozen = b, b.Verb, nil
	for _, ref := range b.Only {
		if r := f.find(ref); r != nil && (b.Verb != "cancel" || !r.Status.Terminal()) {
			f.frozen = append(f.frozen, *r)
		}
	}
	for _, ref := range b.Only {
		if f.find(ref) == nil && b.Verb == "redrive" {
			f.frozen = append(f.frozen, flow.Run{Ref: ref})
		}
	}
	for _, r := range f.runs {
		if len(b.Only) == 0 && matches(b.Filter, r) {
			f.frozen = append(f.frozen, r)
		}
	}
	return flow.Preview{Count: int64(len(f.frozen)), Sample: slices.Clone(f.frozen[:min(20, len(f.frozen))]), Token: b.Verb + "-1"}, f.fail
}

func (f *fake) doBulk(ctx context.Context, a flow.Act, d flow.BulkAct) (flow.Receipt, error) {
	out := flow.Receipt{At: flow.InstantOf(f.now())}
	var n tally
	for _, was := range f.frozen {
		one := map[string]flow.Deed{"cancel": flow.CancelRun{Target: was.Ref}, "suspend": flow.SuspendRun{Target: was.Ref},
			"resume": flow.ResumeRun{Target: was.Ref}, "purge": flow.PurgeRun{Target: was.Ref}, "restart": flow.RestartRun{Target: was.Ref},
			"redrive": flow.Redrive{Target: was.Ref}}[f.verb]
		r, err := f.Do(ctx, flow.Act{Actor: a.Actor, Why: a.Why, Deed: one})
		res := flow.BulkResult{Ref: was.Ref, Outcome: flow.BulkDone, Audit: r.Audit}
		if err != nil {
			res.Outcome, res.Text = flow.BulkSkipped, err.Error()
		}
		out.Results = append(out.Results, res)
		n.count(res)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.acts = append(f.acts, a)
	out.Text = f.verb + ": " + n.String()
	return out, nil
}
