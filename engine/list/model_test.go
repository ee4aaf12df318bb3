package list_test

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"weft/engine/list"
	"weft/engine/row"
	"weft/flow"
	"weft/store"
	"weft/store/memory"
)

// held is the registry of these tests: version 2 may not run here.
func held(_, version string) string {
	if version == "2" {
		return "version 2 is not registered"
	}
	return ""
}

// model is what a page must be: filter everything, sort everything.
func model(runs []run, q flow.Query) []flow.WorkflowID {
	var kept []run
	for _, r := range runs {
		if keeps(q, r) {
			kept = append(kept, r)
		}
	}
	slices.SortFunc(kept, func(a, b run) int {
		c := bytes.Compare(row.HeadKey(a.id), row.HeadKey(b.id))
		switch {
		case q.Sort == flow.ByID:
		case q.Sort == flow.ByAttribute("n"):
			c = bytes.Compare(row.AttributeKey("n", b.attrs["n"], b.created, b.id), row.AttributeKey("n", a.attrs["n"], a.created, a.id))
		case q.Sort == flow.ByClosed && a.closed != b.closed:
			c = int(b.closed - a.closed)
		case q.Sort != flow.ByClosed && a.created != b.created:
			c = int(b.created - a.created)
		default:
			c = -c
		}
		if q.Backward {
			return -c
		}
		return c
	})
	out := []flow.WorkflowID{}
	for _, r := range kept {
		out = append(out, r.id)
	}
	return out
}

func keeps(q flow.Query, r run) bool {
	f := q.Filter
	isHeld := !r.status.Terminal() && held(r.typ, r.version) != ""
	words := append([]string{string(r.id), r.typ}, r.tags...)
	matches := func(pattern string) bool { return slices.ContainsFunc(words, regexp.MustCompile(pattern).MatchString) }
	return (q.Sort != flow.ByClosed || r.status.Terminal()) &&
		(len(f.Statuses) == 0 || slices.Contains(f.Statuses, r.status)) &&
		(f.Type == "" || f.Type == r.typ) && (f.Version == "" || f.Version == r.version) &&
		strings.HasPrefix(string(r.id), f.IDPrefix) &&
		slices.ContainsFunc(words, func(s string) bool { return strings.Contains(strings.ToLower(s), strings.ToLower(f.Contains)) }) &&
		(f.Held == nil || *f.Held == isHeld) &&
		matches(f.Match) && (f.Not == "" || !matches(f.Not)) &&
		(f.Tag == "" || slices.Contains(r.tags, f.Tag)) &&
		!slices.ContainsFunc(f.Tags, func(tag string) bool { return !slices.Contains(r.tags, tag) }) &&
		!slices.ContainsFunc(f.Attributes, func(t flow.AttributeTest) bool { a, ok := r.attrs[t.Name]; return !ok || !t.Passes(a) }) &&
		(q.Sort != flow.ByAttribute("n") || r.attrs["n"].Kind != "") &&
		r.created >= f.CreatedFrom && (f.CreatedTo == 0 || r.created < f.CreatedTo)
}

var drawRuns = rapid.Custom(func(t *rapid.T) []run {
	var runs []run
	for i := range rapid.IntRange(0, 60).Draw(t, "runs") {
		r := run{
			id:      flow.WorkflowID(fmt.Sprintf("%s%d", rapid.SampledFrom([]string{"a", "a:b", "a/b", "Order ", "ä"}).Draw(t, "id"), i)),
			typ:     rapid.SampledFrom([]string{"order", "order:eu", "mail"}).Draw(t, "type"),
			version: rapid.SampledFrom([]string{"", "1", "2"}).Draw(t, "version"),
			status:  rapid.SampledFrom(flow.Statuses()).Draw(t, "status"),
			created: flow.Instant(rapid.Int64Range(1, 30).Draw(t, "created")),
		}
		if r.status.Terminal() {
			r.closed = r.created + flow.Instant(rapid.Int64Range(0, 20).Draw(t, "took"))
		}
		if rapid.Bool().Draw(t, "tagged") {
			r.tags = rapid.SampledFrom([][]string{{"EU"}, {"EU", "x:y"}, {"x:y"}}).Draw(t, "tags")
		}
		r.attrs = rapid.SampledFrom(someAttributes).Draw(t, "attributes")
		runs = append(runs, r)
	}
	return runs
})

func valued(name string, kind flow.AttributeKind, text string) map[string]flow.Attribute {
	a, err := flow.NewAttribute(kind, text)
	if err != nil {
		panic(err)
	}
	return map[string]flow.Attribute{name: a}
}

var someAttributes = []map[string]flow.Attribute{nil, valued("n", flow.NumberAttribute, "-2.5"), valued("n", flow.NumberAttribute, "0"),
	valued("n", flow.NumberAttribute, "1"), valued("n", flow.NumberAttribute, "10"), valued("n", flow.StringAttribute, "1"),
	valued("n", flow.StringAttribute, "ä b:c"), valued("n", flow.TimeAttribute, "2026-11-30"), valued("m", flow.BoolAttribute, "true")}

// tests reads conditions.
func tests(texts ...string) (out []flow.AttributeTest) {
	for _, text := range texts {
		t, err := flow.ParseAttributeTest(text)
		if err != nil {
			panic(err)
		}
		out = append(out, t)
	}
	return out
}

// maybe draws one of the values or the zero value, that oftener.
func maybe[T any](t *rapid.T, label string, values ...T) T {
	var zero T
	if rapid.IntRange(0, 3).Draw(t, label+"?") > 0 {
		return zero
	}
	return rapid.SampledFrom(values).Draw(t, label)
}

var drawQuery = rapid.Custom(func(t *rapid.T) flow.Query {
	yes, no := true, false
	return flow.Query{
		Sort:     rapid.SampledFrom([]flow.Sort{"", flow.ByCreated, flow.ByClosed, flow.ByID, flow.ByAttribute("n")}).Draw(t, "sort"),
		Backward: rapid.Bool().Draw(t, "backward"),
		Limit:    rapid.IntRange(1, 20).Draw(t, "limit"),
		Filter: flow.Filter{
			Statuses:    maybe(t, "statuses", []flow.Status{flow.Running}, []flow.Status{flow.Failed, flow.Cancelled}, []flow.Status{flow.TimedOut}),
			Type:        maybe(t, "type", "order", "mail", "none"),
			Version:     maybe(t, "version", "1", "2"),
			IDPrefix:    maybe(t, "prefix", "a", "a:", "\xc3", "Order "),
			Contains:    maybe(t, "contains", "ORD", "eu", "1", "Ä"),
			Match:       maybe(t, "match", "(?i)^ord", "U$", "1"),
			Not:         maybe(t, "not", "(?i)EU", "^a", "9"),
			Tag:         maybe(t, "tag", "EU"),
			Tags:        maybe(t, "tags", []string{"x:y"}, []string{"EU", "x:y"}),
			Attributes:  maybe(t, "tests", tests("n>=1"), tests("n=1"), tests("n!=1"), tests("n<0", "n>-100"), tests("n<=ä"), tests("m=true"), tests("n>2026-01-01")),
			Held:        maybe(t, "held", &yes, &no),
			CreatedFrom: maybe(t, "from", flow.Instant(10)),
			CreatedTo:   maybe(t, "to", flow.Instant(20)),
		},
	}
})

// TestRunsAgainstModel turns the pages of random lists. Rows are exactly the
// model's, in its order, and totals are right or honest, also when a tiny
// budget breaks the walk off again and again.
func TestRunsAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		runs, q := drawRuns.Draw(t, "runs"), drawQuery.Draw(t, "query")
		budget := list.Budget{Time: time.Hour, Rows: rapid.SampledFrom([]int{0, 3, 10}).Draw(t, "budget")}
		s := memory.New(memory.Options{})
		commit(t, s, func(b *store.Batch) {
			for _, r := range runs {
				r.put(b)
			}
		})
		want := model(runs, q)
		got := []flow.WorkflowID{}
		for turn := 0; ; turn++ {
			if turn > 200 {
				t.Fatalf("query %+v: page %d still says there is more", q, turn)
			}
			p, err := budget.Runs(s, q, held)
			if err != nil {
				t.Fatalf("query %+v: %v", q, err)
			}
			checkPage(t, q, p, int64(len(want)))
			got = append(got, ids(p)...)
			if !p.More {
				break
			}
			q.After = p.Next
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("query %+v (-want +got):\n%s", q, d)
		}
	})
}

func checkPage(t *rapid.T, q flow.Query, p flow.Page, want int64) {
	switch {
	case len(p.Runs) > q.Limit:
		t.Fatalf("query %+v: %d rows, limit is %d", q, len(p.Runs), q.Limit)
	case len(p.Cursors) != len(p.Runs):
		t.Fatalf("query %+v: %d rows but %d cursors", q, len(p.Runs), len(p.Cursors))
	case p.Total >= 0 && (p.Total != want || p.AtLeast != want):
		t.Fatalf("query %+v: total %d, at least %d; want %d", q, p.Total, p.AtLeast, want)
	case p.AtLeast > want || p.AtLeast < int64(len(p.Runs)):
		t.Fatalf("query %+v: at least %d, with %d rows here of %d", q, p.AtLeast, len(p.Runs), want)
	case p.More != (p.Next != ""):
		t.Fatalf("query %+v: more is %t and next is %q", q, p.More, p.Next)
	}
	for _, r := range p.Runs {
		if r.Held != (!r.Status.Terminal() && r.Version == "2") || r.Held != (r.HeldBecause != "") {
			t.Fatalf("run %s: held %t because %q", r.ID, r.Held, r.HeldBecause)
		}
	}
}
