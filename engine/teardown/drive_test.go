package teardown_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"weft/engine/row"
	"weft/engine/teardown"
	"weft/flow"
	"weft/store"
)

func TestTeardownRunsAtOnce(t *testing.T) {
	bubble(t, newWorld(), func(v *env) {
		commits := v.commits()
		v.owe("a")
		v.done("a", 1)
		v.counts(0, 0)
		if n := commits(); n != 3 { // owe, take, success
			t.Errorf("%d commits, want 3", n)
		}
		a := v.w.call("a", 0)
		want := teardown.Attempt{Ref: ref("a"), Type: typ, Finalizer: fin, Number: 1, OwedAt: a.OwedAt}
		input := string(a.Input)
		a.Input = nil
		if fmt.Sprint(a) != fmt.Sprint(want) || input != `"vm-a"` || a.OwedAt == 0 {
			t.Errorf("called with %+v and %s", a, input)
		}
		if got := a.Key(); got != "a/01ARZ3NDEKTSV4RRFFQ69G5FAV/teardown" {
			t.Errorf("key %q", got)
		}
		if !v.told(flow.NoticeTeardown, "teardown destroy-vm done at attempt 1") {
			t.Errorf("nobody was told: %v", v.notices)
		}
	})
}

// TestTeardownBackOff: eight attempts at their instants, whatever the retry
// policy of the activity; then a dead letter that is kept.
func TestTeardownBackOff(t *testing.T) {
	var script []func(context.Context) error
	for n := range 9 {
		script = append(script, fails(fmt.Sprintf("no route %d", n+1)))
	}
	bubble(t, newWorld(script...), func(v *env) {
		v.owe("a")
		if c := v.claim("a"); c.Status != flow.ClaimOwed || c.Attempts != 1 || c.LastError != "no route 1" {
			t.Errorf("after the first failure: %+v", c)
		}
		v.wait(59 * time.Second)
		v.attempted("a", 1)
		v.wait(8 * time.Hour)
		v.attempted("a", 8)
		waits := []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, time.Hour, time.Hour, time.Hour}
		for i, want := range waits {
			if got := v.w.began("a", i+1).Sub(v.w.began("a", i)); got != want {
				t.Errorf("attempt %d came %v after the one before, want %v", i+2, got, want)
			}
			if n := v.w.call("a", i+1).Number; n != i+2 {
				t.Errorf("attempt %d says it is %d", i+2, n)
			}
		}
		l, ok := v.letter("a")
		if !ok || l.Attempts != 8 || l.LastError != "no route 8" || string(l.Input) != `"vm-a"` || l.Type != typ || l.Finalizer != fin ||
			l.OwedAt != flow.InstantOf(v.start) || l.At != flow.InstantOf(v.w.began("a", 7)) {
			t.Errorf("letter %+v", l)
		}
		v.counts(0, 1)
		if v.rows(row.FamilyTeardown)+v.rows(row.FamilyState)+v.rows(row.FamilyClaim) != 0 {
			t.Error("rows are left beside the letter")
		}
		if !v.told(flow.NoticeDead, "teardown destroy-vm given up after 8 attempts: no route 8") {
			t.Errorf("nobody was told: %v", v.notices)
		}
	})
}

// TestTeardownNoCommitsAtRest: waiting costs nothing.
func TestTeardownNoCommitsAtRest(t *testing.T) {
	bubble(t, newWorld(fails("no"), fails("no"), fails("no"), fails("no")), func(v *env) {
		v.owe("a")
		v.wait(22 * time.Minute)
		v.attempted("a", 4)
		commits := v.commits()
		v.wait(50 * time.Minute)
		if n := commits(); n != 0 {
			t.Errorf("%d commits while the teardown waits", n)
		}
		v.wait(10 * time.Minute)
		v.done("a", 5)
	})
}

// TestStoreFails: a write that fails for good ends the driver.
func TestStoreFails(t *testing.T) {
	bubble(t, newWorld(deaf(time.Second)), func(v *env) {
		v.owe("a")
		v.s.Fail(errors.New("disk"))
		v.wait(2 * time.Second)
		select {
		case <-v.ended:
		default:
			t.Error("the driver goes on")
		}
		if c := v.claim("a"); c.Status != flow.ClaimRunning {
			t.Errorf("claim %+v", c)
		}
	})
}

// TestStoreRefuses: a store that is full for a while delays the record of an
// attempt's end, and loses nothing.
func TestStoreRefuses(t *testing.T) {
	bubble(t, newWorld(deaf(time.Second)), func(v *env) {
		v.owe("a")
		v.s.Refuse(store.ErrFull)
		v.wait(time.Minute)
		if !v.problem("the end of a teardown's attempt could not be recorded") {
			t.Errorf("problems %q", v.problems)
		}
		v.s.Refuse(nil)
		v.wait(2 * time.Second)
		v.done("a", 1)

		v.s.Refuse(store.ErrFull)
		v.w.hold("b")
		v.s.Refuse(nil)
		tm := v.put("b", typ, fin)
		v.s.Refuse(store.ErrFull)
		v.d.Added(tm)
		v.wait(10 * time.Second)
		v.attempted("b", 0)
		v.s.Refuse(nil)
		v.wait(31 * time.Second)
		v.done("b", 1)
	})
}

// TestNothingStartsInDoubt: while the lease is in doubt no attempt begins.
func TestNothingStartsInDoubt(t *testing.T) {
	bubble(t, newWorld(), func(v *env) {
		v.close()
		var allowed atomic.Bool
		v.c.Allowed = allowed.Load
		v.open()
		v.owe("a")
		v.wait(time.Minute)
		v.attempted("a", 0)
		if c := v.claim("a"); c.Status != flow.ClaimOwed {
			t.Errorf("claim %+v", c)
		}
		allowed.Store(true)
		v.wait(time.Second)
		v.done("a", 1)
	})
}

// TestPurgedRunIsDriven: the drive never looks at the run's head.
func TestPurgedRunIsDriven(t *testing.T) {
	bubble(t, newWorld(), func(v *env) {
		b := new(store.Batch)
		b.Put(row.HeadKey("a"), row.EncodeHead(row.Head{Run: "01ARZ3NDEKTSV4RRFFQ69G5FAW", Type: typ, Status: flow.Running}))
		v.commit(b)
		v.owe("a") // of an earlier run under the id
		v.done("a", 1)
	})
}

// TestStateLastWriteWinsF082: what was recorded last is what the finalizer gets,
// and nothing of another run.
func TestStateLastWriteWinsF082(t *testing.T) {
	bubble(t, newWorld(), func(v *env) {
		for i := range 20 {
			b := new(store.Batch)
			teardown.PutState(b, ref("a"), row.State{Type: typ, Finalizer: fin, Payload: fmt.Appendf(nil, "[%d]", i)})
			v.commit(b)
		}
		b := new(store.Batch)
		other := flow.Ref{ID: "a", Run: "01ARZ3NDEKTSV4RRFFQ69G5FAW"}
		teardown.PutState(b, other, row.State{Type: typ, Finalizer: fin, Payload: []byte(`"other"`)})
		v.commit(b)
		s, ok, err := teardown.StateOf(v.s, ref("a"))
		if err != nil || !ok || string(s.Payload) != "[19]" {
			t.Errorf("%+v, %t, %v", s, ok, err)
		}
		b = new(store.Batch)
		tm := teardown.Owe(b, teardown.Debt{Ref: ref("a"), Type: typ, Finalizer: fin}, flow.InstantOf(v.now()))
		v.commit(b)
		v.d.Added(tm)
		v.wait(time.Second)
		if got := string(v.w.call("a", 0).Input); got != "[19]" {
			t.Errorf("called with %s", got)
		}
		b = new(store.Batch)
		teardown.DropState(b, other)
		v.commit(b)
		if _, ok, _ := teardown.StateOf(v.s, other); ok {
			t.Error("the state is still there")
		}
	})
}

// TestManyAtOnce: ten thousand teardowns that are due at open.
func TestManyAtOnce(t *testing.T) {
	const n = 10_000
	bubble(t, newWorld(), func(v *env) {
		v.close()
		for i := range n {
			v.owe(fmt.Sprint("w", i))
		}
		v.counts(n, 0)
		commits := v.commits()
		v.open()
		v.wait(3 * time.Second)
		v.counts(0, 0)
		if v.w.left() != 0 || v.w.mostAtOnce() != 1 {
			t.Errorf("%d are held, %d attempts of one at once", v.w.left(), v.w.mostAtOnce())
		}
		if got := commits(); got > 2*n+10 {
			t.Errorf("%d commits for %d teardowns", got, n)
		}
	})
}

// TestNewComplains names everything that is missing at once.
func TestNewComplains(t *testing.T) {
	_, err := teardown.New(teardown.Config{Slots: -1})
	for _, want := range []string{"no Store", "no Commit", "no Finalizer", "a negative number of Slots"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}
