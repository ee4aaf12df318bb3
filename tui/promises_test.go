package tui

import (
	"regexp"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"weft/flow"
	"weft/keymap"
	"weft/views"
)

// TestShapesChangeWhereTheyShould: from the smallest screen on, one cell less and the
// cell itself.
func TestShapesChangeWhereTheyShould(t *testing.T) {
	small := func(f string) bool { return strings.Contains(f, "needs 58x16") }
	preview := func(f string) bool { return strings.Contains(f, "-- ord-") || strings.Contains(f, "-- imp-") }
	inspector := func(f string) bool { return strings.Contains(f, "+- 0 Inspector") }
	owed := func(f string) bool { return strings.Contains(f, "+- 5 Owed") }
	feed := func(f string) bool { return strings.Contains(f, "+- 8 Feed") }
	third := func(f string) bool { return strings.Contains(f, "+- 7 Lease") }
	stacked := func(f string) bool { return inspector(f) && strings.Count(firstWith(f, "+- 0 Inspector"), "+-") == 1 }
	tests := map[string]struct {
		w, h int
		has  func(string) bool
		want bool
	}{
		"57 wide is too small": {57, 16, small, true}, "15 high is too small": {58, 15, small, true}, "58x16 is enough": {58, 16, small, false},
		"no preview at 19 high": {80, 19, preview, false}, "a preview at 20 high": {80, 20, preview, true},
		"one pane at 105 wide": {105, 30, inspector, false}, "an inspector at 106": {106, 29, inspector, true},
		"no teardowns at 29 high": {120, 29, owed, false}, "teardowns at 30": {120, 30, owed, true},
		"no feed at 33 high": {120, 33, feed, false}, "a feed at 34": {120, 34, feed, true},
		"no third column at 159": {159, 40, third, false}, "a third column at 160": {160, 40, third, true},
		"stacked at 84x46": {84, 46, stacked, true}, "not at 85 wide": {85, 46, stacked, false}, "not at 45 high": {84, 45, stacked, false},
		"the feed is stacked too": {84, 46, feed, true}, "and the teardowns": {84, 46, owed, true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, owing(), tc.w, tc.h)
			exact(t, name, r.frame(), tc.w, tc.h)
			if tc.has(r.frame()) != tc.want {
				t.Errorf("%t, want %t\n%s", !tc.want, tc.want, r.frame())
			}
		})
	}
}

func firstWith(frame, text string) string {
	for _, l := range strings.Split(frame, "\n") {
		if strings.Contains(l, text) {
			return l
		}
	}
	return ""
}

// TestFocusAndScrollSurviveAChangeOfShape: a pane that vanished keeps what it was.
func TestFocusAndScrollSurviveAChangeOfShape(t *testing.T) {
	r := newRig(t, crowd(200), 120, 40)
	r.play("ctrl+f ctrl+f j enter ] ] wait")
	ref, tab := r.m.inspector.Ref, r.m.inspector.Tab
	for _, size := range [][2]int{{80, 24}, {40, 10}, {70, 50}, {200, 60}, {120, 40}} {
		r.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		r.pass(time.Second)
	}
	if r.m.open != views.PaneInspector || r.m.inspector.Ref != ref || r.m.inspector.Tab != tab {
		t.Errorf("%s of %s in tab %d, was tab %d of %s", r.m.open, r.m.inspector.Ref, r.m.inspector.Tab, tab, ref)
	}
	r.keys("esc")
	if r.cursor() != ref {
		t.Errorf("the cursor is on %s, was on %s", r.cursor(), ref)
	}
}

// TestFooterNeverShowsHalfAWord: at every width, only whole hints of the place.
func TestFooterNeverShowsHalfAWord(t *testing.T) {
	for w := 1; w < 200; w++ {
		for _, p := range keymap.Places() {
			whole := map[string]bool{"": true}
			for _, b := range (keymap.Map{}).At(p) {
				whole[b.Label+" "+b.Short] = true
			}
			line := views.Footer(views.Look{}, w, p, nil)
			if ansi.StringWidth(line) != w {
				t.Fatalf("%s: %d cells, want %d: %q", p, ansi.StringWidth(line), w, line)
			}
			for _, hint := range strings.Split(strings.TrimRight(line, " "), "  ") {
				if !whole[hint] && w > 8 {
					t.Fatalf("%s, %d wide: %q is no whole hint: %q", p, w, hint, line)
				}
			}
		}
	}
}

// TestResultsStayFourSecondsAndAKey: what came of an act can be read, and does not
// stand for ever.
func TestResultsStayFourSecondsAndAKey(t *testing.T) {
	r := newRig(t, owing(), 100, 30)
	r.play("3 p")
	r.shows("OK resume")
	r.pass(3 * time.Second)
	r.keys("j")
	r.shows("OK resume")
	r.pass(2 * time.Second)
	r.shows("OK resume")
	r.keys("k")
	r.lacks("OK resume")
}

// TestLeaseIsReadBeforeTheFirstActAfterAPause: while the console was stopped the
// lease may have gone to another, and the frame is drawn anew.
func TestLeaseIsReadBeforeTheFirstActAfterAPause(t *testing.T) {
	r := newRig(t, owing(), 100, 30)
	r.stall = func(e effect) bool { _, ok := e.(readInfo); return ok }
	r.send(resumedMsg{})
	r.keys("j j j p c")
	if len(r.f.acts) > 0 || r.m.modal.top != nil {
		t.Errorf("acted before the lease was read: %v", r.deedsOf())
	}
	r.shows("the lease was not read yet")
	r.release()
	r.keys("c")
	r.shows("Cancel 1 workflow")

	r = newRig(t, owing(), 100, 30)
	depose(r.f)
	r.send(resumedMsg{})
	r.keys("p")
	if r.shows("lease lost at epoch 41"); len(r.f.acts) > 0 {
		t.Errorf("acted without the lease: %v", r.deedsOf())
	}
}

// TestOnlyAHeldLeaseIsGreen: no other word about the lease has the colour of health.
func TestOnlyAHeldLeaseIsGreen(t *testing.T) {
	painted := regexp.MustCompile(`lease (?:\x1b\[m)?\x1b\[([0-9;]+)m([A-Za-z ]+)\x1b\[m`)
	for _, s := range []flow.LeaseState{"", "whatever", flow.LeaseHeld, flow.LeaseOther, flow.LeaseNone, flow.LeaseDoubt, flow.LeaseDeposed,
		flow.LeaseReleased, flow.LeaseCorrupt} {
		for _, size := range [][2]int{{40, 10}, {58, 16}, {80, 24}, {120, 40}, {200, 60}} {
			f := owing()
			f.info.Lease.State = s
			r := newRig(t, f, size[0], size[1])
			r.m.theme, _ = views.ThemeNamed("dark")
			found := painted.FindAllStringSubmatch(r.frame(), -1)
			for _, m := range found {
				if green := m[1] == "32"; green != (s == flow.LeaseHeld) {
					t.Errorf("%q, %v: %s has colour %s", s, size, m[2], m[1])
				}
			}
			if len(found) == 0 && size[0] >= 58 {
				t.Errorf("%q, %v: no word about the lease\n%s", s, size, r.frame())
			}
		}
	}
}

// TestHelpIsFiltered: what a key does is found by typing, with the reason why it does
// not do it now; esc goes one step.
func TestHelpIsFiltered(t *testing.T) {
	r := newRig(t, owing(), 100, 30)
	r.play("? / 'CANCEL'")
	r.shows("/CANCEL_", "cancel the run; its teardown becomes owed", "2/2")
	r.lacks("send a signal")
	r.send(tea.PasteMsg{Content: " the"})
	r.shows("/CANCEL the_", "1/1")
	r.keys("enter")
	r.shows("/CANCEL the ", "1/1")
	if len(r.f.acts) > 0 || r.m.modal.top == nil {
		t.Error("the filter of the help acted, or closed it")
	}
	r.play("/ ctrl+u 'dead letters:'")
	r.shows("discard a dead letter for good", "letters: this run is live")
	r.play("ctrl+u 'nosuchthing' enter")
	r.shows("no key does that here; ctrl+p finds")
	r.keys("esc")
	r.shows("open the run in the inspector")
	r.keys("esc")
	if r.m.modal.top != nil {
		t.Error("esc does not close the help")
	}
	for _, size := range [][2]int{{58, 16}, {80, 24}, {200, 60}} {
		r.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		r.play("? / 'a'")
		exact(t, "help", r.frame(), size[0], size[1])
		r.keys("esc esc")
	}
}

// TestProblemsKeepSinceWhenTheyStand: a condition that lasts is one problem, as old as
// it is.
func TestProblemsKeepSinceWhenTheyStand(t *testing.T) {
	r := newRig(t, owing(), 120, 40)
	depose(r.f)
	r.pass(time.Second)
	find := func() flow.Problem {
		for _, p := range r.m.header.Own {
			if strings.Contains(p.Text, "does not hold the lease") {
				return p
			}
		}
		t.Fatalf("no problem: %v", r.m.header.Own)
		return flow.Problem{}
	}
	first := find()
	r.pass(10 * time.Second)
	if now := find(); now.Since != first.Since || now.Last <= first.Last {
		t.Errorf("since %s, last %s; at first since %s, last %s", now.Since, now.Last, first.Since, first.Last)
	}
	r.f.info.Lease.State = flow.LeaseHeld
	r.pass(5 * time.Second)
	depose(r.f)
	r.pass(2 * time.Second)
	if again := find(); again.Since == first.Since {
		t.Error("what began again is as old as what ended")
	}
}

// TestFeedCountsWithinASecondOnly: what comes later is another event.
func TestFeedCountsWithinASecondOnly(t *testing.T) {
	at := flow.InstantOf(noon)
	one := func(after time.Duration) flow.Notice {
		return flow.Notice{Kind: flow.NoticeAttempt, Type: "order-process", Text: "503 stock", At: at.Add(after)}
	}
	for after, lines := range map[time.Duration]int{999 * time.Millisecond: 1, time.Second: 2, 1500 * time.Millisecond: 2} {
		f := views.Feed{}.Sized(10).Take([]flow.Notice{one(0), one(after)})
		if n := strings.Count(strings.Join(f.Draw(views.Look{Now: noon}, 100, 10, true), "\n"), "503 stock"); n != lines {
			t.Errorf("%v later: %d lines, want %d", after, n, lines)
		}
	}
}

// TestDialogsAlwaysShowTheirKeys: however long what a dialog says, and however small
// the screen, its keys are on it, and it is no wider than it may be.
func TestDialogsAlwaysShowTheirKeys(t *testing.T) {
	long := strings.Repeat("very-long-", 24)
	for what, q := range map[string]struct{ open, keys string }{
		"cancel": {"2", "c"}, "purge": {"4", "P"}, "again": {"4", "A"}, "discard": {"6", "D"}, "redrive": {"6", "R"}, "cancel of many": {"2 ctrl+a", "c"},
		"discard of many": {"6 ctrl+a", "D"}, "start": {"2", "N"}, "signal": {"2", "s"}, "export": {"2", "e"},
	} {
		for _, size := range [][2]int{{58, 16}, {59, 16}, {60, 17}, {72, 18}, {80, 24}, {120, 40}, {200, 60}} {
			f := newFake()
			for i := range 12 {
				s := []flow.Status{flow.Running, flow.Cancelled}[i%2]
				r := f.add(long+string(rune('a'+i)), long, s, time.Minute)
				if f.final[r.Ref] = long; s.Terminal() {
					f.dead = append(f.dead, flow.Dead{Ref: r.Ref, Type: long, Finalizer: long, LastError: strings.Repeat(long, 4), Input: flow.Payload("1")})
				}
			}
			r := newRig(t, f, size[0], size[1])
			r.play(q.open)
			if r.m.modal.top != nil {
				r.play("wait y")
			}
			if strings.HasPrefix(q.open, "4") {
				f.dead = nil
			}
			r.play(q.keys + " wait")
			exact(t, what, r.frame(), size[0], size[1])
			if r.m.modal.top == nil {
				t.Fatalf("%s, %v: no dialog: %s\n%s", what, size, r.status().Text, r.frame())
			}
			box := r.m.modal.top.Draw(r.m.look(), size[0], r.m.shape().Over())
			if len(box) > size[1]-4 || ansi.StringWidth(box[0]) > 72 || size[0] < 60 && ansi.StringWidth(box[0]) != size[0] {
				t.Errorf("%s, %v: %d lines of %d cells\n%s", what, size, len(box), ansi.StringWidth(box[0]), r.frame())
			}
			keys := strings.Trim(box[len(box)-2], "| ")
			known := strings.Contains(keys, "keep") || strings.Contains(keys, "[ send ]") || strings.Contains(keys, "close")
			if !known || !strings.Contains(r.frame(), keys) || !strings.Contains(r.frame(), strings.TrimSpace(box[len(box)-1])) {
				t.Errorf("%s, %v: its keys are not to be seen\n%s", what, size, r.frame())
			}
		}
	}
}
