package engine_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"weft/engine"
)

// leaves runs a saga that ends with err while a branch of it still books a place.
func (p *trip) leaves(ctx *engine.Context, place string, err error) *engine.Future[int] {
	var left *engine.Future[int]
	_, _ = engine.Saga(ctx, func(ctx *engine.Context) (int, error) {
		left = engine.Go(ctx, func(ctx *engine.Context) (int, error) { return p.book.Run(ctx, place) })
		return 0, errors.Join(ctx.Sleep(time.Second), err)
	})
	return left
}

// A branch may outlive its saga: the step that it still completes shares the
// saga's fate.
func TestAStepThatEndsAfterItsSagaSharesItsFate(t *testing.T) {
	failed := engine.Fail(soldOut, "no room")
	tests := map[string]struct {
		do   func(p *trip, ctx *engine.Context) error
		want string
	}{
		"of one that succeeded": {func(p *trip, ctx *engine.Context) error {
			_, err := p.leaves(ctx, "late", nil).Await(ctx)
			return err
		}, "book late"},
		"of one that failed": {func(p *trip, ctx *engine.Context) error {
			_, err := p.leaves(ctx, "late", failed).Await(ctx)
			return err
		}, "book late, unbook late"},
		"whose compensation fails": {func(p *trip, ctx *engine.Context) error {
			p.fails["late"] = -1
			if _, err := p.leaves(ctx, "late", failed).Await(ctx); !errors.Is(err, stubborn) {
				return errors.Join(errors.New("the branch is not told"), err)
			}
			return nil
		}, "book late, fail late"},
		"of an inner one that succeeded": {func(p *trip, ctx *engine.Context) error {
			err := p.within(ctx, func(ctx *engine.Context) error {
				_, err := p.leaves(ctx, "late", nil).Await(ctx)
				return errors.Join(err, p.one(ctx, "train"), failed)
			})
			if errors.Is(err, soldOut) {
				return nil
			}
			return err
		}, "book late, book train, unbook train, unbook late"},
		"of an inner one that failed": {func(p *trip, ctx *engine.Context) error {
			return p.within(ctx, func(ctx *engine.Context) error {
				_, err := p.leaves(ctx, "late", failed).Await(ctx)
				return err
			})
		}, "book late, unbook late"},
	}
	for name, tc := range tests {
		for when, between := range map[string]func(*env){"": func(*env) {}, " and a crash": (*env).crash} {
			t.Run(name+when, func(t *testing.T) {
				p := newTrip()
				p.undo = engine.Retry{MaxAttempts: 1}
				book := p.book.Do.Do
				p.book.Do.Do = func(ctx context.Context, place string) (int, error) {
					if place == "late" {
						select {
						case <-time.After(time.Minute):
						case <-ctx.Done():
							return 0, ctx.Err()
						}
					}
					return book(ctx, place)
				}
				w := p.workflow(0)
				w.Do = func(ctx *engine.Context, _ []string) (string, error) {
					return "done", errors.Join(tc.do(p, ctx), ctx.Sleep(time.Hour))
				}
				bubble(t, typed(w), func(v *env) {
					begin(v, w, "a", nil)
					time.Sleep(30 * time.Second)
					between(v)
					time.Sleep(10 * time.Minute)
					if n := v.rows("wf-saga:"); n != 0 && p.fails["late"] == 0 {
						t.Errorf("%d compensations are recorded although the saga is over", n)
					}
					wants(v, "a", "done")
					time.Sleep(10 * time.Hour)
					p.wanted(t, tc.want)
					if n := v.rows("wf-saga:") + v.rows("wf-teardown"); n != 0 {
						t.Errorf("%d rows are left", n)
					}
				})
			})
		}
	}
}

// within runs do in a saga.
func (p *trip) within(ctx *engine.Context, do func(*engine.Context) error) error {
	_, err := engine.Saga(ctx, func(ctx *engine.Context) (int, error) { return 0, do(ctx) })
	return err
}

// What a branch begins after the end of its saga could not be undone by anyone.
func TestNoStepBeginsInASagaThatIsOver(t *testing.T) {
	for name, end := range map[string]error{"succeeded": nil, "failed": engine.Fail(soldOut, "no room")} {
		t.Run(name, func(t *testing.T) {
			p := newTrip()
			w := p.workflow(0)
			w.Do = func(ctx *engine.Context, _ []string) (string, error) {
				var left *engine.Future[int]
				_, _ = engine.Saga(ctx, func(ctx *engine.Context) (int, error) {
					left = engine.Go(ctx, func(ctx *engine.Context) (int, error) {
						return 0, errors.Join(ctx.Sleep(time.Minute), p.one(ctx, "late"))
					})
					return 0, errors.Join(ctx.Sleep(time.Second), end)
				})
				if _, err := left.Await(ctx); !errors.Is(err, engine.CodeMisuse) {
					return "", errors.Join(errors.New("the step is not refused"), err)
				}
				return "done", nil
			}
			bubble(t, typed(w), func(v *env) {
				begin(v, w, "a", nil)
				wants(v, "a", "done")
				p.wanted(t, "")
			})
		})
	}
}
