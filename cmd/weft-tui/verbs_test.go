package main

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/flow"
	"weft/views"
)

// orders is a console with a few runs, one of them hostile.
func orders() *fake {
	at := func(seconds int64) flow.Instant { return noon + flow.Instant(seconds*1000) }
	runs := []flow.Run{
		{Ref: flow.Ref{ID: "order-1", Run: run1}, Type: "order", Version: "2", Status: flow.Running,
			Waiting: "signal paid", Step: "3", CreatedAt: at(0), StartedAt: at(0), UpdatedAt: at(1)},
		{Ref: flow.Ref{ID: "注文", Run: run1}, Type: "order", Status: flow.Failed, CreatedAt: at(2), ClosedAt: at(3),
			Failure: &flow.Failure{Code: "declined", Category: flow.Application, Message: "card \x1b[31mdeclined\n"}},
		{Ref: flow.Ref{ID: "ship", Run: run1}, Type: "ship", Status: flow.Running, Held: true,
			HeldBecause: "type ship is not registered here", CreatedAt: at(4)},
	}
	return &fake{
		page: flow.Page{Runs: runs,
			Types: []flow.Type{{Name: "order", Version: "2", Registered: true, Signals: []string{"paid"}, Example: flow.Payload(`{"amount":3544790567247868102}`),
				Versions: []flow.VersionCounts{{Version: "2", Counts: flow.Counts{Running: 1, Failed: 1}}}}, {Name: "ship"}},
			Audit: []flow.Audit{{Number: 7, At: at(5), Actor: "ana", Why: "asked", Verb: "start", Target: flow.Ref{ID: "order-1", Run: run1}, Text: "started"}},
			Teardowns: []flow.Teardown{{Ref: flow.Ref{ID: "box", Run: run1}, Type: "sandbox", Finalizer: "destroy", State: "running", Attempts: 2, Piece: 2, Pieces: 4,
				NextAt: at(60), ClaimedAt: at(1), StaleAt: at(36), LastError: "402"}},
			Dead: []flow.Dead{{Ref: flow.Ref{ID: "lost", Run: run1}, Type: "sandbox", Finalizer: "destroy", Attempts: 8, LastError: "account \x1bclosed",
				DeadLetteredAt: at(7), Input: flow.Payload(`{"vm":3544790567247868102}`)}},
			At: at(9)},
		detail: flow.Detail{Run: runs[0], Input: flow.Payload(`{"amount":3544790567247868102,"note":"<b>"}`), Bytes: 84, At: at(9),
			Steps: []flow.Step{
				{Path: "1", Kind: flow.StepActivity, Name: "charge", Attempt: 2, MaxAttempts: 3, State: flow.StepDone, StartedAt: at(0),
					EndedAt: at(1), Output: flow.Payload(`{"ok":true}`)},
				{Path: "2", Kind: flow.StepSleep, State: flow.StepOpen, StartedAt: at(1), Due: at(60)},
				{Path: "3", Kind: flow.StepActivity, Name: "sign", Attempt: 1, State: flow.StepOutside, StartedAt: at(1), Due: at(60), Token: "k"},
			}},
		info: flow.Info{At: at(5), Counts: flow.Counts{Running: 2, Failed: 1, Owed: 3}, OwedSince: at(0),
			Lease: flow.Lease{State: flow.LeaseOther, Holder: "host-1", Epoch: 4, RenewedAt: at(0), ExpiresAt: at(30),
				History: []flow.Tenure{{Epoch: 4, Holder: "host-1", Since: at(0)}}}},
		notices: []flow.Notice{{Seq: 1, At: at(1), Kind: flow.NoticeStarted, Ref: flow.Ref{ID: "order-1"}, Type: "order"},
			{Seq: 9, Missed: 7, At: at(2), Kind: flow.NoticeStep, Ref: flow.Ref{ID: "order-1"}, Step: "1", Text: "charge"}},
	}
}

func TestVerbsForPeople(t *testing.T) {
	tests := map[string]struct {
		args []string
		want string
	}{
		"ls": {[]string{"ls"}, `
ID       RUN                         STATUS         TYPE     CREATED                   AT
order-1  01JQ8Z5V4X2Y7K9M3N6P8R0S1T  running        order 2  2026-03-01T12:00:00.000Z  step 3: signal paid
注文     01JQ8Z5V4X2Y7K9M3N6P8R0S1T  failed         order    2026-03-01T12:00:02.000Z  card \x1b[31mdeclined\n
ship     01JQ8Z5V4X2Y7K9M3N6P8R0S1T  running, held  ship     2026-03-01T12:00:04.000Z  type ship is not registered here
`},
		"show": {[]string{"show", "order-1"}, `
id         order-1
run        01JQ8Z5V4X2Y7K9M3N6P8R0S1T
type       order 2
status     running
waits for  signal paid
step       3
created    2026-03-01T12:00:00.000Z
started    2026-03-01T12:00:00.000Z
updated    2026-03-01T12:00:01.000Z
journal    0 events, 84 bytes
input      {"amount":3544790567247868102,"note":"<b>"}
`},
		"steps": {[]string{"steps", "order-1", "--run", run1}, `
STEP  KIND      NAME    STATE    TRY  STARTED                   ENDED                     OUTCOME
1     activity  charge  done     2/3  2026-03-01T12:00:00.000Z  2026-03-01T12:00:01.000Z  {"ok":true}
2     sleep             open     0    2026-03-01T12:00:01.000Z  -                         due 2026-03-01T12:01:00.000Z
3     activity  sign    outside  1    2026-03-01T12:00:01.000Z  -                         waiting for completion from outside until 2026-03-01T12:01:00.000Z, token k
`},
		"counts": {[]string{"counts"}, `
pending    0
running    2
suspended  0
completed  0
failed     1
cancelled  0
timed-out  0
owed       3
oldest     2026-03-01T12:00:00.000Z, 5s ago
dead       0
`},
		"lease": {[]string{"lease"}, `
state    other, not given back by its holder
holder   host-1
epoch    4
renewed  2026-03-01T12:00:00.000Z, 5s ago
expires  2026-03-01T12:00:30.000Z, in 25s
EPOCH  HOLDER  SINCE                     UNTIL  ENDED
4      host-1  2026-03-01T12:00:00.000Z  -
`},
		"types": {[]string{"types"}, `
TYPE   VERSION              LIVE  RUNS  SIGNALS  EXAMPLE
order  2                    1     2     paid     {"amount":3544790567247868102}
ship   not registered here  0     0
`},
		"teardowns": {[]string{"teardowns"}, `
ID   RUN                         TYPE     FINALIZER              STATE    USED  NEXT                      STALE AT                  LAST ERROR
box  01JQ8Z5V4X2Y7K9M3N6P8R0S1T  sandbox  destroy, piece 2 of 4  running  2/8   2026-03-01T12:01:00.000Z  2026-03-01T12:00:36.000Z  402
`},
		"dead": {[]string{"dead"}, `
ID    RUN                         TYPE     FINALIZER  USED  DEAD SINCE                INPUT                       LAST ERROR
lost  01JQ8Z5V4X2Y7K9M3N6P8R0S1T  sandbox  destroy    8/8   2026-03-01T12:00:07.000Z  {"vm":3544790567247868102}  account \x1bclosed
`},
		"audit": {[]string{"audit"}, `
NO  AT                        WHO  DID    TO                                  WHAT     WHY
7   2026-03-01T12:00:05.000Z  ana  start  order-1/01JQ8Z5V4X2Y7K9M3N6P8R0S1T  started  asked
`},
		"watch": {[]string{"watch"}, `
2026-03-01T12:00:01.000Z  started  order-1  order
2026-03-01T12:00:02.000Z  step  order-1  1  charge  (7 missed before)
`},
		"start":  {[]string{"start", "order"}, "\nstart done: order-1/" + run1 + "\n"},
		"signal": {[]string{"signal", "order-1", "paid"}, "\nsignal done: order-1/" + run1 + "\n"},
		"update": {[]string{"update", "order-1", "pay"}, "\nupdate pay: order-1/" + run1 + "\n{\"paid\": 3544790567247868102}\n"},
		"query":  {[]string{"query", "order-1", "state"}, "\n{\"got\": 3544790567247868102}\n"},
		"resume": {[]string{"resume", "order-1"}, "\nresume done: order-1/" + run1 + "\n"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := invoke(t, orders(), tc.args...)
			if diff := cmp.Diff(tc.want[1:], got.out); diff != "" || got.code != exitOK || got.err != "" {
				t.Errorf("weft-tui %q: exit %d, stderr %q, stdout (-want +got):\n%s", tc.args, got.code, got.err, diff)
			}
		})
	}
}

// TestVerbsForScripts: one JSON value a line, with the documented names, exact
// numbers and nothing that drives a terminal.
func TestVerbsForScripts(t *testing.T) {
	tests := map[string]struct {
		args []string
		want []string // in the output
	}{
		"ls": {[]string{"ls", "--json"}, []string{`{"runs":[{"id":"order-1","run":"` + run1 + `","type":"order","version":"2","status":"running",`,
			`"createdAt":"2026-03-01T12:00:00.000Z"`, `"total":3`, `"next":""`, `card \u001b[31mdeclined\n`}},
		"show":   {[]string{"show", "order-1", "--json"}, []string{`{"run":{"id":"order-1",`, `"input":{"amount":3544790567247868102,"note":"<b>"}`}},
		"steps":  {[]string{"steps", "order-1", "--json"}, []string{`{"id":"order-1","run":"` + run1 + `","steps":[{"path":"1","kind":"activity","name":"charge","attempt":2`}},
		"counts": {[]string{"counts", "--json"}, []string{`{"pending":0,"running":2,"suspended":0,"completed":0,"failed":1,"cancelled":0,"timed-out":0,"owed":3,"dead":0,"owedSince":"2026-03-01T12:00:00.000Z"}`}},
		"lease":  {[]string{"lease", "--json"}, []string{`{"state":"other","holder":"host-1","mine":false,"epoch":4,"expiresAt":"2026-03-01T12:00:30.000Z","renewedAt":"2026-03-01T12:00:00.000Z","history":[{`}},
		"teardowns": {[]string{"teardowns", "--json"}, []string{`{"teardowns":[{"id":"box","run":"` + run1 + `","type":"sandbox","finalizer":"destroy","state":"running",` +
			`"attempts":2,"nextAt":"2026-03-01T12:01:00.000Z","claimedAt":"2026-03-01T12:00:01.000Z","staleAt":"2026-03-01T12:00:36.000Z","lastError":"402"`, `"total":`}},
		"dead": {[]string{"dead", "--json"}, []string{`{"dead":[{"id":"lost","run":"` + run1 + `","type":"sandbox","finalizer":"destroy","attempts":8,` +
			`"lastError":"account \u001bclosed","deadLetteredAt":"2026-03-01T12:00:07.000Z","input":{"vm":3544790567247868102}}],"total":`}},
		"types": {[]string{"types", "--json"}, []string{`{"types":[{"name":"order","version":"2","registered":true`, `"example":{"amount":3544790567247868102}`}},
		"audit": {[]string{"audit", "--json"}, []string{`{"audit":[{"number":7,"at":"2026-03-01T12:00:05.000Z","actor":"ana","why":"asked","verb":"start"`}},
		"watch": {[]string{"watch", "--jsonl"}, []string{`{"seq":1,"at":"2026-03-01T12:00:01.000Z","kind":"started"`, "\n" + `{"seq":9,"missed":7,`}},
		"update": {[]string{"update", "order-1", "pay", "--update-id", "u", "--json"},
			[]string{`"audit":7,"text":"update pay","updateId":"u","output":{"paid":3544790567247868102},"at":`}},
		"query": {[]string{"query", "order-1", "state", "--json"}, []string{`{"payload":{"got":3544790567247868102},"at":"2026-03-01T12:00:00.000Z"}`}},
		"start": {[]string{"start", "order", "--json"}, []string{`{"ref":{"id":"order-1","run":"` + run1 + `"},"audit":7,"text":"start done","at":"2026-03-01T12:00:00.000Z"}`}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := invoke(t, orders(), tc.args...)
			if got.code != exitOK || got.err != "" {
				t.Fatalf("weft-tui %q: %v", tc.args, got)
			}
			for _, part := range tc.want {
				if !strings.Contains(got.out, part) {
					t.Errorf("weft-tui %q: no %s in\n%s", tc.args, part, got.out)
				}
			}
			for line := range strings.Lines(got.out) {
				if !json.Valid([]byte(line)) {
					t.Errorf("weft-tui %q: not JSON: %s", tc.args, line)
				}
			}
		})
	}
}

// TestEmptyListsAreLists: a script may always walk the list.
func TestEmptyListsAreLists(t *testing.T) {
	empty := func() *fake { return &fake{detail: flow.Detail{Run: flow.Run{Ref: flow.Ref{ID: "a"}}}} }
	tests := map[string]string{"ls": `{"runs":[],`, "types": `{"types":[],`, "audit": `{"audit":[],`, "teardowns": `{"teardowns":[],`, "dead": `{"dead":[],`, "steps a": `"steps":[],`, "lease": `"history":[]}`}
	for verb, want := range tests {
		got := invoke(t, empty(), append(strings.Fields(verb), "--json")...)
		if !strings.Contains(got.out, want) {
			t.Errorf("weft-tui %s --json: %v, want %s", verb, got, want)
		}
	}
}

func TestJSONDrivesNoTerminal(t *testing.T) {
	f := orders()
	f.detail.Run.Summary = "\u009b31m \u202eevil\u2069 \x7f \xff"
	f.detail.Output = flow.Payload("\"\u009b31m \u202e\"")
	got := invoke(t, f, "show", "order-1", "--json")
	for _, r := range got.out {
		if r != '\n' && views.Drives(r) {
			t.Errorf("show --json writes %q in %s", r, got.out)
		}
	}
	var d flow.Detail
	if err := json.Unmarshal([]byte(got.out), &d); err != nil {
		t.Fatal(err)
	}
	if want := "\u009b31m \u202eevil\u2069 \x7f \ufffd"; d.Run.Summary != want {
		t.Errorf("summary %q, want %q: the escapes must say the same", d.Run.Summary, want)
	}
}

func TestModes(t *testing.T) {
	tests := map[string]struct {
		args []string
		want want
	}{
		"reading looks":             {[]string{"counts", "--data", "d"}, want{Dir: "d", Mode: flow.ModeLook}},
		"a query looks":             {[]string{"query", "a", "b"}, want{Dir: "./weft-data", Mode: flow.ModeLook}},
		"an act operates":           {[]string{"resume", "a"}, want{Dir: "./weft-data", Mode: flow.ModeOperate}},
		"a loss is accepted":        {[]string{"resume", "a", "--accept-data-loss"}, want{Dir: "./weft-data", Mode: flow.ModeOperate, AcceptDataLoss: true}},
		"the console runs":          {nil, want{Dir: "./weft-data", Mode: flow.ModeRun}},
		"read-only looks":           {[]string{"--read-only"}, want{Dir: "./weft-data", Mode: flow.ModeLook}},
		"only demo creates":         {[]string{"demo"}, want{Dir: "./weft-data", Mode: flow.ModeRun, Create: true, Seed: true}},
		"a read-only demo does not": {[]string{"demo", "--read-only"}, want{Dir: "./weft-data", Mode: flow.ModeLook, Seed: true}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f := orders()
			got := invokeOn(t, f, true, tc.args...)
			asked := append(got.opened, got.shown...)
			if diff := cmp.Diff([]want{tc.want}, asked); diff != "" || got.code != exitOK {
				t.Errorf("weft-tui %q: %v (-want +got):\n%s", tc.args, got, diff)
			}
			if f.closed != len(got.opened) {
				t.Errorf("weft-tui %q: closed %d times, opened %d times", tc.args, f.closed, len(got.opened))
			}
		})
	}
}

func TestActsSayWhatWasAsked(t *testing.T) {
	tests := map[string]struct {
		args []string
		want flow.Act
	}{
		"start": {[]string{"start", "order", "--id", "o-1", "--input", `{ "a" : 1.0 }`, "--idempotency-key", "k", "--reason", "asked"},
			flow.Act{Why: "asked", Deed: flow.Start{Type: "order", ID: "o-1", Input: flow.Payload(`{ "a" : 1.0 }`), IdempotencyKey: "k"}}},
		"start later": {[]string{"start", "order", "--at", "2026-03-01T12:00:00+01:00", "--deadline", "90m", "--tag", "eu,vip", "--tag", "x"},
			flow.Act{Deed: flow.Start{Type: "order", StartAt: noon - 3600_000, DeadlineMillis: 5400_000, Tags: []string{"eu", "vip", "x"}}}},
		"start anew": {[]string{"start", "order", "--id", "a/b", "--start-new"},
			flow.Act{Deed: flow.Start{Type: "order", ID: "a/b", OnTerminalConflict: flow.StartNew}}},
		"start without input": {[]string{"start", "order"}, flow.Act{Deed: flow.Start{Type: "order"}}},
		"start from standard input": {[]string{"start", "order", "--input", "-"},
			flow.Act{Deed: flow.Start{Type: "order", Input: flow.Payload(`{"from":"stdin"}`)}}},
		"signal": {[]string{"signal", "o-1", "paid", "--payload", "1", "--signal-id", "s", "--force", "--run", run1},
			flow.Act{Deed: flow.SendSignal{Target: flow.Ref{ID: "o-1", Run: run1}, Name: "paid", Payload: flow.Payload("1"), SignalID: "s", Force: true}}},
		"update": {[]string{"update", "o-1/" + run1, "pay", "--input", "-", "--update-id", "u", "--wait", "90s", "--reason", "asked"},
			flow.Act{Why: "asked", Deed: flow.CallUpdate{Target: flow.Ref{ID: "o-1", Run: run1}, Name: "pay",
				Input: flow.Payload(`{"from":"stdin"}`), UpdateID: "u", WaitMillis: 90_000}}},
		"cancel":         {[]string{"cancel", "o-1", "--reason", "asked"}, flow.Act{Why: "asked", Deed: flow.CancelRun{Target: flow.Ref{ID: "o-1"}}}},
		"cancel now":     {[]string{"cancel", "o-1/" + run1, "--now"}, flow.Act{Deed: flow.CancelRun{Target: flow.Ref{ID: "o-1", Run: run1}, Now: true}}},
		"suspend":        {[]string{"suspend", "a/b"}, flow.Act{Deed: flow.SuspendRun{Target: flow.Ref{ID: "a/b"}}}},
		"restart":        {[]string{"restart", "a/b/" + run1}, flow.Act{Deed: flow.RestartRun{Target: flow.Ref{ID: "a/b", Run: run1}}}},
		"purge":          {[]string{"purge", "a/" + run1, "--run", run1}, flow.Act{Deed: flow.PurgeRun{Target: flow.Ref{ID: "a/" + run1, Run: run1}}}},
		"retry-teardown": {[]string{"retry-teardown", "o-1"}, flow.Act{Deed: flow.RetryTeardown{Target: flow.Ref{ID: "o-1"}}}},
		"redrive":        {[]string{"redrive", "o-1"}, flow.Act{Deed: flow.Redrive{Target: flow.Ref{ID: "o-1"}}}},
		"redrive with another input": {[]string{"redrive", "o-1", "--input", "-"},
			flow.Act{Deed: flow.Redrive{Target: flow.Ref{ID: "o-1"}, Input: flow.Payload(`{"from":"stdin"}`)}}},
		"discard":                             {[]string{"discard", "o-1"}, flow.Act{Deed: flow.Discard{Target: flow.Ref{ID: "o-1"}}}},
		"resume an id that looks like a flag": {[]string{"resume", "--", "-o"}, flow.Act{Deed: flow.ResumeRun{Target: flow.Ref{ID: "-o"}}}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f := orders()
			got := invoke(t, f, tc.args...)
			if got.code != exitOK || len(f.acts) != 1 {
				t.Fatalf("weft-tui %q: %v, acts %v", tc.args, got, f.acts)
			}
			if f.acts[0].Actor == "" {
				t.Errorf("weft-tui %q: nobody is named in the audit", tc.args)
			}
			tc.want.Actor = f.acts[0].Actor
			if diff := cmp.Diff(tc.want, f.acts[0]); diff != "" {
				t.Errorf("weft-tui %q (-want +got):\n%s", tc.args, diff)
			}
		})
	}
}

func TestListReadsPages(t *testing.T) {
	many := &fake{}
	for range 2*flow.MaxLimit + 5 {
		many.page.Runs = append(many.page.Runs, flow.Run{Ref: flow.Ref{ID: "a"}, Status: flow.Running})
	}
	tests := map[string]struct {
		args            []string
		rows, questions int
		next            string
	}{
		"the default":        {nil, flow.DefaultLimit, 1, "50"},
		"more than a page":   {[]string{"--limit", "1500"}, 1500, 2, "1500"},
		"all":                {[]string{"--all"}, 2005, 3, ""},
		"from a cursor":      {[]string{"--after", "2000"}, 5, 1, ""},
		"exactly to the end": {[]string{"--after", "2000", "--limit", "5"}, 5, 1, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			many.queries = nil
			got := invoke(t, many, append([]string{"ls", "--json"}, tc.args...)...)
			var answer struct {
				Runs []flow.Run
				Next string
			}
			if err := json.Unmarshal([]byte(got.out), &answer); err != nil {
				t.Fatal(err)
			}
			if len(answer.Runs) != tc.rows || answer.Next != tc.next || len(many.queries) != tc.questions {
				t.Errorf("ls %q: %d rows by %d questions, next %q; want %d, %d, %q", tc.args, len(answer.Runs), len(many.queries),
					answer.Next, tc.rows, tc.questions, tc.next)
			}
		})
	}
}

// TestListGoesOnBehindAScanBudget: a page that found little, or nothing, is not
// the end.
func TestListGoesOnBehindAScanBudget(t *testing.T) {
	many := &fake{budget: 2}
	for range 10 {
		many.page.Runs = append(many.page.Runs, flow.Run{Ref: flow.Ref{ID: "a"}, Status: flow.Running})
	}
	tests := map[string]struct {
		args []string
		rows int
		next string
	}{
		"all of them":           {[]string{"--all"}, 3, ""},
		"what one budget finds": {[]string{"--limit", "2"}, 0, "2"},
		"from there":            {[]string{"--limit", "1", "--after", "2"}, 1, "4"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := invoke(t, many, append([]string{"ls", "--json"}, tc.args...)...)
			var answer struct {
				Runs []flow.Run
				Next string
			}
			if err := json.Unmarshal([]byte(got.out), &answer); err != nil {
				t.Fatal(err)
			}
			if len(answer.Runs) != tc.rows || answer.Next != tc.next {
				t.Errorf("ls %q: %d rows, next %q; want %d, %q", tc.args, len(answer.Runs), answer.Next, tc.rows, tc.next)
			}
		})
	}
}

func TestListSaysThatThereIsMore(t *testing.T) {
	got := invoke(t, orders(), "ls", "--limit", "2")
	if want := "2 of 3 rows; go on with --after 2\n"; got.err != want || strings.Count(got.out, "\n") != 3 {
		t.Errorf("ls --limit 2: %v, want %q on standard error", got, want)
	}
}

func TestFailingCloseIsTold(t *testing.T) {
	f := orders()
	f.closing = errors.New("no answer")
	got := invoke(t, f, "resume", "order-1")
	if got.code != exitFailed || got.out == "" || !strings.Contains(got.err, "close the store: no answer") {
		t.Errorf("resume: %v", got)
	}
}
