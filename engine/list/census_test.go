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

func TestCounts(t *testing.T) {
	w := newWorld(t)
	var want flow.Counts
	for i, s := range flow.Statuses() {
		w.write(func(b *store.Batch) {
			b.Add(row.CountKey("order", "1", s), int64(i+1))
			b.Add(row.CountKey("order", "2", s), 10)
		})
		want.Add(s, int64(i+11))
	}
	w.write(func(b *store.Batch) { b.Add(row.CountOwed, 3); b.Add(row.CountDead, 4) })
	want.Owed, want.Dead = 3, 4
	got, err := list.Counts(w)
	if err != nil || got != want {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
}

func TestCountsDamaged(t *testing.T) {
	for name, key := range map[string][]byte{
		"a key that is none": []byte("count:order:1:9"),
		"a counter of runs":  row.CountKey("order", "1", flow.Running),
		"what is owed":       row.CountOwed,
		"what was given up":  row.CountDead,
	} {
		w := newWorld(t)
		w.write(func(b *store.Batch) { b.Put(key, []byte("three")) })
		if _, err := list.Counts(w); !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := list.Types(w, nil); !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("types with %s: %v", name, err)
		}
	}
}

func TestTypes(t *testing.T) {
	w := newWorld(t)
	w.write(func(b *store.Batch) {
		b.Add(row.CountKey("old:type", "", flow.Running), 2)
		b.Add(row.CountKey("order", "1", flow.Completed), 3)
		b.Add(row.CountKey("order", "1", flow.Running), 4)
		b.Add(row.CountKey("order", "2", flow.Running), 5)
	})
	registered := []flow.Type{
		{Name: "order", Version: "2", Registered: true, Signals: []string{"go"}},
		{Name: "mail", Version: "1", Registered: true},
	}
	got, err := list.Types(w, registered)
	want := []flow.Type{
		{Name: "mail", Version: "1", Registered: true, Versions: []flow.VersionCounts{}},
		{Name: "old:type", Versions: []flow.VersionCounts{{Counts: flow.Counts{Running: 2}}},
			Signals: []string{}, Queries: []string{}, Updates: []string{}},
		{Name: "order", Version: "2", Registered: true, Signals: []string{"go"}, Versions: []flow.VersionCounts{
			{Version: "1", Counts: flow.Counts{Running: 4, Completed: 3}},
			{Version: "2", Counts: flow.Counts{Running: 5}},
		}},
	}
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
	if registered[0].Versions != nil {
		t.Error("the argument was changed")
	}
}

func TestAudit(t *testing.T) {
	w := newWorld(t)
	w.write(func(b *store.Batch) {
		for n := range uint64(25) {
			b.Put(row.AuditKey(n+7), row.EncodeAudit(flow.Audit{Actor: "ana", Text: fmt.Sprint("act ", n+7)}))
		}
		b.Put(row.AuditKey(31), []byte{1})
	})
	for _, backward := range []bool{false, true} {
		var got []uint64
		q := flow.Query{Limit: 10, Backward: backward}
		for {
			p, err := patient.Audit(w, q)
			if err != nil || len(p.Audit) != len(p.Cursors) || p.Total != 25 && q.After == "" {
				t.Fatalf("%d records, %d cursors, total %d, %v", len(p.Audit), len(p.Cursors), p.Total, err)
			}
			for _, a := range p.Audit {
				got = append(got, a.Number)
				want := fmt.Sprint("act ", a.Number)
				if a.Number == 31 {
					want = "unreadable: audit record: EOF: store damaged"
				}
				if a.Text != want {
					t.Errorf("record %d reads %q, want %q", a.Number, a.Text, want)
				}
			}
			if !p.More {
				break
			}
			q.After = p.Next
		}
		if first, last := got[0], got[24]; len(got) != 25 || (first < last) != backward || first+last != 38 {
			t.Errorf("backward %t: numbers %v", backward, got)
		}
	}
}
