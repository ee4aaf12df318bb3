package list_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/engine/list"
	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

func TestChildren(t *testing.T) {
	w := newWorld(t)
	parent := run{id: "p", typ: "order", status: flow.Running, created: 10}
	live := run{id: "p.2", typ: "mail", status: flow.Running, created: 20}
	done := run{id: "p.10", typ: "mail", status: flow.Completed, created: 30, closed: 40}
	other := run{id: "gone", typ: "mail", status: flow.Running, created: 99} // a new run of a child's id
	w.runs(parent, live, done, other)
	gone := flow.Ref{ID: "gone", Run: "older"}
	w.write(func(b *store.Batch) {
		for step, c := range map[flow.StepPath]row.Child{
			"10": {ID: "p.10", Run: done.ref().Run, Type: "mail"}, "2": {ID: "p.2", Run: live.ref().Run, Type: "mail", Abandoned: true},
			"3": {ID: gone.ID, Run: gone.Run, Type: "mail"}, "4": {ID: "purged", Run: "x", Type: "ship"},
		} {
			b.Put(row.ChildKey(parent.ref(), step), row.EncodeChild(c))
		}
		b.Put(row.ChildKey(other.ref(), "1"), row.EncodeChild(row.Child{ID: "stranger", Run: "x"}))
		b.Put(row.ChildKey(parent.ref(), "5"), []byte{1, 0xff})
	})
	d, err := list.Detail(w, parent.ref(), flow.PartFamily)
	if err != nil {
		t.Fatal(err)
	}
	want := []flow.Child{
		{Ref: live.ref(), Type: "mail", Step: "2", Status: flow.Running, Abandoned: true, CreatedAt: 20},
		{Ref: gone, Type: "mail", Step: "3"},
		{Ref: flow.Ref{ID: "purged", Run: "x"}, Type: "ship", Step: "4"},
		{Ref: done.ref(), Type: "mail", Step: "10", Status: flow.Completed, CreatedAt: 30, ClosedAt: 40},
	}
	if diff := cmp.Diff(want, d.Children); diff != "" || d.MoreChildren {
		t.Errorf("children: more %t, -want +got:\n%s", d.MoreChildren, diff)
	}
	if !strings.Contains(d.Run.Reason, "child of step 5") {
		t.Errorf("the damaged row is not named: %q", d.Run.Reason)
	}
	if d, err := list.Detail(w, parent.ref(), flow.PartSteps); err != nil || d.Children != nil {
		t.Errorf("steps come with %d children, %v", len(d.Children), err)
	}
}

func TestChildrenAreBounded(t *testing.T) {
	w := newWorld(t)
	parent := run{id: "p", typ: "order", status: flow.Running, created: 10}
	w.runs(parent)
	for i := 0; i <= flow.MaxLimit; i += 200 {
		w.write(func(b *store.Batch) {
			for k := range 200 {
				step := flow.StepPath(fmt.Sprint(i + k + 1))
				b.Put(row.ChildKey(parent.ref(), step), row.EncodeChild(row.Child{ID: flow.WorkflowID("c" + step), Run: "x", Type: "mail"}))
			}
		})
	}
	d, err := list.Detail(w, parent.ref(), flow.PartFamily)
	if err != nil || len(d.Children) != flow.MaxLimit || !d.MoreChildren {
		t.Errorf("%d children, more %t, %v", len(d.Children), d.MoreChildren, err)
	}
}
