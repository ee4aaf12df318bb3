package list

import (
	"cmp"
	"fmt"
	"slices"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// children adds the runs that the run started, when they are asked for. One
// whose row is damaged is named in Run.Reason and left out.
func children(r store.Reader, ref flow.Ref, part flow.Part, d *flow.Detail) error {
	if part != flow.PartFamily {
		return nil
	}
	for kv, err := range r.Scan(store.Prefix(row.ChildPrefix(ref))) {
		if err != nil {
			return err
		}
		if len(d.Children) == flow.MaxLimit {
			d.MoreChildren = true
			break
		}
		_, step, ok := row.ParseChild(row.FamilyChild, kv.Key)
		was, err := row.DecodeChild(kv.Value)
		if err != nil || !ok {
			d.Run = remark(d.Run, fmt.Sprintf("the child of step %s cannot be read: %v", step, cmp.Or(err, store.ErrCorrupt)))
			continue
		}
		c, err := child(r, was)
		if err != nil {
			return err
		}
		c.Step = step
		d.Children = append(d.Children, c)
	}
	slices.SortStableFunc(d.Children, func(a, b flow.Child) int {
		return cmp.Or(comparePaths(a.Step, b.Step), cmp.Compare(a.ID, b.ID))
	})
	return nil
}

// child is a child with what its own head says of it.
func child(r store.Reader, was row.Child) (flow.Child, error) {
	c := flow.Child{Ref: was.Ref(), Type: was.Type, Abandoned: was.Abandoned}
	value, err := r.Get(row.HeadKey(was.ID))
	if err != nil {
		return c, err
	}
	head, err := row.DecodeHead(value)
	if value == nil || err != nil || head.Run != was.Run {
		return c, nil // it is gone, or cannot be read: its own place tells why
	}
	c.Status, c.CreatedAt, c.ClosedAt = head.Status, head.CreatedAt, head.ClosedAt
	return c, nil
}
