package tui

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"weft/flow"
	"weft/views"
)

// heads are the heads of the columns on the screen.
func (r *rig) heads() []string {
	for _, line := range strings.Split(r.frame(), "\n") {
		if fields := strings.Fields(strings.Trim(line, "| ")); slices.Contains(fields, "ID") {
			return fields
		}
	}
	return nil
}

func TestColumnsAreChosen(t *testing.T) {
	r := newRig(t, owing(), 80, 24)
	usual := r.heads()
	r.keys(",")
	r.shows("Columns", "[=] id", "[ ] version")
	r.keys("j j space") // the type
	r.shows("[ ] type")
	r.keys("j j k > enter")
	want := []string{"S", "ID", "AGE", "STEP", "UPD"}
	if diff := cmp.Diff(want, r.heads()); diff != "" {
		t.Errorf("columns: -want +got\n%s", diff)
	}
	r.keys(", j j space esc")
	if diff := cmp.Diff(want, r.heads()); diff != "" {
		t.Errorf("esc does not go back to how it was:\n%s", diff)
	}
	r.keys(", space")
	r.shows("state is always shown")
	r.keys("a")
	if diff := cmp.Diff(usual, r.heads()); diff != "" {
		t.Errorf("a is not the usual columns:\n%s", diff)
	}
}

func TestColumnsByName(t *testing.T) {
	for name, tc := range map[string]struct {
		keys, typed string
		want        []string
		says        string
	}{
		"in the order they are named": {"2", "cols id,tags,type,age", []string{"S", "ID", "TAGS", "TYPE", "AGE"}, ""},
		"one more and one less":       {"2", "cols +version -updated", []string{"S", "ID", "TYPE", "STEP", "AGE", "VERSION"}, ""},
		"what a list must show stays": {"2", "cols type", []string{"S", "ID", "TYPE", "AGE"}, ""},
		"one nobody knows":            {"2", "cols id,colour", nil, `there is no column "colour" here: state id type`},
		"one that cannot go":          {"2", "cols -id", nil, "id is always shown"},
		"teardowns have their own":    {"5", "cols id,state,next,try", []string{"ID", "STATE", "NEXT", "TRY"}, ""},
		"dead letters too":            {"6", "cols +input -error", []string{"ID", "TYPE", "FINALIZER", "TRY", "AGE", "INPUT"}, ""},
		"no list, no columns":         {"7", "cols id", nil, "columns are for lists"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, owing(), 80, 24)
			r.play(tc.keys + " : '" + tc.typed + "' enter")
			if tc.says != "" {
				r.shows(tc.says)
				return
			}
			if diff := cmp.Diff(tc.want, r.heads()); diff != "" {
				t.Errorf("columns: -want +got\n%s", diff)
			}
			exact(t, name, r.frame(), 80, 24)
		})
	}
}

// TestChosenColumnsFitEverywhere: what was chosen gives way from the right, the
// id, the state and the age never.
func TestChosenColumnsFitEverywhere(t *testing.T) {
	f := owing()
	r := newRig(t, f, 300, 50)
	r.play(": 'cols state,id,run,parent,type,step,tags,version,deadline,due,events,age' enter")
	for w := 58; w < 300; w += 3 {
		r.send(tea.WindowSizeMsg{Width: w, Height: 30})
		exact(t, "chosen columns", r.frame(), w, 30)
		for _, head := range []string{"S", "ID", "AGE"} {
			if !slices.Contains(r.heads(), head) {
				t.Fatalf("at %d columns %s is gone: %v", w, head, r.heads())
			}
		}
	}
}

// remembering is a rig whose memory is kept in mem.
func remembering(t *testing.T, f *fake, mem *Memory) *rig {
	t.Helper()
	r := newRig(t, f, 80, 24)
	r.m.opts.Remember = func(m Memory) error { *mem = m; return nil }
	r.m.recall(*mem)
	r.pass(time.Second)
	return r
}

func TestListsAreRemembered(t *testing.T) {
	var mem Memory
	r := remembering(t, crowd(30), &mem)
	r.play("= > : 'cols id,age,tags' enter / 'ord-0001' enter : 'save teens' enter 4 > space : 'sort id flip' enter")
	want := Memory{Pane: "terminal", Filters: map[string]string{"teens": "ord-0001"}, Lists: map[string]ListMemory{
		"running":  {Columns: []string{"state", "id", "age", "tags"}, Sort: flow.ByID, Flip: true},
		"terminal": {Sort: flow.ByID, Flip: true},
	}, Commands: []string{"sort id flip", "save teens", "cols id,age,tags"}}
	if diff := cmp.Diff(want, mem); diff != "" {
		t.Errorf("remembered: -want +got\n%s", diff)
	}
	r = remembering(t, crowd(30), &mem)
	r.shows("by id ^", "  S ID", "TAGS")
	if shown, hidden := r.m.list().Marked(); shown+hidden > 0 {
		t.Error("marks survived")
	}
	r.play(": 'load teens' enter")
	r.shows("10 of 30")
	r.play(": 'forget teens' enter : 'load teens' enter")
	r.shows(`no filter "teens"`)
	if len(mem.Filters) > 0 {
		t.Errorf("still remembered: %v", mem.Filters)
	}
}

func TestMemoryThatCannotBeUsed(t *testing.T) {
	mem := Memory{Pane: "garden", Lists: map[string]ListMemory{
		"running": {Columns: []string{"colour", "id", "id"}, Sort: "beauty"}, "cellar": {}}}
	o, err := Options{Memory: mem}.resolve()
	if err != nil || o.pane != views.PaneRunning {
		t.Errorf("opens %s, %v", o.pane, err)
	}
	r := newRig(t, owing(), 80, 24)
	r.m.recall(mem)
	exact(t, "odd memory", r.frame(), 80, 24)
	if diff := cmp.Diff([]string{"S", "ID", "AGE"}, r.heads()); diff != "" {
		t.Errorf("columns: -want +got\n%s", diff)
	}
	r.m.opts.Remember = func(Memory) error { return errors.New("disk full") }
	r.keys("=")
	r.shows("will be forgotten", "disk full")
}

// TestMemoryIsWrittenOneAtATime: what changes while it is written is written
// after it, once.
func TestMemoryIsWrittenOneAtATime(t *testing.T) {
	r := newRig(t, owing(), 80, 24)
	var wrote []Memory
	r.m.opts.Remember = func(m Memory) error { wrote = append(wrote, m); return nil }
	r.stall = func(e effect) bool { _, ok := e.(writeMemory); return ok }
	r.keys("= > = <")
	if len(r.stalled) != 1 {
		t.Fatalf("%d writes at once", len(r.stalled))
	}
	r.release()
	if len(wrote) != 2 || len(wrote[1].Lists) != 0 {
		t.Errorf("wrote %v", wrote)
	}
}

func TestMemoryIsWrittenAtTheEnd(t *testing.T) {
	f := owing()
	f.closed = make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var mem Memory
	_ = Run(ctx, f, Options{Now: func() time.Time { return noon }, In: strings.NewReader(""), Out: io.Discard, Pane: "owed",
		Remember: func(m Memory) error { mem = m; return nil }})
	if mem.Pane != "owed" {
		t.Errorf("remembered %+v", mem)
	}
}
