package list_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/engine/list"
	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// due is 2026-03-01T12:00:00Z.
const due flow.Instant = 1_772_366_400_000

func TestDescribe(t *testing.T) {
	waits := func(w row.Wait) map[flow.StepPath]row.Wait { return map[flow.StepPath]row.Wait{"2": w} }
	many := map[flow.StepPath]row.Wait{}
	for i := range 20 {
		many[flow.StepPath(fmt.Sprint(30-i))] = row.Wait{Kind: flow.StepSleep}
	}
	step := flow.Event{Kind: flow.EventStep, At: 50, Step: "1", Summary: "half way"}
	tests := map[string]struct {
		run  run
		want flow.Run
	}{
		"goes on at its last step": {run{events: []flow.Event{step}},
			flow.Run{Step: "1", Summary: "half way", UpdatedAt: 50, Events: 2}},
		"waits for a signal": {run{waits: waits(row.Wait{Kind: flow.StepSignal, Name: "approved", StartedAt: 60})},
			flow.Run{Waiting: "signal approved", Step: "2", UpdatedAt: 60, Events: 1}},
		"waits for a signal for some time": {run{waits: waits(row.Wait{Kind: flow.StepSignal, Name: "approved", Due: due})},
			flow.Run{Waiting: "signal approved until 2026-03-01T12:00:00.000Z", Step: "2", Due: due, UpdatedAt: 10, Events: 1}},
		"sleeps": {run{waits: waits(row.Wait{Kind: flow.StepSleep, Due: due})},
			flow.Run{Waiting: "sleep until 2026-03-01T12:00:00.000Z", Step: "2", Due: due, UpdatedAt: 10, Events: 1}},
		"tries again": {run{waits: waits(row.Wait{Kind: flow.StepActivity, Name: "charge", Attempt: 2, Due: due,
			LastError: &flow.Failure{Message: "no route"}})},
			flow.Run{Waiting: "activity charge, attempt 2, next try at 2026-03-01T12:00:00.000Z", Step: "2", Due: due, UpdatedAt: 10, Events: 1}},
		"runs its first attempt": {run{waits: waits(row.Wait{Kind: flow.StepActivity, Name: "charge", Attempt: 1})},
			flow.Run{Waiting: "activity charge", Step: "2", UpdatedAt: 10, Events: 1}},
		"waits in two branches, the retry is shown": {run{waits: map[flow.StepPath]row.Wait{
			"1.1.1": {Kind: flow.StepSleep, Due: due}, "1.2.1": {Kind: flow.StepActivity, Name: "charge", Attempt: 3}}},
			flow.Run{Waiting: "activity charge, attempt 3 and 1 other", Step: "1.2.1", UpdatedAt: 10, Events: 1}},
		"waits in three branches, the first step is shown": {run{waits: map[flow.StepPath]row.Wait{
			"10": {Kind: flow.StepSleep}, "9": {Kind: flow.StepChild, Name: "mail"}, "9.1": {Kind: flow.StepSleep}}},
			flow.Run{Waiting: "child mail and 2 others", Step: "9", UpdatedAt: 10, Events: 1}},
		"waits in many branches": {run{waits: many},
			flow.Run{Waiting: "sleep and more than 15 others", Step: "11", UpdatedAt: 10, Events: 1}},
		"the wait knows a newer summary": {run{events: []flow.Event{step},
			waits: waits(row.Wait{Kind: flow.StepSleep, StartedAt: 50, Summary: "nearly"})},
			flow.Run{Waiting: "sleep", Step: "2", Summary: "nearly", UpdatedAt: 50, Events: 2}},
		"an event behind the wait knows a newer summary": {run{events: []flow.Event{step},
			waits: waits(row.Wait{Kind: flow.StepSleep, StartedAt: 49, Summary: "early"})},
			flow.Run{Waiting: "sleep", Step: "2", Summary: "half way", UpdatedAt: 50, Events: 2}},
		"is suspended": {run{status: flow.Suspended, cause: flow.Nondeterminism, reason: "step 4 differs"},
			flow.Run{Waiting: "resume", Reason: "nondeterminism: step 4 differs", UpdatedAt: 10, Events: 1}},
		"is suspended without a word": {run{status: flow.Suspended, cause: flow.ByOperator},
			flow.Run{Waiting: "resume", Reason: "operator", UpdatedAt: 10, Events: 1}},
		"is suspended in a wait": {run{status: flow.Suspended, waits: waits(row.Wait{Kind: flow.StepSleep})},
			flow.Run{Waiting: "resume, then sleep", Step: "2", UpdatedAt: 10, Events: 1}},
		"has not begun": {run{status: flow.Pending}, flow.Run{Waiting: "start", UpdatedAt: 10, Events: 1}},
		"has failed": {run{status: flow.Failed, closed: 70, tags: []string{"eu"}, events: []flow.Event{{Kind: flow.EventEnded, At: 70,
			Status: flow.Failed, Failure: &flow.Failure{Code: "no-stock", Message: "none left"}}}},
			flow.Run{Failure: &flow.Failure{Code: "no-stock", Message: "none left"}, Tags: []string{"eu"}, UpdatedAt: 70, ClosedAt: 70, Events: 2}},
		"was cancelled for a reason": {run{status: flow.Cancelled, closed: 70, reason: "not needed"},
			flow.Run{Reason: "not needed", UpdatedAt: 70, ClosedAt: 70, Events: 1}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r, want := tc.run, tc.want
			r.id, r.typ, r.version, r.created = "a", "order", "1", 10
			if r.status == 0 {
				r.status = flow.Running
			}
			want.Ref, want.Type, want.Version, want.Status = r.ref(), "order", "1", r.status
			want.CreatedAt, want.StartedAt, want.Signals, want.Attributes = 10, 10, -1, map[string]string{}
			if want.Tags == nil {
				want.Tags = []string{}
			}
			w := newWorld(t)
			w.runs(r)
			got := list.Describe(w, r.head(), r.ref())
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestDescribeSaysWhatItCannotRead(t *testing.T) {
	r := run{id: "a", typ: "order", status: flow.Running, created: 10, reason: "because"}
	got := list.Describe(&meter{Reader: newWorld(t), failAt: 0}, r.head(), r.ref())
	if got.Reason != "because; journal missing" {
		t.Errorf("without a journal the reason is %q", got.Reason)
	}
	w := newWorld(t)
	w.runs(r)
	got = list.Describe(&meter{Reader: w, failAt: 1}, r.head(), r.ref())
	if got.Reason != "because; rows unreadable: broken disk" || got.Type != "order" {
		t.Errorf("with a broken disk: %+v", got)
	}
}

func TestDetail(t *testing.T) {
	w := newWorld(t)
	failure := &flow.Failure{Category: flow.Application, Message: "no route"}
	r := run{id: "a", typ: "order", status: flow.Running, created: 10,
		events: []flow.Event{
			{Kind: flow.EventStep, At: 20, Step: "1", StepKind: flow.StepActivity, Name: "charge", StartedAt: 11, Attempt: 2, Output: flow.Payload(`"ok"`)},
			{Kind: flow.EventSuspended, At: 21, Status: flow.Suspended},
			{Kind: flow.EventStep, At: 22, Step: "10", StepKind: flow.StepActivity, Name: "mail", Failure: failure},
			{Kind: flow.EventStep, At: 23, Step: "2", StepKind: flow.StepSignal, Name: "go", TimedOut: true},
		},
		waits: map[flow.StepPath]row.Wait{
			"11":  {Kind: flow.StepActivity, Name: "ship", Attempt: 2, StartedAt: 24, Due: due, LastError: failure},
			"3.1": {Kind: flow.StepSleep, StartedAt: 23, Due: due},
		},
		signals: []row.Signal{{Name: "go", ID: "x", Payload: []byte(`1`), At: 30}, {Name: "stop", At: 31}},
	}
	w.runs(r)
	w.write(func(b *store.Batch) { b.Put(row.SignalIDKey(r.ref(), "go", "x"), nil) })

	d, err := list.Detail(w, flow.Ref{ID: "a"}, flow.PartSteps)
	if err != nil {
		t.Fatal(err)
	}
	want := []flow.Step{
		{Path: "1", Kind: flow.StepActivity, Name: "charge", Attempt: 2, State: flow.StepDone, StartedAt: 11, EndedAt: 20, Output: flow.Payload(`"ok"`)},
		{Path: "2", Kind: flow.StepSignal, Name: "go", State: flow.StepTimedOut, EndedAt: 23},
		{Path: "3.1", Kind: flow.StepSleep, State: flow.StepOpen, StartedAt: 23, Due: due},
		{Path: "10", Kind: flow.StepActivity, Name: "mail", State: flow.StepFailed, EndedAt: 22, Error: failure},
		{Path: "11", Kind: flow.StepActivity, Name: "ship", Attempt: 2, State: flow.StepRetrying, StartedAt: 24, Due: due, Error: failure},
	}
	if diff := cmp.Diff(want, d.Steps); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	if string(d.Input) != `{"n":1}` || d.Output != nil || d.Run.Ref != r.ref() || d.Run.Signals != 2 || d.Run.Events != 5 || d.Bytes < 100 {
		t.Errorf("input %s, output %s, run %s, %d signals, %d events, %d bytes", d.Input, d.Output, d.Run.Ref, d.Run.Signals, d.Run.Events, d.Bytes)
	}
	if d.Events != nil || d.Signals != nil {
		t.Errorf("steps come with %d events and %d signals", len(d.Events), len(d.Signals))
	}
	signals, err := list.Detail(w, r.ref(), flow.PartSignals)
	if diff := cmp.Diff([]flow.BufferedSignal{{Name: "go", ID: "x", Payload: flow.Payload(`1`), At: 30}, {Name: "stop", At: 31}}, signals.Signals); err != nil || diff != "" {
		t.Errorf("signals: %v (-want +got):\n%s", err, diff)
	}
	events, err := list.Detail(w, r.ref(), flow.PartEvents)
	if err != nil || len(events.Events) != 5 || events.Events[4].Seq != 5 || events.Steps != nil {
		t.Errorf("events: %+v, %v", events.Events, err)
	}
	summary, err := list.Detail(w, r.ref(), "")
	if err != nil || summary.Bytes != d.Bytes || string(summary.Input) != string(d.Input) || summary.Steps != nil {
		t.Errorf("summary: %+v, %v", summary, err)
	}
}

func TestDetailOfAnEndedRun(t *testing.T) {
	w := newWorld(t)
	r := run{id: "a", typ: "order", status: flow.Completed, created: 10, closed: 20,
		events: []flow.Event{{Kind: flow.EventEnded, At: 20, Status: flow.Completed, Output: flow.Payload(`7`)}},
		waits:  map[flow.StepPath]row.Wait{"1": {Kind: flow.StepSleep}}} // left over
	w.runs(r)
	d, err := list.Detail(w, r.ref(), flow.PartSteps)
	if err != nil || string(d.Output) != "7" || len(d.Steps) != 0 || d.Run.Waiting != "" {
		t.Errorf("output %s, steps %v, waiting %q, %v", d.Output, d.Steps, d.Run.Waiting, err)
	}
}

func TestDetailDamaged(t *testing.T) {
	w := newWorld(t)
	r := run{id: "a", typ: "order", status: flow.Running, created: 10, events: []flow.Event{
		{Kind: flow.EventStep, Step: "1"}, {Kind: flow.EventStep, Step: "2"}}}
	w.runs(r)
	w.write(func(b *store.Batch) {
		b.Put(row.EventKey(r.ref(), 2), []byte{0})
		b.Put(row.WaitKey(r.ref(), "3"), nil)
		b.Put(row.SignalKey(r.ref(), 1), nil)
	})
	steps, err := list.Detail(w, r.ref(), flow.PartSteps)
	if err != nil || len(steps.Steps) != 2 || steps.Steps[1].Path != "3" {
		t.Errorf("steps %+v, %v", steps.Steps, err)
	}
	const want = "wait of step 3 unreadable: wait: empty record: store damaged; event 2 unreadable: journal entry: record version 0: store damaged"
	if steps.Run.Reason != want {
		t.Errorf("reason %q\nwant   %q", steps.Run.Reason, want)
	}
	events, err := list.Detail(w, r.ref(), flow.PartEvents)
	if err != nil || len(events.Events) != 3 || events.Events[1].Seq != 2 || events.Events[1].Kind != 0 || events.Events[1].Reason == "" {
		t.Errorf("events %+v, %v", events.Events, err)
	}
	signals, err := list.Detail(w, r.ref(), flow.PartSignals)
	if err != nil || signals.Run.Signals != 1 || len(signals.Signals) != 0 {
		t.Errorf("signals %+v, %v", signals.Signals, err)
	}
}

func TestDetailRefused(t *testing.T) {
	w := newWorld(t)
	r := run{id: "a", typ: "order", status: flow.Running, created: 10}
	w.runs(r)
	w.write(func(b *store.Batch) { b.Put(row.HeadKey("bad"), []byte{1}) })
	tests := map[string]struct {
		ref  flow.Ref
		part flow.Part
		want error
	}{
		"an unknown id":       {flow.Ref{ID: "b"}, "", flow.ErrNotFound},
		"an earlier run":      {flow.Ref{ID: "a", Run: "0000000000000000000000ZZZZ"}, "", flow.ErrNotFound},
		"a part that is none": {r.ref(), "everything", flow.ErrBadName},
		"a damaged head":      {flow.Ref{ID: "bad"}, "", store.ErrCorrupt},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := list.Detail(w, tc.ref, tc.part); !errors.Is(err, tc.want) {
				t.Errorf("%s, part %q: %v; want %v", tc.ref, tc.part, err, tc.want)
			}
		})
	}
}
