package engine_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"testing/synctest"

	"weft/engine"
	"weft/flow"
)

// limit is Options.MaxPayload in these tests.
const limit = 1000

// ofSize is a text that takes so many bytes as JSON.
func ofSize(bytes int) string { return strings.Repeat("x", bytes-2) }

// tooLarge reports whether err is that of a payload one byte above the limit: the
// typed one, or the failure that holds its text.
func tooLarge(err error) bool {
	var typed *flow.LimitError
	if errors.As(err, &typed) {
		return *typed == flow.LimitError{Limit: "bytes of a payload", Got: limit + 1, Max: limit}
	}
	return errors.Is(err, engine.CodeEncoding) && strings.Contains(err.Error(), "bytes of a payload: 1001, at most 1000")
}

func limited(defs ...engine.Definition) engine.Options {
	o := typed(defs...)
	o.MaxPayload = limit
	return o
}

var (
	word    = engine.Signal[string]{Name: "word"}
	talk    = engine.Update[string, int]{Name: "talk"}
	echo    = engine.Query[string, int]{Name: "echo"}
	counted = engine.Activity[string, int]{Name: "counted", Do: func(_ context.Context, s string) (int, error) { return len(s), nil }}
)

// listener takes an input and everything that can be sent to a run, and waits in an
// activity whose outcome comes from outside.
func listener(d *desk) engine.Workflow[string, string] {
	return engine.Workflow[string, string]{Name: "listener", Signals: []engine.Message{word},
		Updates: []engine.AnyUpdate{talk}, Queries: []engine.AnyQuery{echo},
		Do: func(ctx *engine.Context, _ string) (string, error) {
			talk.Handle(ctx, func(_ *engine.Context, s string) (int, error) { return len(s), nil })
			echo.Answer(ctx, func(s string) (int, error) { return len(s), nil })
			return d.act.Run(ctx, "sign")
		}}
}

// letters are the ways in which somebody outside gives a payload to the listener
// "a", or starts one, "b".
func letters(d *desk) map[string]func(v *env, text string) error {
	w := listener(d)
	a := flow.Ref{ID: "a"}
	raw := func(text string) flow.Payload { return flow.Payload(`"` + text + `"`) }
	deed := func(v *env, d flow.Deed) error {
		_, err := v.e.Operator().Do(v.ctx, flow.Act{Actor: "ana", Deed: d})
		return err
	}
	both := func(v *env, id flow.WorkflowID, in, payload string) error {
		_, _, err := engine.StartOrSignal(v.ctx, v.e, w, in, engine.StartOptions{ID: id}, word, payload, engine.SendOptions{})
		return err
	}
	return map[string]func(v *env, text string) error{
		"start": func(v *env, text string) error {
			_, err := w.Start(v.ctx, v.e, text, engine.StartOptions{ID: "b"})
			return err
		},
		"start, as a deed":        func(v *env, text string) error { return deed(v, flow.Start{Type: w.Name, ID: "b", Input: raw(text)}) },
		"start with a signal":     func(v *env, text string) error { return both(v, "b", text, "") },
		"the signal of a start":   func(v *env, text string) error { return both(v, "b", "", text) },
		"the signal in its place": func(v *env, text string) error { return both(v, "a", "", text) },
		"signal":                  func(v *env, text string) error { return word.Send(v.ctx, v.e, "a", text) },
		"signal, as a deed": func(v *env, text string) error {
			return deed(v, flow.SendSignal{Target: a, Name: "word", Payload: raw(text)})
		},
		"signal, forced": func(v *env, text string) error {
			return deed(v, flow.SendSignal{Target: a, Name: "other", Payload: raw(text), Force: true})
		},
		"update": func(v *env, text string) error {
			_, err := talk.Call(v.ctx, v.e, "a", text)
			return err
		},
		"update that nobody waits for": func(v *env, text string) error {
			_, err := talk.Begin(v.ctx, v.e, "a", text, engine.UpdateOptions{})
			return err
		},
		"update, as a deed": func(v *env, text string) error {
			return deed(v, flow.CallUpdate{Target: a, Name: "talk", Input: raw(text)})
		},
		"query": func(v *env, text string) error {
			_, err := echo.Ask(v.ctx, v.e, "a", text)
			return err
		},
		"query of an operator": func(v *env, text string) error {
			_, err := v.e.Operator().Ask(v.ctx, flow.Ask{Target: a, Name: "echo", Input: raw(text)})
			return err
		},
		"outcome from outside": func(v *env, text string) error { return d.act.Complete(v.ctx, v.e, d.token(v), text) },
		"outcome, as a deed": func(v *env, text string) error {
			return deed(v, flow.CompleteActivity{Token: d.token(v), Output: raw(text)})
		},
		"heartbeat from outside": func(v *env, text string) error { return d.act.Beat(v.ctx, v.e, d.token(v), text) },
		"heartbeat, as a deed": func(v *env, text string) error {
			return deed(v, flow.BeatActivity{Token: d.token(v), Details: raw(text)})
		},
	}
}

// TestAPayloadFromOutsideAboveTheLimitIsRefused and changes nothing; the run takes
// the next one, which is as large as is allowed.
func TestAPayloadFromOutsideAboveTheLimitIsRefused(t *testing.T) {
	for name := range letters(newDesk(engine.Activity[string, string]{})) {
		t.Run(name, func(t *testing.T) {
			d := newDesk(engine.Activity[string, string]{})
			give := letters(d)[name]
			bubble(t, limited(listener(d)), func(v *env) {
				begin(v, listener(d), "a", "")
				synctest.Wait()
				before := v.dump()
				var typed *flow.LimitError
				if err := give(v, ofSize(limit+1)); !errors.As(err, &typed) || !tooLarge(err) {
					v.Errorf("one byte too much: %v", err)
				}
				synctest.Wait()
				if after := v.dump(); !maps.Equal(before, after) {
					v.Errorf("what was refused left its mark: %d rows in place of %d", len(after), len(before))
				}
				if err := give(v, ofSize(limit)); err != nil {
					v.Errorf("as much as is allowed: %v", err)
				}
			})
		})
	}
}

// product is what code gives, in one of the ways there are: each gives the text,
// and answers how that went.
type product struct {
	give func(ctx *engine.Context, text string) error
	more func(w *engine.Workflow[string, string]) // what its type has to declare
}

func products() map[string]product {
	hold := engine.Activity[string, engine.Void]{Name: "hold", Do: func(context.Context, string) (engine.Void, error) { return engine.Void{}, nil }}
	unhold := engine.Activity[engine.Undo[string, string], engine.Void]{Name: "unhold",
		Do: func(context.Context, engine.Undo[string, string]) (engine.Void, error) { return engine.Void{}, nil }}
	made := func(text string) engine.Activity[string, string] {
		return engine.Activity[string, string]{Name: "made", Do: func(context.Context, string) (string, error) { return text, nil }}
	}
	saga := func(ctx *engine.Context, in, out string) error {
		_, err := engine.Saga(ctx, func(ctx *engine.Context) (string, error) {
			return engine.Reversible[string, string]{Do: made(out), By: unhold}.Run(ctx, in)
		})
		return err
	}
	undone := func(w *engine.Workflow[string, string]) { w.Compensations = []engine.Finalizer{unhold} }
	return map[string]product{
		"the input of an activity": {give: func(ctx *engine.Context, text string) error {
			_, err := counted.Run(ctx, text)
			return err
		}},
		"the result of an activity": {give: func(ctx *engine.Context, text string) error {
			_, err := made(text).Run(ctx, "")
			return err
		}},
		"the details of a heartbeat": {give: func(ctx *engine.Context, text string) error {
			beats := engine.Activity[string, int]{Name: "beats", Do: func(ctx context.Context, _ string) (int, error) {
				err := engine.Heartbeat(ctx, text)
				if tooLarge(err) {
					return 0, engine.Permanent(engine.Fail(engine.CodeEncoding, "%v", err))
				}
				return 0, err
			}}
			_, err := beats.Run(ctx, "")
			return err
		}},
		"a memo": {give: func(ctx *engine.Context, text string) error {
			_, err := engine.Memo(ctx, "made", func() (string, error) { return text, nil })
			return err
		}},
		"the input of a child": {give: func(ctx *engine.Context, text string) error {
			_, err := engine.WorkflowRef[string, int]{Name: "child"}.RunChild(ctx, text, engine.ChildOptions{})
			return err
		}},
		"the input of a step that can be undone":  {func(ctx *engine.Context, text string) error { return saga(ctx, text, "") }, undone},
		"the result of a step that can be undone": {func(ctx *engine.Context, text string) error { return saga(ctx, "", text) }, undone},
		"state for the finalizer": {func(ctx *engine.Context, text string) error {
			err := engine.SetFinalizerState(ctx, hold, text)
			var typed *flow.LimitError
			if err != nil && !errors.As(err, &typed) {
				return fmt.Errorf("not typed: %v", err)
			}
			return err
		}, func(w *engine.Workflow[string, string]) { w.Finalizer = hold }},
	}
}

// maker is a workflow that gives texts as the product does, and answers how often
// that was refused. In between it waits.
func maker(p product, texts ...string) engine.Workflow[string, string] {
	w := flowOf(func(ctx *engine.Context, _ string) (string, error) {
		refused := 0
		for _, text := range texts {
			switch err := p.give(ctx, text); {
			case err == nil:
			case tooLarge(err):
				refused++
				if _, err := engine.Memo(ctx, "refused", func() (int, error) { return refused, nil }); err != nil {
					return "", err
				}
			default:
				return "", err
			}
		}
		// State for a finalizer is recorded with the next step only.
		if _, err := engine.Memo(ctx, "given", func() (int, error) { return refused, nil }); err != nil {
			return "", err
		}
		_, err := poke.Wait(ctx)
		return fmt.Sprint(refused, " refused"), err
	})
	if p.more != nil {
		p.more(&w)
	}
	return w
}

var childOf = engine.Workflow[string, int]{Name: "child",
	Do: func(_ *engine.Context, in string) (int, error) { return len(in), nil }}

func TestAPayloadOfTheCodeAboveTheLimitIsRefused(t *testing.T) {
	for name, p := range products() {
		t.Run(name, func(t *testing.T) {
			w := maker(p, ofSize(limit), ofSize(limit+1), "", ofSize(limit+1))
			bubble(t, limited(w, childOf), func(v *env) {
				begin(v, w, "a", "")
				sends(v, poke, "a", 1)
				wants(v, "a", "2 refused")
			})
		})
	}
}

// TestWhatARunGivesInTheEndIsLimited: what is too large fails the run.
func TestWhatARunGivesInTheEndIsLimited(t *testing.T) {
	text := ofSize(limit + 1)
	self := engine.WorkflowRef[string, string]{Name: "w"}
	tests := map[string]func(*engine.Context, string) (string, error){
		"the result": func(_ *engine.Context, size string) (string, error) { return text[:len(text)-len(size)], nil },
		"the input of the next run": func(ctx *engine.Context, size string) (string, error) {
			if len(size) > 1 {
				return "", nil // it is the next
			}
			return self.ContinueAsNew(ctx, text[:len(text)-len(size)], engine.ContinueOptions{})
		},
	}
	for name, do := range tests {
		t.Run(name, func(t *testing.T) {
			w := flowOf(do)
			bubble(t, limited(w), func(v *env) {
				if _, err := begin(v, w, "fits", "1").Result(v.ctx); err != nil {
					v.Errorf("as much as is allowed: %v", err)
				}
				run := begin(v, w, "a", "")
				if _, err := run.Result(v.ctx); !tooLarge(err) || v.status("a") != flow.Failed {
					v.Errorf("%s: %v", v.status("a"), err)
				}
			})
		})
	}
}

// TestAnAnswerAboveTheLimit fails its query, and a reply its update; the run goes
// on, also under another limit.
func TestAnAnswerAboveTheLimit(t *testing.T) {
	say := engine.Update[int, string]{Name: "say"}
	show := engine.Query[int, string]{Name: "show"}
	w := flowOf(func(ctx *engine.Context, _ int) (string, error) {
		text := func(_ *engine.Context, n int) (string, error) { return ofSize(n), nil }
		say.Handle(ctx, text)
		show.Answer(ctx, func(n int) (string, error) { return text(ctx, n) })
		return paid.Wait(ctx)
	})
	w.Updates, w.Queries = []engine.AnyUpdate{say}, []engine.AnyQuery{show}
	bubble(t, limited(w), func(v *env) {
		begin(v, w, "a", 0)
		for size, fine := range map[int]bool{limit: true, limit + 1: false} {
			if _, err := show.Ask(v.ctx, v.e, "a", size); fine && err != nil || !fine && !tooLarge(err) {
				v.Errorf("an answer of %d bytes: %v", size, err)
			}
			if _, err := say.Call(v.ctx, v.e, "a", size); fine && err != nil || !fine && !tooLarge(err) {
				v.Errorf("a reply of %d bytes: %v", size, err)
			}
		}
		for _, most := range []int{limit, 0, limit - 1} { // replies of both kinds are recorded
			v.opts.MaxPayload = most
			v.crash()
			if _, err := say.Call(v.ctx, v.e, "a", 10); err != nil {
				v.Errorf("limit %d: %v", most, err)
			}
			if _, err := show.Ask(v.ctx, v.e, "a", 10); err != nil {
				v.Errorf("limit %d: %v", most, err)
			}
		}
		sends(v, paid, "a", "done")
		wants(v, "a", "done")
	})
}

// TestWhatAnInterceptorReturnsIsLimited: that is what is recorded.
func TestWhatAnInterceptorReturnsIsLimited(t *testing.T) {
	w := flowOf(func(ctx *engine.Context, _ int) (int, error) { return counted.Run(ctx, "") })
	o := limited(w)
	o.InterceptActivity = func(context.Context, engine.ActivityCall) (flow.Payload, error) {
		return flow.Payload(strings.Repeat("1", limit+1)), nil
	}
	bubble(t, o, func(v *env) {
		if _, err := begin(v, w, "a", 0).Result(v.ctx); !tooLarge(err) {
			v.Errorf("got %v", err)
		}
	})
}

// TestACompensationGetsMoreThanTheLimit: its input is made of two payloads that
// were let in.
func TestACompensationGetsMoreThanTheLimit(t *testing.T) {
	var undone notes[int]
	book := engine.Reversible[string, string]{
		Do: engine.Activity[string, string]{Name: "book", Do: func(_ context.Context, in string) (string, error) { return in, nil }},
		By: engine.Activity[engine.Undo[string, string], engine.Void]{Name: "unbook",
			Do: func(_ context.Context, u engine.Undo[string, string]) (engine.Void, error) {
				undone.add(len(u.Input) + len(u.Output))
				return engine.Void{}, nil
			}}}
	w := flowOf(func(ctx *engine.Context, _ int) (string, error) {
		return engine.Saga(ctx, func(ctx *engine.Context) (string, error) {
			if _, err := book.Run(ctx, ofSize(limit)); err != nil {
				return "", err
			}
			return "", engine.Fail(soldOut, "no more")
		})
	})
	w.Compensations = []engine.Finalizer{book.By}
	bubble(t, limited(w), func(v *env) {
		if _, err := begin(v, w, "a", 0).Result(v.ctx); !errors.Is(err, soldOut) || tooLarge(err) {
			v.Errorf("got %v", err)
		}
		if got := undone.all(); len(got) != 1 || got[0] != 2*(limit-2) {
			v.Errorf("undone %v", got)
		}
	})
}
