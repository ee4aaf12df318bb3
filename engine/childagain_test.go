package engine_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"weft/engine"
	"weft/flow"
)

// TestAChildIsAwaitedAsOftenAsTheCodeLikes, side by side and one after the other:
// each gets the child's end, wherever the process dies.
func TestAChildIsAwaitedAsOftenAsTheCodeLikes(t *testing.T) {
	child := engine.Workflow[string, string]{Name: "child", Do: func(ctx *engine.Context, how string) (string, error) {
		if err := ctx.Sleep(time.Minute); err != nil || how == "" {
			return "", errors.Join(err, engine.Fail("no", "it was not to be"))
		}
		return how, nil
	}}
	parent := engine.Workflow[string, string]{Name: "parent", Do: func(ctx *engine.Context, how string) (string, error) {
		c, err := child.StartChild(ctx, how, engine.ChildOptions{})
		if err != nil {
			return "", err
		}
		wait := func(ctx *engine.Context) (string, error) {
			out, err := c.Await(ctx)
			return fmt.Sprint(out, errors.Is(err, engine.Code("no"))), nil
		}
		beside, err := engine.All(ctx, wait, wait)
		if err != nil {
			return "", err
		}
		if err := ctx.Sleep(10 * time.Minute); err != nil {
			return "", err
		}
		last, err := wait(ctx)
		return fmt.Sprint(beside, last), err
	}}
	for how, want := range map[string]string{"well": "[wellfalse wellfalse]wellfalse", "": "[true true]true"} {
		t.Run("the child ends "+how, func(t *testing.T) {
			cutEverywhere(t, typed(parent, child), 1, func(v *env) bool {
				if !startOnce(v, parent, "p", how, engine.StartOptions{}) || !v.settles("p", flow.Completed) {
					return false
				}
				wants(v, "p", want)
				return true
			})
		})
	}
}
