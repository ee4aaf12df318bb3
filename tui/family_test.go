package tui

import (
	"testing"

	"weft/flow"
	"weft/views"
)

// TestFamilyLeadsOnAndBack: enter opens a relative, esc goes back to the run it
// was opened from, and at last to the list.
func TestFamilyLeadsOnAndBack(t *testing.T) {
	f := lively()
	r := newRig(t, f, 80, 24)
	at := func(id string) {
		t.Helper()
		if string(r.m.inspector.Ref.ID) != id || r.m.open != views.PaneInspector {
			t.Fatalf("shows %s in %s, want %s", r.m.inspector.Ref.ID, r.m.open, id)
		}
	}
	r.play("j j j j wait enter [ wait")
	r.shows("[Family]", "parent", "> shp-00a1f9c3", "children  3", "6.3.1 mail-1", "- gone", "outlives", "01JOLD  restart by kim", "audit 118")
	r.keys("j enter")
	at(ordRow + ".6.2.1")
	r.pass(1e9)
	r.shows("> "+ordRow, "children  none", "searched 3 records back")
	r.keys("enter")
	at(ordRow)
	r.pass(1e9)
	r.keys("k k k enter")
	at("shp-00a1f9c3-77d0-4c1a-8f3e-5b2a9d0ce2b7")
	r.pass(1e9)
	r.shows("none: it was started by itself")
	r.keys("enter")
	r.shows("it has no relative to open")
	r.keys("esc")
	at(ordRow)
	r.keys("esc")
	at(ordRow + ".6.2.1")
	r.keys("esc esc")
	if r.m.open != views.PaneRunning {
		t.Errorf("the way back ends in %s", r.m.open)
	}
}

func TestFamilyNamesWhatEarlierRunsLeft(t *testing.T) {
	f := lively()
	old := flow.Ref{ID: ordRow, Run: "01JOLD"}
	f.owed = append(f.owed, flow.Teardown{Ref: old, Type: "sandbox", Finalizer: "destroySandbox", State: "owed", Attempts: 3})
	f.dead = append(f.dead, flow.Dead{Ref: flow.Ref{ID: ordRow, Run: "01JOLDER"}, Finalizer: "dropTable"})
	r := newRig(t, f, 80, 24)
	r.play("j j j j wait enter [ wait")
	r.shows("01JOLD  owes destroySandbox, 3/8 attempts: pane 5", "01JOLDER  dead letter of dropTable: pane 6")
}
