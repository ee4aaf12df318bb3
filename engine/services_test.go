package engine_test

import (
	"errors"
	"testing"
	"time"

	"weft/engine"
	"weft/flow"
)

// TestServicesAreMadeForEachLife, also of a delayed start, and only for runs
// that need them.
func TestServicesAreMadeForEachLife(t *testing.T) {
	type service struct{ life int }
	var asked notes[engine.ServiceRequest]
	var used notes[int]
	w := flowOf(func(ctx *engine.Context, in string) (string, error) {
		if s := engine.Services[*service](ctx); s != nil {
			used.add(s.life)
		}
		return paid.Wait(ctx)
	})
	o := typed(w)
	o.Services = func(r engine.ServiceRequest) (any, error) { asked.add(r); return &service{asked.len()}, nil }
	bubble(t, o, func(v *env) {
		start := func(o engine.StartOptions) {
			if _, err := w.Start(v.ctx, v.e, "in", o); err != nil {
				v.Fatal(err)
			}
		}
		start(engine.StartOptions{ID: "without"})
		start(engine.StartOptions{ID: "later", NeedsServices: true, StartAt: time.Now().Add(time.Hour)})
		time.Sleep(time.Minute)
		if asked.len() != 0 {
			v.Errorf("asked %+v", asked.all())
		}
		time.Sleep(time.Hour)
		v.restart()
		for _, id := range []flow.WorkflowID{"without", "later"} {
			sends(v, paid, id, "x")
			wants(v, id, "x")
		}
		if all := used.all(); len(all) != 2 || all[0] != 1 || all[1] != 2 {
			v.Errorf("used %v, asked %+v", all, asked.all())
		}
		if r := asked.all()[1]; r.Ref.ID != "later" || r.Type != "w" || string(r.Input) != `"in"` {
			v.Errorf("asked %+v", r)
		}
	})
}

// TestARunWithoutItsServicesFails, category system, before its code moves, and
// nobody else does.
func TestARunWithoutItsServicesFails(t *testing.T) {
	for name, services := range map[string]func(engine.ServiceRequest) (any, error){
		"none":    nil,
		"refused": func(engine.ServiceRequest) (any, error) { return nil, errors.New("no database") },
		"panic":   func(engine.ServiceRequest) (any, error) { panic("no way") },
	} {
		for when, o := range map[string]engine.StartOptions{"at once": {}, "later": {StartAt: time.Date(2000, 1, 1, 1, 0, 0, 0, time.UTC)}} {
			t.Run(name+", "+when, func(t *testing.T) {
				w := flowOf(func(*engine.Context, string) (string, error) { t.Error("the code moved"); return "", nil })
				other := flowOf(func(_ *engine.Context, in string) (string, error) { return in, nil })
				other.Name = "other"
				opts := typed(w, other)
				opts.Services = services
				bubble(t, opts, func(v *env) {
					o.ID, o.NeedsServices = "a", true
					if _, err := w.Start(v.ctx, v.e, "in", o); err != nil {
						v.Fatal(err)
					}
					_, err := ending[string](v, "a")
					if f := failureIn(v, err); f.Category != flow.System || f.Code != string(engine.CodeServices) {
						v.Errorf("failure %+v", f)
					}
					begin(v, other, "b", "x")
					wants(v, "b", "x")
				})
			})
		}
	}
}

// TestARunFailsWhenItsServicesAreGoneAfterARestart, with what it holds removed
// unless its definition wants failures finalized.
func TestARunFailsWhenItsServicesAreGoneAfterARestart(t *testing.T) {
	for name, on := range map[string][]flow.Status{"by default": nil, "finalized on failure": {flow.Failed}} {
		t.Run(name, func(t *testing.T) {
			var released notes[string]
			release := releases(&released)
			w := flowOf(func(ctx *engine.Context, in string) (string, error) { holds(ctx, release, in); return paid.Wait(ctx) })
			w.Finalizer, w.FinalizeOn = release, on
			o := typed(w)
			o.Services = func(engine.ServiceRequest) (any, error) { return 1, nil }
			bubble(t, o, func(v *env) {
				if _, err := w.Start(v.ctx, v.e, "box", engine.StartOptions{ID: "a", NeedsServices: true}); err != nil {
					v.Fatal(err)
				}
				time.Sleep(time.Minute)
				v.opts.Services = nil
				v.restart()
				sends(v, paid, "a", "x")
				_, err := ending[string](v, "a")
				if f := failureIn(v, err); f.Category != flow.System {
					v.Errorf("failure %+v", f)
				}
				time.Sleep(time.Minute)
				if released.len() != len(on) {
					v.Errorf("released %v", released.all())
				}
			})
		})
	}
}

// TestARunIsSuspendedWhileItsServicesAreMade, without waiting for them: its code
// does not move in that life, and gets others in the next one. The life asks for
// its services while the act changes what it knows of the run.
func TestARunIsSuspendedWhileItsServicesAreMade(t *testing.T) {
	var asked, moved notes[flow.Ref]
	w := flowOf(func(ctx *engine.Context, in string) (string, error) {
		moved.add(ctx.Ref())
		return in, nil
	})
	o := typed(w)
	o.Services = func(r engine.ServiceRequest) (any, error) {
		asked.add(r.Ref)
		time.Sleep(time.Hour)
		return nil, nil
	}
	bubble(t, o, func(v *env) {
		if _, err := w.Start(v.ctx, v.e, "in", engine.StartOptions{ID: "a", NeedsServices: true}); err != nil {
			v.Fatal(err)
		}
		v.do(flow.SuspendRun{Target: flow.Ref{ID: "a"}})
		time.Sleep(2 * time.Hour)
		if got := v.detail("a", flow.PartSummary).Run.Status; got != flow.Suspended || moved.len() != 0 {
			v.Errorf("it is %s, and its code moved in %v", got, moved.all())
		}
		v.do(flow.ResumeRun{Target: flow.Ref{ID: "a"}})
		wants(v, "a", "in")
		if asked.len() != 2 || moved.len() != 1 {
			v.Errorf("asked %v, moved %v", asked.all(), moved.all())
		}
	})
}
