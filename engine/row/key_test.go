package row_test

import (
	"bytes"
	"math"
	"testing"

	"weft/engine/row"
	"weft/flow"
)

const (
	run1 = flow.RunID("01ARZ3NDEKTSV4RRFFQ69G5FAV")
	run2 = flow.RunID("01ARZ3NDEKTSV4RRFFQ69G5FAW")
)

// TestKeys pins every key as an operator sees it, and reads it back.
func TestKeys(t *testing.T) {
	r := flow.Ref{ID: "a:b/1", Run: run1}
	const at = "a%3Ab%2F1:01ARZ3NDEKTSV4RRFFQ69G5FAV"
	tests := map[string]struct {
		key  []byte
		text string
		back func(key []byte) (any, bool)
		want any
	}{
		"head": {row.HeadKey("a:b/1"), "wf:a%3Ab%2F1",
			func(k []byte) (any, bool) { id, ok := row.ParseHead(k); return id, ok }, r.ID},
		"event": {row.EventKey(r, 7), "ev:" + at + ":0000000007",
			func(k []byte) (any, bool) { r, n, ok := row.ParseEvent(k); return [2]any{r, n}, ok }, [2]any{r, flow.EventSeq(7)}},
		"wait": {row.WaitKey(r, "4.1.2"), "wait:" + at + ":4.1.2",
			func(k []byte) (any, bool) { r, s, ok := row.ParseWait(k); return [2]any{r, s}, ok }, [2]any{r, flow.StepPath("4.1.2")}},
		"ready": {row.ReadyKey(r), "ready:" + at,
			func(k []byte) (any, bool) { r, ok := row.ParseReady(k); return r, ok }, r},
		"signal": {row.SignalKey(r, 7), "sig:" + at + ":q:00000000000000000007",
			func(k []byte) (any, bool) { s, ok := row.ParseSignal(k); return s, ok }, row.SignalRow{Ref: r, Buffered: true, Arrival: 7}},
		"signal id": {row.SignalIDKey(r, "go:1", "x y"), "sig:" + at + ":i:go%3A1:x%20y",
			func(k []byte) (any, bool) { s, ok := row.ParseSignal(k); return s, ok }, row.SignalRow{Ref: r, Name: "go:1", ID: "x y"}},
		"timer": {row.TimerKey(9, r, "2"), "wf-deadline:0000000000000009:" + at + ":2",
			func(k []byte) (any, bool) { x, ok := row.ParseTimer(k); return x, ok }, row.Timer{Due: 9, Ref: r, Step: "2"}},
		"index": {row.IndexKey("order:eu", "", flow.TimedOut, 9, "ä"), "wf-idx-type:order%3Aeu::7:0000000000000009:%C3%A4",
			func(k []byte) (any, bool) { x, ok := row.ParseIndex(k); return x, ok }, row.Index{Type: "order:eu", Status: flow.TimedOut, Created: 9, ID: "ä"}},
		"ended": {row.TerminalKey(9, "a"), "wf-terminal:0000000000000009:a",
			func(k []byte) (any, bool) { at, id, ok := row.ParseTerminal(k); return [2]any{at, id}, ok }, [2]any{flow.Instant(9), flow.WorkflowID("a")}},
		"counter": {row.CountKey("order", "v:1", flow.Pending), "count:order:v%3A1:1",
			func(k []byte) (any, bool) { c, ok := row.ParseCount(k); return c, ok }, row.Count{Type: "order", Version: "v:1", Status: flow.Pending}},
		"audit": {row.AuditKey(math.MaxUint64), "audit:18446744073709551615",
			func(k []byte) (any, bool) { n, ok := row.ParseAudit(k); return n, ok }, uint64(math.MaxUint64)},
		"idempotency key": {row.IdemKey("a b"), "start-idem:a%20b", nil, nil},
		"head prefix":     {row.HeadPrefix("a:"), "wf:a%3A", nil, nil},
		"timers from":     {row.TimersFrom(9), "wf-deadline:0000000000000009", nil, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if string(tc.key) != tc.text {
				t.Errorf("key is %q, want %q", tc.key, tc.text)
			}
			if tc.back == nil {
				return
			}
			if got, ok := tc.back(tc.key); !ok || got != tc.want {
				t.Errorf("%q reads as %+v, %t; want %+v", tc.key, got, ok, tc.want)
			}
		})
	}
}

// FuzzParse reads arbitrary bytes as every key: nothing panics, and a key that
// is taken is exactly the one its parts make.
func FuzzParse(f *testing.F) {
	r := flow.Ref{ID: "a:b", Run: run1}
	for _, key := range [][]byte{row.HeadKey("a b"), row.EventKey(r, 1), row.WaitKey(r, "1"), row.ReadyKey(r), row.SignalKey(r, 1),
		row.SignalIDKey(r, "n", "i"), row.TimerKey(1, r, "1"), row.IndexKey("t", "v", 1, 1, "a"), row.TerminalKey(1, "a"),
		row.CountKey("t", "v", 1), row.AuditKey(1), []byte("wf:%3a"), []byte("wf:%41"), []byte("wf:a b"), []byte("wf:"), []byte("wf:%"),
		[]byte("wf:%4"), []byte("count:::0"), []byte("count:::8"), []byte("audit:18446744073709551616"), []byte("audit:+0000000000000000001")} {
		f.Add(key)
	}
	f.Fuzz(func(t *testing.T, key []byte) {
		made := [][]byte{}
		if id, ok := row.ParseHead(key); ok {
			made = append(made, row.HeadKey(id))
		}
		if r, n, ok := row.ParseEvent(key); ok {
			made = append(made, row.EventKey(r, n))
		}
		if r, s, ok := row.ParseWait(key); ok {
			made = append(made, row.WaitKey(r, s))
		}
		if r, ok := row.ParseReady(key); ok {
			made = append(made, row.ReadyKey(r))
		}
		if s, ok := row.ParseSignal(key); ok && s.Buffered {
			made = append(made, row.SignalKey(s.Ref, s.Arrival))
		} else if ok {
			made = append(made, row.SignalIDKey(s.Ref, s.Name, s.ID))
		}
		if x, ok := row.ParseTimer(key); ok {
			made = append(made, row.TimerKey(x.Due, x.Ref, x.Step))
		}
		if x, ok := row.ParseIndex(key); ok {
			made = append(made, row.IndexKey(x.Type, x.Version, x.Status, x.Created, x.ID))
		}
		if at, id, ok := row.ParseTerminal(key); ok {
			made = append(made, row.TerminalKey(at, id))
		}
		if c, ok := row.ParseCount(key); ok {
			made = append(made, row.CountKey(c.Type, c.Version, c.Status))
		}
		if n, ok := row.ParseAudit(key); ok {
			made = append(made, row.AuditKey(n))
		}
		if len(made) > 1 {
			t.Errorf("key %q is of %d families", key, len(made))
		}
		for _, back := range made {
			if !bytes.Equal(back, key) {
				t.Errorf("key %q is taken, but its parts make %q", key, back)
			}
		}
	})
}

// TestParseRefused: keys that no parser takes, so that a list skips them and a
// check names them.
func TestParseRefused(t *testing.T) {
	const at = "a:01ARZ3NDEKTSV4RRFFQ69G5FAV"
	tests := map[string]string{
		"no id":                        "wf:",
		"a colon in an id":             "wf:a:b",
		"a byte that must be encoded":  "wf:a b",
		"lower case hex":               "wf:%3a",
		"a byte encoded without need":  "wf:%41",
		"half an escape":               "wf:%4",
		"an escape of nothing":         "wf:%",
		"a run id of the wrong length": "ready:a:01",
		"a run id in lower case":       "ready:a:01arz3ndektsv4rrffq69g5fav",
		"an empty id":                  "ready::01ARZ3NDEKTSV4RRFFQ69G5FAV",
		"too few parts":                "ev:" + at,
		"too many parts":               "ev:" + at + ":0000000001:x",
		"a short number":               "ev:" + at + ":1",
		"a sign":                       "ev:" + at + ":+000000001",
		"letters for a number":         "ev:" + at + ":000000000a",
		"a kind of signal row unknown": "sig:" + at + ":z:00000000000000000001",
		"status 0":                     "count:order:1:0",
		"status 8":                     "wf-idx-type:order:1:8:0000000000000001:a",
		"a status of two digits":       "count:order:1:22",
		"a number too large":           "audit:99999999999999999999",
		"another family":               "wf-other:a",
		"nothing":                      "",
	}
	for name, key := range tests {
		t.Run(name, func(t *testing.T) {
			k := []byte(key)
			_, head := row.ParseHead(k)
			_, _, event := row.ParseEvent(k)
			_, _, wait := row.ParseWait(k)
			_, ready := row.ParseReady(k)
			_, signal := row.ParseSignal(k)
			_, timer := row.ParseTimer(k)
			_, index := row.ParseIndex(k)
			_, _, ended := row.ParseTerminal(k)
			_, count := row.ParseCount(k)
			_, audit := row.ParseAudit(k)
			if head || event || wait || ready || signal || timer || index || ended || count || audit {
				t.Errorf("key %q is taken", key)
			}
		})
	}
}

// TestF046EventKeysAreInTheOrderOfTheirNumbers, wherever a number gets another
// digit or another byte.
func TestF046EventKeysAreInTheOrderOfTheirNumbers(t *testing.T) {
	r := flow.Ref{ID: "a", Run: run1}
	last := row.EventPrefix(r)
	for _, n := range []flow.EventSeq{1, 9, 10, 99, 100, 127, 128, 255, 256, 999, 1000, 32_767, 32_768, 65_535, 65_536, 70_000,
		999_999, 1_000_000, 16_777_215, 16_777_216, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1<<53 + 1} {
		key := row.EventKey(r, n)
		if bytes.Compare(last, key) >= 0 {
			t.Errorf("the key of event %d, %q, comes before %q", n, key, last)
		}
		last = key
	}
}
