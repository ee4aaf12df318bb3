package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/engine"
	"weft/flow"
	"weft/store"
	"weft/tui"
)

func TestExitCode(t *testing.T) {
	tests := map[string]struct {
		err  error
		want int
	}{
		"success":                      {nil, 0},
		"not found":                    {&flow.NotFoundError{What: "workflow", Name: "a"}, 1},
		"taken":                        {&flow.ExistsError{}, 1},
		"input that does not fit":      {&flow.InputError{What: "input"}, 1},
		"unconfirmed":                  {&flow.OutcomeUnknownError{ID: "a", Cause: errors.New("x")}, 1},
		"in use":                       {fmt.Errorf("open: %w", &store.LockedError{PID: 7}), 2},
		"any refusal to open":          {&store.OpenError{Reason: errors.New("x")}, 2},
		"newer":                        {store.ErrNewer, 2},
		"damaged while reading":        {fmt.Errorf("page: %w", store.ErrCorrupt), 2},
		"wrong argument":               {&usageError{&flow.NameError{}}, 3},
		"not offered":                  {fmt.Errorf("print: %w", flow.ErrNotOffered), 4},
		"deposed":                      {flow.ErrDeposed, 5},
		"left with work in flight":     {fmt.Errorf("close: %w", tui.ErrDrain), 6},
		"code that would not end":      {fmt.Errorf("close: %w", &engine.StuckError{Attempts: 1}), 6},
		"interrupted":                  {&tui.SignalError{Signal: syscall.SIGINT}, 130},
		"terminated":                   {&tui.SignalError{Signal: syscall.SIGTERM}, 143},
		"an error nobody has foreseen": {errors.New("x"), 1},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := exitCode(tc.err); got != tc.want {
				t.Errorf("exit code of %v: %d, want %d", tc.err, got, tc.want)
			}
		})
	}
}

// TestErrorsOfVerbs: the same error is a sentence for people and an object for
// scripts, and never leaves anything on standard output.
func TestErrorsOfVerbs(t *testing.T) {
	tests := map[string]struct {
		err      error
		sentence string
		trouble  flow.Trouble
		code     int
	}{
		"unknown id": {
			&flow.NotFoundError{What: "workflow", Name: "a"},
			"weft-tui: there is no workflow \"a\"; list what there is with: weft-tui ls\n",
			flow.Trouble{Code: "not-found", Message: `there is no workflow "a"`, Advice: "list what there is with: weft-tui ls"}, 1,
		},
		"store in use": {
			&store.OpenError{Dir: "d", Reason: &store.LockedError{PID: 7}, Advice: "stop it"},
			"weft-tui: open d: store in use by process 7; stop that process, or wait until it ends\n",
			flow.Trouble{Code: "store-in-use", Message: "open d: store in use by process 7", Advice: "stop that process, or wait until it ends"}, 2,
		},
		"text that would drive the terminal": {
			errors.New("bad \x1b]0;title\a thing\n"),
			"weft-tui: bad \\x1b]0;title\\x07 thing\\n\n",
			flow.Trouble{Code: "error", Message: "bad \x1b]0;title\a thing\n"}, 1,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			text := invoke(t, &fake{err: tc.err}, "counts")
			if text.err != tc.sentence || text.out != "" || text.code != tc.code {
				t.Errorf("counts: %v\nwant exit %d and %q", text, tc.code, tc.sentence)
			}
			script := invoke(t, &fake{err: tc.err}, "counts", "--json")
			var got flow.Trouble
			if err := json.Unmarshal([]byte(script.err), &got); err != nil || script.out != "" || script.code != tc.code {
				t.Fatalf("counts --json: %v: %v", script, err)
			}
			if diff := cmp.Diff(tc.trouble, got); diff != "" {
				t.Errorf("trouble (-want +got):\n%s", diff)
			}
			if strings.ContainsAny(script.err, "\x1b\a") {
				t.Errorf("counts --json drives the terminal: %q", script.err)
			}
		})
	}
}

func TestUsageErrorInJSON(t *testing.T) {
	tests := map[string]struct {
		args []string
		json bool
	}{
		"asked for":                 {[]string{"ls", "--json", "--frob"}, true},
		"asked for after the error": {[]string{"ls", "--frob", "--json"}, true},
		"asked for by the line":     {[]string{"watch", "--frob", "--jsonl"}, true},
		"switched off":              {[]string{"ls", "--json=false", "--frob"}, false},
		"an argument that looks so": {[]string{"show", "--", "a", "--json"}, false},
		"not asked for":             {[]string{"ls", "--frob"}, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := invoke(t, &fake{}, tc.args...)
			if got.code != exitUsage || json.Valid([]byte(got.err)) != tc.json {
				t.Errorf("weft-tui %q: %v, want JSON %t", tc.args, got, tc.json)
			}
		})
	}
}

// TestLostLease: an engine that was deposed refuses every act, with a code of its
// own.
func TestLostLease(t *testing.T) {
	for _, line := range []string{"start order", "signal a paid", "cancel a", "suspend a", "resume a", "restart a", "purge a",
		"retry-teardown a", "redrive a", "discard a", "cancel --where x --yes 1"} {
		f := orders()
		f.err, f.previews = fmt.Errorf("act: %w", flow.ErrDeposed), []int64{1}
		got := invoke(t, f, strings.Fields(line)...)
		if got.code != exitLeaseLost || got.out != "" || !strings.Contains(got.err, "lost the lease") {
			t.Errorf("weft-tui %s: %v", line, got)
		}
	}
}
