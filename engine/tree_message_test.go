package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"weft/engine"
	"weft/flow"
	"weft/store"
)

// put is an update that a statement of a run waits for.
type put struct {
	run flow.WorkflowID
	id  int
}

func (u put) updateID() string { return fmt.Sprintf("put%d", u.id) }

// reply is what the update must be answered with, whoever asks.
func (u put) reply() string { return fmt.Sprintf("put%d of %s", u.id, u.run) }

// putting is the update of all trees; its input is the statement that waits.
var putting = engine.Update[int, string]{Name: "put"}

// growth is what the code of one run knows, in one life.
type growth struct {
	*grove
	due, got map[int]bool // by statement: it waits for its update, and has it
}

// handle takes updates of statements that have been reached, each after one step
// to four, which depend on the statement.
func (g *growth) handle(ctx *engine.Context) {
	putting.HandleWith(ctx, func(ctx *engine.Context, id int) (string, error) {
		text, err := engine.Memo(ctx, "put", func() (string, error) { return fmt.Sprintf("put%d of %s", id, ctx.Ref().ID), nil })
		if err == nil && id%2 == 0 {
			_, err = g.act(ctx, node{id: id, n: id % 3})
		}
		if err == nil && id%3 == 1 {
			err = ctx.Sleep(700 * time.Millisecond)
		}
		if err == nil && id%5 == 0 {
			_, err = g.later().Run(ctx, id)
		}
		g.got[id] = true
		return text, err
	}, engine.HandleOptions[int]{Validate: func(id int) error {
		if !g.due[id] || g.got[id] {
			return fmt.Errorf("statement %d waits for nothing", id)
		}
		return nil
	}})
}

func (g *growth) await(ctx *engine.Context, n node) (string, error) {
	g.due[n.id] = true
	return fmt.Sprintf("update%d", n.id), ctx.WaitUntil(func() bool { return g.got[n.id] })
}

// until waits for what a branch has done.
func (g *growth) until(ctx *engine.Context, n node) (string, error) {
	text, through := "", false
	f := engine.Go(ctx, func(ctx *engine.Context) (out string, err error) {
		out, err = g.run(ctx, n.in[0])
		text, through = out, true
		return out, err
	})
	err := error(nil)
	if n.n > 0 {
		_, err = ctx.WaitUntilFor(forever, func() bool { return through })
	} else {
		err = ctx.WaitUntil(func() bool { return through })
	}
	if err != nil {
		return "", err
	}
	_, err = f.Await(ctx)
	return "until[" + text + "]", err
}

// bookable is a step that sagas undo.
func (g *grove) bookable() engine.Reversible[int, int] {
	return engine.Reversible[int, int]{
		Do: engine.Activity[int, int]{Name: "book", Do: func(_ context.Context, id int) (int, error) { return id, nil }},
		By: engine.Activity[engine.Undo[int, int], engine.Void]{Name: "unbook",
			Do: func(_ context.Context, u engine.Undo[int, int]) (engine.Void, error) {
				if u.Input != u.Output {
					g.fault("the compensation of step %d got the output %d", u.Input, u.Output)
				}
				return engine.Void{}, nil
			}},
	}
}

func (g *growth) saga(ctx *engine.Context, n node) (string, error) {
	out, err := engine.Saga(ctx, func(ctx *engine.Context) (string, error) {
		for range max(n.n, 1) {
			if _, err := g.bookable().Run(ctx, n.id); err != nil {
				return "", err
			}
		}
		out, err := g.run(ctx, n.in[0])
		if err == nil && n.n > 0 {
			err = engine.Fail("undo", "statement %d", n.id)
		}
		return out, err
	})
	if n.n > 0 && errors.Is(err, engine.Code("undo")) {
		return fmt.Sprintf("undone%d", n.id), nil
	}
	return "saga[" + out + "]", err
}

// saga notes the steps of a saga.
func (s *treeScript) saga(id flow.WorkflowID, st node, prefix string, n int) int {
	note := func(what string, times int) {
		for range times {
			n++
			s.steps[id][fmt.Sprintf("%s%d activity %s", prefix, n, what)] = true
		}
	}
	note("book", max(st.n, 1))
	n = s.walk(id, st.in[0], prefix, n)
	if st.n > 0 {
		note("unbook", st.n+st.in[0].booked())
	}
	return n
}

// booked counts the steps that sagas in p, which succeed, hand to the saga
// around them. Those of children are their own.
func (p tree) booked() (n int) {
	for _, st := range p {
		switch {
		case strings.HasPrefix(st.op, "child"), st.op == "saga" && st.n > 0:
			continue
		case st.op == "saga":
			n++
		}
		for _, sub := range st.in {
			n += sub.booked()
		}
	}
	return n
}

// handled notes the steps of an update's handler, whose number depends on the
// order in which updates come: they are named by the update's id.
func (s *treeScript) handled(id flow.WorkflowID, statement int) {
	name := put{id, statement}.updateID()
	s.steps[id][name+" update put"] = true
	n := 0
	note := func(does bool, what string) {
		if does {
			n++
			s.steps[id][fmt.Sprintf("%s.%d %s", name, n, what)] = true
		}
	}
	note(true, "memo put")
	note(statement%2 == 0, "activity act")
	note(statement%3 == 1, "sleep ")
	note(statement%5 == 0, "activity later")
}

// stepsOf are the steps that a run has recorded, those of handlers named by
// update id.
func (p *play) stepsOf(id flow.WorkflowID) []string {
	var out []string
	names := map[string]string{}
	for _, ev := range p.journal(id) {
		first, rest, inside := strings.Cut(string(ev.Step), ".")
		switch {
		case ev.Kind == flow.EventUpdate:
			names[first] = ev.UpdateID
			continue
		case ev.Kind != flow.EventStep:
			continue
		}
		if known, ok := names[first]; ok {
			first = known
		}
		if inside {
			first += "." + rest
		}
		out = append(out, fmt.Sprintf("%s %s %s", first, ev.StepKind, ev.Name))
	}
	return out
}

// put sends an update again and again, under one id, until it is replied to. It
// may be refused while the run is not there, stands still or has not come to the
// statement; never because the run has ended.
func (p *play) put(ctx context.Context, e *engine.Engine, what put, delay time.Duration) {
	for pause := delay; ; pause = 3 * time.Second {
		select {
		case <-ctx.Done():
			return
		case <-e.Halted():
			return
		case <-time.After(pause):
		}
		got, err := putting.CallWith(ctx, e, what.run, what.id, engine.UpdateOptions{UpdateID: what.updateID()})
		switch {
		case err == nil && got != what.reply():
			p.fault("update %d was answered with %q", what.id, got)
			return
		case err == nil:
			return
		case errors.Is(err, flow.ErrUnanswered), errors.Is(err, flow.ErrFinished):
			p.fault("update %d of %s: %v", what.id, what.run, err)
			return
		}
	}
}

// replied demands the replies again, of runs that have ended.
func (p *play) replied() {
	for _, what := range p.script.puts {
		got, err := putting.CallWith(context.Background(), p.eng, what.run, what.id, engine.UpdateOptions{UpdateID: what.updateID()})
		if err != nil || got != what.reply() {
			p.Errorf("update %d asked again: %q, %v", what.id, got, err)
		}
	}
}

// leftBehind demands that the end of a run has reached the children it did not
// wait for, as their policies say.
func (p *play) leftBehind() {
	time.Sleep(time.Minute)
	for id, policy := range p.script.left {
		h := p.head(id)
		if policy.Reached(flow.Completed) && h.Status != flow.Cancelled || !policy.Reached(flow.Completed) && h.Status.Terminal() {
			p.Errorf("child %s with policy %q is %s after its parent has completed", id, policy, h.Status)
		}
	}
}

// outlive are the rows that outlive every run.
var outlive = []string{"lease:", "weft:", "audit:", "start-idem:", "count-owed", "count-dead"}

// purgeAll ends what is left of losers and removes every run: no row of any
// family stays.
func (p *play) purgeAll() {
	ctx := context.Background()
	do := func(d flow.Deed) error {
		_, err := p.eng.Operator().Do(ctx, flow.Act{Actor: "ana", Deed: d})
		return err
	}
	time.Sleep(time.Hour) // what is owed to children is done, attempts are over
	for kv := range p.store.Scan(store.Prefix([]byte("wf:"))) {
		ref := flow.Ref{ID: flow.WorkflowID(strings.TrimPrefix(string(kv.Key), "wf:"))}
		_ = do(flow.CancelRun{Target: ref}) // refused: it has ended
		time.Sleep(time.Minute)
		if err := do(flow.PurgeRun{Target: ref}); err != nil {
			p.Errorf("purge %s: %v", ref, err)
		}
	}
	for key := range p.rows() {
		if !outlives(key) {
			p.Errorf("left of purged runs: %s", key)
		}
	}
}

func outlives(key string) bool {
	for _, family := range outlive {
		if strings.HasPrefix(key, family) {
			return true
		}
	}
	return false
}
