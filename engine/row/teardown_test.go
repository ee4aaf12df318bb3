package row_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

var (
	owedClaim = flow.Claim{Status: flow.ClaimOwed, Attempts: 2, Token: "K7", Due: 9, Type: "provision", Finalizer: "destroy-vm",
		LastError: "gone\xff", OwedAt: 1}
	runningClaim = flow.Claim{Status: flow.ClaimRunning, Token: "K7", ClaimedAt: 9, Timeout: time.Minute, Type: "provision",
		Finalizer: "destroy-vm", OwedAt: 1}
)

// The records of teardowns are pinned and attacked together with the others.
func init() {
	records["claim"] = of(owedClaim,
		"01a80101020203624b370409076970726f766973696f6e086a64657374726f792d766d0965676f6e65ff0a01",
		"01a40100036007600860", row.EncodeClaim, row.DecodeClaim)
	records["finalizer state"] = of(row.State{Type: "provision", Finalizer: "destroy-vm", Payload: []byte(`{"n":9007199254740993}`)},
		"01a3016970726f766973696f6e026a64657374726f792d766d03567b226e223a393030373139393235343734303939337d", "01a201600260", row.EncodeState, row.DecodeState)
	records["dead letter"] = of(row.Letter{Type: "provision", Finalizer: "destroy-vm", Attempts: 8, LastError: "gone", At: 9,
		Input: []byte("null"), OwedAt: 1, Claim: []byte{1, 255}, State: []byte{2}},
		"01a9016970726f766973696f6e026a64657374726f792d766d03080464676f6e65050906446e756c6c0701084201ff094102", "01a3016002600500", row.EncodeLetter, row.DecodeLetter)
}

// TestRunningClaimBytes: what a settle compares.
func TestRunningClaimBytes(t *testing.T) {
	const want = "01a7010203624b3705090619ea60076970726f766973696f6e086a64657374726f792d766d0a01"
	if got := fmt.Sprintf("%x", row.EncodeClaim(runningClaim)); got != want {
		t.Errorf("written as %s, want %s", got, want)
	}
	if got, err := row.DecodeClaim(row.EncodeClaim(runningClaim)); err != nil || got != runningClaim {
		t.Errorf("read as %+v, %v", got, err)
	}
}

// TestClaimRefused: bytes that are a record but no claim.
func TestClaimRefused(t *testing.T) {
	change := func(f func(*flow.Claim)) flow.Claim { c := runningClaim; f(&c); return c }
	tests := map[string]struct {
		claim flow.Claim
		text  string
	}{
		"nothing in it":     {flow.Claim{}, "claim status 0"},
		"unknown status":    {change(func(c *flow.Claim) { c.Status = 3 }), "claim status 3"},
		"negative attempts": {change(func(c *flow.Claim) { c.Attempts = -1 }), "-1 attempts"},
		"too many attempts": {change(func(c *flow.Claim) { c.Attempts = 8 }), "8 attempts"},
		"no token":          {change(func(c *flow.Claim) { c.Token = "" }), "no token"},
		"no bound":          {change(func(c *flow.Claim) { c.Timeout = 0 }), "running with timeout 0s"},
		"negative bound":    {change(func(c *flow.Claim) { c.Timeout = -time.Second }), "timeout of -1000 ms"},
		"a bound too long":  {change(func(c *flow.Claim) { c.Timeout = 1<<63 - 1 }), "timeout of 9223372036854 ms"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := row.DecodeClaim(row.EncodeClaim(tc.claim))
			if !errors.Is(err, store.ErrCorrupt) || !strings.Contains(err.Error(), tc.text) {
				t.Errorf("%+v: %v, want %q", tc.claim, err, tc.text)
			}
		})
	}
}

// TestTeardownKeys pins the keys as an operator sees them, and reads them back.
func TestTeardownKeys(t *testing.T) {
	r := flow.Ref{ID: "a:b/1", Run: run1}
	const at = "a%3Ab%2F1:01ARZ3NDEKTSV4RRFFQ69G5FAV"
	timer := row.Teardown{Due: 9, Ref: r, Token: "K:7"}
	refOf := func(parse func([]byte) (flow.Ref, bool)) func([]byte) (any, bool) {
		return func(k []byte) (any, bool) { r, ok := parse(k); return r, ok }
	}
	tests := map[string]struct {
		key  []byte
		text string
		back func(key []byte) (any, bool)
		want any
	}{
		"claim":  {row.ClaimKey(r), "wf-teardown-needed:" + at, refOf(row.ParseClaim), r},
		"state":  {row.StateKey(r), "wf-finalizer-state:" + at, refOf(row.ParseState), r},
		"letter": {row.DeadKey(r), "wf-teardown-deadletter:" + at, refOf(row.ParseDead), r},
		"timer": {timer.Key(), "wf-teardown:0000000000000009:" + at + ":K%3A7",
			func(k []byte) (any, bool) { x, ok := row.ParseTeardown(k); return x, ok }, timer},
		"claims of ids":  {row.ClaimPrefix("a:"), "wf-teardown-needed:a%3A", nil, nil},
		"letters of ids": {row.DeadPrefix("a:"), "wf-teardown-deadletter:a%3A", nil, nil},
		"timers from":    {row.TeardownsFrom(9), "wf-teardown:0000000000000009", nil, nil},
		"owed":           {row.CountOwed, "count-owed", nil, nil},
		"dead":           {row.CountDead, "count-dead", nil, nil},
		"timer of an owed claim": {row.TeardownOf(r, owedClaim).Key(), "wf-teardown:0000000000000009:" + at + ":K7", nil,
			nil},
		"timer of a running claim": {row.TeardownOf(r, runningClaim).Key(), "wf-teardown:0000000000090009:" + at + ":K7", nil, nil},
		"before 1970":              {row.Teardown{Due: -1, Ref: r, Token: "x"}.Key(), "wf-teardown:0000000000000000:" + at + ":x", nil, nil},
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

// TestTeardownKeysOfSimilarIDsF002: no two teardowns share a row, and the range
// of one workflow holds no row of another.
func TestTeardownKeysOfSimilarIDsF002(t *testing.T) {
	owner := map[string]string{}
	for _, id := range similar {
		for _, run := range []flow.RunID{run1, run2} {
			r := flow.Ref{ID: flow.WorkflowID(id), Run: run}
			keys := [][]byte{row.ClaimKey(r), row.StateKey(r), row.DeadKey(r)}
			for _, token := range similar {
				keys = append(keys, row.Teardown{Due: 1, Ref: r, Token: token}.Key())
			}
			for _, key := range keys {
				if other, taken := owner[string(key)]; taken {
					t.Errorf("%s and %s share the key %q", r, other, key)
				}
				owner[string(key)] = r.String()
			}
		}
	}
	for _, id := range similar {
		g := store.Prefix(append(row.ClaimPrefix(id), ':'))
		for key, of := range owner {
			if k := []byte(key); bytes.Compare(k, g.From) >= 0 && bytes.Compare(k, g.To) < 0 && of[:len(of)-27] != id {
				t.Errorf("the range of %q holds the claim of %s", id, of)
			}
		}
	}
}

// TestTeardownOrder: the order of keys is the order of due times, and the due
// time alone begins before every timer of it.
func TestTeardownOrder(t *testing.T) {
	dues := []flow.Instant{-5, 0, 1, 9, 10, 999, 1_772_366_400_000, 9_999_999_999_999_999, 1<<63 - 1}
	for i, due := range dues {
		key := row.Teardown{Due: due, Ref: flow.Ref{ID: "a", Run: run1}, Token: "x"}.Key()
		if bytes.Compare(row.TeardownsFrom(due), key) >= 0 {
			t.Errorf("timers from %d begin behind one that is due then", due)
		}
		for _, later := range dues[i+1:] {
			next := row.Teardown{Due: later, Ref: flow.Ref{ID: "a", Run: run1}, Token: "x"}.Key()
			if bytes.Compare(key, next) > 0 {
				t.Errorf("%d comes behind %d", due, later)
			}
		}
	}
}

// FuzzParseTeardown reads arbitrary bytes as every key of the families: nothing
// panics, and a key that is taken is exactly the one its parts make.
func FuzzParseTeardown(f *testing.F) {
	r := flow.Ref{ID: "a:b", Run: run1}
	for _, key := range [][]byte{row.ClaimKey(r), row.StateKey(r), row.DeadKey(r), row.Teardown{Due: 1, Ref: r, Token: "t"}.Key(),
		row.Teardown{Due: 1, Ref: r}.Key(), []byte("wf-teardown:"), []byte("wf-teardown:+000000000000009:a:" + string(run1) + ":x"),
		[]byte("wf-teardown-needed:%61:" + string(run1)), []byte("wf-teardown-needed::" + string(run1))} {
		f.Add(key)
	}
	f.Fuzz(func(t *testing.T, key []byte) {
		var made [][]byte
		if r, ok := row.ParseClaim(key); ok {
			made = append(made, row.ClaimKey(r))
		}
		if r, ok := row.ParseState(key); ok {
			made = append(made, row.StateKey(r))
		}
		if r, ok := row.ParseDead(key); ok {
			made = append(made, row.DeadKey(r))
		}
		if x, ok := row.ParseTeardown(key); ok {
			made = append(made, x.Key())
			if x.Token == "" {
				t.Errorf("key %q is taken without a token", key)
			}
		}
		if len(made) > 1 || slices.ContainsFunc(made, func(k []byte) bool { return !bytes.Equal(k, key) }) {
			t.Errorf("key %q is taken, its parts make %q", key, made)
		}
	})
}
