package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine"
	"weft/flow"
)

// trip is a world of bookings: what was done and undone, in order.
type trip struct {
	deeds notes[string]
	// fails is how often undoing each place fails; -1 is always.
	fails map[string]int
	undo  engine.Retry
	takes time.Duration // to undo one
	book  engine.Reversible[string, int]
	house engine.Activity[string, engine.Void] // the finalizer
}

func newTrip() *trip {
	p := &trip{fails: map[string]int{}}
	p.book = engine.Reversible[string, int]{
		Do: engine.Activity[string, int]{Name: "book", Do: func(_ context.Context, place string) (int, error) {
			if place == "full" {
				return 0, engine.Permanent(engine.Fail(soldOut, "no room"))
			}
			p.deeds.add("book " + place)
			return len(place), nil
		}},
		By: engine.Activity[engine.Undo[string, int], engine.Void]{Name: "unbook", Timeout: time.Minute,
			Do: func(ctx context.Context, u engine.Undo[string, int]) (engine.Void, error) {
				if u.Output != len(u.Input) {
					return engine.Void{}, fmt.Errorf("%s was booked as %d", u.Input, u.Output)
				}
				if p.fails[u.Input] != 0 {
					p.fails[u.Input]--
					p.deeds.add("fail " + u.Input)
					return engine.Void{}, engine.Fail(stubborn, "%s stays", u.Input)
				}
				time.Sleep(p.takes)
				p.deeds.add("unbook " + u.Input)
				return engine.Void{}, ctx.Err()
			}},
	}
	p.house = engine.Activity[string, engine.Void]{Name: "house", Do: func(_ context.Context, key string) (engine.Void, error) {
		p.deeds.add("house " + key)
		return engine.Void{}, nil
	}}
	return p
}

const (
	soldOut  engine.Code = "sold-out"
	stubborn engine.Code = "stubborn"
)

// workflow books the places in one saga and then waits, within it.
func (p *trip) workflow(wait time.Duration) engine.Workflow[[]string, string] {
	p.book.By.Retry = p.undo
	w := flowOf(func(ctx *engine.Context, places []string) (string, error) {
		if slices.Contains(places, "house") {
			if err := engine.SetFinalizerState(ctx, p.house, "key"); err != nil {
				return "", err
			}
		}
		return engine.Saga(ctx, func(ctx *engine.Context) (string, error) {
			for _, place := range places {
				if place == "house" {
					continue
				}
				if _, err := p.book.Run(ctx, place); err != nil {
					return "", err
				}
			}
			return "booked", ctx.Sleep(wait)
		})
	})
	w.Finalizer, w.Compensations = p.house, []engine.Finalizer{p.book.By}
	return w
}

// wanted compares what was done.
func (p *trip) wanted(t *testing.T, want string) {
	t.Helper()
	if got := strings.Join(p.deeds.all(), ", "); got != want {
		t.Errorf("done: %s\nwant: %s", got, want)
	}
}

// booked starts the run and waits until its saga is open.
func (p *trip) booked(v *env, w engine.Workflow[[]string, string], places ...string) {
	v.Helper()
	begin(v, w, "a", places)
	time.Sleep(10 * time.Second)
}

func TestAFailedSagaIsUndoneNewestFirst(t *testing.T) {
	for name, between := range map[string]func(*env){"undisturbed": func(*env) {}, "crash during a back-off": (*env).crash} {
		t.Run(name, func(t *testing.T) {
			p := newTrip()
			p.fails["train"] = 2 // of three attempts
			p.undo = engine.Retry{Initial: time.Minute}
			w := p.workflow(0)
			bubble(t, typed(w), func(v *env) {
				begin(v, w, "a", []string{"train", "boat", "full", "inn"})
				time.Sleep(30 * time.Second)
				between(v)
				if _, err := ending[string](v, "a"); !errors.Is(err, soldOut) {
					t.Errorf("got %v", err)
				}
				p.wanted(t, "book train, book boat, unbook boat, fail train, fail train, unbook train")
				if n := v.rows("wf-saga:") + v.rows("wf-teardown"); n != 0 {
					t.Errorf("%d rows are left", n)
				}
			})
		})
	}
}

func TestASagaThatSucceedsOwesNothing(t *testing.T) {
	p := newTrip()
	w := p.workflow(0)
	inner := w.Do
	w.Do = func(ctx *engine.Context, places []string) (string, error) {
		s, err := inner(ctx, places)
		return s, errors.Join(err, ctx.Sleep(time.Hour))
	}
	bubble(t, typed(w), func(v *env) {
		p.booked(v, w, "train", "boat")
		if n := v.rows("wf-saga:"); n != 0 {
			t.Errorf("%d compensations are recorded after the saga's end", n)
		}
		v.does(flow.CancelRun{Target: flow.Ref{ID: "a"}})
		time.Sleep(time.Hour)
		p.wanted(t, "book train, book boat")
	})
}

// A cancel, or a deadline, meets an open saga: what it did is undone, newest
// first, one at a time, and the finalizer comes last.
func TestF082AnOpenSagaIsOwedWhenItsRunIsEnded(t *testing.T) {
	for name, end := range map[string]func(*env){
		"cancel":               func(v *env) { v.does(flow.CancelRun{Target: flow.Ref{ID: "a"}}) },
		"cancel of the parked": func(v *env) { time.Sleep(time.Minute); v.does(flow.CancelRun{Target: flow.Ref{ID: "a"}}) },
		"cancel after a crash": func(v *env) { v.crash(); v.does(flow.CancelRun{Target: flow.Ref{ID: "a"}}) },
		"cancel while suspended": func(v *env) {
			v.does(flow.SuspendRun{Target: flow.Ref{ID: "a"}})
			v.crash()
			v.does(flow.CancelRun{Target: flow.Ref{ID: "a"}})
		},
		"deadline": func(v *env) { time.Sleep(3 * time.Hour) },
	} {
		t.Run(name, func(t *testing.T) {
			p := newTrip()
			p.fails["boat"] = 2
			w := p.workflow(100 * time.Hour)
			bubble(t, typed(w), func(v *env) {
				if _, err := w.Start(v.ctx, v.e, []string{"house", "train", "boat", "inn"}, engine.StartOptions{ID: "a", Deadline: 2 * time.Hour}); err != nil {
					v.Fatal(err)
				}
				time.Sleep(10 * time.Second)
				if got := v.detail("a", flow.PartSummary).Compensations; len(got) != 3 {
					t.Errorf("open: %q", got)
				}
				end(v)
				time.Sleep(30 * time.Second)
				if strings.HasPrefix(name, "cancel") {
					page, err := v.e.Operator().Page(v.ctx, flow.Query{Of: flow.ListTeardowns})
					if err != nil || len(page.Teardowns) != 1 || page.Teardowns[0].Piece != 2 || page.Teardowns[0].Pieces != 4 ||
						page.Teardowns[0].Attempts != 1 || page.Teardowns[0].Finalizer != "unbook" {
						t.Errorf("teardowns %+v, %v", page.Teardowns, err)
					}
				}
				time.Sleep(10 * time.Minute)
				p.wanted(t, "book train, book boat, book inn, unbook inn, fail boat, fail boat, unbook boat, unbook train, house key")
				if n := v.rows("wf-saga:") + v.rows("wf-teardown") + v.rows("wf-finalizer-state:"); n != 0 {
					t.Errorf("%d rows are left", n)
				}
			})
		})
	}
}

// A compensation that fails for good is told with the cause, the others are made
// all the same, and when the run fails it is owed, until it is a dead letter.
func TestACompensationThatFailsForGoodIsNotSwallowed(t *testing.T) {
	p := newTrip()
	p.fails["boat"], p.undo = -1, engine.Retry{MaxAttempts: 2}
	w := p.workflow(0)
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", []string{"train", "boat", "inn", "full"})
		_, err := ending[string](v, "a")
		if f := failureIn(v, err); !errors.Is(err, soldOut) || f.Message != "no room; not undone: unbook: boat stays" {
			t.Errorf("got %v", err)
		}
		if got := strings.Join(p.deeds.all()[:7], ", "); got != "book train, book boat, book inn, unbook inn, fail boat, fail boat, unbook train" {
			t.Errorf("done: %s", got)
		}
		time.Sleep(5 * time.Hour)
		page, err := v.e.Operator().Page(v.ctx, flow.Query{Of: flow.ListDead})
		if err != nil || len(page.Dead) != 1 || page.Dead[0].Finalizer != "unbook" || page.Dead[0].Attempts != 8 ||
			string(page.Dead[0].Input) != `{"input":"boat","output":4}` {
			t.Errorf("dead %+v, %v", page.Dead, err)
		}
		p.fails["boat"] = 0
		v.does(flow.Redrive{Target: flow.Ref{ID: "a"}})
		time.Sleep(time.Minute)
		if all := p.deeds.all(); all[len(all)-1] != "unbook boat" {
			t.Errorf("after the redrive: %q", all)
		}
	})
}

// The code sees every error, and may go on: then the run owes nothing.
func TestCodeThatHandlesASagaErrorDecides(t *testing.T) {
	p := newTrip()
	p.fails["boat"], p.fails["inn"], p.undo = -1, -1, engine.Retry{MaxAttempts: 1}
	w := p.workflow(0)
	inner := w.Do
	w.Do = func(ctx *engine.Context, places []string) (string, error) {
		_, err := inner(ctx, places)
		var s *engine.SagaError
		if !errors.As(err, &s) || len(s.Undo) != 2 || !errors.Is(s.Undo[0].Err, stubborn) ||
			!errors.Is(err, stubborn) || !errors.Is(err, soldOut) {
			return "", fmt.Errorf("unexpected: %w", err)
		}
		return "handled", nil
	}
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", []string{"train", "boat", "inn", "full"})
		wants(v, "a", "handled")
		p.wanted(t, "book train, book boat, book inn, fail inn, fail boat, unbook train")
		if n := v.rows("wf-saga:") + v.rows("wf-teardown"); n != 0 {
			t.Errorf("%d rows are left", n)
		}
	})
}

// A piece that is given up stops the teardown there; a redrive goes on with it,
// a discard with the next.
func TestADeadLetterOfAPieceHoldsThePlace(t *testing.T) {
	for verb, deed := range map[string]flow.Deed{"redrive": flow.Redrive{Target: flow.Ref{ID: "a"}}, "discard": flow.Discard{Target: flow.Ref{ID: "a"}},
		"redrive with input": flow.Redrive{Target: flow.Ref{ID: "a"}, Input: flow.Payload(`{"input":"ship","output":4}`)}} {
		t.Run(verb, func(t *testing.T) {
			p := newTrip()
			p.fails["boat"] = flow.MaxTeardownAttempts
			w := p.workflow(100 * time.Hour)
			bubble(t, typed(w), func(v *env) {
				p.booked(v, w, "house", "train", "boat", "inn")
				v.does(flow.CancelRun{Target: flow.Ref{ID: "a"}})
				time.Sleep(5 * time.Hour)
				page, err := v.e.Operator().Page(v.ctx, flow.Query{Of: flow.ListDead})
				if err != nil || len(page.Dead) != 1 || page.Dead[0].Piece != 2 || page.Dead[0].Pieces != 4 {
					v.Fatalf("dead %+v, %v", page.Dead, err)
				}
				v.does(flow.PurgeRun{Target: flow.Ref{ID: "a"}}) // it needs the run no more
				v.crash()
				before := len(p.deeds.all())
				v.does(deed)
				time.Sleep(time.Minute)
				got := strings.Join(p.deeds.all()[before:], ", ")
				if want := map[string]string{"redrive": "unbook boat, unbook train, house key", "discard": "unbook train, house key",
					"redrive with input": "unbook ship, unbook train, house key"}[verb]; got != want {
					t.Errorf("done: %s\nwant: %s", got, want)
				}
			})
		})
	}
}

func TestSagasWithinSagasAndBranches(t *testing.T) {
	tests := map[string]struct {
		do   func(p *trip, ctx *engine.Context) error
		want string
	}{
		"an inner saga that fails is undone alone": {func(p *trip, ctx *engine.Context) error {
			return p.inner(ctx, "train", "full")
		}, "book air, book train, unbook train, unbook air"},
		"the outer saga goes on when the inner one's failure is handled": {func(p *trip, ctx *engine.Context) error {
			if err := p.inner(ctx, "train", "full"); !errors.Is(err, soldOut) {
				return err
			}
			return p.inner(ctx, "boat")
		}, "book air, book train, unbook train, book boat"},
		"an inner saga that succeeded is undone with the outer one": {func(p *trip, ctx *engine.Context) error {
			return errors.Join(p.inner(ctx, "train", "boat"), p.one(ctx, "full"))
		}, "book air, book train, book boat, unbook boat, unbook train, unbook air"},
		"branches": {func(p *trip, ctx *engine.Context) error {
			_, err := engine.All(ctx,
				func(ctx *engine.Context) (int, error) {
					return 0, errors.Join(ctx.Sleep(2*time.Second), p.one(ctx, "slow"))
				},
				func(ctx *engine.Context) (int, error) { return 0, p.inner(ctx, "fast") })
			return errors.Join(err, p.one(ctx, "full"))
		}, "book air, book fast, book slow, unbook slow, unbook fast, unbook air"},
		"an inner saga that ends after a later step of the outer one": {func(p *trip, ctx *engine.Context) error {
			_, err := engine.All(ctx,
				func(ctx *engine.Context) (int, error) {
					_, err := engine.Saga(ctx, func(ctx *engine.Context) (int, error) {
						return 0, errors.Join(p.one(ctx, "train"), ctx.Sleep(time.Minute))
					})
					return 0, err
				},
				func(ctx *engine.Context) (int, error) {
					return 0, errors.Join(ctx.Sleep(time.Second), p.one(ctx, "boat"))
				})
			return errors.Join(err, p.one(ctx, "full"))
		}, "book air, book train, book boat, unbook boat, unbook train, unbook air"},
		"a panic": {func(p *trip, ctx *engine.Context) error { panic("no") }, "book air, unbook air"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			p := newTrip()
			w := p.workflow(0)
			w.Do = func(ctx *engine.Context, _ []string) (string, error) {
				return engine.Saga(ctx, func(ctx *engine.Context) (string, error) {
					return "done", errors.Join(p.one(ctx, "air"), tc.do(p, ctx))
				})
			}
			bubble(t, typed(w), func(v *env) {
				begin(v, w, "a", nil)
				_, err := ending[string](v, "a")
				p.wanted(t, tc.want)
				if n := v.rows("wf-saga:"); n != 0 {
					t.Errorf("%d rows are left; %v", n, err)
				}
			})
		})
	}
}

func (p *trip) one(ctx *engine.Context, place string) error {
	_, err := p.book.Run(ctx, place)
	return err
}

func (p *trip) inner(ctx *engine.Context, places ...string) error {
	_, err := engine.Saga(ctx, func(ctx *engine.Context) (int, error) {
		for _, place := range places {
			if err := p.one(ctx, place); err != nil {
				return 0, err
			}
		}
		return 0, nil
	})
	return err
}

func TestASagaSaysWhatIsMissing(t *testing.T) {
	p := newTrip()
	bare := p.workflow(0)
	bare.Compensations = nil
	bubble(t, typed(bare), func(v *env) {
		begin(v, bare, "a", []string{"train"})
		_, err := ending[string](v, "a")
		if f := failureIn(v, err); !strings.Contains(f.Message, "does not name it in Compensations") {
			t.Errorf("got %v", err)
		}
	})
	outside := p.workflow(0)
	outside.Do = func(ctx *engine.Context, _ []string) (string, error) { return "", p.one(ctx, "train") }
	bubble(t, typed(outside), func(v *env) {
		begin(v, outside, "a", nil)
		if _, err := ending[string](v, "a"); !errors.Is(err, engine.CodeMisuse) {
			t.Errorf("outside of a saga: %v", err)
		}
		synctest.Wait()
		p.wanted(t, "")
	})
	twice := p.workflow(0)
	twice.Compensations = append(twice.Compensations, p.book.By)
	bubble(t, engine.Options{}, func(v *env) {
		_, err := engine.Open(v.ctx, v.s, typed(twice))
		if err == nil || !strings.Contains(err.Error(), "are called unbook") {
			t.Errorf("two of one name: %v", err)
		}
	})
}
