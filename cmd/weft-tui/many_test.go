package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/flow"
)

func TestManyAreShownFirst(t *testing.T) {
	tests := map[string]struct {
		args      []string
		count     int64
		out, note string
	}{
		"a few": {[]string{"cancel", "--where", "type=order", "--dry-run"}, 2, `
cancel would touch 2 runs
ID       RUN                         STATUS   TYPE     CREATED                   AT
order-1  01JQ8Z5V4X2Y7K9M3N6P8R0S1T  running  order 2  2026-03-01T12:00:00.000Z  step 3: signal paid
注文     01JQ8Z5V4X2Y7K9M3N6P8R0S1T  failed   order    2026-03-01T12:00:02.000Z  card \x1b[31mdeclined\n
`, "to do it, say --yes 2 instead of --dry-run\n"},
		"more than are shown": {[]string{"signal", "paid", "--where", "type=order", "--dry-run"}, 23, `
signal would touch 23 runs
ID       RUN                         STATUS         TYPE     CREATED                   AT
order-1  01JQ8Z5V4X2Y7K9M3N6P8R0S1T  running        order 2  2026-03-01T12:00:00.000Z  step 3: signal paid
注文     01JQ8Z5V4X2Y7K9M3N6P8R0S1T  failed         order    2026-03-01T12:00:02.000Z  card \x1b[31mdeclined\n
ship     01JQ8Z5V4X2Y7K9M3N6P8R0S1T  running, held  ship     2026-03-01T12:00:04.000Z  type ship is not registered here
`, "and 20 more; to do it, say --yes 23 instead of --dry-run\n"},
		"none": {[]string{"redrive", "--where", "type=order", "--dry-run"}, 0, "\nredrive would touch 0 dead letters\n", ""},
		"a dead letter": {[]string{"redrive", "--where", "type=order", "--dry-run"}, 1, `
redrive would touch 1 dead letter
ID       RUN                         TYPE   DEAD SINCE  LAST ERROR
order-1  01JQ8Z5V4X2Y7K9M3N6P8R0S1T  order  -
`, "to do it, say --yes 1 instead of --dry-run\n"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f := orders()
			f.previews = []int64{tc.count}
			got := invoke(t, f, tc.args...)
			if diff := cmp.Diff(tc.out[1:], got.out); diff != "" || got.err != tc.note || got.code != exitOK {
				t.Errorf("weft-tui %q: exit %d, stderr %q, stdout (-want +got):\n%s", tc.args, got.code, got.err, diff)
			}
			if len(f.acts) > 0 || len(got.opened) != 1 || got.opened[0].Mode != flow.ModeLook {
				t.Errorf("weft-tui %q: acts %v, opened %+v", tc.args, f.acts, got.opened)
			}
		})
	}
}

func TestManyAreShownToScripts(t *testing.T) {
	tests := map[string]string{
		"cancel":  `{"verb":"cancel","count":1,"sample":[{"id":"order-1","run":"` + run1 + `","type":"order","version":"2","status":"running",`,
		"redrive": `{"verb":"redrive","count":1,"sample":[{"id":"order-1","run":"` + run1 + `","type":"order","status":"running","lastError":"","deadLetteredAt":null}]}`,
	}
	for verb, want := range tests {
		f := orders()
		f.previews = []int64{1}
		got := invoke(t, f, verb, "--where", "type=order", "--dry-run", "--json")
		if !strings.HasPrefix(got.out, want) || !json.Valid([]byte(got.out)) || got.err != "" {
			t.Errorf("weft-tui %s --where --dry-run --json: %v, want %s", verb, got, want)
		}
	}
}

func TestManyAreDone(t *testing.T) {
	done := []flow.BulkResult{
		{Ref: flow.Ref{ID: "order-1", Run: run1}, Outcome: flow.BulkDone, Audit: 7, Text: "cancelled"},
		{Ref: flow.Ref{ID: "order-2", Run: run1}, Outcome: flow.BulkSkipped, Text: "is gone"},
	}
	failed := append(done[:2:2], flow.BulkResult{Ref: flow.Ref{ID: "order-3", Run: run1}, Outcome: flow.BulkFailed, Text: "disk full"})
	tests := map[string]struct {
		args     []string
		results  []flow.BulkResult
		out, err string
		code     int
	}{
		"done or skipped": {nil, done, `
ID       RUN                         OUTCOME  AUDIT  WHAT
order-1  01JQ8Z5V4X2Y7K9M3N6P8R0S1T  done     7      cancelled
order-2  01JQ8Z5V4X2Y7K9M3N6P8R0S1T  skipped         is gone
some done
`, "", exitOK},
		"one failed": {nil, failed, `
ID       RUN                         OUTCOME  AUDIT  WHAT
order-1  01JQ8Z5V4X2Y7K9M3N6P8R0S1T  done     7      cancelled
order-2  01JQ8Z5V4X2Y7K9M3N6P8R0S1T  skipped         is gone
order-3  01JQ8Z5V4X2Y7K9M3N6P8R0S1T  failed          disk full
some done
`, "weft-tui: cancel: 1 of 3 runs failed\n", exitFailed},
		"for a script": {[]string{"--json"}, done[:1], `
{"ref":{"id":"","run":""},"audit":0,"text":"some done","at":"2026-03-01T12:00:00.000Z","results":[{"ref":{"id":"order-1","run":"01JQ8Z5V4X2Y7K9M3N6P8R0S1T"},"outcome":"done","audit":7,"text":"cancelled"}]}
`, "", exitOK},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f := orders()
			f.previews, f.results = []int64{3}, tc.results
			got := invoke(t, f, append([]string{"cancel", "--where", "type=order status=running,failed x", "--yes", "3", "--reason", "asked"}, tc.args...)...)
			if diff := cmp.Diff(tc.out[1:], got.out); diff != "" || got.err != tc.err || got.code != tc.code {
				t.Errorf("cancel: exit %d, stderr %q, stdout (-want +got):\n%s", got.code, got.err, diff)
			}
			want := flow.Act{Actor: actor(), Why: "asked", Deed: flow.BulkAct{Token: "token-2"}}
			if diff := cmp.Diff([]flow.Act{want}, f.acts); diff != "" {
				t.Errorf("acts (-want +got):\n%s", diff)
			}
			bulk := flow.Bulk{Verb: "cancel", Filter: flow.Filter{Type: "order", Statuses: []flow.Status{flow.Running, flow.Failed}, Contains: "x"}}
			if diff := cmp.Diff([]flow.Bulk{bulk, bulk}, f.bulks); diff != "" {
				t.Errorf("previews (-want +got):\n%s", diff)
			}
		})
	}
}

// TestManyAreCountedTwice: what was not counted before is not touched, also when
// the number changes between the look and the act.
func TestManyAreCountedTwice(t *testing.T) {
	tests := map[string]struct {
		found  []int64
		opened int
	}{
		"another number":                 {[]int64{2}, 1},
		"another number under the lease": {[]int64{3, 4}, 2},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f := orders()
			f.previews = tc.found
			got := invoke(t, f, "signal", "paid", "--where", "type=order", "--yes", "3", "--payload", "1")
			n := tc.found[len(tc.found)-1]
			if got.code != exitFailed || len(f.acts) > 0 || got.out != "" || len(got.opened) != tc.opened || f.closed != tc.opened {
				t.Errorf("signal: %v, acts %v", got, f.acts)
			}
			want := "weft-tui: signal: the filter chooses " + things("signal", n) + ", not 3: nothing was done; look at them with --dry-run\n"
			if got.err != want {
				t.Errorf("standard error %q, want %q", got.err, want)
			}
		})
	}
}

func TestManyAreSignalled(t *testing.T) {
	f := orders()
	f.previews = []int64{2}
	got := invoke(t, f, "signal", "paid", "--where", "type=order", "--yes", "2", "--payload", "-")
	want := flow.Act{Actor: actor(), Deed: flow.BulkAct{Token: "token-2", Signal: "paid", Payload: flow.Payload(`{"from":"stdin"}`)}}
	if diff := cmp.Diff([]flow.Act{want}, f.acts); diff != "" || got.code != exitOK {
		t.Errorf("signal: %v, acts (-want +got):\n%s", got, diff)
	}
}
