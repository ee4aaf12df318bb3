package tui

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"weft/views"
)

func click(x, y int) tea.MouseClickMsg { return tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft} }

func TestMouse(t *testing.T) {
	r := newRig(t, crowd(40), 120, 40)
	r.send(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
	if got := r.cursor().ID; got != "ord-00036" {
		t.Errorf("a notch of the wheel leads to %s, want ord-00036", got)
	}
	r.send(click(10, 6)) // header 2, border 1, filter and heads 2: the second row
	if got := r.cursor().ID; got != "ord-00038" {
		t.Errorf("the click leads to %s, want ord-00038\n%s", got, r.frame())
	}
	r.pass(time.Second)
	r.send(click(10, 6))
	if r.m.open != views.PaneRunning {
		t.Error("a late second click opened")
	}
	r.send(click(10, 6))
	if r.m.open != views.PaneInspector || r.m.inspector.Ref.ID != "ord-00038" {
		t.Errorf("the double click opened %s of %s", r.m.open, r.m.inspector.Ref)
	}
	r.pass(time.Second)
	for at, want := range map[[2]int]views.Pane{{80, 10}: views.PaneInspector, {10, 25}: views.PaneOwed, {100, 25}: views.PaneDead,
		{30, 34}: views.PaneFeed, {10, 10}: views.PaneRunning} {
		r.keys("2")
		r.send(click(at[0], at[1]))
		if r.m.open != want {
			t.Errorf("a click at %v leads to %s, want %s", at, r.m.open, want)
		}
		r.pass(time.Second)
	}
}

func TestMouseAcceptsNothing(t *testing.T) {
	r := newRig(t, owing(), 100, 30)
	r.play("c wait")
	at := r.cursor()
	for y := range 30 {
		for x := 0; x < 100; x += 5 {
			r.send(click(x, y))
			r.send(click(x, y))
		}
		r.send(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
	}
	if len(r.f.acts) > 0 || r.m.modal.top == nil || r.m.open != views.PaneRunning || r.cursor() != at {
		t.Error("the mouse answered the question")
	}
	r.keys("n")
	before := r.cursor()
	r.send(tea.BlurMsg{})
	r.send(tea.FocusMsg{})
	r.send(click(10, 8))
	if r.cursor() != before {
		t.Error("the click that focused the window moved the cursor")
	}
	r.play(": 'mouse' enter")
	if r.m.View().MouseMode != tea.MouseModeNone {
		t.Error("the mouse is still the console's")
	}
}
