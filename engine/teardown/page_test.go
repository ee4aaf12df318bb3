package teardown_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"weft/engine/row"
	"weft/engine/teardown"
	"weft/flow"
	"weft/store"
	"weft/store/memory"
)

// letters puts n dead letters, with the counter.
func letters(t testing.TB, s store.Store, n int) {
	t.Helper()
	for from := 0; from < n; from += 5000 {
		b := new(store.Batch)
		for i := from; i < min(from+5000, n); i++ {
			l := row.Letter{Type: typ, Finalizer: fin, Attempts: 8, LastError: "no", At: flow.Instant(i + 1), Input: []byte("1")}
			if i%1000 == 7 {
				l.Type, l.LastError = "rare", "Account Closed"
			}
			b.Put(row.DeadKey(ref(fmt.Sprintf("w%05d", i))), row.EncodeLetter(l))
		}
		b.Add(row.CountDead, int64(min(5000, n-from)))
		if _, err := s.Commit(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAllLettersReachableF085: fifty thousand dead letters can be paged through
// both ways, the count is exact, and the last one can be acted on.
func TestAllLettersReachableF085(t *testing.T) {
	const n = 50_000
	s := memory.New(memory.Options{})
	letters(t, s, n)
	for _, backward := range []bool{false, true} {
		q := flow.Query{Of: flow.ListDead, Limit: 1000, Backward: backward}
		seen, last := map[flow.WorkflowID]bool{}, flow.Dead{}
		for {
			p, err := teardown.Dead(s, q)
			if err != nil || p.Total != n || p.AtLeast != n || len(p.Cursors) != len(p.Dead) {
				t.Fatalf("page of %d, total %d, %v", len(p.Dead), p.Total, err)
			}
			for _, l := range p.Dead {
				if seen[l.ID] || last.ID != "" && (l.ID > last.ID) == backward {
					t.Fatalf("%s behind %s, seen: %t", l.ID, last.ID, seen[l.ID])
				}
				seen[l.ID], last = true, l
			}
			if !p.More {
				break
			}
			q.After = p.Next
		}
		if len(seen) != n {
			t.Errorf("%d letters reached, want %d", len(seen), n)
		}
		want := flow.Dead{Ref: ref("w49999"), Type: typ, Finalizer: fin, Attempts: 8, LastError: "no", DeadLetteredAt: n, Input: flow.Payload("1")}
		if !backward && fmt.Sprint(last) != fmt.Sprint(want) {
			t.Errorf("the last is %+v", last)
		}
	}
	d, err := teardown.New(teardown.Config{Store: s, Finalizer: func(string, string) (teardown.Finalizer, bool) { return teardown.Finalizer{}, false },
		Commit: func(b *store.Batch) (bool, error) { res, err := s.Commit(t.Context(), b); return res.Applied, err }})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Redrive(ref("w49999"), teardown.Given{}, new(audits).put); err != nil {
		t.Error(err)
	}
	if _, err := d.Discard(ref("w49998"), new(audits).put); err != nil {
		t.Error(err)
	}
	if owed, dead, err := teardown.Counts(s); owed != 1 || dead != n-2 || err != nil {
		t.Errorf("%d owed, %d dead, %v", owed, dead, err)
	}
	fits(t, s, "")
}

func TestDeadFiltered(t *testing.T) {
	s := memory.New(memory.Options{})
	letters(t, s, 25_000)
	tests := map[string]struct {
		filter flow.Filter
		first  flow.WorkflowID
		found  int
		total  int64 // -1: not known after one page
	}{
		"type":                 {flow.Filter{Type: "rare"}, "w00007", 20, -1},
		"id":                   {flow.Filter{IDPrefix: "w2499"}, "w24990", 10, 10},
		"id and type":          {flow.Filter{IDPrefix: "w12", Type: "rare"}, "w12007", 1, 1},
		"error, in any case":   {flow.Filter{IDPrefix: "w12", Contains: "account c"}, "w12007", 1, 1},
		"a pattern":            {flow.Filter{IDPrefix: "w12", Match: "(?i)ACCOUNT c"}, "w12007", 1, 1},
		"not a pattern":        {flow.Filter{IDPrefix: "w1234", Not: "[0-8]$"}, "w12349", 1, 1},
		"part of an id":        {flow.Filter{IDPrefix: "w1", Contains: "W12345"}, "w12345", 1, 1},
		"older":                {flow.Filter{CreatedTo: 3}, "w00000", 2, -1},
		"newer":                {flow.Filter{CreatedFrom: 24_999, IDPrefix: "w24"}, "w24998", 2, 2},
		"nothing":              {flow.Filter{IDPrefix: "x"}, "", 0, 0},
		"percent is no escape": {flow.Filter{IDPrefix: "w%30"}, "", 0, 0},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			p, err := teardown.Dead(s, flow.Query{Filter: tc.filter})
			if err != nil || len(p.Dead) != tc.found || p.Total != tc.total || p.AtLeast != int64(tc.found) || p.More != (tc.total < 0) {
				t.Fatalf("%d found, total %d, at least %d, more %t, scanned %d, %v", len(p.Dead), p.Total, p.AtLeast, p.More, p.Scanned, err)
			}
			if tc.found > 0 && p.Dead[0].ID != tc.first {
				t.Errorf("the first is %s", p.Dead[0].ID)
			}
			if p.More && p.Scanned != 20_000 {
				t.Errorf("%d scanned", p.Scanned)
			}
		})
	}
	t.Run("goes on behind the budget", func(t *testing.T) {
		q, found := flow.Query{Filter: flow.Filter{Type: "rare"}, Limit: 7}, 0
		for pages := 1; ; pages++ {
			p, err := teardown.Dead(s, q)
			if err != nil {
				t.Fatal(err)
			}
			found += len(p.Dead)
			if q.After = p.Next; !p.More {
				break
			}
			if pages > 10 {
				t.Fatal("it does not end")
			}
		}
		if found != 25 {
			t.Errorf("%d found, want 25", found)
		}
	})
}

func TestPageRefuses(t *testing.T) {
	s := memory.New(memory.Options{})
	held := true
	p, err := teardown.Dead(s, flow.Query{})
	if err != nil || p.Total != 0 || p.More {
		t.Fatalf("%+v, %v", p, err)
	}
	letters(t, s, 1)
	p, _ = teardown.Dead(s, flow.Query{})
	tests := map[string]struct {
		read func(flow.Query) (flow.Page, error)
		q    flow.Query
		want error
	}{
		"statuses":          {dead(s), flow.Query{Filter: flow.Filter{Statuses: []flow.Status{flow.Failed}}}, flow.ErrNotOffered},
		"version":           {dead(s), flow.Query{Filter: flow.Filter{Version: "1"}}, flow.ErrNotOffered},
		"tag":               {owing(s), flow.Query{Filter: flow.Filter{Tag: "eu"}}, flow.ErrNotOffered},
		"held letters":      {dead(s), flow.Query{Filter: flow.Filter{Held: &held}}, flow.ErrNotOffered},
		"no cursor":         {dead(s), flow.Query{After: "%"}, flow.ErrBadName},
		"an empty cursor":   {dead(s), flow.Query{After: "="}, flow.ErrBadName},
		"another's cursor":  {owing(s), flow.Query{After: p.Cursors[0]}, flow.ErrBadName},
		"a cursor of audit": {dead(s), flow.Query{After: "YTAw"}, flow.ErrBadName},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := tc.read(tc.q); !errors.Is(err, tc.want) {
				t.Errorf("%v, want %v", err, tc.want)
			}
		})
	}
}

func dead(r store.Reader) func(flow.Query) (flow.Page, error) {
	return func(q flow.Query) (flow.Page, error) { return teardown.Dead(r, q) }
}

func owing(r store.Reader) func(flow.Query) (flow.Page, error) {
	return func(q flow.Query) (flow.Page, error) { return teardown.Teardowns(r, q, nil, 0) }
}

// TestTeardownsF083 shows one row for one run, whatever attempts were made, in
// the state it is in.
func TestTeardownsF083(t *testing.T) {
	w := newWorld(fails("503"), hangs)
	bubble(t, w, func(v *env) {
		v.wrong = true
		v.owe("a") // fails, then runs
		v.wait(50 * time.Second)
		v.owe("b") // fails, then waits
		v.put("c", "other", fin)
		b := new(store.Batch)
		b.Put(row.ClaimKey(ref("d")), []byte{1})
		v.commit(b)
		v.wait(20 * time.Second)
		held := func(ty, name string) bool { _, known := v.c.Finalizer(ty, name); return !known }
		at := func(d time.Duration) flow.Instant { return flow.InstantOf(v.start.Add(d)) }
		read := func(q flow.Query, now flow.Instant) map[flow.WorkflowID]flow.Teardown {
			t.Helper()
			p, err := teardown.Teardowns(v.s, q, held, now)
			if err != nil {
				t.Fatal(err)
			}
			rows := map[flow.WorkflowID]flow.Teardown{}
			for _, r := range p.Teardowns {
				rows[r.ID] = r
			}
			return rows
		}
		rows := read(flow.Query{}, flow.InstantOf(v.now()))
		want := map[flow.WorkflowID]flow.Teardown{
			"a": {Ref: ref("a"), Type: typ, Finalizer: fin, State: "running", Attempts: 1, ClaimedAt: at(time.Minute),
				StaleAt: at(time.Minute + 330*time.Second), LastError: "503", OwedAt: at(0)},
			"b": {Ref: ref("b"), Type: typ, Finalizer: fin, State: "owed", Attempts: 1, NextAt: at(110 * time.Second), LastError: "503", OwedAt: at(50 * time.Second)},
			"c": {Ref: ref("c"), Type: "other", Finalizer: fin, State: "held", NextAt: at(50 * time.Second), OwedAt: at(50 * time.Second)},
			"d": {Ref: ref("d"), State: "unreadable", LastError: rows["d"].LastError},
		}
		for id, w := range want {
			if rows[id] != w {
				t.Errorf("%s is %+v, want %+v", id, rows[id], w)
			}
		}
		if len(rows) != 4 || !strings.Contains(rows["d"].LastError, "damaged") {
			t.Errorf("rows %+v", rows)
		}
		later := read(flow.Query{}, at(time.Hour))
		if a := later["a"]; a.State != "stale" || a.NextAt != a.StaleAt {
			t.Errorf("an hour later: %+v", a)
		}
		for _, is := range []bool{true, false} {
			n := 1
			if !is {
				n = 3
			}
			if rows := read(flow.Query{Filter: flow.Filter{Held: &is}}, at(time.Hour)); len(rows) != n {
				t.Errorf("held %t: %+v", is, rows)
			}
		}
		owed, err := teardown.Owed(v.s, "a")
		if err != nil || fmt.Sprint(owed) != fmt.Sprint([]flow.Ref{ref("a")}) {
			t.Errorf("owed by a: %v, %v", owed, err)
		}
		p, err := teardown.Teardowns(v.s, flow.Query{Limit: 2}, held, 0)
		if err != nil || len(p.Teardowns) != 2 || !p.More || p.Next != p.Cursors[1] {
			t.Errorf("page %+v, %v", p, err)
		}
	})
}

// TestCheckFinds: each thing that does not fit is named.
func TestCheckFinds(t *testing.T) {
	claim := flow.OweClaim(typ, fin, "T", 5)
	tests := map[string]struct {
		change func(*store.Batch)
		want   string
	}{
		"claim without timer": {func(b *store.Batch) { b.Delete(row.TeardownOf(ref("a"), claim).Key()) }, "nothing will drive it"},
		"claim without state": {func(b *store.Batch) { b.Delete(row.StateKey(ref("a"))) }, "the recorded state wf-finalizer-state:a:"},
		"damaged claim":       {func(b *store.Batch) { b.Put(row.ClaimKey(ref("a")), []byte{1}) }, "the claim does not decode"},
		"claim beside a letter": {func(b *store.Batch) {
			b.Put(row.DeadKey(ref("a")), row.EncodeLetter(row.Letter{}))
			b.Add(row.CountDead, 1)
		}, "the run has a dead letter, too"},
		"claim of a live run": {func(b *store.Batch) {
			b.Put(row.HeadKey("a"), row.EncodeHead(row.Head{Run: ref("a").Run, Status: flow.Running}))
		}, "a run that is running owes no teardown"},
		"bad key of a claim":  {func(b *store.Batch) { b.Put([]byte("wf-teardown-needed:x"), nil); b.Add(row.CountOwed, 1) }, "no key of a claim"},
		"timer of nobody":     {func(b *store.Batch) { b.Put(row.Teardown{Due: 1, Ref: ref("x"), Token: "T"}.Key(), nil) }, "no claim needs the timer"},
		"timer too many":      {func(b *store.Batch) { b.Put(row.Teardown{Due: 6, Ref: ref("a"), Token: "T"}.Key(), nil) }, "the claim has another timer: it is owed, due 1970"},
		"timer with a value":  {func(b *store.Batch) { b.Put(row.TeardownOf(ref("a"), claim).Key(), []byte("x")) }, "has 1 bytes"},
		"bad key of a timer":  {func(b *store.Batch) { b.Put([]byte("wf-teardown:x"), nil) }, "no key of a teardown's timer"},
		"damaged letter":      {func(b *store.Batch) { b.Put(row.DeadKey(ref("x")), nil); b.Add(row.CountDead, 1) }, "the dead letter does not decode"},
		"bad key of a letter": {func(b *store.Batch) { b.Put([]byte("wf-teardown-deadletter:x"), nil); b.Add(row.CountDead, 1) }, "no key of a dead letter"},
		"damaged state":       {func(b *store.Batch) { b.Put(row.StateKey(ref("a")), []byte{1}) }, "state does not decode"},
		"bad key of a state":  {func(b *store.Batch) { b.Put([]byte("wf-finalizer-state:x"), nil) }, "no key of a finalizer's state"},
		"state that is not used": {func(b *store.Batch) {
			b.Put(row.StateKey(ref("x")), row.EncodeState(row.State{}))
		}, "yet its state is there"},
		"owed miscounted": {func(b *store.Batch) { b.Add(row.CountOwed, 1) }, "the counter says 2, there are 1"},
		"dead miscounted": {func(b *store.Batch) { b.Add(row.CountDead, -1) }, "the counter says -1, there are 0"},
	}
	base := func(t *testing.T) *memory.Store {
		s := memory.New(memory.Options{})
		b := new(store.Batch)
		teardown.PutState(b, ref("a"), row.State{Type: typ, Finalizer: fin, Payload: []byte("1")})
		b.Put(row.ClaimKey(ref("a")), row.EncodeClaim(claim))
		b.Put(row.TeardownOf(ref("a"), claim).Key(), nil)
		b.Add(row.CountOwed, 1)
		// A live run's state is no finding.
		teardown.PutState(b, ref("live"), row.State{Type: typ, Finalizer: fin})
		b.Put(row.HeadKey("live"), row.EncodeHead(row.Head{Run: ref("live").Run, Status: flow.Running}))
		if _, err := s.Commit(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		return s
	}
	fits(t, base(t), "")
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := base(t)
			b := new(store.Batch)
			tc.change(b)
			if _, err := s.Commit(t.Context(), b); err != nil {
				t.Fatal(err)
			}
			found, err := teardown.Check(s)
			if err != nil || len(found) != 1 || !strings.Contains(found[0].Text, tc.want) {
				t.Errorf("found %s, %v; want %q", found, err, tc.want)
			}
		})
	}
}
