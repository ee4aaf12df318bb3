package tui

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"weft/flow"
)

// noon is when all tests take place.
var noon = time.Date(2026, 3, 1, 12, 4, 31, 0, time.UTC)

// fake is a console with deterministic data.
type fake struct {
	mu     sync.Mutex
	runs   []flow.Run // in order of creation
	types  []flow.Type
	info   flow.Info
	inputs map[flow.Ref]flow.Payload
	steps  map[flow.Ref][]flow.Step
	signal map[flow.Ref][]flow.BufferedSignal
	// children of runs
	children map[flow.Ref][]flow.Child
	acts     []flow.Act
	asks     []flow.Ask
	audit    []flow.Audit
	owed     []flow.Teardown // in the order of ids
	dead     []flow.Dead
	final    map[flow.Ref]string // finalizer states that were recorded
	frozen   []flow.Run          // by the last preview
	verb     string
	asked    flow.Bulk
	audits   uint64
	seq      uint64
	fail     error // every read fails with it
	refuse   error // every act fails with it
	notices  []flow.Notice
	hungUp   bool // the next call of News fails
	now      func() time.Time
	closed   chan struct{}
	drain    chan struct{} // Close waits for it when there is one
	calls    int
}

var _ Console = (*fake)(nil)

func newFake() *fake {
	f := &fake{
		inputs: map[flow.Ref]flow.Payload{}, final: map[flow.Ref]string{}, steps: map[flow.Ref][]flow.Step{}, signal: map[flow.Ref][]flow.BufferedSignal{},
		now: func() time.Time { return noon }, closed: make(chan struct{}), audits: 117,
	}
	at := flow.InstantOf(noon)
	f.info = flow.Info{Store: "/srv/orders", StoreKind: "memory", Mode: flow.ModeRun, Health: "healthy", At: at,
		Lease: flow.Lease{State: flow.LeaseHeld, Holder: "con-9c1f", Mine: true, Epoch: 41,
			RenewedAt: at.Add(-3 * time.Second), ExpiresAt: at.Add(27 * time.Second),
			History: []flow.Tenure{{Epoch: 40, Holder: "con-77aa", Ended: "released"}}}}
	f.types = []flow.Type{
		{Name: "order-process", Version: "v3", Registered: true, Signals: []string{"paid", "cancelled"},
			Example: flow.Payload(`{"orderId":"ord_1001","amountCents":4999,"ref":3544790567247868102}`)},
		{Name: "order-ship", Version: "v1", Registered: true, Example: flow.Payload(`{"parcel":1}`)},
		{Name: "old-import", Registered: false},
	}
	return f
}

// stolenBy is the fake after another holder took over.
func (f *fake) stolenBy(holder string) {
	l := &f.info.Lease
	past := flow.Tenure{Epoch: l.Epoch, Holder: l.Holder, Until: l.RenewedAt, Ended: "expired"}
	l.State, l.Mine, l.Lost, l.Epoch, l.Holder = flow.LeaseDeposed, false, l.Epoch, l.Epoch+1, holder
	l.History = append([]flow.Tenure{{Epoch: l.Epoch, Holder: holder, Since: l.RenewedAt}, past}, l.History...)
}

// populated has a run of every kind.
func populated() *fake {
	f := newFake()
	add := func(id, kind string, s flow.Status, age time.Duration, change func(*flow.Run)) {
		r := f.add(id, kind, s, age)
		if change != nil {
			change(r)
		}
	}
	add("shp-00a1f9c3-77d0-4c1a-8f3e-5b2a9d0ce2b7", "order-ship", flow.Running, 58*time.Minute, func(r *flow.Run) {
		r.Waiting, r.Deadline = "awaiting external", flow.InstantOf(noon.Add(-3*time.Minute))
	})
	add("imp-2b7e01c4", "old-import", flow.Running, 12*time.Minute, func(r *flow.Run) {
		r.Held, r.HeldBecause = true, "type old-import is not registered here"
	})
	add("ord-19f0aa02-1111-4a5e-9f0e-2d0c6f5a77c1", "order-process", flow.Suspended, 9*time.Minute, func(r *flow.Run) {
		r.Reason = string(flow.Nondeterminism) + ": step 2 was chargeCard, now sendMail"
	})
	add("ord-5d4f2a", "order-process", flow.Suspended, 8*time.Minute, func(r *flow.Run) { r.Reason = "operator: looking into it" })
	add("ord-00ff12ab", "order-process", flow.Failed, 7*time.Minute, func(r *flow.Run) {
		r.Failure = &flow.Failure{Category: flow.Application, Code: "declined", Message: "402 account closed"}
		r.ClosedAt = r.CreatedAt.Add(90 * time.Second)
	})
	add("ord-77ab10dd", "order-process", flow.Completed, 6*time.Minute, func(r *flow.Run) { r.ClosedAt = r.CreatedAt.Add(42 * time.Second) })
	add("ord-a10b33de-aaaa-4a5e-9f0e-2d0c6f5a0c0f", "order-process", flow.Running, 100*time.Second, func(r *flow.Run) {
		r.Due = flow.InstantOf(noon.Add(6 * time.Hour))
		r.Step, r.Waiting = "3", "sleep until "+r.Due.String()
	})
	add("ord-90c4d7f1-bbbb-4a5e-9f0e-2d0c6f5a77aa", "order-process", flow.Running, 118*time.Second, func(r *flow.Run) {
		r.Step, r.Waiting = "2", "wait signal:paid"
	})
	add("ord-81ee02aa-cccc-4a5e-9f0e-2d0c6f5a9d04", "order-process", flow.Running, 122*time.Second, func(r *flow.Run) {
		r.Step, r.Tags = "1", []string{"eu"}
	})
	add("ord-7f3a9c1e-44b0-4a5e-9f0e-2d0c6f5a1b2c", "order-process", flow.Running, 133*time.Second, func(r *flow.Run) {
		r.Step, r.Waiting, r.Tags = "4", "reserveStock 2/3", []string{"eu", "vip"}
		r.Deadline = flow.InstantOf(noon.Add(27 * time.Minute))
	})
	slices.SortFunc(f.runs, func(a, b flow.Run) int { return int(a.CreatedAt - b.CreatedAt) })
	ref := f.ref("ord-7f3a9c1e-44b0-4a5e-9f0e-2d0c6f5a1b2c")
	f.inputs[ref] = flow.Payload(`{"orderId":"ord_1001","amountCents":4999,"ref":3544790567247868102,"email":"a@example.org"}`)
	at := flow.InstantOf(noon.Add(-133 * time.Second))
	f.steps[ref] = []flow.Step{
		{Path: "1", Kind: flow.StepActivity, Name: "chargeCard", Attempt: 1, State: flow.StepDone, StartedAt: at, EndedAt: at + 400},
		{Path: "2", Kind: flow.StepActivity, Name: "fraudCheck", Attempt: 1, State: flow.StepDone, StartedAt: at + 400, EndedAt: at + 1500},
		{Path: "3", Kind: flow.StepSleep, State: flow.StepDone, StartedAt: at + 1500, EndedAt: at + 31500},
		{Path: "4", Kind: flow.StepActivity, Name: "reserveStock", Attempt: 2, MaxAttempts: 3, State: flow.StepRetrying, StartedAt: at + 31500,
			Due: flow.InstantOf(noon.Add(2 * time.Second)), Error: &flow.Failure{Message: "503 Service Unavailable: stock"}},
	}
	f.signal[ref] = []flow.BufferedSignal{{Name: "paid", ID: "pay-1", Payload: flow.Payload(`{"cents":4999}`), At: at}}
	return f
}

// crowd has n running runs.
func crowd(n int) *fake {
	f := newFake()
	for i := range n {
		f.add(fmt.Sprintf("ord-%05d", i), "order-process", flow.Running, time.Duration(n-i)*time.Second)
	}
	return f
}

func (f *fake) add(id, kind string, s flow.Status, age time.Duration) *flow.Run {
	at := flow.InstantOf(f.now().Add(-age))
	f.runs = append(f.runs, flow.Run{
		Ref:  flow.Ref{ID: flow.WorkflowID(id), Run: flow.RunID(fmt.Sprintf("01JNRUN%019d", len(f.runs)+1))},
		Type: kind, Version: "v3", Status: s, CreatedAt: at, StartedAt: at, UpdatedAt: flow.InstantOf(f.now().Add(-time.Second)),
		Events: 2,
	})
	return &f.runs[len(f.runs)-1]
}

func (f *fake) ref(id string) flow.Ref {
	for _, r := range f.runs {
		if string(r.ID) == id {
			return r.Ref
		}
	}
	panic("no run " + id)
}

// set changes the status of a run and tells watchers.
func (f *fake) set(ref flow.Ref, s flow.Status) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.runs {
		if f.runs[i].Ref == ref {
			f.runs[i].Status = s
			if s.Terminal() {
				f.runs[i].ClosedAt = flow.InstantOf(f.now())
			}
			f.tell(flow.Notice{Kind: flow.NoticeEnded, Ref: ref, Type: f.runs[i].Type, Status: s})
		}
	}
}

func (f *fake) tell(n flow.Notice) {
	f.seq++
	n.Seq, n.At = f.seq, flow.InstantOf(f.now())
	f.notices = append(f.notices, n)
}

func (f *fake) counts() (c flow.Counts) {
	for _, r := range f.runs {
		c.Add(r.Status, 1)
	}
	c.Owed, c.Dead = int64(len(f.owed)), int64(len(f.dead))
	return c
}

// counted are the types with how many runs each has.
func (f *fake) counted() []flow.Type {
	types := slices.Clone(f.types)
	for i, t := range types {
		byVersion := map[string]flow.Counts{}
		for _, r := range f.runs {
			if r.Type == t.Name {
				c := byVersion[r.Version]
				c.Add(r.Status, 1)
				byVersion[r.Version] = c
			}
		}
		for _, v := range slices.Sorted(maps.Keys(byVersion)) {
			types[i].Versions = append(slices.Clone(types[i].Versions), flow.VersionCounts{Version: v, Counts: byVersion[v]})
		}
	}
	return types
}

func (f *fake) Info(context.Context) (flow.Info, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls++
	i := f.info
	i.Counts, i.At = f.counts(), flow.InstantOf(f.now())
	return i, f.fail
}

func matches(q flow.Filter, r flow.Run) bool {
	p, _ := q.Patterns()
	switch {
	case !p.Let(append([]string{string(r.ID), r.Type}, r.Tags...)...), q.CreatedFrom > r.CreatedAt, q.CreatedTo != 0 && q.CreatedTo <= r.CreatedAt:
		return false
	case len(q.Statuses) > 0 && !slices.Contains(q.Statuses, r.Status),
		q.Type != "" && q.Type != r.Type, q.Version != "" && q.Version != r.Version,
		!strings.HasPrefix(string(r.ID), q.IDPrefix),
		q.Held != nil && *q.Held != r.Held,
		!strings.Contains(strings.ToLower(string(r.ID)+" "+r.Type+" "+strings.Join(r.Tags, " ")), strings.ToLower(q.Contains)):
		return false
	}
	return true
}

func (f *fake) Page(_ context.Context, q flow.Query) (flow.Page, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls++
	p := flow.Page{Counts: f.counts(), At: flow.InstantOf(f.now())}
	switch q.Of {
	case flow.ListTypes:
		p.Types = f.counted()
		return p, f.fail
	case flow.ListAudit:
		p.Audit, p.Total = slices.Clone(f.audit), int64(len(f.audit))
		slices.Reverse(p.Audit)
		for _, a := range p.Audit {
			p.Cursors = append(p.Cursors, fmt.Sprint(a.Number))
		}
		p.Audit, p.Cursors, p.More = window(q, p.Audit, p.Cursors)
		return p, f.fail
	case flow.ListTeardowns:
		f.pageOwed(q, &p)
		return p, f.fail
	case flow.ListDead:
		f.pageDead(q, &p)
		return p, f.fail
	}
	var all []flow.Run
	for _, r := range f.runs {
		if matches(q.Filter, r) {
			all = append(all, r)
		}
	}
	slices.SortStableFunc(all, func(a, b flow.Run) int {
		return cmp.Or(cmp.Compare(b.CreatedAt, a.CreatedAt), cmp.Compare(b.Run, a.Run))
	})
	if q.Backward {
		slices.Reverse(all)
	}
	p.Total = int64(len(all))
	for _, r := range all {
		c := cursorOf(r)
		if q.After != "" && (q.Backward && c <= q.After || !q.Backward && c >= q.After) {
			continue
		}
		if len(p.Runs) == q.Limit {
			p.More = true
			break
		}
		p.Runs, p.Cursors = append(p.Runs, r), append(p.Cursors, c)
	}
	return p, f.fail
}

func cursorOf(r flow.Run) string { return fmt.Sprintf("%020d/%s", r.CreatedAt, r.Run) }

func (f *fake) Detail(_ context.Context, ref flow.Ref, part flow.Part) (flow.Detail, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls++
	for _, r := range f.runs {
		if r.Ref != ref && (ref.Run != "" || r.ID != ref.ID) {
			continue
		}
		ref := r.Ref
		d := flow.Detail{Run: r, Input: f.inputs[ref], Bytes: 1234, At: flow.InstantOf(f.now())}
		if d.Input == nil {
			d.Input = flow.Payload(`{"n":1}`)
		}
		if name := f.final[ref]; name != "" {
			d.Finalizer, d.FinalizerState = name, flow.Payload(strings.Repeat("x", 84))
		}
		switch part {
		case flow.PartSteps:
			d.Steps = f.steps[ref]
		case flow.PartEvents:
			d.Events = []flow.Event{{Seq: 1, Kind: flow.EventStarted, At: r.CreatedAt, Output: d.Input},
				{Seq: 2, Kind: flow.EventStep, At: r.CreatedAt + 400, Step: "1", StepKind: flow.StepActivity, Name: "chargeCard", Output: flow.Payload(`"ch_1"`)}}
		case flow.PartSignals:
			d.Signals = f.signal[ref]
		case flow.PartFamily:
			d.Children = f.children[ref]
		}
		return d, f.fail
	}
	return flow.Detail{}, &flow.NotFoundError{What: "workflow", Name: string(ref.ID)}
}

func (f *fake) Ask(_ context.Context, q flow.Ask) (flow.Answer, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asks = append(f.asks, q)
	return flow.Answer{Payload: flow.Payload(`{"done":3,"of":3544790567247868102}`), At: flow.InstantOf(f.now())}, f.refuse
}

// News does not wait.
func (f *fake) News(_ context.Context, from uint64, most int) (flow.News, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.hungUp {
		f.hungUp = false
		return flow.News{}, flow.ErrClosed
	}
	news := flow.News{Next: f.seq + 1}
	if from > 0 && from <= f.seq {
		all := f.notices[from-1:]
		news.Notices = slices.Clone(all[max(0, len(all)-most):])
		news.Notices[0].Missed += uint64(len(all) - len(news.Notices))
	}
	return news, nil
}

func (f *fake) Close(ctx context.Context) error {
	if f.drain != nil {
		select {
		case <-f.drain:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
