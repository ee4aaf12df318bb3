package main

import (
	"fmt"
	"strings"
	"testing"

	"weft/flow"
	"weft/views"
)

// TestWrongCommandLines: each is refused with one sentence and exit code 3, and
// nothing is opened.
func TestWrongCommandLines(t *testing.T) {
	long := strings.Repeat("x", 300)
	tests := map[string]struct {
		args []string
		want string // in the sentence
	}{
		"unknown verb":                {[]string{"frobnicate"}, `no verb "frobnicate"`},
		"nearly a verb":               {[]string{"strat"}, "did you mean start?"},
		"unknown flag":                {[]string{"ls", "--frob"}, "unknown flag: --frob"},
		"missing id":                  {[]string{"show"}, "ID is missing"},
		"one argument too many":       {[]string{"show", "a", "b"}, `too many: "b"`},
		"argument for a bare verb":    {[]string{"counts", "a"}, `too many: "a"`},
		"empty id":                    {[]string{"show", ""}, "is empty"},
		"id with a control character": {[]string{"show", "a\x1b[31m"}, "control character"},
		"id with a text direction":    {[]string{"steps", "a\u202eb"}, "text direction"},
		"id too long":                 {[]string{"resume", long}, "300 bytes"},
		"id that is not UTF-8":        {[]string{"signal", "a\xff", "paid"}, "not valid UTF-8"},
		"run id that is none":         {[]string{"show", "a", "--run", "b"}, "run id"},
		"activity and no word":        {[]string{"activity"}, "say complete, fail or heartbeat"},
		"activity and a wrong word":   {[]string{"activity", "finish"}, "none of complete, fail, heartbeat"},
		"no token":                    {[]string{"activity", "complete"}, "TOKEN is missing"},
		"a token that is none":        {[]string{"activity", "heartbeat", "nonsense"}, "this is no token"},
		"a failure without a word":    {[]string{"activity", "fail", string(aToken)}, "--message is missing"},
		"a result that is no JSON":    {[]string{"activity", "complete", string(aToken), "--result", "x"}, "--result: line 1"},
		"empty signal name":           {[]string{"signal", "a", ""}, "signal name"},
		"signal id too long":          {[]string{"signal", "a", "b", "--signal-id", long}, "signal id"},
		"empty type":                  {[]string{"start", ""}, "workflow type"},
		"empty new id":                {[]string{"start", "order", "--id", " "}, "space"},
		"input that is not JSON":      {[]string{"start", "order", "--input", "{\n  \"a\": x}"}, "--input: line 2, column 8: not JSON"},
		"input that ends early":       {[]string{"start", "order", "--input", `{"a"`}, "line 1, column 5: not JSON"},
		"two values as input":         {[]string{"start", "order", "--input", "1 2"}, "line 1, column 3: not JSON"},
		"input that is not UTF-8":     {[]string{"start", "order", "--input", "\"\xff\""}, "line 1, column 2: not valid UTF-8"},
		"input nested too deeply":     {[]string{"start", "order", "--input", strings.Repeat("[", 20_000)}, "column 10001: not JSON"},
		"blank input":                 {[]string{"start", "order", "--input", " "}, "not JSON"},
		"input from a missing file":   {[]string{"start", "order", "--input", "@no/such/file"}, "no/such/file"},
		"no update name":              {[]string{"update", "a"}, "NAME is missing"},
		"update id too long":          {[]string{"update", "a", "b", "--update-id", long}, "update id"},
		"a wait that is negative":     {[]string{"update", "a", "b", "--wait", "-1s"}, "--wait"},
		"empty query name":            {[]string{"query", "a", ""}, "query name"},
		"payload that is not JSON":    {[]string{"signal", "a", "b", "--payload", "nope"}, "--payload: line 1, column 2"},
		"unknown status":              {[]string{"ls", "--status", "running,done"}, `status "done" is none of`},
		"unknown order":               {[]string{"ls", "--sort", "age"}, "none of created, closed, id"},
		"no rows":                     {[]string{"ls", "--limit", "0"}, "at least 1"},
		"both kinds":                  {[]string{"ls", "--held", "--not-held"}, "exclude each other"},
		"a time that is none":         {[]string{"ls", "--created-from", "yesterday"}, "is no time"},
		"a size that is none":         {[]string{"print", "running", "--size", "80"}, "is no size"},
		"a size too large":            {[]string{"print", "running", "--size", "80x5000"}, "is no size"},
		"a pane that is none":         {[]string{"print", "frob"}, `no pane "frob"`},
		"an instant that is none":     {[]string{"print", "running", "--now", "noon"}, "is no time"},
		"no directory":                {[]string{"ls", "--data", ""}, "--data is empty"},
		"unknown use of colour":       {[]string{"ls", "--color", "red"}, "none of auto, always, never"},
		"unknown theme":               {[]string{"ls", "--theme", "neon"}, `--theme "neon" is none of`},
		"act without the right to":    {[]string{"resume", "a", "--read-only"}, "read-only"},
		"init without the right to":   {[]string{"init", "--read-only"}, "read-only"},
		"a start in two ways":         {[]string{"start", "order", "--at", "2026-03-01T12:00:00Z", "--after", "1h"}, "--at and --after exclude"},
		"a start at no time":          {[]string{"start", "order", "--at", "noon"}, "is no time"},
		"a start before now":          {[]string{"start", "order", "--after", "-1h"}, "is negative"},
		"a deadline before the start": {[]string{"start", "order", "--deadline", "-1h"}, "is negative"},
		"a deadline that is nothing":  {[]string{"start", "order", "--deadline", "1us"}, "less than a millisecond"},
		"a deadline without a unit":   {[]string{"start", "order", "--deadline", "5"}, "--deadline"},
		"a new run of no id":          {[]string{"start", "order", "--start-new"}, "--start-new wants --id"},
		"a new run and a key":         {[]string{"start", "order", "--start-new", "--id", "a", "--idempotency-key", "k"}, "no --idempotency-key"},
		"a filter and an id":          {[]string{"cancel", "a", "--where", "type=order", "--dry-run"}, `too many: "a"`},
		"a filter and no signal":      {[]string{"signal", "--where", "type=order", "--dry-run"}, "NAME is missing"},
		"an empty filter":             {[]string{"cancel", "--where", "", "--dry-run"}, "--where is empty"},
		"a filter alone":              {[]string{"cancel", "--where", "type=order"}, "either --dry-run"},
		"a filter both ways":          {[]string{"cancel", "--where", "type=order", "--dry-run", "--yes", "3"}, "either --dry-run"},
		"a count of none":             {[]string{"purge", "--where", "type=order", "--yes", "0"}, "how many runs"},
		"a count that is none":        {[]string{"purge", "--where", "type=order", "--yes", "all"}, "--yes"},
		"a count without a filter":    {[]string{"purge", "--yes", "3"}, "--where is empty"},
		"a key that is no filter":     {[]string{"purge", "--where", "colour=red", "--dry-run"}, "--where: colour="},
		"a status that is none":       {[]string{"purge", "--where", "status=done", "--dry-run"}, `status "done" is none of`},
		"many without the right to":   {[]string{"purge", "--where", "type=order", "--yes", "3", "--read-only"}, "read-only"},
		"now and many":                {[]string{"cancel", "--where", "type=order", "--dry-run", "--now"}, "--now does not go with --where"},
		"an input for many":           {[]string{"redrive", "--where", "type=order", "--dry-run", "--input", "1"}, "--input does not go with"},
		"a signal id for many":        {[]string{"signal", "paid", "--where", "type=order", "--dry-run", "--signal-id", "1"}, "--signal-id does not"},
		"a run of many":               {[]string{"resume", "--where", "type=order", "--dry-run", "--run", "x"}, "--run does not go with"},
		"many retries":                {[]string{"retry-teardown", "--where", "type=order"}, "unknown flag: --where"},
		"an input that is not JSON":   {[]string{"redrive", "a", "--input", "nope"}, "--input: line 1"},
		"an address without an id":    {[]string{"cancel", "/" + run1}, "is empty"},
		"no dead letters":             {[]string{"dead", "--limit", "0"}, "at least 1"},
		"console without a terminal":  {nil, "needs a terminal"},
		"demo without a terminal":     {[]string{"demo"}, "needs a terminal"},
		"help on an unknown verb":     {[]string{"help", "frob"}, `no verb "frob"`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := invoke(t, &fake{}, tc.args...)
			if got.code != exitUsage || !strings.Contains(got.err, tc.want) || got.out != "" || len(got.opened) > 0 {
				t.Errorf("weft-tui %.200q: %v\nwant exit 3, nothing opened and %q", tc.args, got, tc.want)
			}
			if !strings.HasPrefix(got.err, "weft-tui: ") || strings.Count(got.err, "\n") != 1 {
				t.Errorf("weft-tui %.200q: not one sentence: %q", tc.args, got.err)
			}
		})
	}
}

// TestEveryPaneIsPrintedOrRefused: a pane that cannot be opened is refused with
// the reason, and before anything is opened.
func TestEveryPaneIsPrintedOrRefused(t *testing.T) {
	for pane := range views.PaneTypes + 1 {
		got := invoke(t, orders(), "print", fmt.Sprint(uint8(pane)))
		why := pane.Absent()
		switch {
		case why == "" && (got.code != exitOK || got.out == ""):
			t.Errorf("print %d: %v", pane, got)
		case why != "" && (got.code != exitNotOffered || !strings.Contains(got.err, why) || len(got.opened) > 0):
			t.Errorf("print %d: %v, want %q", pane, got, why)
		}
	}
}

func TestHelpIsNoError(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"help"}, {"help", "ls"}, {"ls", "--help"}, {"demo", "--help"}} {
		if got := invoke(t, &fake{}, args...); got.code != exitOK || got.out == "" || got.err != "" {
			t.Errorf("weft-tui %q: %v", args, got)
		}
	}
}

func TestPayloadTooLarge(t *testing.T) {
	_, err := payload("--input", "-", strings.NewReader(strings.Repeat("1", maxPayload+1)))
	if exitCode(err) != exitUsage || !strings.Contains(err.Error(), "--input: more than 16777216 bytes") {
		t.Errorf("payload above the limit: %v", err)
	}
}

// aToken is one that can be read.
var aToken = flow.NewToken(flow.Ref{ID: "a", Run: run1}, "1", "secret")

// TestF053F055F058F059F062ThereAreNoSchedules: nothing starts runs by the clock
// or the calendar, so no change of the clock, of summer time or of a schedule
// can go wrong, and no word of the program promises it.
func TestF053F055F058F059F062ThereAreNoSchedules(t *testing.T) {
	for _, args := range [][]string{{"schedule", "list"}, {"schedules"}, {"cron"}, {"schedule", "apply", "nightly"}} {
		got := invoke(t, &fake{}, args...)
		if got.code != exitUsage || !strings.Contains(got.err, fmt.Sprintf("no verb %q", args[0])) || len(got.opened) > 0 {
			t.Errorf("weft-tui %q: %v", args, got)
		}
	}
	for _, flag := range []string{"--cron", "--every", "--schedule"} {
		if got := invoke(t, &fake{}, "start", "order", flag, "1"); got.code != exitUsage || !strings.Contains(got.err, "unknown flag") {
			t.Errorf("start %s: %v", flag, got)
		}
	}
	for _, verb := range []string{"start", "help", "init"} {
		got := invoke(t, &fake{}, "help", verb)
		if text := strings.ToLower(got.out); strings.Contains(text, "schedule") || strings.Contains(text, "cron") {
			t.Errorf("help of %s promises schedules: %s", verb, got.out)
		}
	}
}
