package check

import (
	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

func (w *walk) update(kv store.Row) error {
	ref, id, ok := row.ParseUpdate(kv.Key)
	if !ok {
		w.found(kv.Key, "this is no key of an update")
		return nil
	}
	o, err := w.ownerOf(ref.ID)
	if err != nil {
		return err
	}
	if why := o.stray(ref); why != "" {
		w.found(kv.Key, "the row belongs to no run: %s", why)
		return nil
	}
	u, err := row.DecodeUpdate(kv.Value)
	if err != nil {
		w.found(kv.Key, "the update does not decode: %v", err)
		return nil
	}
	if err := w.names(kv.Key, ref, u.Accepted, func(e flow.Event) bool {
		return e.Kind == flow.EventUpdate && e.UpdateID == id && e.Name == u.Name
	}); err != nil || u.Replied == 0 {
		return err
	}
	return w.names(kv.Key, ref, u.Replied, func(e flow.Event) bool {
		return e.Kind == flow.EventStep && e.StepKind == flow.StepUpdate && e.Name == u.Name
	})
}

// names checks that an event is the one a row means. One that does not decode
// is named at its own row.
func (w *walk) names(key []byte, ref flow.Ref, seq flow.EventSeq, is func(flow.Event) bool) error {
	value, err := w.r.Get(row.EventKey(ref, seq))
	switch {
	case err != nil:
		return err
	case value == nil:
		w.found(key, "its event %d is missing", seq)
		return nil
	}
	if e, err := row.DecodeEvent(seq, value); err == nil && !is(e) {
		w.found(key, "event %d is another", seq)
	}
	return nil
}
