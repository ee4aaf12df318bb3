package row_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"testing"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// similar are ids that other encodings confuse.
var similar = []string{
	"a", "a:b", "a/b", "a%2Fb", "a%3Ab", "a%", "a%3A", ":", "/", "%", "a:", ":a", "a b", "a+b", "a.b", "a-b", "A",
	"order", "order1", "order10", "order:1", "order:1:sig", "order:1:sig:0", "order:", "order%3A1", "order!", "order~",
	"ä", "a\u0308", "日本", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "a:01ARZ3NDEKTSV4RRFFQ69G5FAV", "q", "i", "a:q", "a:i:b",
}

// TestSimilarIDsF002: distinct (id, name) pairs have distinct keys, and the
// range of one run or triple holds no row of another.
func TestSimilarIDsF002(t *testing.T) {
	owner := map[string]string{} // every key, by what it is of
	own := func(key []byte, format string, args ...any) {
		name := fmt.Sprintf(format, args...)
		if other, taken := owner[string(key)]; taken {
			t.Errorf("%s and %s share the key %q", name, other, key)
		}
		owner[string(key)] = name
	}
	type scope struct {
		prefix []byte
		holds  string // how the names of its rows begin
	}
	var scopes []scope
	for _, id := range similar {
		own(row.HeadKey(flow.WorkflowID(id)), "head|%s", id)
		for _, run := range []flow.RunID{run1, run2} {
			r := flow.Ref{ID: flow.WorkflowID(id), Run: run}
			own(row.ReadyKey(r), "ready|%s|%s", id, run)
			own(row.EventKey(r, 1), "ev|%s|%s|1", id, run)
			own(row.SignalKey(r, 1), "sig|%s|%s|1", id, run)
			for _, name := range similar {
				own(row.SignalClosedKey(r, name), "sig|%s|%s|closed|%s", id, run, name)
				own(row.UpdateKey(r, name), "upd|%s|%s|%s", id, run, name)
			}
			for _, name := range similar {
				own(row.WaitKey(r, flow.StepPath(name)), "wait|%s|%s|%s", id, run, name)
				for _, signal := range similar {
					own(row.SignalIDKey(r, name, signal), "sig|%s|%s|%s|%s", id, run, name, signal)
				}
			}
			scopes = append(scopes,
				scope{row.EventPrefix(r), fmt.Sprintf("ev|%s|%s|", id, run)},
				scope{row.WaitPrefix(r), fmt.Sprintf("wait|%s|%s|", id, run)},
				scope{row.UpdatePrefix(r), fmt.Sprintf("upd|%s|%s|", id, run)},
				scope{row.SignalPrefix(r), fmt.Sprintf("sig|%s|%s|", id, run)})
		}
		for _, version := range similar {
			own(row.CountKey(id, version, flow.Running), "count|%s|%s", id, version)
			own(row.IndexKey(id, version, flow.Running, 1, "x"), "idx|%s|%s|x", id, version)
			scopes = append(scopes, scope{row.IndexPrefix(id, version, flow.Running), fmt.Sprintf("idx|%s|%s|", id, version)})
		}
	}
	keys := make([]string, 0, len(owner))
	for key := range owner {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, s := range scopes {
		g := store.Prefix(s.prefix)
		from, _ := slices.BinarySearch(keys, string(g.From))
		to, _ := slices.BinarySearch(keys, string(g.To))
		if from == to {
			t.Errorf("the range of %s is empty", s.holds)
		}
		for _, key := range keys[from:to] {
			if name := owner[key]; len(name) < len(s.holds) || name[:len(s.holds)] != s.holds {
				t.Errorf("the range of %s holds the row of %s", s.holds, name)
			}
		}
	}
}

// FuzzKeysDisjoint: whatever bytes ids and names have, equal keys come from
// equal tuples, and a row in the range of a tuple is of that tuple.
func FuzzKeysDisjoint(f *testing.F) {
	for i, id := range similar {
		f.Add(id, similar[(i+1)%len(similar)], "go", "x")
		f.Add(id, id+":", "q", "0")
	}
	f.Add("a\x00", "a", "\xff", "")
	f.Add("a", "a:"+string(run1), "q", "0")
	f.Add("a", "a:b", "b:c", "c")
	f.Fuzz(func(t *testing.T, id1, id2, name1, name2 string) {
		one, two := flow.Ref{ID: flow.WorkflowID(id1), Run: run1}, flow.Ref{ID: flow.WorkflowID(id2), Run: run1}
		step1, step2 := flow.StepPath(name1), flow.StepPath(name2)
		same, pairs := id1 == id2, id1 == id2 && name1 == name2
		tests := map[string]struct {
			a, b  []byte
			equal bool
		}{
			"head":    {row.HeadKey(one.ID), row.HeadKey(two.ID), same},
			"ready":   {row.ReadyKey(one), row.ReadyKey(two), same},
			"event":   {row.EventKey(one, 1), row.EventKey(two, 1), same},
			"wait":    {row.WaitKey(one, step1), row.WaitKey(two, step2), pairs},
			"timer":   {row.TimerKey(1, one, step1), row.TimerKey(1, two, step2), pairs},
			"sig id":  {row.SignalIDKey(one, name1, name2), row.SignalIDKey(two, name2, name1), same && name1 == name2},
			"index":   {row.IndexKey(id1, name1, 1, 1, "x"), row.IndexKey(id2, name2, 1, 1, "x"), pairs},
			"counter": {row.CountKey(id1, name1, 1), row.CountKey(id2, name2, 1), pairs},
			"idem":    {row.IdemKey(id1), row.IdemKey(id2), same},
		}
		for family, tc := range tests {
			if bytes.Equal(tc.a, tc.b) != tc.equal {
				t.Errorf("%s: %q and %q for (%q, %q) and (%q, %q)", family, tc.a, tc.b, id1, name1, id2, name2)
			}
		}
		if !same && bytes.HasPrefix(row.WaitKey(two, step2), row.WaitPrefix(one)) {
			t.Errorf("the waits of %q hold a wait of %q", id1, id2)
		}
		if !pairs && bytes.HasPrefix(row.IndexKey(id2, name2, 1, 1, "x"), row.IndexPrefix(id1, name1, 1)) {
			t.Errorf("the index of (%q, %q) holds a row of (%q, %q)", id1, name1, id2, name2)
		}
		if prefix := len(id1) <= len(id2) && id2[:len(id1)] == id1; bytes.HasPrefix(row.HeadKey(two.ID), row.HeadPrefix(id1)) != prefix {
			t.Errorf("%q begins with %q: %t, its key says otherwise", id2, id1, prefix)
		}
	})
}

// FuzzKeyOrder: byte order is the order of the numbers, for what has a place.
func FuzzKeyOrder(f *testing.F) {
	for _, n := range []int64{0, 1, 9, 10, 99_999, 1_772_366_400_000, 9_999_999_999_999_999, math.MaxInt64, -1, math.MinInt64} {
		f.Add(n, n+1, "a", "b")
		f.Add(n, n/10, "b", "a")
	}
	f.Fuzz(func(t *testing.T, m, n int64, id1, id2 string) {
		const last = 9_999_999_999_999_999
		place := func(i int64) int64 { return min(max(i, 0), last) }
		a, b := flow.WorkflowID(id1), flow.WorkflowID(id2)
		want := place(m) - place(n)
		i, j := flow.Instant(m), flow.Instant(n)
		for family, c := range map[string]int{
			"timer": bytes.Compare(row.TimerKey(i, flow.Ref{ID: a}, ""), row.TimerKey(j, flow.Ref{ID: b}, "")),
			"index": bytes.Compare(row.IndexKey("t", "v", 1, i, a), row.IndexKey("t", "v", 1, j, b)),
			"ended": bytes.Compare(row.TerminalKey(i, a), row.TerminalKey(j, b)),
		} {
			if want != 0 && (c < 0) != (want < 0) {
				t.Errorf("%s: keys of %d and %d compare %d", family, m, n, c)
			}
		}
		due, ok := row.ParseTimer(row.TimerKey(i, flow.Ref{ID: "a", Run: run1}, "1"))
		if !ok || int64(due.Due) != place(m) {
			t.Errorf("timer of %d reads %d, %t", m, due.Due, ok)
		}
		if from := row.TimersFrom(i); bytes.Compare(from, row.TimerKey(i, flow.Ref{}, "")) > 0 ||
			place(m) > 0 && bytes.Compare(from, row.TimerKey(flow.Instant(place(m)-1), flow.Ref{ID: a}, "")) <= 0 {
			t.Errorf("timers from %d begin at %q", m, from)
		}
		r := flow.Ref{ID: a, Run: run1}
		x, y := uint64(m), uint64(n)
		for family, c := range map[string]int{
			"signal": bytes.Compare(row.SignalKey(r, x), row.SignalKey(r, y)),
			"audit":  bytes.Compare(row.AuditKey(x), row.AuditKey(y)),
			"event":  bytes.Compare(row.EventKey(r, flow.EventSeq(x%1e10)), row.EventKey(r, flow.EventSeq(y%1e10))),
		} {
			if family == "event" {
				x, y = x%1e10, y%1e10
			}
			if (c < 0) != (x < y) {
				t.Errorf("%s: keys of %d and %d compare %d", family, x, y, c)
			}
			x, y = uint64(m), uint64(n)
		}
	})
}
