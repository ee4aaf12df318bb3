package engine_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/engine"
	"weft/flow"
)

var (
	amount = engine.Attribute[float64]{Name: "amount"}
	region = engine.Attribute[string]{Name: "region"}
	urgent = engine.Attribute[bool]{Name: "urgent"}
	due    = engine.Attribute[time.Time]{Name: "due"}
	items  = engine.Attribute[int]{Name: "items"}
)

// labelling sets labels, waits for an hour, changes them, waits, and ends.
func labelling() engine.Workflow[int, int] {
	return flowOf(func(ctx *engine.Context, n int) (int, error) {
		bad := errors.Join(amount.Set(ctx, 99.5), region.Set(ctx, "eu-1"), urgent.Set(ctx, true), items.Set(ctx, n),
			due.Set(ctx, time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC)), ctx.AddTags("new", "eu"))
		if err := errors.Join(bad, ctx.Sleep(time.Hour)); err != nil {
			return 0, err
		}
		if err := errors.Join(amount.Set(ctx, -1e21), urgent.Clear(ctx), ctx.RemoveTags("new"), ctx.AddTags("old")); err != nil {
			return 0, err
		}
		if err := ctx.Sleep(time.Hour); err != nil {
			return 0, err
		}
		return n, items.Set(ctx, n+1)
	})
}

func labelsOf(v *env, id flow.WorkflowID) string {
	v.Helper()
	r := v.detail(id, flow.PartSummary).Run
	var words []string
	for _, name := range slices.Sorted(maps.Keys(r.Attributes)) {
		words = append(words, name+"="+r.Attributes[name])
	}
	return strings.Join(append(words, r.Tags...), " ")
}

// found are the runs that a filter chooses, in the order of ids.
func found(v *env, f flow.Filter, by flow.Sort) string {
	v.Helper()
	p, err := v.e.Operator().Page(v.ctx, flow.Query{Of: flow.ListRuns, Filter: f, Sort: by})
	if err != nil {
		v.Fatal(err)
	}
	var out []string
	for _, r := range p.Runs {
		out = append(out, string(r.ID))
	}
	return strings.Join(out, " ")
}

func where(v *env, texts ...string) (f flow.Filter) {
	v.Helper()
	for _, text := range texts {
		t, err := flow.ParseAttributeTest(text)
		if err != nil {
			v.Fatal(err)
		}
		f.Attributes = append(f.Attributes, t)
	}
	return f
}

// TestLabelsRideOnCommits and are those the code asked for, no matter at which
// commits the process dies.
func TestLabelsRideOnCommits(t *testing.T) {
	w := labelling()
	stages := []string{
		"amount=99.5 due=2027-01-02T03:04:05.000Z items=7 region=eu-1 urgent=true new eu",
		"amount=-1e21 due=2027-01-02T03:04:05.000Z items=7 region=eu-1 eu old",
		"amount=-1e21 due=2027-01-02T03:04:05.000Z items=8 region=eu-1 eu old",
	}
	cutEverywhere(t, typed(w), 1, func(v *env) bool {
		if !startOnce(v, w, "r", 7, engine.StartOptions{}) {
			return false
		}
		for at := range stages {
			time.Sleep(30 * time.Minute)
			if v.e.Err() != nil {
				return false
			}
			got := labelsOf(v, "r")
			if i := slices.Index(stages, got); i < at {
				v.Errorf("at stage %d: %q", at, got)
			}
			time.Sleep(35 * time.Minute)
		}
		if !v.settles("r", flow.Completed) {
			return false
		}
		if got := labelsOf(v, "r"); got != stages[2] {
			v.Errorf("in the end: %q", got)
		}
		if got := found(v, where(v, "amount<0", "items=8"), ""); got != "r" {
			v.Errorf("an ended run is found: %q", got)
		}
		return true
	})
}

// TestCodeDoesNotUndoAnOperator: what code set before is not set again when it
// runs again.
func TestCodeDoesNotUndoAnOperator(t *testing.T) {
	w := labelling()
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "r", 1)
		time.Sleep(time.Minute)
		v.do(flow.SetAttributes{Target: flow.Ref{ID: "r"}, Set: map[string]flow.Attribute{
			"region": {Kind: flow.StringAttribute, Text: "us"}, "by-hand": {Kind: flow.NumberAttribute, Text: "0012.50"}}, Remove: []string{"urgent"}})
		v.do(flow.TagRun{Target: flow.Ref{ID: "r"}, Add: []string{"seen"}, Remove: []string{"new"}})
		v.crash()
		time.Sleep(90 * time.Minute) // the run has gone on and set others since
		want := "amount=-1e21 by-hand=12.5 due=2027-01-02T03:04:05.000Z items=1 region=us eu seen old"
		if got := labelsOf(v, "r"); got != want {
			t.Errorf("%q\nwant %q", got, want)
		}
		page, err := v.e.Operator().Page(v.ctx, flow.Query{Of: flow.ListAudit})
		if err != nil || len(page.Audit) != 2 || page.Audit[0].Text != "-new +seen" || page.Audit[1].Text != "-@urgent @by-hand=12.5 @region=us" {
			t.Errorf("audit %+v, %v", page.Audit, err)
		}
		wants(v, "r", 1)
		v.do(flow.TagRun{Target: flow.Ref{ID: "r"}, Add: []string{"after"}})
		if got := found(v, flow.Filter{Tag: "after", Tags: []string{"seen"}}, flow.ByClosed); got != "r" {
			t.Errorf("the ended run is found by its tag: %q", got)
		}
		v.do(flow.PurgeRun{Target: flow.Ref{ID: "r"}})
		if n := v.rows("wf-idx-"); n != 0 {
			t.Errorf("%d index rows are left", n)
		}
	})
}

// TestLabelsAtEachMomentOfALife: an operator labels runs that are pending, busy,
// waiting, parked, suspended, while they go on.
func TestLabelsAtEachMomentOfALife(t *testing.T) {
	step := engine.Activity[int, int]{Name: "step", Do: func(_ context.Context, n int) (int, error) { time.Sleep(time.Millisecond); return n, nil }}
	w := flowOf(func(ctx *engine.Context, n int) (int, error) {
		for i := range n {
			if _, err := step.Run(ctx, i); err != nil {
				return 0, err
			}
			if err := items.Set(ctx, i); err != nil {
				return 0, err
			}
		}
		return n, ctx.Sleep(time.Hour)
	})
	lateBubble(t, typed(w), func(v *env) {
		for i := range 5 {
			id := flow.WorkflowID(fmt.Sprint("r", i))
			o := engine.StartOptions{ID: id, Tags: []string{"t"}, Attributes: []engine.AttributeSetting{amount.Of(float64(i))}}
			if i == 4 {
				o.StartAt = time.Now().Add(100 * time.Millisecond)
			}
			if _, err := w.Start(v.ctx, v.e, 20, o); err != nil {
				t.Fatal(err)
			}
		}
		for n := range 60 {
			id := flow.WorkflowID(fmt.Sprint("r", n%5))
			v.do(flow.TagRun{Target: flow.Ref{ID: id}, Add: []string{fmt.Sprint("n", n/5)}})
			if n == 30 {
				v.do(flow.SuspendRun{Target: flow.Ref{ID: "r3"}})
			}
		}
		v.do(flow.ResumeRun{Target: flow.Ref{ID: "r3"}})
		time.Sleep(2 * time.Hour)
		for i := range 5 {
			got := v.detail(flow.WorkflowID(fmt.Sprint("r", i)), flow.PartSummary).Run
			if got.Status != flow.Completed || len(got.Tags) != 13 || got.Attributes["items"] != "19" || got.Attributes["amount"] != fmt.Sprint(i) {
				t.Errorf("r%d: %s %v %v", i, got.Status, got.Tags, got.Attributes)
			}
		}
		if got := found(v, where(v, "amount>=1", "amount<4"), flow.ByAttribute("amount")); got != "r3 r2 r1" {
			t.Errorf("by amount: %q", got)
		}
	})
}

func TestLabelsThatCannotBe(t *testing.T) {
	w := flowOf(func(ctx *engine.Context, _ int) (string, error) {
		for i := range 40 {
			if err := ctx.AddTags(fmt.Sprint("t", i)); err != nil {
				return "", err
			}
		}
		bad := []error{engine.Attribute[int]{Name: "a=b"}.Set(ctx, 1), region.Set(ctx, strings.Repeat("x", 257)), region.Set(ctx, "a\nb"),
			engine.Attribute[float64]{Name: "n"}.Set(ctx, math.Inf(1)), ctx.AddTags(strings.Repeat("x", 129)), ctx.AddTags("")}
		for i, err := range bad {
			if err == nil {
				return fmt.Sprint("no error ", i), nil
			}
		}
		return "all refused", nil
	})
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "r", 0)
		wants(v, "r", "all refused")
		if r := v.detail("r", flow.PartSummary).Run; len(r.Tags) != flow.MaxTags || !v.problem("tag t32 dropped") {
			t.Errorf("%d tags, problems %+v", len(r.Tags), v.info().Problems)
		}
		var limit *flow.LimitError
		_, err := v.e.Operator().Do(v.ctx, flow.Act{Deed: flow.TagRun{Target: flow.Ref{ID: "r"}, Add: []string{"more"}}})
		if !errors.As(err, &limit) {
			t.Errorf("one tag too many by hand: %v", err)
		}
		for _, deed := range []flow.Deed{flow.TagRun{Target: flow.Ref{ID: "r"}}, flow.TagRun{Target: flow.Ref{ID: "nobody"}, Add: []string{"x"}},
			flow.SetAttributes{Target: flow.Ref{ID: "r"}, Set: map[string]flow.Attribute{"n": {Kind: "frob", Text: "1"}}}} {
			if _, err := v.e.Operator().Do(v.ctx, flow.Act{Deed: deed}); err == nil {
				t.Errorf("%+v was taken", deed)
			}
		}
		_, err = w.Start(v.ctx, v.e, 0, engine.StartOptions{Headers: map[string]string{"h": strings.Repeat("x", 5000)}})
		if !errors.As(err, &limit) {
			t.Errorf("headers that are too long: %v", err)
		}
	})
}

// TestHeadersGoAlong to activities, children and the next run, in every life.
func TestHeadersGoAlong(t *testing.T) {
	read := engine.Activity[int, string]{Name: "read", Do: func(ctx context.Context, _ int) (string, error) { return engine.Header(ctx, "trace"), nil }}
	child := engine.Workflow[int, string]{Name: "child", Do: func(ctx *engine.Context, _ int) (string, error) {
		if err := ctx.Sleep(time.Hour); err != nil {
			return "", err
		}
		got, err := read.Run(ctx, 0)
		return got + engine.Header(ctx, "own"), err
	}}
	self := engine.WorkflowRef[int, string]{Name: "w"}
	w := flowOf(func(ctx *engine.Context, n int) (string, error) {
		if n == 0 {
			return self.ContinueAsNew(ctx, 1, engine.ContinueOptions{})
		}
		mine, err := read.Run(ctx, 0)
		if err != nil {
			return "", err
		}
		its, err := child.RunChild(ctx, 0, engine.ChildOptions{Headers: map[string]string{"own": "-c"}})
		return fmt.Sprint(engine.Header(ctx, "trace"), " ", mine, " ", its, engine.Header(ctx, "none")), err
	})
	bubble(t, typed(w, child), func(v *env) {
		if _, err := w.Start(v.ctx, v.e, 0, engine.StartOptions{ID: "r", Headers: map[string]string{"trace": "x1"}}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		v.crash()
		wants(v, "r", "x1 x1 x1-c")
	})
}
