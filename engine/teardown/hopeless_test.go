package teardown_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"weft/engine/row"
	"weft/engine/teardown"
	"weft/flow"
	"weft/store"
)

// TestHeldF077: a finalizer that is not registered here is kept, shown and not
// touched; a process that knows it goes on.
func TestHeldF077(t *testing.T) {
	bubble(t, newWorld(), func(v *env) {
		v.close()
		known := v.c.Finalizer
		v.c.Finalizer = func(string, string) (teardown.Finalizer, bool) { return teardown.Finalizer{}, false }
		v.open()
		v.owe("a")
		raw := v.get(row.ClaimKey(ref("a")))
		commits := v.commits()
		v.wait(time.Hour)
		if string(v.get(row.ClaimKey(ref("a")))) != string(raw) || commits() != 0 {
			t.Errorf("%d commits for a held teardown", commits())
		}
		if !v.problem("teardowns are held: finalizer destroy-vm of type provision is not registered here") {
			t.Errorf("problems %q", v.problems)
		}
		v.close()
		v.check()
		v.c.Finalizer = known
		v.open()
		v.wait(time.Second)
		v.done("a", 1)
	})
}

// TestHeldPassesByOthers: what is held at the head of the queue stops nobody.
func TestHeldPassesByOthers(t *testing.T) {
	bubble(t, newWorld(), func(v *env) {
		for i := range 5000 { // more than the queue takes in at once
			v.put(fmt.Sprint("held", i), "other", fin)
		}
		v.close()
		v.wait(time.Second)
		v.put("z", typ, fin)
		v.open()
		v.wait(3 * time.Second)
		v.done("z", 1)
		v.counts(5000, 0)
	})
}

// TestCorruptClaim becomes a dead letter that keeps the bytes and the state.
func TestCorruptClaim(t *testing.T) {
	tests := map[string]struct {
		raw   []byte
		state []byte // nil: as recorded
		want  row.Letter
	}{
		"damaged": {[]byte{1, 0xff}, nil, row.Letter{Type: typ, Finalizer: fin, Input: []byte(`"vm-a"`)}},
		"empty":   {[]byte{}, nil, row.Letter{Type: typ, Finalizer: fin, Input: []byte(`"vm-a"`)}},
		"negative attempts": {row.EncodeClaim(flow.Claim{Status: flow.ClaimOwed, Attempts: -1, Token: "x"}), nil,
			row.Letter{Type: typ, Finalizer: fin, Input: []byte(`"vm-a"`)}},
		"damaged like its state": {[]byte{1, 0xff}, []byte{1}, row.Letter{State: []byte{1}}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			bubble(t, newWorld(fails("no")), func(v *env) {
				v.owe("a")
				b := new(store.Batch)
				b.Put(row.ClaimKey(ref("a")), tc.raw)
				if tc.state != nil {
					b.Put(row.StateKey(ref("a")), tc.state)
				}
				v.commit(b)
				v.wait(61 * time.Second)
				l, ok := v.letter("a")
				if !ok || !strings.HasPrefix(l.LastError, "claim unreadable: ") || string(l.Claim) != string(tc.raw) ||
					l.At != flow.InstantOf(v.start.Add(time.Minute)) {
					t.Errorf("letter %+v, %t", l, ok)
				}
				if l.Type != tc.want.Type || l.Finalizer != tc.want.Finalizer || string(l.Input) != string(tc.want.Input) ||
					string(l.State) != string(tc.want.State) {
					t.Errorf("letter %+v, want %+v", l, tc.want)
				}
				v.attempted("a", 1)
				v.counts(0, 1)
			})
		})
	}
}

// TestCorruptClaimWithoutTimer is found by the walk after open.
func TestCorruptClaimWithoutTimer(t *testing.T) {
	bubble(t, newWorld(), func(v *env) {
		v.close()
		b := new(store.Batch)
		b.Put(row.ClaimKey(ref("a")), []byte{1, 0xff})
		b.Add(row.CountOwed, 1)
		v.commit(b)
		v.open()
		v.wait(time.Second)
		if l, ok := v.letter("a"); !ok || !strings.HasPrefix(l.LastError, "claim unreadable") {
			t.Errorf("letter %+v, %t", l, ok)
		}
	})
}

// TestNewerRecords: what a newer program wrote is no corruption.
func TestNewerRecords(t *testing.T) {
	for name, key := range map[string][]byte{"claim": row.ClaimKey(ref("a")), "state": row.StateKey(ref("a"))} {
		t.Run(name, func(t *testing.T) {
			bubble(t, newWorld(fails("no")), func(v *env) {
				v.wrong = true
				v.owe("a")
				b := new(store.Batch)
				b.Put(key, []byte{2, 1, 2})
				v.commit(b)
				commits := v.commits()
				v.wait(time.Hour)
				if commits() != 0 || !v.problem("teardowns are held: they were written by a newer version") {
					t.Errorf("%d commits, problems %q", commits(), v.problems)
				}
				v.attempted("a", 1)
			})
		})
	}
}

// TestStateGone: without input the finalizer cannot be called.
func TestStateGone(t *testing.T) {
	tests := map[string]struct {
		raw  []byte
		text string
	}{
		"missing": {nil, "recorded state missing: there is nothing to call the finalizer with"},
		"damaged": {[]byte{1, 7}, "recorded state unreadable: finalizer state: "},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			bubble(t, newWorld(fails("no")), func(v *env) {
				v.owe("a")
				b := new(store.Batch)
				b.Delete(row.StateKey(ref("a")))
				if tc.raw != nil {
					b.Put(row.StateKey(ref("a")), tc.raw)
				}
				v.commit(b)
				v.wait(61 * time.Second)
				v.attempted("a", 1)
				l, ok := v.letter("a")
				if !ok || !strings.HasPrefix(l.LastError, tc.text) || l.Input != nil || string(l.State) != string(tc.raw) || l.Attempts != 1 {
					t.Errorf("letter %+v, %t", l, ok)
				}
				v.counts(0, 1)
			})
		})
	}
}
