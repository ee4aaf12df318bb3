package engine_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"weft/engine"
	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// stored is a store with runs of the type "program" in every state that a
// restart can find: parked on a timer, parked on a signal, in the ready set,
// suspended.
func (r *rig) stored() {
	r.Helper()
	s := newStage()
	code := program{{op: "act", name: "a"}, {op: "sleep", d: time.Minute}, {op: "take", name: "x"}}
	busy := engine.Workflow[int, string]{Name: "busy", Do: working(after(time.Hour, nil))}
	doomed := engine.Workflow[int, string]{Name: "doomed", OnPanic: engine.PanicSuspends,
		Do: func(*engine.Context, int) (string, error) { panic("at once") }}
	r.open(s.workflow(code), busy, doomed)
	r.start(code, s, "early")
	time.Sleep(2 * time.Minute)
	r.start(code, s, "late")
	r.begin(busy, "busy")
	r.begin(doomed, "doomed")
	time.Sleep(time.Second)
	r.die()
}

var storedIDs = []flow.WorkflowID{"early", "late", "busy", "doomed"}

func (r *rig) storedRows() map[string]string {
	out := map[string]string{}
	for _, id := range storedIDs {
		for k, v := range r.rowsOf(id) {
			out[k] = v
		}
	}
	return out
}

// TestF125UnknownTypesAreRefusedUnlessAcknowledged names what is missing, and
// changes nothing.
func TestF125UnknownTypesAreRefusedUnlessAcknowledged(t *testing.T) {
	inRig(t, func(r *rig) {
		r.stored()
		before := r.rows()
		_, err := r.tryOpen(newStage().workflow(nil))
		var unknown *engine.UnknownTypesError
		if !errors.As(err, &unknown) || len(unknown.Counts) != 2 || unknown.Counts["busy"] != 1 || unknown.Counts["doomed"] != 1 {
			r.Fatalf("opened without two types: %v", err)
		}
		for _, name := range []string{`"busy" (1)`, `"doomed" (1)`} {
			if !strings.Contains(err.Error(), name) {
				r.Errorf("%q does not name %s", err, name)
			}
		}
		r.sameRows("a refused opening", before, r.rows())
	})
}

// TestHeldRunsAreNotTouched opens with engines that fit no run: not one byte of
// a run's rows changes, however long they stay and however they end.
func TestHeldRunsAreNotTouched(t *testing.T) {
	other := newStage().workflow(nil)
	other.Version = "2"
	for name, defs := range map[string][]engine.Definition{
		"the types are unknown":  {patient},
		"the version is another": {other, patient},
	} {
		t.Run(name, func(t *testing.T) {
			inRig(t, func(r *rig) {
				r.stored()
				r.opts.AcknowledgeUnknownTypes = true
				before := r.storedRows()
				for range 25 { // more than MaxRecoveries
					r.open(defs...)
					time.Sleep(5 * time.Minute) // past every timer
					r.die()
				}
				r.open(defs...)
				time.Sleep(time.Minute)
				r.sameRows("held", before, r.storedRows())
				d, err := r.eng.Operator().Detail(r.Context(), flow.Ref{ID: "late"}, flow.PartSummary)
				if err != nil || !d.Run.Held || d.Run.HeldBecause == "" {
					r.Errorf("late: held %t because %q, %v", d.Run.Held, d.Run.HeldBecause, err)
				}
				r.leave()
				r.sameRows("held and closed", before, r.storedRows())
				r.goesOnByItself()
			})
		})
	}
}

// goesOnByItself opens the engine that fits.
func (r *rig) goesOnByItself() {
	r.Helper()
	s := newStage()
	code := program{{op: "act", name: "a"}, {op: "sleep", d: time.Minute}, {op: "take", name: "x"}}
	r.open(s.workflow(code), engine.Workflow[int, string]{Name: "busy", Do: working(after(time.Second, nil))})
	for _, id := range []flow.WorkflowID{"early", "late"} {
		r.finishes(code, id)
	}
	if got, err := within[string](r, time.Hour, "busy"); err != nil {
		r.Errorf("busy: %q, %v", got, err)
	}
}

func TestF006AMissingTimerOfAHeldRunIsLeftAlone(t *testing.T) {
	inRig(t, func(r *rig) {
		r.stored()
		r.opts.AcknowledgeUnknownTypes = true
		var timer string
		for key := range r.rows([]byte(row.FamilyTimer)) {
			timer = key
		}
		r.write(func(b *store.Batch) { b.Delete([]byte(timer)) })
		before := r.storedRows()
		r.open(patient)
		time.Sleep(time.Minute)
		r.sameRows("the walk", before, r.storedRows())
		r.leave()
		r.goesOnByItself() // and the engine that fits puts it back
	})
}

func TestSignalsToAHeldRunAreKept(t *testing.T) {
	inRig(t, func(r *rig) {
		r.stored()
		r.opts.AcknowledgeUnknownTypes = true
		r.open(patient)
		r.feed("early", map[string]int{"x": 1})
		time.Sleep(time.Minute)
		if h := r.head("early"); h.Status != flow.Running || len(r.steps("early")) != 2 {
			r.Errorf("early is %s with %q", h.Status, r.steps("early"))
		}
		r.die()
		r.goesOnByItself()
	})
}

// TestF124ResumeAdoptsTheRegisteredVersion: that is how a run is moved to
// another version, and it is audited.
func TestF124ResumeAdoptsTheRegisteredVersion(t *testing.T) {
	inRig(t, func(r *rig) {
		r.stored()
		r.opts.AcknowledgeUnknownTypes = true
		code := program{{op: "act", name: "a"}, {op: "sleep", d: time.Minute}, {op: "take", name: "x"}, {op: "memo", name: "new"}}
		next := newStage().workflow(code)
		next.Version = "2"
		r.open(next)
		for _, id := range []flow.WorkflowID{"early", "late"} {
			if err := r.resume(id); err != nil {
				r.Fatalf("resume %s: %v", id, err)
			}
			r.finishes(code, id)
			if h := r.head(id); h.Version != "2" {
				r.Errorf("%s has version %q", id, h.Version)
			}
		}
		page, err := r.eng.Operator().Page(r.Context(), flow.Query{Of: flow.ListAudit})
		if err != nil || len(page.Audit) != 2 {
			r.Fatalf("audit: %+v, %v", page.Audit, err)
		}
		for _, a := range page.Audit {
			if a.Actor != "ana" || a.Why != "fixed" || a.Text != `resumed under version "2" instead of "1"` {
				r.Errorf("audit record %+v", a)
			}
		}
		if err := r.resume("busy"); err == nil {
			r.Error("a run of an unknown type was resumed")
		}
	})
}

func TestLookingChangesNothing(t *testing.T) {
	inRig(t, func(r *rig) {
		r.stored()
		before := r.rows()
		r.opts.Mode = flow.ModeLook
		e := r.open()
		time.Sleep(10 * time.Minute)
		if _, err := e.Operator().Page(r.Context(), flow.Query{Of: flow.ListRuns}); err != nil {
			r.Error(err)
		}
		for what, err := range map[string]error{
			"a signal": paid.Send(r.Context(), e, "early", "x"),
			"a resume": r.resume("doomed"),
		} {
			if !errors.Is(err, flow.ErrReadOnly) {
				r.Errorf("%s is answered %v", what, err)
			}
		}
		r.leave()
		r.sameRows("looking", before, r.rows())
	})
}
