package tui

import (
	"strings"
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

func rightClick(x, y int) tea.MouseClickMsg {
	return tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseRight}
}

// spot is where a text is on the screen.
func (r *rig) spot(text string) (x, y int) {
	r.t.Helper()
	for y, line := range strings.Split(r.frame(), "\n") {
		if x := strings.Index(line, text); x >= 0 {
			return x, y
		}
	}
	r.t.Fatalf("the frame lacks %q:\n%s", text, r.frame())
	return 0, 0
}

// TestMenuPassesTheSameGate: the menu offers what the keys do to the row that was
// clicked, with the same reasons, and asks the same questions.
func TestMenuPassesTheSameGate(t *testing.T) {
	r := newRig(t, owing(), 100, 30)
	x, y := r.spot("ord-7f3a9c1e")
	r.send(rightClick(x, y))
	r.shows("Actions on "+ordRow, "cancel the run", "send a signal to the run")
	x, y = r.spot("cancel the run")
	r.send(click(x, y))
	r.shows("Actions on") // not read yet
	r.pass(time.Second)
	r.send(click(x, y))
	r.shows("Cancel 1 workflow", ordRow)
	if len(r.f.acts) > 0 {
		t.Fatal("a click cancelled")
	}
	r.play("n wait")
	x, y = r.spot("ord-7f3a9c1e")
	r.send(rightClick(x, y))
	r.pass(time.Second)
	r.types("remove an ended")
	r.shows("refused: purge is for runs that have ended")
	x, y = r.spot("remove an ended run")
	r.pass(time.Second)
	r.send(click(x, y))
	r.shows("purge is for runs that have ended; this run is running")
	x, y = r.spot("ord-90c4d7f1")
	r.send(rightClick(x, y))
	r.pass(time.Second)
	r.send(click(0, 0))
	r.lacks("Actions on")
	depose(r.f)
	r.pass(2 * time.Second)
	x, y = r.spot("ord-90c4d7f1")
	r.send(rightClick(x, y))
	r.shows("lease lost at epoch 41")
}

func TestNamesOfPanesAndTabsAreClicked(t *testing.T) {
	for _, w := range []int{58, 80, 100} {
		r := newRig(t, owing(), w, 24)
		for text, want := range map[string]views.Pane{"2 Run": views.PaneRunning, "5 Owed": views.PaneOwed, "9": views.PaneTypes, "6 Dead": views.PaneDead} {
			r.pass(time.Second)
			x, y := r.spot(text)
			if text == "9" {
				x, y = strings.LastIndex(strings.Split(r.frame(), "\n")[1], " 9")+1, 1
			}
			r.send(click(x, y))
			if r.m.open != want {
				t.Errorf("at %d columns %s leads to %s", w, text, r.m.open)
			}
		}
	}
	for _, size := range [][2]int{{80, 24}, {120, 40}, {72, 50}} {
		r := newRig(t, lively(), size[0], size[1])
		r.play("j j j j wait enter wait")
		x, y := r.spot("Family")
		r.send(click(x, y))
		r.pass(time.Second)
		r.shows("[Family]", "children  3")
	}
}
