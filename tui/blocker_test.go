package tui

import (
	"fmt"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"weft/flow"
	"weft/views"
)

// blocked is a store in which the clean-up of an ended run is owed, behind n
// others.
func blocked(n int) (*fake, flow.Ref) {
	f := newFake()
	for i := range n {
		r := f.add(fmt.Sprintf("box-%05d", i), "box", flow.Completed, time.Duration(n-i)*time.Hour)
		r.ClosedAt = r.CreatedAt
		f.owed = append(f.owed, flow.Teardown{Ref: r.Ref, Type: "box", Finalizer: "destroySandbox", State: "waits", OwedAt: r.CreatedAt})
	}
	r := f.add("env-42", "box", flow.Cancelled, time.Minute)
	r.ClosedAt = r.CreatedAt
	f.owed = append(f.owed, flow.Teardown{Ref: r.Ref, Type: "box", Finalizer: "destroySandbox", State: "waits", OwedAt: r.CreatedAt, Attempts: 2})
	return f, r.Ref
}

// TestRefusalLeadsToWhatBlocks: pane 5, opened after a refusal, has its cursor
// on the owed teardown, however many there are and whatever it was filtered by.
func TestRefusalLeadsToWhatBlocks(t *testing.T) {
	refusals := map[string]struct {
		others int
		do     func(*rig, flow.Ref)
	}{
		"purge":        {5, func(r *rig, _ flow.Ref) { r.play("4 wait P"); r.shows("2/8 attempts; 5 leads to it") }},
		"again":        {5, func(r *rig, _ flow.Ref) { r.play("4 wait A"); r.shows("5 leads to it") }},
		"by a command": {5, func(r *rig, _ flow.Ref) { r.play("4 wait P : 'owed' enter") }},
		"far down":     {900, func(r *rig, _ flow.Ref) { r.play("4 wait P") }},
		"filtered":     {5, func(r *rig, _ flow.Ref) { r.play("5 / 'box-00003' wait enter 4 wait P") }},
		"by the engine": {5, func(r *rig, ref flow.Ref) {
			r.send(actedMsg{doAct: doAct{act: flow.Act{Deed: flow.Start{ID: ref.ID}}}, err: fmt.Errorf("start: %w", &flow.PendingError{Ref: ref})})
			r.shows("5 leads to it")
		}},
	}
	for name, tc := range refusals {
		t.Run(name, func(t *testing.T) {
			f, ref := blocked(tc.others)
			r := newRig(t, f, 140, 30)
			tc.do(r, ref)
			if len(f.acts) > 0 {
				t.Fatal("it was done")
			}
			r.keys("5")
			if r.pass(time.Second); r.m.open != views.PaneOwed || r.cursor() != ref {
				t.Errorf("in pane %s on %s, want %s\n%s", r.m.open, r.cursor().ID, ref.ID, r.frame())
			}
		})
	}
}

// TestRefusalThatIsOverLeadsNowhere: pane 5 is as it was left once something else
// was done.
func TestRefusalThatIsOverLeadsNowhere(t *testing.T) {
	f, ref := blocked(5)
	r := newRig(t, f, 140, 30)
	r.play("4 wait P j")
	r.send(tea.KeyPressMsg{Code: '5', Text: "5"})
	if r.pass(time.Second); r.cursor() == ref || r.m.open != views.PaneOwed {
		t.Errorf("in pane %s on %s", r.m.open, r.cursor().ID)
	}
}
