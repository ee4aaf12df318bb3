package teardown_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"weft/engine/teardown"
	"weft/flow"
	"weft/store"
)

// TestRefuseF025: a run whose teardown is owed stays; once it is done or a dead
// letter it may go, once.
func TestRefuseF025(t *testing.T) {
	bubble(t, newWorld(append(failing(8), works)...), func(v *env) {
		free := func() {
			t.Helper()
			owed, err := teardown.Pending(v.s, ref("x"))
			if refusal := teardown.Refuse(v.s, ref("x")); owed || err != nil || refusal != nil {
				t.Errorf("pending %t, %v; refusal %v", owed, err, refusal)
			}
			b := new(store.Batch)
			teardown.ExpectNone(b, ref("x"), 0)
			v.commit(b)
		}
		free()
		v.owe("x")
		var pending *flow.PendingError
		if err := teardown.Refuse(v.s, ref("x")); !errors.As(err, &pending) || pending.ID != "x" || pending.Finalizer != fin || pending.Attempts != 1 {
			t.Errorf("refusal %v", err)
		}
		if owed, err := teardown.Pending(v.s, ref("x")); !owed || err != nil {
			t.Errorf("pending %t, %v", owed, err)
		}
		b := new(store.Batch)
		teardown.ExpectNone(b, ref("x"), 0)
		if res, err := v.s.Commit(context.Background(), b); err != nil || res.Applied {
			t.Errorf("a purge went through: %+v, %v", res, err)
		}
		if err := teardown.Refuse(v.s, flow.Ref{ID: "x", Run: "01ARZ3NDEKTSV4RRFFQ69G5FAW"}); err != nil {
			t.Errorf("another run of the id is refused: %v", err)
		}
		v.long()
		free()
		if _, err := v.d.Redrive(ref("x"), teardown.Given{}, new(audits).put); err != nil {
			t.Error(err)
		}
		v.wait(time.Minute)
		v.done("x", 9)
		free()
	})
}

// TestLetterHoldsNoIDF029: a dead letter neither blocks its id nor is lost when
// the id is used again.
func TestLetterHoldsNoIDF029(t *testing.T) {
	bubble(t, newWorld(failing(8)...), func(v *env) {
		v.owe("x")
		v.long()
		second := flow.Ref{ID: "x", Run: "01ARZ3NDEKTSV4RRFFQ69G5FAW"}
		if err := teardown.Refuse(v.s, ref("x")); err != nil {
			t.Errorf("refused: %v", err)
		}
		b := new(store.Batch) // the second run ends without state: dead at once
		tm := teardown.Owe(b, teardown.Debt{Ref: second, Type: typ, Finalizer: fin}, flow.InstantOf(v.now()))
		v.commit(b)
		v.d.Added(tm)
		v.wait(time.Second)
		letters, err := teardown.Letters(v.s, "x")
		if err != nil || fmt.Sprint(letters) != fmt.Sprint([]flow.Ref{ref("x"), second}) {
			t.Errorf("letters %v, %v", letters, err)
		}
		v.counts(0, 2)
		if _, err := v.d.Discard(second, new(audits).put); err != nil {
			t.Error(err)
		}
		if l, ok := v.letter("x"); !ok || l.LastError != "no" {
			t.Errorf("the first letter is %+v, %t", l, ok)
		}
	})
}
