package engine_test

import (
	"context"
	"errors"
	"maps"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine"
	"weft/flow"
	"weft/store"
)

// all are the rows of the store, but for those that only tell of looking.
func (v *env) all() map[string]string {
	v.Helper()
	rows := map[string]string{}
	for kv, err := range v.s.Scan(store.Range{}) {
		if err != nil {
			v.Fatal(err)
		}
		rows[string(kv.Key)] = string(kv.Value)
	}
	return rows
}

// A token that stands for nothing is refused with a typed error, and the store
// is as it was.
func TestATokenThatStandsForNothingChangesNothing(t *testing.T) {
	d := newDesk(engine.Activity[string, string]{Timeout: time.Hour, Retry: engine.Retry{MaxAttempts: 2, Initial: time.Minute}})
	other := engine.Activity[string, string]{Name: "other", Do: d.act.Do}
	tests := map[string]struct {
		before func(v *env, token flow.Token)
		token  func(flow.Token) flow.Token
		act    *engine.Activity[string, string]
	}{
		"nonsense":       {token: func(flow.Token) flow.Token { return "nonsense" }},
		"empty":          {token: func(flow.Token) flow.Token { return "" }},
		"cut short":      {token: func(k flow.Token) flow.Token { return k[:len(k)-1] }},
		"forged secret":  {token: func(k flow.Token) flow.Token { return forge(k, "AAAAAAAAAAAAAAAAAAAAAAAAAA") }},
		"other activity": {act: &other},
		"no such run": {token: func(k flow.Token) flow.Token {
			_, step, secret, _ := k.Parse()
			return flow.NewToken(flow.Ref{ID: "b", Run: "01ARZ3NDEKTSV4RRFFQ69G5FAV"}, step, secret)
		}},
		"repeated": {before: func(v *env, k flow.Token) {
			if err := d.act.Complete(v.ctx, v.e, k, "signed"); err != nil {
				v.Fatal(err)
			}
			synctest.Wait()
		}},
		"of an earlier attempt": {before: func(v *env, k flow.Token) {
			if err := d.act.Fail(v.ctx, v.e, k, errors.New("blot")); err != nil {
				v.Fatal(err)
			}
			time.Sleep(2 * time.Minute)
		}},
		"during the back-off": {before: func(v *env, k flow.Token) {
			if err := d.act.Fail(v.ctx, v.e, k, errors.New("blot")); err != nil {
				v.Fatal(err)
			}
			synctest.Wait()
		}},
		"after the time-out": {before: func(v *env, k flow.Token) { time.Sleep(time.Hour + 30*time.Second) }},
		"after the run was purged": {before: func(v *env, k flow.Token) {
			v.does(flow.CancelRun{Target: flow.Ref{ID: "a"}})
			v.does(flow.PurgeRun{Target: flow.Ref{ID: "a"}})
		}},
		"after a cancel": {before: func(v *env, k flow.Token) { v.does(flow.CancelRun{Target: flow.Ref{ID: "a"}}) }},
		"after the id was reused": {before: func(v *env, k flow.Token) {
			v.does(flow.CancelRun{Target: flow.Ref{ID: "a"}})
			v.does(flow.RestartRun{Target: flow.Ref{ID: "a"}})
			synctest.Wait()
		}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			d.tokens = notes[flow.Token]{}
			bubble(t, typed(d.workflow()), func(v *env) {
				begin(v, d.workflow(), "a", "x")
				token := d.token(v)
				if tc.before != nil {
					tc.before(v, token)
				}
				if tc.token != nil {
					token = tc.token(token)
				}
				act := d.act
				if tc.act != nil {
					act = *tc.act
				}
				time.Sleep(5 * time.Second)
				before := v.all()
				var typed *flow.TokenError
				for verb, err := range map[string]error{
					"complete":  act.Complete(v.ctx, v.e, token, "forged"),
					"fail":      act.Fail(v.ctx, v.e, token, errors.New("forged")),
					"heartbeat": act.Beat(v.ctx, v.e, token, "forged"),
				} {
					if !errors.As(err, &typed) || !errors.Is(err, flow.ErrToken) {
						t.Errorf("%s: %v", verb, err)
					}
				}
				synctest.Wait()
				if after := v.all(); !maps.Equal(before, after) {
					t.Errorf("the store changed from\n%q\nto\n%q", before, after)
				}
			})
		})
	}
}

// forge puts another secret into a token.
func forge(k flow.Token, secret string) flow.Token {
	ref, step, _, err := k.Parse()
	if err != nil {
		panic(err)
	}
	return flow.NewToken(ref, step, secret)
}

// does does an operator's deed.
func (v *env) does(deed flow.Deed) flow.Receipt {
	v.Helper()
	r, err := v.e.Operator().Do(v.ctx, flow.Act{Actor: "ana", Deed: deed})
	if err != nil {
		v.Fatalf("%s: %v", deed.Verb(), err)
	}
	return r
}

func TestTheTokenOfABranchThatLostIsWorthless(t *testing.T) {
	d := newDesk(engine.Activity[string, string]{})
	w := flowOf(func(ctx *engine.Context, _ int) (string, error) {
		s, _, err := engine.Race(ctx,
			func(ctx *engine.Context) (string, error) { return d.act.Run(ctx, "x") },
			func(ctx *engine.Context) (string, error) { return "slept", ctx.Sleep(time.Minute) })
		return s, errors.Join(err, ctx.Sleep(time.Hour))
	})
	bubble(t, typed(w), func(v *env) {
		begin(v, w, "a", 0)
		token := d.token(v)
		time.Sleep(2 * time.Minute)
		if err := d.act.Complete(v.ctx, v.e, token, "late"); !errors.Is(err, flow.ErrToken) {
			t.Errorf("got %v", err)
		}
		wants(v, "a", "slept")
	})
}

// Two who tell at once: one is acknowledged.
func TestOneOfManyWhoTellIsBelieved(t *testing.T) {
	d := newDesk(engine.Activity[string, string]{})
	lateBubble(t, typed(d.workflow()), func(v *env) {
		begin(v, d.workflow(), "a", "x")
		time.Sleep(2 * time.Second)
		token := d.token(v)
		var told notes[string]
		var all sync.WaitGroup
		for _, who := range []string{"ana", "ben", "cem", "dia"} {
			all.Go(func() {
				time.Sleep(v.dice(10 * time.Millisecond))
				switch err := d.act.Complete(v.ctx, v.e, token, who); {
				case err == nil:
					told.add(who)
				case !errors.Is(err, flow.ErrToken):
					t.Errorf("%s: %v", who, err)
				}
			})
		}
		got, err := ending[string](v, "a")
		all.Wait()
		if all := told.all(); err != nil || len(all) != 1 || all[0] != got {
			t.Errorf("acknowledged %q, result %q, %v", all, got, err)
		}
	})
}

func TestAnOperatorTellsOutcomes(t *testing.T) {
	type paper struct{ Pages int }
	var token flow.Token
	act := engine.Activity[int, paper]{Name: "print", Do: func(ctx context.Context, _ int) (p paper, err error) {
		if token, err = engine.CompleteLater(ctx); err == nil {
			err = engine.ErrLater
		}
		return p, err
	}, Retry: engine.Retry{MaxAttempts: 1}}
	w := flowOf(func(ctx *engine.Context, _ int) (int, error) { p, err := act.Run(ctx, 1); return p.Pages, err })
	for where, between := range map[string]func(*env){"live": func(*env) {}, "parked": func(*env) { time.Sleep(time.Minute) },
		"after a restart": (*env).restart} {
		t.Run(where, func(t *testing.T) {
			bubble(t, typed(w), func(v *env) {
				begin(v, w, "a", 0)
				synctest.Wait()
				between(v)
				_, err := v.e.Operator().Do(v.ctx, flow.Act{Deed: flow.CompleteActivity{Token: token, Output: flow.Payload(`{"Sheets":2}`)}})
				if !errors.Is(err, flow.ErrBadInput) {
					t.Errorf("a result that does not fit: %v", err)
				}
				v.does(flow.BeatActivity{Token: token, Details: flow.Payload(`"page 1"`)})
				r := v.does(flow.CompleteActivity{Token: token, Output: flow.Payload(`{"Pages":7}`)})
				if r.Ref.ID != "a" || r.Audit == 0 {
					t.Errorf("receipt %+v", r)
				}
				wants(v, "a", 7)
				page, err := v.e.Operator().Page(v.ctx, flow.Query{Of: flow.ListAudit})
				if err != nil || len(page.Audit) != 2 || page.Audit[0].Verb != "activity complete" || page.Audit[0].Actor != "ana" {
					t.Errorf("audit %+v, %v", page.Audit, err)
				}
				begin(v, w, "b", 0)
				synctest.Wait()
				v.does(flow.FailActivity{Token: token, Message: "jam", Code: "jam"})
				if _, err := ending[int](v, "b"); !errors.Is(err, engine.Code("jam")) {
					t.Errorf("b: %v", err)
				}
			})
		})
	}
}
