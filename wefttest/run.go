package wefttest

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"slices"

	"weft/engine"
	"weft/flow"
)

// Run is a run that the test has started. It stays valid over crashes.
type Run[O any] struct {
	v  *Env
	id flow.WorkflowID
}

// Start starts a run under the id; "" makes one up. A start that fails, fails
// the test.
func Start[I, O any](v *Env, w engine.Workflow[I, O], id flow.WorkflowID, in I) *Run[O] {
	v.Helper()
	return StartWith(v, w, in, engine.StartOptions{ID: id})
}

// StartWith is [Start] with options.
func StartWith[I, O any](v *Env, w engine.Workflow[I, O], in I, o engine.StartOptions) *Run[O] {
	v.Helper()
	if o.ID == "" {
		o.ID = flow.WorkflowID(v.name("run"))
	}
	if err := try(v, func(e *engine.Engine, again int) error {
		_, err := w.Start(v.Context(), e, in, o)
		if again > 0 && errors.Is(err, flow.ErrExists) {
			return nil // the process died after the start, before it could say so
		}
		return err
	}); err != nil {
		v.Fatalf("%v", err)
	}
	return Handle[O](v, o.ID)
}

// Handle is the run that has the id, for instance a child.
func Handle[O any](v *Env, id flow.WorkflowID) *Run[O] {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !slices.Contains(v.runs, id) {
		v.runs = append(v.runs, id)
	}
	return &Run[O]{v, id}
}

// Send sends a signal to the run that has the id. A send that fails, fails the
// test.
func Send[T any](v *Env, s engine.Signal[T], id flow.WorkflowID, payload T) {
	v.Helper()
	once := engine.SendOptions{SignalID: v.name("wefttest")}
	if err := try(v, func(e *engine.Engine, again int) error {
		err := s.SendWith(v.Context(), e, id, payload, once)
		if again > 0 && errors.Is(err, flow.ErrFinished) {
			return nil // it was sent, and was all that the run waited for
		}
		return err
	}); err != nil {
		v.Fatalf("send %s to %s: %v", s.Name, id, err)
	}
}

// ID is the run's id.
func (r *Run[O]) ID() flow.WorkflowID { return r.id }

// Result waits for the run's end and answers as engine.Run.Result does. A run
// that has not ended after Options.Limit fails the test.
func (r *Run[O]) Result() (O, error) {
	r.v.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), r.v.o.Limit)
	defer cancel()
	var out O
	err := try(r.v, func(e *engine.Engine, _ int) error {
		run, err := engine.Handle[O](e, r.id)
		if err == nil {
			out, err = run.Result(ctx)
		}
		return err
	})
	if ctx.Err() != nil {
		r.v.Fatalf("run %s has not ended after %v of virtual time", r.id, r.v.o.Limit)
	}
	return out, err
}

// Want fails the test unless the run completes with this result.
func (r *Run[O]) Want(want O) {
	r.v.Helper()
	got, err := r.Result()
	if err != nil {
		r.v.Errorf("result of %s: %v; want %+v", r.id, err, want)
	} else if !reflect.DeepEqual(got, want) {
		r.v.Errorf("result of %s: %+v; want %+v", r.id, got, want)
	}
}

// WantStatus fails the test unless the run has this status now.
func (r *Run[O]) WantStatus(want flow.Status) {
	r.v.Helper()
	if now := r.Info(); now.Status != want {
		r.v.Errorf("run %s is %s %s; want %s", r.id, now.Status, now.Reason, want)
	}
}

// Info is the run as a console lists it.
func (r *Run[O]) Info() flow.Run {
	r.v.Helper()
	return r.v.detail(r.id, flow.PartSummary).Run
}

// Steps are the run's steps.
func (r *Run[O]) Steps() []flow.Step {
	r.v.Helper()
	return r.v.detail(r.id, flow.PartSteps).Steps
}

// Cancel cancels the run.
func (r *Run[O]) Cancel(why string) {
	r.v.Helper()
	if err := try(r.v, func(e *engine.Engine, again int) error {
		_, err := e.Operator().Do(context.Background(), flow.Act{Actor: "test", Why: why,
			Deed: flow.CancelRun{Target: flow.Ref{ID: r.id}}})
		if again > 0 && errors.Is(err, flow.ErrFinished) {
			return nil
		}
		return err
	}); err != nil {
		r.v.Fatalf("cancel %s: %v", r.id, err)
	}
}

// Journal is what the run has recorded.
func (r *Run[O]) Journal() flow.Journal {
	r.v.Helper()
	return flow.JournalOf(r.v.detail(r.id, flow.PartEvents))
}

// Export writes the run's journal to a file for [Replay], as weft-tui export
// does with a run of a real store.
func (r *Run[O]) Export(file string) {
	r.v.Helper()
	data, err := json.MarshalIndent(r.Journal(), "", "  ")
	if err == nil {
		err = os.WriteFile(file, append(data, '\n'), 0o600)
	}
	if err != nil {
		r.v.Fatalf("export %s: %v", r.id, err)
	}
}

func (v *Env) detail(id flow.WorkflowID, part flow.Part) (d flow.Detail) {
	v.Helper()
	if err := try(v, func(e *engine.Engine, _ int) (err error) {
		d, err = e.Operator().Detail(context.Background(), flow.Ref{ID: id}, part)
		return err
	}); err != nil {
		v.Fatalf("look at %s: %v", id, err)
	}
	return d
}
