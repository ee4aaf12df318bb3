package tui

import (
	"time"

	"weft/flow"
)

const ordRow = "ord-7f3a9c1e-44b0-4a5e-9f0e-2d0c6f5a1b2c"

// lively is an owing fake of which one run has steps of every kind and a family.
func lively() *fake {
	f := owing()
	ref, parent := f.ref(ordRow), f.ref("shp-00a1f9c3-77d0-4c1a-8f3e-5b2a9d0ce2b7")
	at := flow.InstantOf(noon)
	b := at.Add(-133 * time.Second)
	r := f.find(ref)
	r.StartedAt, r.CreatedAt, r.Parent, r.Step = b, b, &parent, "6.1.1"
	ms := func(n int) flow.Instant { return b.Add(time.Duration(n) * time.Millisecond) }
	f.steps[ref] = []flow.Step{
		{Path: "1", Kind: flow.StepActivity, Name: "chargeCard", Attempt: 1, State: flow.StepDone, StartedAt: b, EndedAt: ms(400)},
		{Path: "2", Kind: flow.StepActivity, Name: "fraudCheck", Attempt: 3, MaxAttempts: 5, State: flow.StepDone, StartedAt: ms(400), EndedAt: ms(1500)},
		{Path: "3", Kind: flow.StepSleep, State: flow.StepDone, StartedAt: ms(1500), EndedAt: ms(120_000)},
		{Path: "4", Kind: flow.StepSignal, Name: "paid", State: flow.StepTimedOut, StartedAt: ms(120_000), EndedAt: ms(121_000)},
		{Path: "5", Kind: flow.StepActivity, Name: "notify", Attempt: 1, State: flow.StepFailed, StartedAt: ms(121_000), EndedAt: ms(122_000),
			Error: &flow.Failure{Message: "no such mailbox"}},
		{Path: "6.1.1", Kind: flow.StepActivity, Name: "reserveStock", Attempt: 2, MaxAttempts: 3, State: flow.StepRetrying, StartedAt: ms(131_000),
			Due: at.Add(9 * time.Second), Error: &flow.Failure{Message: "503 Service Unavailable: stock"}},
		{Path: "6.2.1", Kind: flow.StepChild, Name: "order-ship", State: flow.StepOpen, StartedAt: ms(131_000)},
		{Path: "6.3.1", Kind: flow.StepChild, Name: "mail", State: flow.StepDone, StartedAt: ms(131_000), EndedAt: ms(131_800)},
		{Path: "6.4.1", Kind: flow.StepChild, Name: "report", State: flow.StepDone, StartedAt: ms(131_000), EndedAt: ms(131_010)},
	}
	kid := f.add(ordRow+".6.2.1", "order-ship", flow.Running, 2*time.Second)
	kid.Parent = &ref
	f.children = map[flow.Ref][]flow.Child{ref: {
		{Ref: kid.Ref, Type: "order-ship", Step: "6.2.1", Status: flow.Running, CreatedAt: kid.CreatedAt},
		{Ref: flow.Ref{ID: "mail-1", Run: "x"}, Type: "mail", Step: "6.3.1"},
		{Ref: flow.Ref{ID: "report-1", Run: "y"}, Type: "report", Step: "6.4.1", Status: flow.Completed, CreatedAt: ms(131_000), ClosedAt: ms(132_500), Abandoned: true},
	}}
	f.audit = append(f.audit, flow.Audit{Number: 118, At: at, Actor: "kim", Verb: "restart", Target: flow.Ref{ID: ordRow, Run: "01JOLD"}})
	return f
}
