package engine_test

import (
	"errors"
	"maps"
	"testing"
	"time"

	"weft/engine"
	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// TestF127RowsOfAnotherLayoutAreRefusedUntouched: there has been one layout of
// rows so far, so there is nothing that could be moved into it, or half moved.
// Rows that say they are of any other are left as they are, with a buffered
// signal, a timer, an owed teardown and the lease among them.
func TestF127RowsOfAnotherLayoutAreRefusedUntouched(t *testing.T) {
	var released notes[string]
	release := releases(&released)
	release.Timeout = time.Minute
	w := flowOf(func(ctx *engine.Context, in string) (string, error) {
		holds(ctx, release, in)
		if err := ctx.Sleep(time.Hour); err != nil {
			return "", err
		}
		return paid.Wait(ctx)
	})
	w.Finalizer = release
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "waits", "box")
		begin(v, w, "ends", "crate")
		time.Sleep(time.Minute)
		sends(v, paid, "waits", "x")
		v.opts.Mode = flow.ModeOperate
		v.restart()
		v.do(flow.CancelRun{Target: flow.Ref{ID: "ends"}})
		v.close()
		for _, layout := range []string{"0", "2", "1.1", "", "\x00"} {
			v.rewriteLayout(layout)
			before := v.everyRow()
			for _, mode := range []flow.Mode{flow.ModeRun, flow.ModeOperate, flow.ModeLook} {
				o := v.opts
				o.Mode = mode
				if e, err := engine.Open(v.ctx, v.s, o); !errors.Is(err, store.ErrNewer) {
					t.Errorf("layout %q, mode %s: %v, %v", layout, mode, e, err)
				}
				if !maps.Equal(before, v.everyRow()) {
					t.Errorf("layout %q, mode %s: rows were changed", layout, mode)
				}
			}
		}
		v.rewriteLayout("1")
		v.opts.Mode = flow.ModeRun
		v.open()
		wants(v, "waits", "x")
		if got := released.all(); len(got) != 1 || got[0] != "crate" {
			t.Errorf("released %q", got)
		}
	})
}

// rewriteLayout makes the store say that its rows are of that layout.
func (v *env) rewriteLayout(layout string) {
	v.Helper()
	var b store.Batch
	b.Put(row.SchemaVersion, []byte(layout))
	if res, err := v.s.Commit(v.ctx, &b); err != nil || !res.Applied {
		v.Fatalf("%v, %v", res, err)
	}
}

// everyRow is what the store holds.
func (v *env) everyRow() map[string]string {
	v.Helper()
	out := map[string]string{}
	for kv, err := range v.s.Scan(store.Range{}) {
		if err != nil {
			v.Fatal(err)
		}
		out[string(kv.Key)] = string(kv.Value)
	}
	return out
}
