package engine_test

import (
	"errors"
	"testing"
	"time"

	"weft/engine"
	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// The name is free when a parent looks, and taken when its child is written.
func TestAChildThatMeetsAStartOfItsNameIsRefused(t *testing.T) {
	inRig(t, func(r *rig) {
		_, child := kinPair()
		w := flowOf(func(ctx *engine.Context, _ int) (string, error) {
			if _, err := paid.Wait(ctx); err != nil {
				return "", err
			}
			c, err := child.StartChild(ctx, time.Hour, engine.ChildOptions{ID: "c"})
			if !errors.Is(err, engine.Code("exists")) || c != nil {
				return "", errors.Join(errors.New("both have the name"), err)
			}
			return "refused", nil
		})
		r.open(w, child)
		if _, err := w.Start(r.Context(), r.eng, 0, engine.StartOptions{ID: "p"}); err != nil {
			r.Fatal(err)
		}
		r.settle()
		r.onCommit(store.OpPut, row.FamilyChild, func() {
			if _, err := child.Start(r.Context(), r.eng, time.Minute, engine.StartOptions{ID: "c"}); err != nil {
				r.Error(err)
			}
		})
		if err := paid.Send(r.Context(), r.eng, "p", "x"); err != nil {
			r.Fatal(err)
		}
		if got, err := within[string](r, time.Hour, "p"); err != nil || got != "refused" {
			r.Errorf("the parent: %q, %v", got, err)
		}
		if got, err := within[string](r, time.Hour, "c"); err != nil || got != "slept" || r.head("c").Parent != nil {
			r.Errorf("the run that has the name: %q, %v", got, err)
		}
		r.leave()
	})
}

// The parent lives when its child looks, and has ended when the child's end is
// written.
func TestTheEndOfAChildMeetsThatOfItsParent(t *testing.T) {
	inRig(t, func(r *rig) {
		_, child := kinPair()
		parent := flowOf(func(ctx *engine.Context, _ int) (string, error) {
			return child.RunChild(ctx, time.Minute, engine.ChildOptions{ID: "c", OnParentEnd: flow.Abandon})
		})
		r.open(parent, child)
		if _, err := parent.Start(r.Context(), r.eng, 0, engine.StartOptions{ID: "p"}); err != nil {
			r.Fatal(err)
		}
		r.settle()
		r.onCommit(store.OpPut, row.FamilyChildEnd, func() {
			if _, err := r.eng.Operator().Do(r.Context(), flow.Act{Deed: flow.CancelRun{Target: flow.Ref{ID: "p"}}}); err != nil {
				r.Error(err)
			}
		})
		time.Sleep(time.Hour)
		if p, c := r.head("p").Status, r.head("c").Status; p != flow.Cancelled || c != flow.Completed {
			r.Errorf("the parent is %s, the child %s", p, c)
		}
		r.leave()
	})
}
