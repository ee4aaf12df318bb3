package list_test

import (
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"weft/engine/list"
	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

func TestRunsTotals(t *testing.T) {
	w := newWorld(t)
	w.fill(several(300, func(i int, r *run) {
		if i%3 == 0 {
			r.status, r.closed = flow.Failed, r.created+1
		}
		if i%2 == 0 {
			r.version = "2"
		}
	}))
	yes := true
	tests := map[string]struct {
		query flow.Query
		want  int64
	}{
		"everything is counted":                            {flow.Query{}, 300},
		"a status is counted":                              {flow.Query{Filter: flow.Filter{Statuses: []flow.Status{flow.Failed}}}, 100},
		"a version is counted":                             {flow.Query{Filter: flow.Filter{Version: "2"}}, 150},
		"held counts no ended run":                         {flow.Query{Filter: flow.Filter{Held: &yes}}, 100},
		"ended runs are counted":                           {flow.Query{Sort: flow.ByClosed}, 100},
		"an unknown type counts nothing":                   {flow.Query{Filter: flow.Filter{Type: "none"}}, 0},
		"an id prefix is counted":                          {flow.Query{Filter: flow.Filter{IDPrefix: "run-001"}}, 100},
		"a search behind a full page is counted out":       {flow.Query{Filter: flow.Filter{Contains: "RUN-00"}}, 300},
		"creation bounds are counted out":                  {flow.Query{Filter: flow.Filter{CreatedFrom: 1_000_100}}, 200},
		"creation bounds in another order are counted out": {flow.Query{Sort: flow.ByID, Filter: flow.Filter{CreatedTo: 1_000_100}}, 100},
		"a narrow filter by id is counted":                 {flow.Query{Sort: flow.ByID, Filter: flow.Filter{Version: "2"}}, 150},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			p, err := patient.Runs(w, tc.query, held)
			if err != nil || p.Total != tc.want || p.AtLeast != tc.want {
				t.Errorf("%+v: total %d, at least %d, %v; want %d", tc.query, p.Total, p.AtLeast, err, tc.want)
			}
			if p.Counts.Runs() != 300 {
				t.Errorf("counts say %d runs, want 300", p.Counts.Runs())
			}
		})
	}
}

func TestRunsBudget(t *testing.T) {
	w := newWorld(t)
	w.fill(several(3000, func(i int, r *run) {
		if i%1000 == 0 {
			r.tags = []string{"rare"}
		}
	}))
	clock := time.Unix(0, 0)
	slow := func() time.Time { clock = clock.Add(time.Millisecond); return clock }
	tests := map[string]struct {
		budget  list.Budget
		scanned int64
	}{
		"rows run out": {list.Budget{Rows: 700, Time: time.Hour}, 700},
		// One reading opens the search, one follows each row.
		"time runs out": {list.Budget{Now: slow}, 50},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			q := flow.Query{Filter: flow.Filter{Contains: "rare"}}
			p, err := tc.budget.Runs(w, q, nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(p.Runs) != 0 || !p.More || p.Total != -1 || p.AtLeast != 0 || p.Scanned != tc.scanned {
				t.Errorf("got %d rows, more %t, total %d, at least %d, scanned %d; want 0, true, -1, 0, %d",
					len(p.Runs), p.More, p.Total, p.AtLeast, p.Scanned, tc.scanned)
			}
			found := []flow.WorkflowID{}
			for turn := 0; p.More; turn++ {
				if turn > 100 {
					t.Fatal("the pages never end")
				}
				q.After = p.Next
				if p, err = tc.budget.Runs(w, q, nil); err != nil {
					t.Fatal(err)
				}
				found = append(found, ids(p)...)
			}
			want := []flow.WorkflowID{"run-02000", "run-01000", "run-00000"}
			if d := cmp.Diff(want, found); d != "" {
				t.Errorf("going on finds (-want +got):\n%s", d)
			}
		})
	}
}

// TestRareLabelsAreFoundByTheirIndex among many runs, and in any order: nothing
// but their rows is looked at.
func TestRareLabelsAreFoundByTheirIndex(t *testing.T) {
	w := newWorld(t)
	w.fill(several(3000, func(i int, r *run) {
		if i%1000 == 0 {
			r.tags = []string{"rare"}
			r.attrs = valued("n", flow.NumberAttribute, fmt.Sprint(i))
		}
	}))
	filters := map[string]flow.Filter{
		"a tag":      {Tag: "rare"},
		"an equal":   {Attributes: tests("n=2000")},
		"a range":    {Attributes: tests("n>=1000")},
		"both sides": {Attributes: tests("n>=0", "n<=3000"), Tag: "rare"},
	}
	for name, f := range filters {
		for _, by := range []flow.Sort{flow.ByCreated, flow.ByID, flow.ByAttribute("n")} {
			p, err := list.Budget{Rows: 10, Time: time.Hour}.Runs(w, flow.Query{Filter: f, Sort: by}, nil)
			if err != nil || len(p.Runs) == 0 || p.More || p.Total != int64(len(p.Runs)) || p.Scanned > 6 {
				t.Errorf("%s by %s: %d rows, more %t, total %d, scanned %d, %v", name, by, len(p.Runs), p.More, p.Total, p.Scanned, err)
			}
		}
	}
	for _, sort := range []flow.Sort{"@", "@a=b", "frob"} {
		var bad *flow.NameError
		if _, err := list.Runs(w, flow.Query{Sort: sort}, nil); !errors.As(err, &bad) {
			t.Errorf("sort %q: %v", sort, err)
		}
	}
}

// TestRunsWithoutSearch: where every row is one that is wanted, the budget does
// not cut the page.
func TestRunsWithoutSearch(t *testing.T) {
	w := newWorld(t)
	w.fill(several(60, func(i int, r *run) { r.status, r.closed = flow.Failed, r.created }))
	for _, q := range []flow.Query{{}, {Sort: flow.ByClosed}, {Sort: flow.ByID}, {Sort: flow.ByID, Filter: flow.Filter{IDPrefix: "run"}},
		{Filter: flow.Filter{CreatedFrom: 1, Statuses: []flow.Status{flow.Failed}}}} {
		p, err := list.Budget{Rows: 3, Time: time.Hour}.Runs(w, q, nil)
		if err != nil || len(p.Runs) != 50 || !p.More {
			t.Errorf("%+v: %d rows, more %t, %v; want a full page", q, len(p.Runs), p.More, err)
		}
	}
}

// TestRunsOfAWidePrefix: too many runs to sort are walked past instead, and
// those of a narrow prefix are found wherever they are.
func TestRunsOfAWidePrefix(t *testing.T) {
	w := newWorld(t)
	w.fill(several(5000, nil))
	tests := map[string]struct {
		prefix string
		total  int64
		first  flow.WorkflowID
	}{
		"two thousand are sorted": {"run-01", 1000, "run-01999"},
		"five thousand are not":   {"run-", -1, "run-04999"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			p, err := patient.Runs(w, flow.Query{Filter: flow.Filter{IDPrefix: tc.prefix}}, nil)
			if err != nil || p.Total != tc.total || len(p.Runs) != 50 || p.Runs[0].ID != tc.first || p.Scanned > 4100 {
				t.Errorf("total %d, %d rows, scanned %d, %v", p.Total, len(p.Runs), p.Scanned, err)
			}
		})
	}
}

// TestRunsSeek proves that a page of an index reads its rows and no more,
// wherever it is.
func TestRunsSeek(t *testing.T) {
	w := newWorld(t)
	runs := several(5000, func(i int, r *run) {
		r.typ = fmt.Sprintf("type-%d", i%4)
		if i%2 == 0 {
			r.status, r.closed = flow.Completed, r.created
		}
	})
	w.fill(runs)
	middle := func(s flow.Sort) string {
		p, err := list.Runs(w, flow.Query{Sort: s, Limit: flow.MaxLimit}, nil)
		if err != nil || len(p.Cursors) == 0 {
			t.Fatal(len(p.Cursors), err)
		}
		return p.Cursors[len(p.Cursors)-1]
	}
	for _, sort := range []flow.Sort{flow.ByCreated, flow.ByClosed, flow.ByID} {
		for _, after := range []string{"", middle(sort)} {
			r := &meter{Reader: w}
			p, err := list.Runs(r, flow.Query{Sort: sort, After: after}, nil)
			if err != nil || len(p.Runs) != 50 || !p.More {
				t.Fatalf("by %s: %d rows, more %t, %v", sort, len(p.Runs), p.More, err)
			}
			// 10 counters, 51 places, 4 of them twice by the merge, and for
			// each row shown a head, an event and the end of the waits.
			if p.Scanned > 51 || r.rows > 8+2+51+4+50*2 {
				t.Errorf("by %s after %q: scanned %d, read %d rows", sort, after, p.Scanned, r.rows)
			}
		}
	}
}

// meter counts the rows a reader hands out and fails when it is told to.
type meter struct {
	store.Reader
	rows   int
	failAt int // 0 is never
}

var errBroken = errors.New("broken disk")

func (m *meter) count() error {
	if m.rows++; m.rows == m.failAt {
		return errBroken
	}
	return nil
}

func (m *meter) Get(key []byte) ([]byte, error) {
	if err := m.count(); err != nil {
		return nil, err
	}
	return m.Reader.Get(key)
}

func (m *meter) Scan(r store.Range) iter.Seq2[store.Row, error] {
	return func(yield func(store.Row, error) bool) {
		for kv, err := range m.Reader.Scan(r) {
			if err := m.count(); err != nil {
				yield(store.Row{}, err)
				return
			}
			if !yield(kv, err) {
				return
			}
		}
	}
}

// TestReaderErrors lets the reader fail at each row it is asked for: the error
// comes out, whole, and nothing panics.
func TestReaderErrors(t *testing.T) {
	w := newWorld(t)
	w.fill(several(20, func(i int, r *run) {
		r.typ = fmt.Sprintf("type-%d", i%3)
		r.waits = map[flow.StepPath]row.Wait{"2": {Kind: flow.StepSignal, Name: "go"}}
		r.signals = []row.Signal{{Name: "go"}}
		if i%2 == 0 {
			r.status, r.closed, r.waits, r.signals = flow.Failed, r.created, nil, nil
		}
	}))
	w.write(func(b *store.Batch) { b.Put(row.AuditKey(1), row.EncodeAudit(flow.Audit{Verb: "start"})) })
	runsBy := func(q flow.Query) func(store.Reader) error {
		return func(r store.Reader) error { _, err := patient.Runs(r, q, held); return err }
	}
	tests := map[string]func(store.Reader) error{
		"runs by creation":    runsBy(flow.Query{}),
		"runs by end":         runsBy(flow.Query{Sort: flow.ByClosed, Filter: flow.Filter{Type: "type-1"}}),
		"runs by id":          runsBy(flow.Query{Sort: flow.ByID}),
		"runs with a prefix":  runsBy(flow.Query{Filter: flow.Filter{IDPrefix: "run", Tag: "x"}}),
		"runs with some text": runsBy(flow.Query{Filter: flow.Filter{Contains: "xyz"}}),
		"counts":              func(r store.Reader) error { _, err := list.Counts(r); return err },
		"types":               func(r store.Reader) error { _, err := list.Types(r, nil); return err },
		"audit":               func(r store.Reader) error { _, err := patient.Audit(r, flow.Query{}); return err },
		"steps": func(r store.Reader) error {
			_, err := list.Detail(r, flow.Ref{ID: "run-00001"}, flow.PartSteps)
			return err
		},
	}
	for name, read := range tests {
		t.Run(name, func(t *testing.T) {
			all := &meter{Reader: w}
			if err := read(all); err != nil || all.rows == 0 {
				t.Fatalf("without a fault: %d rows, %v", all.rows, err)
			}
			for n := 1; n <= all.rows; n++ {
				if err := read(&meter{Reader: w, failAt: n}); !errors.Is(err, errBroken) {
					t.Fatalf("fault at row %d of %d: %v", n, all.rows, err)
				}
			}
		})
	}
}

func TestRunsDamaged(t *testing.T) {
	tests := map[string]struct {
		damage func(b *store.Batch)
		reason string
	}{
		"an undecodable head": {func(b *store.Batch) { b.Put(row.HeadKey("run-00001"), []byte{1, 0xff}) }, "head unreadable: run head"},
		"a newer head":        {func(b *store.Batch) { b.Put(row.HeadKey("run-00001"), []byte{9}) }, "newer version"},
		"a missing head":      {func(b *store.Batch) { b.Delete(row.HeadKey("run-00001")) }, "head missing"},
		"a head of another run": {func(b *store.Batch) {
			b.Put(row.HeadKey("run-00001"), row.EncodeHead(row.Head{Run: "01", Type: "order", Status: flow.Running}))
		}, "the head is of run 01"},
		"an undecodable last event": {func(b *store.Batch) {
			b.Put(row.EventKey(several(2, nil)[1].ref(), 1), nil)
		}, "event 1 unreadable: journal entry: empty record"},
		"a missing journal": {func(b *store.Batch) {
			b.Delete(row.EventKey(several(2, nil)[1].ref(), 1))
		}, "journal missing"},
		"an undecodable wait": {func(b *store.Batch) {
			b.Put(row.WaitKey(several(2, nil)[1].ref(), "2"), []byte{1})
		}, "wait of step 2 unreadable"},
		"an event key that is none": {func(b *store.Batch) {
			b.Put(append(row.EventPrefix(several(2, nil)[1].ref()), "zzz"...), nil)
		}, "zzz"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.fill(several(3, nil))
			w.write(tc.damage)
			p, err := list.Runs(w, flow.Query{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff([]flow.WorkflowID{"run-00002", "run-00001", "run-00000"}, ids(p)); d != "" {
				t.Fatalf("rows (-want +got):\n%s", d)
			}
			for i, r := range p.Runs {
				if want := i == 1; (r.Reason != "") != want || want && !strings.Contains(r.Reason, tc.reason) {
					t.Errorf("reason of %s is %q, want %q only for the damaged run", r.ID, r.Reason, tc.reason)
				}
				if r.Type != "order" || r.Status != flow.Running {
					t.Errorf("%s: type %q, status %s are lost", r.ID, r.Type, r.Status)
				}
			}
		})
	}
}

func TestRunsDamagedElsewhere(t *testing.T) {
	w := newWorld(t)
	w.fill(several(3, nil))
	w.write(func(b *store.Batch) {
		b.Put(row.HeadKey("run-00001"), nil)
		b.Put([]byte("wf-idx-type:order:1:2:short:x"), nil)
		b.Put([]byte("wf:%zz"), nil)
		b.Put([]byte("count:order:1:9"), store.EncodeCounter(4))
		b.Put(row.CountKey("mail", "1", flow.Running), []byte("three"))
	})
	for _, q := range []flow.Query{{}, {Sort: flow.ByID}, {Filter: flow.Filter{IDPrefix: "run"}}} {
		p, err := list.Runs(w, q, nil)
		if err != nil || len(p.Runs) != 3 {
			t.Errorf("%+v: %d rows, %v; want the 3 that have a place", q, len(p.Runs), err)
		}
	}
	if _, err := list.Counts(w); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("counts over a damaged counter: %v", err)
	}
}
