package tui

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// rush gives the model messages that all waited while one frame was slow.
func (r *rig) rush(slow time.Duration, msgs ...tea.Msg) {
	r.t.Helper()
	r.m.View()
	r.now = r.now.Add(time.Second) // nothing waits
	for _, msg := range msgs {
		r.send(msg)
		r.now = r.now.Add(slow)
		r.m.View()
		slow = 0
	}
}

// TestRepeatsBehindABacklogAreDropped: a held key must not move the cursor on
// after it was let go, whatever made the console slow.
func TestRepeatsBehindABacklogAreDropped(t *testing.T) {
	j, k, held := pressOf("j"), pressOf("k"), pressOf("j")
	held.IsRepeat = true
	wheel := tea.MouseWheelMsg{Button: tea.MouseWheelDown}
	tests := map[string]struct {
		slow time.Duration
		msgs []tea.Msg
		want int
	}{
		"a slow frame, then what was held": {120 * time.Millisecond, []tea.Msg{j, j, j, j, j}, 1},
		"as the terminal tells it":         {120 * time.Millisecond, []tea.Msg{j, held, held}, 1},
		"a backlog of 100 ms is none yet":  {100 * time.Millisecond, []tea.Msg{j, j, j, j, j}, 5},
		"other keys are all meant":         {120 * time.Millisecond, []tea.Msg{j, k, j, k, j}, 1},
		"the wheel":                        {120 * time.Millisecond, []tea.Msg{wheel, wheel, wheel}, wheelLines},
		"a key between notches":            {120 * time.Millisecond, []tea.Msg{wheel, j, wheel}, 2*wheelLines + 1},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, crowd(30), 100, 30)
			r.rush(tc.slow, tc.msgs...)
			if got, want := r.cursor(), r.f.runs[len(r.f.runs)-1-tc.want].Ref; got != want {
				t.Errorf("the cursor is on %s, want %s", got.ID, want.ID)
			}
		})
	}
}

// TestBacklogEndsWithARest: once the loop has waited for a message, the same key
// counts again.
func TestBacklogEndsWithARest(t *testing.T) {
	r := newRig(t, crowd(30), 100, 30)
	r.rush(120*time.Millisecond, pressOf("j"), pressOf("j"))
	r.now = r.now.Add(rested)
	r.send(pressOf("j"))
	r.m.View()
	if got, want := r.cursor(), r.f.runs[len(r.f.runs)-3].Ref; got != want {
		t.Errorf("the cursor is on %s, want %s", got.ID, want.ID)
	}
}

// TestTextIsNeverDropped: double letters are text, and the way out always works.
func TestTextIsNeverDropped(t *testing.T) {
	r := newRig(t, crowd(30), 100, 30)
	l := tea.KeyPressMsg{Code: 'l', Text: "l"}
	r.rush(120*time.Millisecond, pressOf("/"), l, l, l)
	r.shows("/lll")
	r.keys("esc")
	r.f.info.Attempts = 1
	r.pass(time.Second)
	r.rush(120*time.Millisecond, pressOf("ctrl+c"), pressOf("ctrl+c"), pressOf("ctrl+c"))
	if len(r.exited) != 1 {
		t.Errorf("three ctrl+c did not end the process: %v", r.exited)
	}
}

// TestADroppedKeyCostsNoFrame: what is dropped to catch up must not take as long
// as what is not.
func TestADroppedKeyCostsNoFrame(t *testing.T) {
	r := newRig(t, crowd(30), 100, 30)
	r.rush(120*time.Millisecond, pressOf("j"), pressOf("j"))
	before := r.m.View().Content
	r.m.width = 90 // only a frame that is drawn would show it
	if got := r.m.View().Content; got != before {
		t.Error("a dropped key draws a frame")
	}
}
