package engine_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"weft/engine"
	"weft/flow"
)

// named is a workflow that waits for a signal and returns the version of its
// code.
func named(name, version string) engine.Workflow[int, string] {
	return engine.Workflow[int, string]{Name: name, Version: version, Signals: []engine.Message{poke},
		Do: func(ctx *engine.Context, _ int) (string, error) {
			_, err := poke.Wait(ctx)
			return version, err
		}}
}

// Types that are missing make Open refuse before it writes; acknowledged, their
// runs are held untouched and go on when the type is back.
func TestF125MissingTypesAreRefusedOrHeld(t *testing.T) {
	all := make([]engine.Definition, 20)
	for i := range all {
		all[i] = named(fmt.Sprint("t", i), "1")
	}
	bubble(t, typed(all...), func(v *env) {
		for i := range all {
			begin(v, all[i].(engine.Workflow[int, string]), flow.WorkflowID(fmt.Sprint(i)), 0)
		}
		time.Sleep(time.Minute)
		v.close()
		n := v.commits()
		v.opts.Workflows = all[:18]
		_, err := engine.Open(v.ctx, v.s, v.opts)
		var unknown *engine.UnknownTypesError
		if !errors.As(err, &unknown) || unknown.Counts["t18"] != 1 || unknown.Counts["t19"] != 1 || len(unknown.Counts) != 2 || n() != 0 {
			t.Fatalf("open without two types: %v after %d commits", err, n())
		}
		v.opts.AcknowledgeUnknownTypes = true
		v.open()
		before := v.rows("")
		for i := range all {
			sends(v, poke, flow.WorkflowID(fmt.Sprint(i)), 1)
		}
		time.Sleep(time.Hour)
		d := v.detail("19", flow.PartSignals)
		if !d.Run.Held || d.Run.HeldBecause == "" || d.Run.Status != flow.Running || len(d.Signals) != 1 || before == 0 {
			t.Errorf("a held run: %+v", d.Run)
		}
		v.opts.Workflows = all
		v.restart()
		for i := range all {
			wants(v, flow.WorkflowID(fmt.Sprint(i)), "1")
		}
	})
}

// Runs of another version are held, keep what they are sent, and move on by
// resume.
func TestF124RunsOfAnotherVersionAreHeldAndMovedOnByResume(t *testing.T) {
	const runs = 100
	old, next := named("w", "1"), named("w", "2")
	bubble(t, typed(old), func(v *env) {
		for i := range runs {
			begin(v, old, flow.WorkflowID(fmt.Sprint(i)), 0)
		}
		time.Sleep(time.Minute)
		v.opts.Workflows = []engine.Definition{next}
		v.restart()
		for i := range runs {
			sends(v, poke, flow.WorkflowID(fmt.Sprint(i)), 1)
		}
		time.Sleep(time.Hour)
		page, err := v.e.Operator().Page(v.ctx, flow.Query{Of: flow.ListTypes})
		if err != nil || len(page.Types) != 1 || page.Types[0].Version != "2" || len(page.Types[0].Versions) == 0 ||
			page.Types[0].Versions[0].Counts.Running != runs {
			t.Errorf("types %+v, %v", page.Types, err)
		}
		for i := range runs {
			id := flow.WorkflowID(fmt.Sprint(i))
			if d := v.detail(id, flow.PartSignals); !d.Run.Held || len(d.Signals) != 1 || d.Run.Status != flow.Running {
				t.Fatalf("run %s: %+v", id, d.Run)
			}
			if i%2 == 0 {
				if _, err := act(v, flow.ResumeRun{Target: flow.Ref{ID: id}}); err != nil {
					t.Errorf("resume: %v", err)
				}
				wants(v, id, "2")
			}
		}
		v.opts.Workflows = []engine.Definition{old}
		v.restart()
		for i := range runs {
			wants(v, flow.WorkflowID(fmt.Sprint(i)), map[int]string{0: "2", 1: "1"}[i%2])
		}
	})
}
