package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine"
	"weft/flow"
	"weft/store"
	"weft/store/memory"
)

// adding adds to a total; its handler waits a while, asks an activity and replies
// with the total.
var adding = engine.Update[int, int]{Name: "add", Validate: func(n int) error {
	if n == 0 {
		return engine.Fail("nothing", "zero is nothing to add")
	}
	return nil
}}

var total = engine.Query[engine.Void, int]{Name: "total"}

// account is a run that adds what it is told until it has max, then ends with
// what it did.
func account(calls *notes[int]) engine.Workflow[int, string] {
	check := engine.Activity[int, int]{Name: "check", Do: func(_ context.Context, n int) (int, error) {
		calls.add(n)
		return n, nil
	}}
	w := flowOf(func(ctx *engine.Context, most int) (string, error) {
		sum, text := 0, ""
		adding.HandleWith(ctx, func(ctx *engine.Context, n int) (int, error) {
			if n == 13 {
				return 0, engine.Fail("unlucky", "%d brings no luck", n)
			}
			if err := ctx.Sleep(10 * time.Second); err != nil {
				return 0, err
			}
			got, err := check.Run(ctx, n)
			sum += got
			text += fmt.Sprint(got, ",")
			return sum, err
		}, engine.HandleOptions[int]{Validate: func(n int) error {
			if sum+n > most {
				return engine.Fail("too-much", "%d and %d is more than %d", sum, n, most)
			}
			return nil
		}})
		total.Answer(ctx, func(engine.Void) (int, error) { return sum, nil })
		if err := ctx.WaitUntil(func() bool { return sum == most }); err != nil {
			return "", err
		}
		return text, ctx.FinishHandlers()
	})
	w.Updates, w.Queries = []engine.AnyUpdate{adding}, []engine.AnyQuery{total}
	return w
}

// replies demands the answer to a query.
func replies[I any, O comparable](v *env, q engine.Query[I, O], id flow.WorkflowID, in I, want O) {
	v.Helper()
	if got, err := q.Ask(v.ctx, v.e, id, in); err != nil || got != want {
		v.Errorf("%s of %s: %v, %v; want %v", q.Name, id, got, err, want)
	}
}

// calls demands the reply to an update, within a day.
func calls[I any, O comparable](v *env, u engine.Update[I, O], id flow.WorkflowID, in I, o engine.UpdateOptions, want O) {
	v.Helper()
	ctx, cancel := context.WithTimeout(v.ctx, 24*time.Hour)
	defer cancel()
	if got, err := u.CallWith(ctx, v.e, id, in, o); err != nil || got != want {
		v.Errorf("%s of %s with %v: %v, %v; want %v", u.Name, id, in, got, err, want)
	}
}

func TestUpdatesAreHandledLiveParkedAndOverRestarts(t *testing.T) {
	var done notes[int]
	w := account(&done)
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 10)
		calls(v, adding, "a", 1, engine.UpdateOptions{UpdateID: "one"}, 1) // live
		replies(v, total, "a", engine.Void{}, 1)
		time.Sleep(time.Minute)
		if v.info().Live != 0 || v.rows("ready:") != 0 {
			t.Fatal("the run is not parked")
		}
		replies(v, total, "a", engine.Void{}, 1)
		if v.info().Live != 0 {
			t.Error("a query brought the run into memory")
		}
		calls(v, adding, "a", 2, engine.UpdateOptions{UpdateID: "two"}, 3) // parked
		v.restart()
		calls(v, adding, "a", 3, engine.UpdateOptions{UpdateID: "three"}, 6) // after a restart
		calls(v, adding, "a", 1, engine.UpdateOptions{UpdateID: "one"}, 1)   // again: as it was
		v.crash()
		calls(v, adding, "a", 4, engine.UpdateOptions{UpdateID: "four"}, 10)
		wants(v, "a", "1,2,3,4,")
		replies(v, total, "a", engine.Void{}, 10)
		calls(v, adding, "a", 2, engine.UpdateOptions{UpdateID: "two"}, 3) // also after the end
		v.restart()
		calls(v, adding, "a", 4, engine.UpdateOptions{UpdateID: "four"}, 10)
		replies(v, total, "a", engine.Void{}, 10)
		if n := done.len(); n != 4 {
			t.Errorf("the activity ran %d times", n)
		}
		v.do(flow.PurgeRun{Target: flow.Ref{ID: "a"}})
		if n := v.rows("upd:"); n != 0 {
			t.Errorf("%d rows of updates are left", n)
		}
	})
}

func TestRefusedUpdatesLeaveNoTrace(t *testing.T) {
	var done notes[int]
	w := account(&done)
	held := w
	held.Name, held.Version = "held", "1"
	bubble(t, typed(w, held), func(v *env) {
		begin(v, w, "a", 10)
		begin(v, w, "ended", 1)
		calls(v, adding, "ended", 1, engine.UpdateOptions{}, 1)
		wants(v, "ended", "1,")
		begin(v, w, "still", 10)
		v.do(flow.SuspendRun{Target: flow.Ref{ID: "still"}})
		if _, err := w.Start(v.ctx, v.e, 1, engine.StartOptions{ID: "later", StartAt: time.Now().Add(time.Hour)}); err != nil {
			t.Fatal(err)
		}
		begin(v, held, "held", 10)
		time.Sleep(time.Minute)
		held.Version = "2"
		v.opts = typed(w, held)
		v.restart()
		calls(v, adding, "a", 5, engine.UpdateOptions{UpdateID: "five"}, 5)
		time.Sleep(time.Minute)
		before := v.commits()
		tests := map[string]struct {
			u    engine.Update[int, int]
			id   flow.WorkflowID
			n    int
			key  string
			want error
		}{
			"whatever the state":      {adding, "a", 0, "", engine.Code("nothing")},
			"by the state":            {adding, "a", 6, "", engine.Code("too-much")},
			"no such run":             {adding, "none", 1, "", flow.ErrNotFound},
			"not declared":            {engine.Update[int, int]{Name: "subtract"}, "a", 1, "", flow.ErrUnknown},
			"ended":                   {adding, "ended", 1, "", flow.ErrFinished},
			"suspended":               {adding, "still", 1, "", flow.ErrUnreachable},
			"pending":                 {adding, "later", 1, "", flow.ErrUnreachable},
			"held":                    {adding, "held", 1, "", flow.ErrUnreachable},
			"id too long":             {adding, "a", 1, strings.Repeat("x", 129), flow.ErrBadName},
			"id used for another one": {adding, "a", 1, "five", flow.ErrBadInput},
		}
		for name, tc := range tests {
			_, err := tc.u.CallWith(v.ctx, v.e, tc.id, tc.n, engine.UpdateOptions{UpdateID: tc.key})
			if !errors.Is(err, tc.want) {
				t.Errorf("%s: %v; want %v", name, err, tc.want)
			}
		}
		if n := before(); n != 0 {
			t.Errorf("%d commits", n)
		}
		var rejected *flow.RejectedError
		if _, err := adding.Call(v.ctx, v.e, "a", 6); !errors.As(err, &rejected) || rejected.Failure.Message != "5 and 6 is more than 10" {
			t.Errorf("rejected with %v", err)
		}
		_, err := adding.Call(v.ctx, v.e, "a", -1000)
		if err != nil {
			t.Error(err)
		}
		_, err = adding.Call(v.ctx, v.e, "a", 13)
		if !errors.Is(err, engine.Code("unlucky")) || errors.Is(err, flow.ErrRejected) {
			t.Errorf("a handler that fails: %v", err)
		}
	})
}

// The process dies at each commit in turn: an update that was accepted is
// handled once and its reply stays, one that was not may be sent again.
func TestACrashAtEveryCommitOfAnUpdate(t *testing.T) {
	for _, when := range []memory.Moment{memory.Before, memory.After} {
		for _, parked := range []bool{false, true} {
			for k, hit := 1, true; hit; k++ {
				t.Run(fmt.Sprintf("commit %d, moment %d, parked %t", k, when, parked), func(t *testing.T) {
					var done notes[int]
					w := account(&done)
					bubble(t, typed(w), func(v *env) {
						begin(v, w, "a", 7)
						if parked {
							time.Sleep(time.Minute)
						}
						synctest.Wait()
						v.s.FailCommit(k, when)
						_, err := adding.CallWith(v.ctx, v.e, "a", 7, engine.UpdateOptions{UpdateID: "u"})
						time.Sleep(time.Minute)
						synctest.Wait()
						hit = v.s.Health().State == store.Failed
						var unknown *flow.OutcomeUnknownError
						if err != nil && !errors.As(err, &unknown) && !errors.Is(err, flow.ErrNoReply) {
							t.Errorf("update: %v, want an unknown outcome, or accepted and no reply", err)
						}
						if !hit {
							v.s.FailCommit(0, when)
							return
						}
						v.crash()
						if errors.Is(err, flow.ErrNoReply) && v.rows("upd:") != 1 {
							t.Error("an accepted update is lost")
						}
						calls(v, adding, "a", 7, engine.UpdateOptions{UpdateID: "u"}, 7)
						wants(v, "a", "7,")
						calls(v, adding, "a", 7, engine.UpdateOptions{UpdateID: "u"}, 7)
					})
				})
			}
		}
	}
}

// Many callers, the same ids from several of them, crashes between: each update
// is applied once, and in the order of acceptance.
func TestUpdatesFromManyCallersAreAppliedOnceAndInOrder(t *testing.T) {
	note := engine.Update[int, int]{Name: "note"}
	const n = 60
	w := flowOf(func(ctx *engine.Context, _ int) (string, error) {
		var got []int
		note.Handle(ctx, func(ctx *engine.Context, i int) (int, error) {
			got = append(got, i)
			place := len(got)
			if i%3 == 0 {
				if err := ctx.Sleep(time.Duration(i) * time.Millisecond); err != nil {
					return 0, err
				}
			}
			return place, nil
		})
		err := ctx.WaitUntil(func() bool { return len(got) == n && ctx.HandlersDone() })
		return fmt.Sprint(got), err
	})
	w.Updates = []engine.AnyUpdate{note}
	lateBubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 0)
		places := make([]int, n)
		var mu sync.Mutex
		for round := range 3 {
			var wg sync.WaitGroup
			for i := range n {
				if round < 2 && i%3 != round {
					continue
				}
				for range 2 {
					pause := v.dice(20 * time.Millisecond)
					wg.Go(func() {
						time.Sleep(pause)
						place, err := note.CallWith(v.ctx, v.e, "a", i, engine.UpdateOptions{UpdateID: fmt.Sprint(i)})
						mu.Lock()
						defer mu.Unlock()
						if err != nil || place == 0 || places[i] != 0 && places[i] != place {
							t.Errorf("update %d: place %d, then %d, %v", i, places[i], place, err)
						}
						places[i] = place
					})
				}
			}
			wg.Wait()
			if round < 2 {
				v.crash()
			}
		}
		want := make([]int, n)
		for i, place := range places {
			want[place-1] = i
		}
		wants(v, "a", fmt.Sprint(want))
		events := v.detail("a", flow.PartEvents).Events
		var accepted []int
		for _, e := range events {
			if e.Kind == flow.EventUpdate {
				var i int
				fmt.Sscan(string(e.Output), &i)
				accepted = append(accepted, i)
			}
		}
		if fmt.Sprint(accepted) != fmt.Sprint(want) {
			t.Errorf("accepted in the order %v, handled in %v", accepted, want)
		}
	})
}

// An accepted update whose run ends first is answered at once (F070).
func TestF070ARunThatEndsBeforeItRepliesTellsTheCaller(t *testing.T) {
	hold := engine.Update[int, int]{Name: "hold"}
	w := flowOf(func(ctx *engine.Context, _ int) (string, error) {
		hold.Handle(ctx, func(ctx *engine.Context, _ int) (int, error) { return poke.Wait(ctx) })
		how, err := paid.Wait(ctx)
		if how == "panic" {
			panic("oh")
		}
		return how, err
	})
	w.Updates = []engine.AnyUpdate{hold}
	ends := map[string]struct {
		end  func(v *env)
		want error
	}{
		"finish":   {func(v *env) { sends(v, paid, "a", "done") }, flow.ErrUnanswered},
		"panic":    {func(v *env) { sends(v, paid, "a", "panic") }, flow.ErrUnanswered},
		"cancel":   {func(v *env) { v.do(flow.CancelRun{Target: flow.Ref{ID: "a"}}) }, flow.ErrUnanswered},
		"deadline": {func(v *env) { time.Sleep(2 * time.Hour) }, flow.ErrUnanswered},
		"shutdown": {func(v *env) { v.close() }, flow.ErrClosed},
		"replies":  {func(v *env) { sends(v, poke, "a", 1) }, nil},
	}
	for name, tc := range ends {
		for _, parked := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, parked %t", name, parked), func(t *testing.T) {
				bubble(t, typed(w), func(v *env) {
					if _, err := w.Start(v.ctx, v.e, 0, engine.StartOptions{ID: "a", Deadline: time.Hour}); err != nil {
						t.Fatal(err)
					}
					got := make(chan error, 1)
					go func() {
						_, err := hold.CallWith(v.ctx, v.e, "a", 1, engine.UpdateOptions{UpdateID: "h"})
						got <- err
					}()
					synctest.Wait()
					if parked {
						time.Sleep(time.Minute)
					}
					tc.end(v)
					synctest.Wait()
					select {
					case err := <-got:
						if !errors.Is(err, tc.want) || tc.want != nil && errors.Is(err, flow.ErrUnanswered) == errors.Is(err, flow.ErrNoReply) {
							t.Errorf("%v; want %v", err, tc.want)
						}
					default:
						t.Fatal("the caller still waits")
					}
					if name == "finish" {
						events := v.detail("a", flow.PartEvents).Events
						if left := events[len(events)-1].Left; left != "no reply to hold u1" {
							t.Errorf("the end says that it left %q", left)
						}
					}
				})
			})
		}
	}
}

func TestAnUpdateWaitsForItsHandlerAndForNothingElse(t *testing.T) {
	w := flowOf(func(ctx *engine.Context, _ int) (int, error) {
		if err := ctx.Sleep(time.Hour); err != nil {
			return 0, err
		}
		n := 0
		adding.Handle(ctx, func(_ *engine.Context, m int) (int, error) { n += m; return n, nil })
		return n, ctx.WaitUntil(func() bool { return n == 3 })
	})
	w.Updates = []engine.AnyUpdate{adding}
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 0)
		time.Sleep(time.Minute)
		ctx, cancel := context.WithTimeout(v.ctx, time.Minute)
		defer cancel()
		if _, err := adding.Call(ctx, v.e, "a", 1); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, flow.ErrNoReply) {
			t.Errorf("a call that ended before the handler was set: %v", err)
		}
		time.Sleep(time.Minute)
		if v.info().Live != 0 {
			t.Error("the run stays in memory for a caller that has gone")
		}
		calls(v, adding, "a", 3, engine.UpdateOptions{}, 3)
		wants(v, "a", 3)
	})
}
