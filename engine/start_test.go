package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine"
	"weft/flow"
	"weft/store"
	"weft/store/memory"
)

// Ids that are refused, at every door and before anything is written.
func TestF012BadIdsAreRefusedAtEveryDoor(t *testing.T) {
	bad := map[string]flow.WorkflowID{
		"one space": " ", "spaces": "   ", "a lone NUL": "\x00", "a NUL within": "a\x00b", "a line end": "a\nb",
		"a space at its end": "a ", "a space before it": " a", "201 bytes": flow.WorkflowID(strings.Repeat("x", 201)),
		"a megabyte": flow.WorkflowID(strings.Repeat("x", 1<<20)), "invalid UTF-8": "a\xff", "half a rune": "\xe6\x97",
		"a direction override": "a\u202eb", "a line separator": "a\u2028b", "an escape": "\x1b[2J", "a C1 control": "a\u009bb",
	}
	doors := map[string]func(*env, flow.WorkflowID) error{
		"start": func(v *env, id flow.WorkflowID) error {
			_, err := sleeper.Start(v.ctx, v.e, 0, engine.StartOptions{ID: id})
			return err
		},
		"signal": func(v *env, id flow.WorkflowID) error { return poke.Send(v.ctx, v.e, id, 1) },
		"handle": func(v *env, id flow.WorkflowID) error { _, err := engine.Handle[int](v.e, id); return err },
		"operator start": func(v *env, id flow.WorkflowID) error {
			return do(v, flow.Start{Type: "sleeper", ID: id, Input: flow.Payload("0")})
		},
		"operator signal": func(v *env, id flow.WorkflowID) error {
			return do(v, flow.SendSignal{Target: flow.Ref{ID: id}, Name: "poke", Payload: flow.Payload("1"), Force: true})
		},
		"operator resume": func(v *env, id flow.WorkflowID) error { return do(v, flow.ResumeRun{Target: flow.Ref{ID: id}}) },
		"operator detail": func(v *env, id flow.WorkflowID) error {
			_, err := v.e.Operator().Detail(v.ctx, flow.Ref{ID: id}, flow.PartSummary)
			return err
		},
	}
	bubble(t, typed(sleeper), func(v *env) {
		for range 2 {
			n := v.commits()
			for what, id := range bad {
				for door, f := range doors {
					var name *flow.NameError
					if err := f(v, id); !errors.As(err, &name) || !errors.Is(err, flow.ErrBadName) {
						t.Errorf("%s, %s: %v, want a name error", door, what, err)
					}
				}
			}
			if n() != 0 {
				t.Errorf("%d commits", n())
			}
			v.restart()
		}
		if n := v.rows("wf:"); n != 0 {
			t.Errorf("%d runs, want none", n)
		}
	})
}

// do does a deed as an operator.
func do(v *env, d flow.Deed) error {
	_, err := v.e.Operator().Do(v.ctx, flow.Act{Actor: "ana", Deed: d})
	return err
}

func TestAnEmptyIDIsChosenByTheEngineOnce(t *testing.T) {
	bubble(t, typed(sleeper), func(v *env) {
		ids := map[flow.WorkflowID]bool{}
		for range 100 {
			r, err := sleeper.Start(v.ctx, v.e, 0, engine.StartOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if s, err := r.Result(v.ctx); err != nil || s != "slept" {
				t.Errorf("%s: %q, %v", r.Ref(), s, err)
			}
			ids[r.Ref().ID] = true
		}
		v.restart()
		time.Sleep(time.Hour)
		if len(ids) != 100 || v.rows("wf:") != 100 {
			t.Errorf("%d ids, %d runs; want 100 of each", len(ids), v.rows("wf:"))
		}
	})
}

// 64 callers start one id at once, and signals and a recovery meet it.
func TestF022OneIDIsStartedOnceHoweverManyTry(t *testing.T) {
	var calls, inside atomic.Int64
	count := engine.Activity[int, int]{Name: "count", Do: func(context.Context, int) (int, error) {
		if inside.Add(1) > 1 {
			t.Error("two drive the run at once")
		}
		time.Sleep(time.Millisecond)
		inside.Add(-1)
		return int(calls.Add(1)), nil
	}}
	w := flowOf(func(ctx *engine.Context, _ int) (int, error) {
		if _, err := poke.Wait(ctx); err != nil {
			return 0, err
		}
		return count.Run(ctx, 1)
	})
	lateBubble(t, typed(w), func(v *env) {
		for round := range 10 {
			calls.Store(0)
			id := flow.WorkflowID(fmt.Sprint("x", round))
			var started, existed atomic.Int64
			var runs sync.Map
			var wg sync.WaitGroup
			for i := range 64 {
				wg.Go(func() {
					time.Sleep(v.dice(3 * time.Millisecond))
					r, err := w.Start(v.ctx, v.e, 0, engine.StartOptions{ID: id})
					var exists *flow.ExistsError
					switch {
					case err == nil:
						started.Add(1)
						runs.Store(r.Ref().Run, true)
					case errors.As(err, &exists) && exists.ID == id &&
						(exists.Status == flow.Running || exists.Status == flow.Completed): // its signals may be there already
						existed.Add(1)
						runs.Store(exists.Run, true)
					default:
						t.Errorf("start: %v", err)
					}
					if i%8 == 0 {
						if err := poke.Send(v.ctx, v.e, id, 1); err != nil && !errors.Is(err, flow.ErrFinished) {
							t.Errorf("send: %v", err)
						}
					}
				})
			}
			wg.Wait()
			n := 0
			runs.Range(func(any, any) bool { n++; return true })
			if started.Load() != 1 || n != 1 {
				t.Errorf("%d started, %d exist, %d run ids; want 1, 63, 1", started.Load(), existed.Load(), n)
			}
			wants(v, id, 1)
		}
	})
}

func TestTheExistingRunIsNamedWithItsStatus(t *testing.T) {
	failing := engine.Workflow[int, int]{Name: "failing", Do: func(*engine.Context, int) (int, error) { return 0, errors.New("x") }}
	bubble(t, typed(sleeper, failing), func(v *env) {
		for id, tc := range map[flow.WorkflowID]struct {
			in   time.Duration
			want flow.Status
		}{"running": {time.Hour, flow.Running}, "done": {0, flow.Completed}} {
			r := begin(v, sleeper, id, tc.in)
			synctest.Wait()
			for range 2 {
				_, err := sleeper.Start(v.ctx, v.e, 0, engine.StartOptions{ID: id})
				var exists *flow.ExistsError
				if !errors.As(err, &exists) || exists.Ref != r.Ref() || exists.Status != tc.want {
					t.Errorf("%s: %v, want that %s exists and is %s", id, err, r.Ref(), tc.want)
				}
				v.restart()
			}
		}
	})
}

func TestAnIdempotencyKeyAnswersWithTheFirstRun(t *testing.T) {
	lateBubble(t, typed(sleeper), func(v *env) {
		start := func(o engine.StartOptions) flow.Ref {
			r, err := sleeper.Start(v.ctx, v.e, 0, o)
			if err != nil {
				t.Errorf("start %+v: %v", o, err)
			}
			return r.Ref()
		}
		var refs notes[flow.Ref]
		var wg sync.WaitGroup
		for i := range 32 {
			o := engine.StartOptions{IdempotencyKey: "k"}
			if i%2 == 0 {
				o.ID = "a"
			}
			wg.Go(func() { refs.add(start(o)) })
		}
		wg.Wait()
		v.restart()
		refs.add(start(engine.StartOptions{IdempotencyKey: "k"}))
		refs.add(start(engine.StartOptions{IdempotencyKey: "k", ID: "another"}))
		for _, r := range refs.all() {
			if r != refs.all()[0] {
				t.Errorf("runs %s and %s under one key", r, refs.all()[0])
			}
		}
		if n := v.rows("wf:"); n != 1 {
			t.Errorf("%d runs, want 1", n)
		}
		_, err := sleeper.Start(v.ctx, v.e, 0, engine.StartOptions{IdempotencyKey: "b\x00ad"})
		if !errors.Is(err, flow.ErrBadName) {
			t.Errorf("a key with a NUL: %v", err)
		}
	})
}

func TestLimitsOfTags(t *testing.T) {
	many := make([]string, 33)
	for i := range many {
		many[i] = fmt.Sprint("t", i)
	}
	var limit *flow.LimitError
	var name *flow.NameError
	tests := map[string]struct {
		tags []string
		want any // what the error is
	}{
		"32 tags":             {many[:32], nil},
		"33 tags":             {many, &limit},
		"a tag of 128 bytes":  {[]string{strings.Repeat("x", 128)}, nil},
		"a tag of 129 bytes":  {[]string{strings.Repeat("x", 129)}, &limit},
		"a tag of 1000 bytes": {[]string{strings.Repeat("x", 1000)}, &limit},
		"an empty tag":        {[]string{""}, &name},
		"a tag with a NUL":    {[]string{"a\x00"}, &name},
	}
	for what, tc := range tests {
		t.Run(what, func(t *testing.T) {
			bubble(t, typed(sleeper), func(v *env) {
				n := v.commits()
				_, err := sleeper.Start(v.ctx, v.e, 0, engine.StartOptions{ID: "a", Tags: tc.tags})
				switch {
				case tc.want == nil && err != nil:
					t.Errorf("got %v", err)
				case tc.want == nil:
					if got := v.detail("a", flow.PartSummary).Run.Tags; fmt.Sprint(got) != fmt.Sprint(tc.tags) {
						t.Errorf("tags %q", got)
					}
				case !errors.As(err, tc.want) || n() != 0:
					t.Errorf("got %v after %d commits", err, n())
				}
			})
		})
	}
}

func TestAStartOfATypeThatIsNotRegisteredNamesThoseThatAre(t *testing.T) {
	w := flowOf(func(*engine.Context, int) (int, error) { return 0, nil })
	bubble(t, typed(sleeper, collector), func(v *env) {
		_, err := w.Start(v.ctx, v.e, 1, engine.StartOptions{})
		var unknown *flow.UnknownError
		if !errors.As(err, &unknown) || unknown.Name != "w" || fmt.Sprint(unknown.Known) != "[collector sleeper]" {
			t.Errorf("got %v", err)
		}
	})
}

// Ids that look alike or hold the separators of keys keep apart.
func TestF028OddIdsEachMeanTheirOwnRun(t *testing.T) {
	ids := []flow.WorkflowID{"a", "a:b", "a/b", "a%2Fb", "a+b", "a b", "a%", "a%%", "a%25", "order", "order1", "order:1:sig", "A", "é",
		"e\u0301", "日本", "👩🏽‍🚀", "'", `"`, `\`, "@", "#", "?x=1", "..", "../../x", ".", "-", "--help", "a\u00a0b", "ß", "SS",
		flow.WorkflowID(strings.Repeat("é", 100)), flow.WorkflowID(strings.Repeat("%", 200)), "wf:", "q:1", "%00", "a:q:00000000000000000001"}
	named := engine.Signal[flow.WorkflowID]{Name: "x:y"}
	w := flowOf(func(ctx *engine.Context, _ int) (flow.WorkflowID, error) { return named.Wait(ctx) })
	bubble(t, typed(w), func(v *env) {
		for _, id := range ids {
			begin(v, w, id, 0)
		}
		time.Sleep(time.Minute)
		for i, id := range ids {
			sends(v, named, id, id)
			if i == len(ids)/2 {
				v.restart()
			}
		}
		for _, id := range ids {
			wants(v, id, id)
			if got := v.detail(id, flow.PartSummary).Run.ID; got != id {
				t.Errorf("detail of %q is of %q", id, got)
			}
		}
	})
}

// A start whose commit fails says that its outcome is unknown and how to find
// out; either way the store holds a whole run or nothing.
func TestAStartWhoseCommitFails(t *testing.T) {
	for when, there := range map[memory.Moment]bool{memory.Before: false, memory.After: true} {
		bubble(t, typed(sleeper), func(v *env) {
			v.s.FailCommit(1, when)
			_, err := sleeper.Start(v.ctx, v.e, 0, engine.StartOptions{ID: "a"})
			var unknown *flow.OutcomeUnknownError
			if !errors.As(err, &unknown) || unknown.ID != "a" || !errors.Is(err, store.ErrFailed) {
				t.Errorf("moment %d: %v, want an unknown outcome", when, err)
			}
			synctest.Wait()
			if v.info().Live != 0 {
				t.Errorf("moment %d: a run is in memory", when)
			}
			v.crash()
			if n := v.rows("wf:"); (n == 1) != there {
				t.Errorf("moment %d: %d runs", when, n)
			}
			if there {
				wants(v, "a", "slept")
			}
		})
	}
}

func TestAStartThatIsRefusedChangesNothing(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	tests := map[string]struct {
		before func(*env) context.Context
		want   error
	}{
		"the store is full":    {func(v *env) context.Context { v.s.Refuse(store.ErrFull); return v.ctx }, store.ErrFull},
		"the store is stalled": {func(v *env) context.Context { v.s.Refuse(store.ErrStalled); return v.ctx }, store.ErrStalled},
		"the caller has left":  {func(*env) context.Context { return ended }, context.Canceled},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			bubble(t, typed(sleeper), func(v *env) {
				n := v.commits()
				_, err := sleeper.Start(tc.before(v), v.e, 0, engine.StartOptions{ID: "a"})
				if !errors.Is(err, tc.want) || n() != 0 || v.rows("wf:") != 0 || v.info().Live != 0 {
					t.Errorf("%v after %d commits, %d lives", err, n(), v.info().Live)
				}
				v.s.Refuse(nil)
				begin(v, sleeper, "a", 0)
				wants(v, "a", "slept")
			})
		})
	}
}
