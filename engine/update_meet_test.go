package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine"
	"weft/flow"
	"weft/store"
	"weft/store/memory"
)

// chainOf is a chain whose runs each take one update, the number of the run, and
// hand the sum on.
func chainOf(last int) engine.Workflow[[]int, string] {
	self := engine.WorkflowRef[[]int, string]{Name: "w"}
	w := flowOf(func(ctx *engine.Context, got []int) (string, error) {
		before := len(got)
		adding.HandleWith(ctx, func(ctx *engine.Context, n int) (int, error) {
			got = append(got, n)
			return n, ctx.Sleep(time.Second)
		}, engine.HandleOptions[int]{Validate: func(n int) error {
			if n != len(got)+1 || len(got) > before {
				return fmt.Errorf("%d is not the next", n)
			}
			return nil
		}})
		if err := ctx.WaitUntil(func() bool { return len(got) > before }); err != nil {
			return "", err
		}
		if err := ctx.FinishHandlers(); err != nil || len(got) == last {
			return fmt.Sprint(got), err
		}
		return self.ContinueAsNew(ctx, got, engine.ContinueOptions{})
	})
	w.Updates = []engine.AnyUpdate{adding}
	return w
}

// A process dies at each commit of a chain that takes an update in each run: what
// was accepted is in the state that goes over, once, and a caller who was told
// nothing finds out by asking again.
func TestACrashAtEveryCommitOfAChainLosesNoAcceptedUpdate(t *testing.T) {
	for _, when := range []memory.Moment{memory.Before, memory.After} {
		for k, hit := 1, true; hit; k++ {
			t.Run(fmt.Sprintf("commit %d, moment %d", k, when), func(t *testing.T) {
				w := chainOf(3)
				hit = false
				bubble(t, typed(w), func(v *env) {
					begin(v, w, "a", nil)
					synctest.Wait()
					v.s.FailCommit(k, when)
					for n := 1; n <= 3; n++ {
						got, err := adding.CallWith(v.ctx, v.e, "a", n, engine.UpdateOptions{UpdateID: fmt.Sprint("u", n)})
						for err != nil && v.s.Health().State == store.Failed {
							hit = true
							v.crash()
							got, err = adding.CallWith(v.ctx, v.e, "a", n, engine.UpdateOptions{UpdateID: fmt.Sprint("u", n)})
						}
						// The next run refuses it, or it continued while we looked:
						// then it is in what went over.
						gone := errors.Is(err, flow.ErrRejected) || errors.Is(err, flow.ErrUnanswered)
						if err == nil && got != n || err != nil && !gone {
							t.Errorf("update %d: %d, %v", n, got, err)
						}
					}
					if v.s.Health().State == store.Failed { // in the end itself
						hit = true
						v.crash()
					}
					v.s.FailCommit(0, when)
					wants(v, "a", "[1 2 3]")
					if n := v.rows("upd:"); n != 1 {
						t.Errorf("%d rows of updates, want that of the last run", n)
					}
				})
			})
		}
	}
}

// lookingStore takes its time before it looks.
type lookingStore struct {
	*memory.Store
	pause atomic.Int64 // as a duration
}

func (s *lookingStore) Snapshot() (store.Snapshot, error) {
	time.Sleep(time.Duration(s.pause.Load()))
	return s.Store.Snapshot()
}

// A run may reply and continue as new while the caller looks for the reply: he
// has it all the same.
func TestAReplyReachesACallerWhoLooksAsTheRunContinues(t *testing.T) {
	bubble(t, typed(), func(v *env) {
		v.close()
		w := chainOf(2)
		s := &lookingStore{Store: v.s}
		e, err := engine.Open(v.ctx, s, engine.Options{Workflows: []engine.Definition{w}, LeaseTTL: 1000 * time.Hour, LeaseRenew: 300 * time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		v.e = e
		begin(v, w, "a", nil)
		synctest.Wait()
		s.pause.Store(int64(time.Minute))
		calls(v, adding, "a", 1, engine.UpdateOptions{}, 1)
		s.pause.Store(0)
		calls(v, adding, "a", 2, engine.UpdateOptions{}, 2)
		wants(v, "a", "[1 2]")
	})
}

// A handler that a branch has set goes on when the branch loses its race, and
// what it does within a race of its own is replayed with it.
func TestAnUpdateOutlivesTheBranchThatTookIt(t *testing.T) {
	quick := engine.Activity[int, int]{Name: "quick", Do: func(_ context.Context, n int) (int, error) { return n, nil }}
	w := flowOf(func(ctx *engine.Context, _ int) (string, error) {
		got := 0
		_, won, err := engine.Race(ctx,
			func(ctx *engine.Context) (int, error) {
				adding.Handle(ctx, func(ctx *engine.Context, n int) (int, error) {
					out, _, err := engine.Race(ctx,
						func(ctx *engine.Context) (int, error) { return 0, ctx.Sleep(forever) },
						func(ctx *engine.Context) (int, error) {
							if err := ctx.Sleep(time.Hour); err != nil {
								return 0, err
							}
							return quick.Run(ctx, n)
						})
					got += out
					return got, err
				})
				return 0, ctx.WaitUntil(func() bool { return got > 100 })
			},
			func(ctx *engine.Context) (int, error) { return poke.Wait(ctx) })
		if err != nil {
			return "", err
		}
		if err := ctx.WaitUntil(func() bool { return got >= 3 && ctx.HandlersDone() }); err != nil {
			return "", err
		}
		return fmt.Sprint(won, got), nil
	})
	w.Updates = []engine.AnyUpdate{adding}
	for at := range 4 { // when the process dies
		t.Run(fmt.Sprint("crash ", at), func(t *testing.T) {
			bubble(t, typed(w), func(v *env) {
				mayDie := func(n int) {
					synctest.Wait()
					if at == n {
						v.crash()
					}
				}
				begin(v, w, "a", 0)
				first, err := adding.Begin(v.ctx, v.e, "a", 1, engine.UpdateOptions{UpdateID: "one"})
				if err != nil {
					t.Fatal(err)
				}
				mayDie(0)
				sends(v, poke, "a", 7)
				mayDie(1)
				time.Sleep(2 * time.Hour)
				mayDie(2)
				calls(v, adding, "a", 2, engine.UpdateOptions{UpdateID: "two"}, 3)
				calls(v, adding, "a", 1, engine.UpdateOptions{UpdateID: first.UpdateID()}, 1)
				mayDie(3)
				wants(v, "a", "1 3")
				if err := engine.Replay(v.ctx, typed(w), flow.JournalOf(v.detail("a", flow.PartEvents))); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// Under a suspension both attempts of a handler's race go on and are recorded,
// and the update is replied to after the resume, once, to the caller who still
// waits.
func TestAnAcceptedUpdateIsAnsweredAfterASuspension(t *testing.T) {
	for _, died := range []bool{false, true} {
		t.Run(fmt.Sprint("the process died: ", died), func(t *testing.T) {
			var made notes[int]
			slow := engine.Activity[int, int]{Name: "slow", Do: func(ctx context.Context, n int) (int, error) {
				made.add(n)
				time.Sleep(time.Duration(n) * time.Minute)
				return n, nil
			}}
			w := flowOf(func(ctx *engine.Context, _ int) (int, error) {
				got := 0
				adding.Handle(ctx, func(ctx *engine.Context, n int) (int, error) {
					out, _, err := engine.Race(ctx,
						func(ctx *engine.Context) (int, error) { return slow.Run(ctx, n) },
						func(ctx *engine.Context) (int, error) { return slow.Run(ctx, n+1) })
					got += out
					return got, err
				})
				return got, ctx.WaitUntil(func() bool { return got > 0 && ctx.HandlersDone() })
			})
			w.Updates = []engine.AnyUpdate{adding}
			bubble(t, typed(w), func(v *env) {
				begin(v, w, "a", 0)
				target := flow.Ref{ID: "a"}
				got := make(chan error, 1)
				go func() {
					ctx, cancel := context.WithTimeout(v.ctx, 24*time.Hour)
					defer cancel()
					n, err := adding.CallWith(ctx, v.e, "a", 1, engine.UpdateOptions{UpdateID: "u"})
					if err == nil && n != 1 {
						err = fmt.Errorf("replied %d", n)
					}
					got <- err
				}()
				synctest.Wait()
				v.do(flow.SuspendRun{Target: target})
				if _, err := adding.Call(v.ctx, v.e, "a", 5); !errors.Is(err, flow.ErrUnreachable) {
					t.Errorf("a new update of a suspended run: %v", err)
				}
				time.Sleep(time.Hour)
				if died {
					v.crash()
					if err := <-got; !errors.Is(err, flow.ErrNoReply) {
						t.Errorf("the caller was told %v", err)
					}
				}
				v.do(flow.ResumeRun{Target: target})
				calls(v, adding, "a", 1, engine.UpdateOptions{UpdateID: "u"}, 1)
				if !died {
					if err := <-got; err != nil {
						t.Error(err)
					}
				}
				wants(v, "a", 1)
				if n := made.len(); n != 2 {
					t.Errorf("%d attempts were made, want 2", n)
				}
			})
		})
	}
}

// A handler books in a saga and then waits for somebody outside; the process may
// die at any commit.
func TestASagaInAHandlerAndACancelAtEveryCommit(t *testing.T) {
	for _, when := range []memory.Moment{memory.Before, memory.After} {
		for k, hit := 1, true; hit; k++ {
			t.Run(fmt.Sprintf("commit %d, moment %d", k, when), func(t *testing.T) {
				hit = sagaInHandler(t, func(s *memory.Store) { s.FailCommit(k, when) })
			})
		}
	}
}

// sagaInHandler calls an update twice: the first is told its outcome from outside,
// the run is cancelled during the second.
func sagaInHandler(t *testing.T, plan func(*memory.Store)) (hit bool) {
	d, p := newDesk(engine.Activity[string, string]{}), newTrip()
	p.takes = 0
	move := engine.Update[string, string]{Name: "move"}
	w := flowOf(func(ctx *engine.Context, _ int) (int, error) {
		move.Handle(ctx, func(ctx *engine.Context, place string) (string, error) {
			return engine.Saga(ctx, func(ctx *engine.Context) (string, error) {
				if _, err := p.book.Run(ctx, place); err != nil {
					return "", err
				}
				return d.act.Run(ctx, place)
			})
		})
		return 0, ctx.WaitUntil(func() bool { return false })
	})
	w.Updates, w.Compensations = []engine.AnyUpdate{move}, []engine.Finalizer{p.book.By}
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 0)
		synctest.Wait()
		plan(v.s)
		again := func(do func() error) {
			err := do()
			for err != nil && v.s.Health().State == store.Failed {
				hit = true
				v.crash()
				time.Sleep(time.Minute)
				err = do()
			}
			if err != nil {
				t.Error(err)
			}
		}
		begun := func(place string) (r engine.Reply[string]) {
			again(func() (err error) {
				r, err = move.Begin(v.ctx, v.e, "a", place, engine.UpdateOptions{UpdateID: place})
				return err
			})
			again(func() error { time.Sleep(time.Minute); return v.e.Err() })
			return r
		}
		begun("inn")
		again(func() error {
			err := d.act.Complete(v.ctx, v.e, d.token(v), "key")
			if errors.As(err, new(*flow.TokenError)) {
				err = nil // it was told before the process died
			}
			return err
		})
		again(func() error {
			got, err := move.CallWith(v.ctx, v.e, "a", "inn", engine.UpdateOptions{UpdateID: "inn"})
			if err == nil && got != "key" {
				t.Errorf("replied %q", got)
			}
			return err
		})
		begun("boat")
		again(func() error {
			_, err := v.e.Operator().Do(v.ctx, flow.Act{Actor: "ana", Deed: flow.CancelRun{Target: flow.Ref{ID: "a"}}})
			if errors.Is(err, flow.ErrFinished) {
				err = nil // it was done before the process died
			}
			return err
		})
		again(func() error { time.Sleep(time.Hour); return v.e.Err() })
		v.s.FailCommit(0, memory.Before)
		if _, err := move.CallWith(v.ctx, v.e, "a", "boat", engine.UpdateOptions{UpdateID: "boat"}); !errors.Is(err, flow.ErrUnanswered) {
			t.Errorf("the second caller was told %v", err)
		}
		undone := slices.DeleteFunc(p.deeds.all(), func(s string) bool { return s[0] == 'b' })
		if undone = slices.Compact(undone); !slices.Equal(undone, []string{"unbook boat"}) {
			t.Errorf("undone: %q", undone)
		}
		if n := v.rows("wf-saga:") + v.rows("async-act:") + v.rows("wf-teardown"); n != 0 {
			t.Errorf("%d rows are left", n)
		}
	})
	return hit
}
