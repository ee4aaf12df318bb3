package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"weft/flow"
	"weft/views"
)

// hold holds a key for two seconds, as a terminal that tells repeats does, or as
// one that does not.
func (r *rig) hold(name string, told bool) {
	r.t.Helper()
	k := pressOf(name)
	r.send(k)
	r.pass(500 * time.Millisecond)
	k.IsRepeat = told
	for range 50 {
		r.send(k)
		r.pass(30 * time.Millisecond)
	}
}

// TestAHeldKeyCountsOnce: what is held does what pressing it once does, where it
// was pressed.
func TestAHeldKeyCountsOnce(t *testing.T) {
	text := func(r *rig) string { return r.m.line.field.Text() }
	tests := map[string]struct {
		before, key string
		ok          func(*rig) bool
	}{
		"suspend in a list":        {"j j j", "p", func(r *rig) bool { return len(r.f.acts) == 1 }},
		"suspend in the inspector": {"j j j enter wait", "p", func(r *rig) bool { return len(r.f.acts) == 1 }},
		"cancel":                   {"j j j", "c", func(r *rig) bool { return len(r.f.acts) == 0 && r.m.modal.top != nil }},
		"accept":                   {"j j j c wait", "y", func(r *rig) bool { return len(r.f.acts) == 1 }},
		"cancel of many": {"space space", "c", func(r *rig) bool {
			return strings.Contains(r.frame(), "> _") || strings.Contains(r.frame(), ">      [_")
		}},
		"the command line": {"", ":", func(r *rig) bool { return text(r) == "" }},
		"the filter":       {"", "/", func(r *rig) bool { return r.m.typed.field.Text() == "" }},
		"ctrl+c": {"", "ctrl+c", func(r *rig) bool {
			_, asks := r.m.modal.top.(views.Quit)
			return asks && !r.m.leave.closing && len(r.exited) == 0
		}},
		"a mark":                    {"", "space", func(r *rig) bool { shown, _ := r.m.list().Marked(); return shown == 1 }},
		"a form is not sent":        {"9 N shift+tab", "enter", func(r *rig) bool { return len(r.f.acts) == 0 && r.m.modal.top != nil }},
		"a letter is written on":    {":", "x", func(r *rig) bool { return len(text(r)) > 10 }},
		"what is written goes away": {": 'signal'", "backspace", func(r *rig) bool { return text(r) == "" }},
		"the cursor goes on":        {"", "j", func(r *rig) bool { before := r.cursor(); r.keys("k k"); return r.cursor() != before }},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, owing(), 100, 30)
			r.f.info.Attempts = 1
			r.pass(time.Second)
			r.play(tc.before)
			r.hold(tc.key, true)
			if !tc.ok(r) {
				t.Errorf("acts %v, status %q\n%s", r.deedsOf(), r.status().Text, r.frame())
			}
		})
	}
}

// TestSuspendIsNotTurnedRoundByAHeldKey: most terminals do not tell repeats.
func TestSuspendIsNotTurnedRoundByAHeldKey(t *testing.T) {
	for _, before := range []string{"j j j", "j j j enter wait", "3 wait", "3 enter wait"} {
		r := newRig(t, owing(), 100, 30)
		r.play(before)
		r.hold("p", false)
		if len(r.f.acts) != 1 {
			t.Errorf("%s p held: %v, want one act: %s", before, r.deedsOf(), r.status().Text)
		}
		r.pass(time.Second)
		ref := target(r.f.acts[0].Deed)
		if r.subjectIs(ref) {
			r.keys("p")
			if strings.Contains(before, "enter") && len(r.f.acts) != 2 {
				t.Errorf("%s: not turned round by a new press: %s", before, r.status().Text)
			}
		}
	}
	r := newRig(t, owing(), 100, 30)
	r.play("3 p j p")
	if len(r.f.acts) != 2 {
		t.Errorf("two runs in a row: %v: %s", r.deedsOf(), r.status().Text)
	}
}

func (r *rig) subjectIs(ref flow.Ref) bool { return r.m.subject().Run.Ref == ref }

// TestTerminalsAreAskedForRepeats: without that none would tell.
func TestTerminalsAreAskedForRepeats(t *testing.T) {
	r := newRig(t, owing(), 100, 30)
	if !r.m.View().KeyboardEnhancements.ReportEventTypes {
		t.Error("repeats are not asked for")
	}
	if msg := onlyPresses(r.m, tea.KeyReleaseMsg{Code: 'y', Text: "y"}); msg != nil {
		t.Errorf("a key that is let go is %v", msg)
	}
	if msg := onlyPresses(r.m, pressOf("y")); msg == nil {
		t.Error("a key is dropped")
	}
}

// TestNothingSwitchesTheQuestionsOff: of all questions only that before a retry may
// be, for one teardown.
func TestNothingSwitchesTheQuestionsOff(t *testing.T) {
	for what, tc := range map[string]struct {
		open, answer string
		done         bool
	}{
		"cancel": {"c", "y", false}, "again": {"4 / 'ord-77' wait enter A", "y", false}, "purge": {"4 / 'ord-77' wait enter P", "'purge 1' enter", false},
		"redrive": {"6 R", "y", false}, "discard": {"6 D", "'discard 1' enter", false}, "bulk cancel": {"space space c", "'cancel 2' enter", false},
		"bulk retry": {"5 space space R", "'retry 2' enter", false}, "bulk discard": {"6 space space D", "'discard 2' enter", false},
		"retry": {"5 R", "", true},
	} {
		t.Run(what, func(t *testing.T) {
			r := newRig(t, owing(), 100, 30)
			r.send(settingsMsg{set: Settings{Theme: "plain", RetryAtOnce: true}})
			r.play(tc.open)
			if done := len(r.f.acts) > 0; done != tc.done {
				t.Fatalf("done %t, want %t: %v", done, tc.done, r.deedsOf())
			}
			if tc.done {
				return
			}
			r.play(tc.answer)
			if len(r.f.acts) > 0 {
				t.Errorf("done at once: %v", r.deedsOf())
			}
			r.shows("press it again")
			r.play("esc " + tc.open[strings.LastIndex(tc.open, " ")+1:] + " wait " + tc.answer)
			if len(r.f.acts) == 0 {
				t.Errorf("not done afterwards: %s\n%s", r.status().Text, r.frame())
			}
		})
	}
}
