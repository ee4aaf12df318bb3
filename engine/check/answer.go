package check

import (
	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// answer checks what was told from outside of a step: the step must still be
// registered.
func (w *walk) answer(kv store.Row) error {
	ref, step, ok := row.ParseAnswer(kv.Key)
	if !ok {
		w.found(kv.Key, "this is no key of an answer from outside")
		return nil
	}
	if _, err := row.DecodeAnswer(kv.Value); err != nil {
		w.found(kv.Key, "the answer does not decode: %v", err)
	}
	if err := w.belongs(kv.Key, ref, flow.Running, flow.Suspended); err != nil {
		return err
	}
	wait, err := w.r.Get(row.WaitKey(ref, step))
	if err == nil && wait == nil {
		w.found(kv.Key, "the step it answers is not registered")
	}
	return err
}
