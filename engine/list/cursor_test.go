package list_test

import (
	"encoding/base64"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/engine/list"
	"weft/flow"
	"weft/store"
)

func TestCursorRefused(t *testing.T) {
	w := newWorld(t)
	w.fill(several(3, func(_ int, r *run) { r.status, r.closed = flow.Failed, r.created }))
	of := func(s flow.Sort) string {
		p, err := list.Runs(w, flow.Query{Sort: s}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return p.Cursors[0]
	}
	raw := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	tests := map[string]struct {
		sort  flow.Sort
		after string
		fails bool
	}{
		"its own order":             {flow.ByClosed, of(flow.ByClosed), false},
		"another order":             {flow.ByClosed, of(flow.ByCreated), true},
		"the order of ids":          {"", of(flow.ByID), true},
		"not in the alphabet":       {"", "*", true},
		"only an order":             {"", raw("c"), true},
		"no separator":              {"", raw("c0000000000000001"), true},
		"an instant too short":      {"", raw("c1:a"), true},
		"an id that is not encoded": {"", raw("c0000000000001000:a b"), true},
		"bits that mean nothing":    {flow.ByID, "aWF", true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := list.Runs(w, flow.Query{Sort: tc.sort, After: tc.after}, nil)
			var bad *flow.NameError
			if errors.As(err, &bad) != tc.fails || !tc.fails && err != nil {
				t.Errorf("cursor %q by %q: %v; want a refusal: %t", tc.after, tc.sort, err, tc.fails)
			}
		})
	}
	if _, err := list.Runs(w, flow.Query{Sort: "age"}, nil); !errors.Is(err, flow.ErrBadName) {
		t.Errorf("sort age: %v", err)
	}
	if _, err := list.Audit(w, flow.Query{After: of("")}); !errors.Is(err, flow.ErrBadName) {
		t.Errorf("audit behind a run: %v", err)
	}
}

// TestCursorOutlives goes on behind a row that is gone, under another filter
// and in the other direction.
func TestCursorOutlives(t *testing.T) {
	w := newWorld(t)
	runs := several(5, func(i int, r *run) {
		if i%2 == 0 {
			r.typ = "mail"
		}
	})
	w.fill(runs)
	p, err := list.Runs(w, flow.Query{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.write(func(b *store.Batch) {
		b.DeleteRange([]byte("wf-idx-type:order:1:2:0000000001000003"), []byte("wf-idx-type:order:1:2:0000000001000004"))
	})
	tests := map[string]struct {
		query flow.Query
		want  []flow.WorkflowID
	}{
		"behind a row that is gone": {flow.Query{}, []flow.WorkflowID{"run-00002", "run-00001", "run-00000"}},
		"under another filter":      {flow.Query{Filter: flow.Filter{Type: "order"}}, []flow.WorkflowID{"run-00001"}},
		"in the other direction":    {flow.Query{Backward: true}, []flow.WorkflowID{"run-00004"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			tc.query.After = p.Cursors[1]
			got, err := list.Runs(w, tc.query, nil)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tc.want, ids(got)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func FuzzCursor(f *testing.F) {
	w := newWorld(f)
	w.fill(several(3, nil))
	for _, s := range []flow.Sort{flow.ByCreated, flow.ByClosed, flow.ByID} {
		p, err := list.Runs(w, flow.Query{Sort: s}, nil)
		if err != nil {
			f.Fatal(err)
		}
		for _, c := range p.Cursors {
			f.Add(c)
		}
	}
	f.Add("")
	f.Add("YzA")
	f.Fuzz(func(t *testing.T, after string) {
		taken := 0
		for _, s := range []flow.Sort{flow.ByCreated, flow.ByClosed, flow.ByID} {
			_, err := list.Runs(w, flow.Query{Sort: s, After: after}, nil)
			switch {
			case err == nil:
				taken++
			case !errors.Is(err, flow.ErrBadName):
				t.Errorf("cursor %q by %s: %v", after, s, err)
			}
		}
		if taken > 1 && after != "" {
			t.Errorf("cursor %q is taken by %d orders", after, taken)
		}
	})
}
