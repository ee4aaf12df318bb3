package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"weft/engine"
	"weft/flow"
)

// racers is one race: a workflow, and acts that are done at random moments. Each
// reports what its caller was told.
type racers struct {
	v        *env
	released *notes[string]
	w        engine.Workflow[string, string]
	ref      map[flow.WorkflowID]flow.Ref
}

// raceRounds is how often each race is run.
const raceRounds = 1000

// races runs rounds of a race, many runs side by side, each with its acts at
// random moments of a few milliseconds, on a store that answers late. At the end
// the engine is opened again and every run is looked at once more.
func races(t *testing.T, code func(*engine.Context, string) (string, error), o engine.StartOptions,
	acts map[string]func(*racers, flow.WorkflowID) error, judge func(*racers, flow.Run, map[string]error)) {
	t.Helper()
	r := &racers{released: &notes[string]{}, ref: map[flow.WorkflowID]flow.Ref{}}
	release := releases(r.released)
	r.w = engine.Workflow[string, string]{Name: "race", Finalizer: release,
		Do: func(ctx *engine.Context, in string) (string, error) {
			holds(ctx, release, in)
			return code(ctx, in)
		}}
	opts := typed(r.w)
	opts.Grace = time.Millisecond
	lateBubble(t, opts, func(v *env) {
		r.v = v
		const side = 50
		answers := map[flow.WorkflowID]map[string]error{}
		for round := 0; round < raceRounds; round += side {
			var mu sync.Mutex
			var all sync.WaitGroup
			// All starts first: the acts look runs up in what is written here.
			for i := range side {
				id := flow.WorkflowID(fmt.Sprintf("r%d", round+i))
				answers[id] = map[string]error{}
				run, err := r.w.Start(v.ctx, v.e, string(id), engine.StartOptions{ID: id, Deadline: o.Deadline})
				if err != nil {
					v.Fatal(err)
				}
				r.ref[id] = run.Ref()
			}
			for i := range side {
				id := flow.WorkflowID(fmt.Sprintf("r%d", round+i))
				for name, act := range acts {
					d := v.dice(6 * time.Millisecond)
					all.Go(func() {
						time.Sleep(d)
						err := act(r, id)
						mu.Lock()
						defer mu.Unlock()
						answers[id][name] = err
					})
				}
			}
			all.Wait()
		}
		time.Sleep(time.Hour)
		r.judgeAll(answers, judge)
		v.restart()
		r.judgeAll(answers, judge)
	})
}

// judgeAll holds what is stored against what the callers were told, and the
// finalizer's calls against both.
func (r *racers) judgeAll(answers map[flow.WorkflowID]map[string]error, judge func(*racers, flow.Run, map[string]error)) {
	r.v.Helper()
	calls := map[string]int{}
	for _, s := range r.released.all() {
		calls[s]++
	}
	for id, a := range answers {
		run := r.v.detail(id, flow.PartSummary).Run
		judge(r, run, a)
		want := 0
		if run.Status == flow.Cancelled || run.Status == flow.TimedOut {
			want = 1
		}
		if run.Ref == r.ref[id] && calls[string(id)] != want {
			r.v.Errorf("%s is %s, the finalizer was called %d times", id, run.Status, calls[string(id)])
		}
		if r.v.Failed() {
			r.v.Fatalf("%s: %+v, answers %v", id, run, a)
		}
	}
}

func (r *racers) do(d flow.Deed) error {
	_, err := r.v.e.Operator().Do(r.v.ctx, flow.Act{Deed: d})
	return err
}

func raceCancel(r *racers, id flow.WorkflowID) error {
	return r.do(flow.CancelRun{Target: flow.Ref{ID: id}})
}

func raceSuspend(r *racers, id flow.WorkflowID) error {
	return r.do(flow.SuspendRun{Target: flow.Ref{ID: id}})
}

func raceResume(r *racers, id flow.WorkflowID) error {
	return r.do(flow.ResumeRun{Target: flow.Ref{ID: id}})
}

func raceSignal(r *racers, id flow.WorkflowID) error {
	return paid.Send(r.v.ctx, r.v.e, id, "x")
}

// waits is somebody who waits for the result: it must be told of the end.
func raceWait(r *racers, id flow.WorkflowID) error {
	ctx, cancel := context.WithTimeout(r.v.ctx, 2*time.Hour)
	defer cancel()
	run, err := engine.Handle[string](r.v.e, id)
	if err != nil {
		return err
	}
	_, err = run.Result(ctx)
	return err
}

// endOf is how a waiter's answer says that the run ended.
func endOf(err error) flow.Status {
	var ended *flow.EndedError
	switch {
	case err == nil:
		return flow.Completed
	case errors.As(err, &ended):
		return ended.Status
	}
	return flow.Running
}

// is demands that an answer is nil, or one of the errors.
func (r *racers) is(who string, err error, may ...error) {
	r.v.Helper()
	if err == nil {
		return
	}
	for _, e := range may {
		if errors.Is(err, e) {
			return
		}
	}
	r.v.Errorf("%s was told %v", who, err)
}

// brief is code whose end comes within the time of a race.
func brief(ctx *engine.Context, in string) (string, error) {
	act := engine.Activity[string, string]{Name: "act", Do: func(_ context.Context, s string) (string, error) {
		time.Sleep(time.Millisecond)
		return s, nil
	}}
	if _, err := act.Run(ctx, in); err != nil {
		return "", err
	}
	return act.Run(ctx, in)
}

// parks is code that waits in every form, out of memory soon.
func parks(ctx *engine.Context, in string) (string, error) {
	for range 2 {
		if err := ctx.Sleep(3 * time.Millisecond); err != nil {
			return "", err
		}
	}
	word, err := paid.Wait(ctx)
	return in + word, err
}

func oneEnd(r *racers, run flow.Run, a map[string]error) {
	r.v.Helper()
	if !run.Status.Terminal() {
		r.v.Errorf("has not ended")
	}
	if got := endOf(a["wait"]); got != run.Status {
		r.v.Errorf("the waiter was told %s (%v)", got, a["wait"])
	}
	if c, ok := a["cancel"]; ok {
		r.is("cancel", c, flow.ErrFinished)
		if (c == nil) != (run.Status == flow.Cancelled) {
			r.v.Errorf("the canceller was told %v", c)
		}
	}
}

// TestF007Races runs every two that can meet, a thousand times each (F007, F009,
// F037, F079).
func TestF007Races(t *testing.T) {
	type acts = map[string]func(*racers, flow.WorkflowID) error
	for name, tc := range map[string]struct {
		code  func(*engine.Context, string) (string, error)
		o     engine.StartOptions
		acts  acts
		judge func(*racers, flow.Run, map[string]error)
	}{
		"cancel and complete": {brief, engine.StartOptions{}, acts{"cancel": raceCancel, "wait": raceWait}, oneEnd},
		"cancel and park": {parks, engine.StartOptions{}, acts{"cancel": raceCancel, "wait": raceWait}, func(r *racers, run flow.Run, a map[string]error) {
			oneEnd(r, run, a)
			if run.Status != flow.Cancelled {
				r.v.Errorf("is not cancelled")
			}
		}},
		"cancel and signal": {parks, engine.StartOptions{}, acts{"cancel": raceCancel, "signal": raceSignal, "wait": raceWait}, func(r *racers, run flow.Run, a map[string]error) {
			oneEnd(r, run, a)
			r.is("signal", a["signal"], flow.ErrFinished)
		}},
		"cancel and suspend": {parks, engine.StartOptions{}, acts{"cancel": raceCancel, "suspend": raceSuspend, "wait": raceWait}, func(r *racers, run flow.Run, a map[string]error) {
			oneEnd(r, run, a)
			r.is("suspend", a["suspend"], flow.ErrFinished)
		}},
		"cancel, suspend and resume": {brief, engine.StartOptions{}, acts{"cancel": raceCancel, "suspend": raceSuspend, "resume": raceResume, "wait": raceWait}, func(r *racers, run flow.Run, a map[string]error) {
			oneEnd(r, run, a)
			r.is("suspend", a["suspend"], flow.ErrFinished)
			r.is("resume", a["resume"], flow.ErrFinished, flow.ErrConflict)
		}},
		"three cancels": {parks, engine.StartOptions{}, acts{"1": raceCancel, "2": raceCancel, "3": raceCancel, "wait": raceWait}, func(r *racers, run flow.Run, a map[string]error) {
			oneEnd(r, run, a)
			done := 0
			for _, who := range []string{"1", "2", "3"} {
				r.is(who, a[who], flow.ErrFinished)
				if a[who] == nil {
					done++
				}
			}
			if done != 1 {
				r.v.Errorf("%d cancelled it", done)
			}
		}},
		"deadline and complete":       {brief, engine.StartOptions{Deadline: 6 * time.Millisecond}, acts{"wait": raceWait}, oneEnd},
		"deadline, cancel and signal": {parks, engine.StartOptions{Deadline: 8 * time.Millisecond}, acts{"cancel": raceCancel, "signal": raceSignal, "wait": raceWait}, oneEnd},
		"deadline, suspend and resume": {parks, engine.StartOptions{Deadline: 8 * time.Millisecond}, acts{"suspend": raceSuspend, "resume": func(r *racers, id flow.WorkflowID) error {
			time.Sleep(5 * time.Millisecond)
			for {
				err := raceResume(r, id)
				if !errors.Is(err, flow.ErrConflict) || !slices.Contains([]flow.Status{flow.Suspended, flow.Running}, r.v.status(id)) {
					return err
				}
				time.Sleep(5 * time.Millisecond) // before the suspension
				if r.v.status(id) == flow.Running {
					return nil
				}
			}
		}, "wait": func(r *racers, id flow.WorkflowID) error {
			time.Sleep(time.Minute)
			if r.v.status(id) == flow.Suspended {
				_ = raceResume(r, id)
			}
			return raceWait(r, id)
		}}, func(r *racers, run flow.Run, a map[string]error) {
			oneEnd(r, run, a)
			if run.Status != flow.TimedOut {
				r.v.Errorf("is %s", run.Status)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) { races(t, tc.code, tc.o, tc.acts, tc.judge) })
	}
}

// TestF010SignalsAroundASuspension: a hundred signals, the run suspended and
// resumed at random moments: all are taken once and in order, and nothing is
// dispatched meanwhile (F010).
func TestF010SignalsAroundASuspension(t *testing.T) {
	var suspended notes[flow.WorkflowID]
	var during notes[string]
	var mu sync.Mutex
	quiet := map[string]bool{}
	act := engine.Activity[string, int]{Name: "act", Do: func(_ context.Context, id string) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		if quiet[id] {
			during.add(id)
		}
		return 0, nil
	}}
	number := engine.Signal[int]{Name: "n"}
	w := flowOf(func(ctx *engine.Context, id string) (int, error) {
		for want := 1; want <= 100; want++ {
			got, err := number.Wait(ctx)
			if err != nil || got != want {
				return got, fmt.Errorf("took %d, want %d: %w", got, want, err)
			}
			if want%10 == 0 {
				if _, err := act.Run(ctx, id); err != nil {
					return 0, err
				}
			}
		}
		return 100, nil
	})
	o := typed(w)
	o.Grace = time.Millisecond
	lateBubble(t, o, func(v *env) {
		rounds := 200
		if torture() {
			rounds = 1000
		}
		var all sync.WaitGroup
		for i := range rounds {
			id := flow.WorkflowID(fmt.Sprintf("r%d", i))
			begin(v, w, id, string(id))
			pauses := make([]time.Duration, 8)
			for i := range pauses {
				pauses[i] = v.dice(60 * time.Millisecond)
			}
			all.Go(func() {
				for n := 1; n <= 100; n++ {
					if n%8 == 0 {
						time.Sleep(pauses[n%7] / 4)
					}
					sends(v, number, id, n)
				}
			})
			all.Go(func() {
				for _, d := range pauses {
					time.Sleep(d)
					if _, err := v.e.Operator().Do(v.ctx, flow.Act{Deed: flow.SuspendRun{Target: flow.Ref{ID: id}}}); err != nil {
						if !errors.Is(err, flow.ErrFinished) {
							v.Error(err)
						}
						return
					}
					suspended.add(id)
					mu.Lock()
					quiet[string(id)] = true
					mu.Unlock()
					time.Sleep(5 * time.Second)
					mu.Lock()
					quiet[string(id)] = false
					mu.Unlock()
					v.resumes(id)
				}
			})
		}
		all.Wait()
		for i := range rounds {
			wants(v, flow.WorkflowID(fmt.Sprintf("r%d", i)), 100)
		}
		if during.len() > 0 {
			v.Errorf("begun while suspended: %v", during.all())
		}
		t.Logf("%d suspensions in %d runs", suspended.len(), rounds)
	})
}
