package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"weft/engine"
	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// TestARunThatANewerProgramWroteToIsLeftAsItIs: this program cannot read it, that
// one can. It is not failed, not timed out, and goes on where it can be read.
func TestARunThatANewerProgramWroteToIsLeftAsItIs(t *testing.T) {
	limited := engine.Workflow[int, string]{Name: "limited", Do: func(ctx *engine.Context, _ int) (string, error) {
		if _, err := engine.Memo(ctx, "m", func() (int, error) { return 1, nil }); err != nil {
			return "", err
		}
		v, ok, err := paid.WaitFor(ctx, 10*time.Minute)
		return fmt.Sprint(v, ok), err
	}}
	for name, key := range map[string]func(ref flow.Ref) []byte{
		"an entry": func(ref flow.Ref) []byte { return row.EventKey(ref, 2) },
		"a wait":   func(ref flow.Ref) []byte { return row.WaitKey(ref, "2") },
		"a signal": func(ref flow.Ref) []byte { return row.SignalKey(ref, 1) },
	} {
		for state, ready := range map[string]bool{"ready": true, "parked": false} {
			t.Run(name+", "+state, func(t *testing.T) {
				inRig(t, func(r *rig) {
					r.open(limited)
					for _, id := range []flow.WorkflowID{"w", "v"} {
						if _, err := limited.Start(r.Context(), r.eng, 1, engine.StartOptions{ID: id, Deadline: 20 * time.Minute}); err != nil {
							r.Fatal(err)
						}
					}
					time.Sleep(time.Minute)
					r.leave()
					ref := r.ref("w")
					was, err := r.store.Get(key(ref))
					if err != nil {
						r.Fatal(err)
					}
					r.write(func(b *store.Batch) {
						b.Put(key(ref), []byte("\x63rest"))
						if ready {
							b.Put(row.ReadyKey(ref), row.EncodeReady(row.Ready{Generation: 1}))
						}
					})
					before := r.rowsOf("w")
					r.open(limited)
					time.Sleep(15 * time.Minute) // the wait is due
					if _, err := within[string](r, time.Hour, "v"); err != nil {
						r.Errorf("its neighbour: %v", err)
					}
					time.Sleep(10 * time.Minute) // the deadline, too
					r.sameRows("the run", before, r.rowsOf("w"))
					info, err := r.eng.Operator().Info(r.Context())
					if err != nil || len(info.Problems) == 0 || !strings.Contains(info.Problems[0].Text, "a newer program wrote to it") {
						r.Errorf("problems %+v, %v", info.Problems, err)
					}
					r.leave()
					r.write(func(b *store.Batch) { // as the newer program reads it
						if was == nil {
							b.Delete(key(ref))
						} else {
							b.Put(key(ref), was)
						}
					})
					r.open(limited)
					_, err = within[string](r, time.Hour, "w")
					if h := r.head("w"); !h.Status.Terminal() || h.Status == flow.Failed {
						r.Errorf("under a program that can read it the run is %s, %v", h.Status, errors.Unwrap(err))
					}
				})
			})
		}
	}
}
