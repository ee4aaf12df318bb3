package engine_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"weft/engine"
	"weft/flow"
)

// grove runs one tree and all its children as runs of the type "tree". The input
// is the statement whose child it is, 0 for the root, and above that, for a
// chain, how often it has continued.
type grove struct {
	*stage
	code tree
	// told has what the outside has still to tell: the result, by its token.
	told map[flow.Token]string
}

func newGrove(code tree) *grove { return &grove{newStage(), code, map[flow.Token]string{}} }

func (g *grove) workflow() engine.Workflow[int, string] {
	return engine.Workflow[int, string]{Name: "tree", Version: "1", Updates: []engine.AnyUpdate{putting},
		Compensations: []engine.Finalizer{g.bookable().By}, Do: func(ctx *engine.Context, id int) (string, error) {
			l := &growth{grove: g, due: map[int]bool{}, got: map[int]bool{}}
			l.handle(ctx)
			out, err := l.root(ctx, id)
			if err == nil {
				err = ctx.FinishHandlers()
			}
			return out, err
		}}
}

func (g *growth) root(ctx *engine.Context, id int) (string, error) {
	if id == 0 {
		return g.run(ctx, g.code)
	}
	switch n := g.code.find(func(n node) bool { return n.id == id%links }); n.op {
	case "chain":
		return g.link(ctx, n, id)
	case "childFails":
		return "", engine.Fail("no", "statement %d fails", id)
	case "race", "childLeft": // the child that loses, or that nobody waits for
		return engine.Signal[string]{Name: "never"}.Wait(ctx)
	default:
		return g.run(ctx, n.in[0])
	}
}

// links is above all statements.
const links = 1_000_000

// link is one run of a chain.
func (g *growth) link(ctx *engine.Context, n *node, id int) (string, error) {
	if _, err := engine.Memo(ctx, "link", func() (int, error) { return id, nil }); err != nil {
		return "", err
	}
	if id/links == n.n {
		return fmt.Sprint(n.n), nil
	}
	return engine.WorkflowRef[int, string]{Name: "tree"}.ContinueAsNew(ctx, id+links, engine.ContinueOptions{})
}

func (g *growth) run(ctx *engine.Context, p tree) (string, error) {
	var out []string
	for _, n := range p {
		s, err := g.do(ctx, n)
		if err != nil {
			return "", fmt.Errorf("statement %d: %w", n.id, err)
		}
		if s != "" {
			out = append(out, s)
		}
	}
	return "(" + strings.Join(out, " ") + ")", nil
}

// branch is a branch that runs p.
func (g *growth) branch(p tree) func(*engine.Context) (string, error) {
	return func(ctx *engine.Context) (string, error) { return g.run(ctx, p) }
}

func (g *growth) do(ctx *engine.Context, n node) (string, error) {
	switch n.op {
	case "act":
		return g.act(ctx, n)
	case "later":
		return g.later().Run(ctx, n.id)
	case "sleep":
		return "", ctx.Sleep(n.d)
	case "take":
		return engine.Signal[string]{Name: fmt.Sprintf("s%d", n.id)}.Wait(ctx)
	case "takeNever":
		text, ok, err := engine.Signal[string]{Name: "never"}.WaitFor(ctx, n.d)
		if !ok && err == nil {
			text = "nothing"
		}
		return text, err
	case "update":
		return g.await(ctx, n)
	case "untilNever":
		ok, err := ctx.WaitUntilFor(n.d, func() bool { return false })
		if ok {
			return "something", err
		}
		return "nothing", err
	case "drain":
		got, err := engine.Signal[string]{Name: fmt.Sprintf("d%d", n.id)}.Drain(ctx)
		return strings.Join(got, ","), err
	case "memo":
		return engine.Memo(ctx, fmt.Sprintf("m%d", n.id), func() (string, error) { return fmt.Sprintf("memo%d", n.id), nil })
	case "version":
		v, err := ctx.Version(fmt.Sprintf("v%d", n.id), 0, 1)
		if v != 1 {
			return "old", err
		}
		return fmt.Sprintf("version%d", n.id), err
	case "chance":
		g.once(ctx.Ref(), fmt.Sprint("chance ", n.id), fmt.Sprint(ctx.NewID(), ctx.Random().Uint64(), ctx.Now()))
		return "", nil
	case "summary":
		ctx.SetSummary("at %d", n.id)
		return "", nil
	}
	return g.group(ctx, n)
}

func (g *growth) group(ctx *engine.Context, n node) (string, error) {
	switch n.op {
	case "all":
		var fs []func(*engine.Context) (string, error)
		for _, sub := range n.in {
			fs = append(fs, g.branch(sub))
		}
		out, err := engine.All(ctx, fs...)
		return "all[" + strings.Join(out, ",") + "]", err
	case "map":
		out, err := engine.Map(ctx, n.n, n.in, g.run)
		return "map[" + strings.Join(out, ",") + "]", err
	case "race":
		out, won, err := engine.Race(ctx, g.race(n)...)
		return fmt.Sprintf("%d=%s", won, out), err
	case "go":
		f := engine.Go(ctx, g.branch(n.in[0]))
		here, err := g.run(ctx, n.in[1])
		if err != nil {
			return "", err
		}
		there, err := f.Await(ctx)
		return "go[" + there + "," + here + "]", err
	case "until":
		return g.until(ctx, n)
	case "saga":
		return g.saga(ctx, n)
	}
	return g.child(ctx, n)
}

// race puts the winner among the losers.
func (g *growth) race(n node) []func(*engine.Context) (string, error) {
	var fs []func(*engine.Context) (string, error)
	for _, loser := range losers {
		fs = append(fs, func(ctx *engine.Context) (string, error) { return g.lose(ctx, n, loser) })
	}
	return append(fs[:n.n:n.n], append([]func(*engine.Context) (string, error){g.branch(n.in[0])}, fs[n.n:]...)...)
}

func (g *growth) lose(ctx *engine.Context, n node, how string) (string, error) {
	switch how {
	case "sleep":
		return "slept", ctx.Sleep(forever)
	case "signal":
		return engine.Signal[string]{Name: "never"}.Wait(ctx)
	case "activity":
		// It has an end: its run keeps a place in memory until then, and is not
		// resumed, either.
		if _, err := linger.Run(ctx, n.id); err != nil {
			return "", err
		}
		return "lingered", ctx.Sleep(forever)
	}
	return g.workflow().RunChild(ctx, n.id, engine.ChildOptions{ID: n.childOf(ctx.Ref().ID)})
}

// linger is an activity that takes longer than any winner.
var linger = engine.Activity[int, string]{Name: "linger", Do: func(ctx context.Context, _ int) (string, error) {
	select {
	case <-ctx.Done():
	case <-time.After(20 * time.Minute):
	}
	return "", ctx.Err()
}}

func (g *growth) child(ctx *engine.Context, n node) (string, error) {
	o := engine.ChildOptions{ID: n.childOf(ctx.Ref().ID)}
	if n.op == "childLeft" {
		o.OnParentEnd = policies[n.n]
	}
	c, err := g.workflow().StartChild(ctx, n.id, o)
	if err != nil || n.op == "childLeft" {
		return "", err
	}
	if n.op == "childAside" {
		if _, err := engine.Memo(ctx, "aside", func() (int, error) { return 1, nil }); err != nil {
			return "", err
		}
	}
	out, err := c.Await(ctx)
	var f *flow.Failure
	if n.op == "childFails" && errors.As(err, &f) && errors.Is(err, engine.Code("no")) {
		return f.Code, nil
	}
	return n.op + "[" + out + "]", err
}

// later is an activity whose outcome comes from outside.
func (g *grove) later() engine.Activity[int, string] {
	return engine.Activity[int, string]{Name: "later", Do: func(ctx context.Context, id int) (string, error) {
		token, err := engine.CompleteLater(ctx)
		if err != nil {
			return "", err
		}
		g.mu.Lock()
		defer g.mu.Unlock()
		g.told[token] = fmt.Sprintf("later%d", id)
		return "", engine.ErrLater
	}}
}

// untold are the tokens that have not been believed yet.
func (g *grove) untold() map[flow.Token]string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return maps.Clone(g.told)
}

func (g *grove) believed(token flow.Token) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.told, token)
}

// act fails its first n attempts.
func (g *grove) act(ctx *engine.Context, n node) (string, error) {
	in := instr{op: "act", name: "act", n: n.id, d: n.d, fails: n.n}
	out, err := engine.Activity[int, string]{Name: "act", Timeout: time.Minute,
		Do: func(ctx context.Context, id int) (string, error) { return g.work(ctx, in, id) }}.Run(ctx, n.id)
	var f *flow.Failure
	switch {
	case err == nil && out == fmt.Sprintf("act(%d)", n.id):
		return fmt.Sprintf("act%d", n.id), nil
	case errors.As(err, &f) && f.Message == "refusal" && n.n == attemptsOfAct:
		return fmt.Sprintf("act%d!", n.id), nil
	}
	return out, err
}
