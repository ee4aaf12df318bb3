package check

import (
	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

func (w *walk) child(kv store.Row) error {
	ref, _, ok := row.ParseChild(row.FamilyChild, kv.Key)
	if !ok {
		w.found(kv.Key, "this is no key of a child")
		return nil
	}
	if _, err := row.DecodeChild(kv.Value); err != nil {
		w.found(kv.Key, "the child does not decode: %v", err)
	}
	o, err := w.ownerOf(ref.ID)
	if err == nil && o.stray(ref) != "" {
		w.found(kv.Key, "the row belongs to no run: %s", o.stray(ref))
	}
	return err
}

func (w *walk) childEnd(kv store.Row) error {
	ref, _, ok := row.ParseChild(row.FamilyChildEnd, kv.Key)
	if !ok {
		w.found(kv.Key, "this is no key of a child's end")
		return nil
	}
	if _, err := row.DecodeEvent(0, kv.Value); err != nil {
		w.found(kv.Key, "the child's end does not decode: %v", err)
	}
	return w.belongs(kv.Key, ref, flow.Running, flow.Suspended)
}

func (w *walk) cascade(kv store.Row) error {
	if _, ok := row.ParseCascade(kv.Key); !ok {
		w.found(kv.Key, "this is no key of an end that must reach children")
	}
	return nil
}
